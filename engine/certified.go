package engine

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/quality"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/sparse"
)

// notCertifiable refuses a certificate of another problem.
func notCertifiable(of string) error {
	names := method.NamesWhere(func(m Method, r method.Row) bool { return r.Embed != nil && method.SolvesForSmallest(m, r.Embed()) })
	return wording.Errorf("%s: a certificate counts the eigenvalues of a sparse alignment matrix, and this method solves for none; leave ‹certified› out, or choose one of %s",
		of, strings.Join(names, ", "))
}

// count is the certificate of columns that someone found, by the alignment matrix made again, and
// what in it speaks against them.
func (s state) count(a *align.Sum, r *quality.Recheck, next float64, v *Verification) (doubts []string, err error) {
	defer s.Phase("count")()
	full, err := a.Phi.Symmetric()
	if err != nil {
		return nil, err
	}
	claim := sparse.Claim{A: full, Values: slices.Sorted(slices.Values(r.Values)), Null: 1, Next: next, Residual: slices.Max(r.Residuals) * r.Norm}
	c, err := claim.Certify(s.Context(), sparse.CholeskyOptions{Kernels: s.Kernels(), Threads: s.Threads(), Memory: s.Left()})
	if err != nil {
		if need, is := errors.AsType[*sparse.MemoryError](err); is {
			return nil, s.Refuse("%s", need)
		}
		return nil, err
	}
	v.Certificate = c
	switch {
	case c.Below > c.Known:
		return []string{fmt.Sprintf("the columns are not of the smallest eigenvalues: %s", c)}, nil
	case c.Below < c.Known:
		return []string{fmt.Sprintf("fewer eigenvalues are that small than the columns say: %s", c)}, nil
	case c.Pairs < len(r.Values) && !math.IsNaN(next):
		s.Warn("the count is of %d of the %d columns: the eigenvalues behind are nearer to each other than rounding tells", c.Pairs, len(r.Values))
	case c.Pairs < len(r.Values):
		s.Warn("the count is of %d of the %d columns; give the next eigenvalue, which the report of the run has (‹next›), for all", c.Pairs, len(r.Values))
	}
	return nil, nil
}
