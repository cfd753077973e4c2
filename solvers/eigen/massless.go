package eigen

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// vanishedShare times the largest eigenvalue of the inverse is the size up to which another one stands for an infinite
// eigenvalue of the pencil.
const vanishedShare = 1e-13

// massless is what is known of rows of M without entries, as lumped masses leave them. Each gives an infinite eigenvalue, which
// no search by the inverse meets: there it is zero. In full arrays, which need a factor of M, the rows are eliminated.
type massless struct {
	rows  []int       // ascending; none: M is definite
	units *sparse.CSR // M with a one on the diagonal of each of these rows, which is definite
}

// condensed is a pencil whose rows without mass were eliminated: with A₂₁x₁ + A₂₂x₂ = 0 in these rows, the others are
// (A₁₁ − A₁₂A₂₂⁻¹A₂₁)x₁ = λM₁₁x₁.
type condensed struct {
	whole  pencil
	kept   []int     // the rows with mass
	solved []float64 // A₂₂⁻¹A₂₁, a row for each row without mass
}

// readMassless checks a pencil with rows that have no mass, and eliminates these rows if all pairs are less work than a search.
func (s *pencil) readMassless(ctx context.Context) error {
	rows := s.mass.massless.rows
	switch {
	case s.given == nil:
		return fmt.Errorf("solvers: row %d of M (counting from 0) has no entries, and an operator cannot be factorised, as that needs; give A, or a positive definite M", rows[0])
	case s.Certified:
		return fmt.Errorf("solvers: row %d of M (counting from 0) has no entries, and a certificate needs a positive definite M; leave the certificate out, or ask for an interval, whose eigenvalues are counted", rows[0])
	}
	for _, i := range rows {
		if emptyRow(s.given, i) {
			return fmt.Errorf("solvers: row %d (counting from 0) has entries neither in A nor in M, so that every number is an eigenvalue; leave the row out", i)
		}
	}
	most := s.finite() - len(s.Null)
	if s.count > most {
		return fmt.Errorf("solvers: %d eigenpairs requested where M has entries in %d of %d rows, so that other eigenvalues are infinite, with %d null vectors left out; give a number from 1 to %d",
			s.count, s.finite(), s.n, len(s.Null), most)
	}
	s.wanted = min(s.wanted, most)
	if s.small() {
		return s.condense(ctx)
	}
	return s.mass.spread()
}

// finite is the number of finite eigenvalues at most.
func (s *pencil) finite() int { return s.n - len(s.mass.massless.rows) }

// emptyRow reports whether a row has no entry but zeros.
func emptyRow(a *sparse.CSR, i int) bool {
	_, vals := a.Row(i)
	for _, v := range vals {
		if v != 0 {
			return false
		}
	}
	return true
}

// spread stores the diagonal entries of rows without mass, and makes M definite in units.
func (s *mass) spread() error {
	m := s.matrix
	if m == nil {
		m = diagonalMatrix(s.diagonal)
	}
	ones := make([]float64, s.n)
	for _, i := range s.massless.rows {
		ones[i] = 1
	}
	units := diagonalMatrix(ones)
	var err error
	if s.matrix, err = sparse.Add(1, m, 0, units); err != nil {
		return err
	}
	s.diagonal = nil
	s.massless.units, err = sparse.Add(1, m, 1, units)
	return err
}

// regular is M itself, or where rows have no mass the definite matrix with ones there.
func (s *mass) regular() *sparse.CSR {
	if s.massless.units != nil {
		return s.massless.units
	}
	return s.matrix
}

// condense eliminates the rows without mass. Where their block of A is singular they stay.
func (s *pencil) condense(ctx context.Context) error {
	rows := s.mass.massless.rows
	light, heavy := len(rows), s.finite()
	if need := 8 * int64(heavy) * int64(2*light+2*heavy); s.Memory > 0 && need > s.Memory {
		return &MemoryError{Need: need + s.copied, Limit: s.Memory + s.copied}
	}
	product := make([]float64, s.n)
	for j, z := range s.Null {
		s.given.MulVec(s.Threads, z, product)
		if err := checkNull(j, z, product, s.size); err != nil {
			return err
		}
	}
	place, without := make([]int, s.n), make([]bool, s.n) // of each row among the rows of its kind
	for to, i := range rows {
		place[i], without[i] = to, true
	}
	c := &condensed{}
	for i := range s.n {
		if !without[i] {
			place[i] = len(c.kept)
			c.kept = append(c.kept, i)
		}
	}
	block, err := sparse.FromEntries(light, light, func(put func(i, j int, v float64)) {
		s.given.DoNonZero(func(i, j int, v float64) {
			if without[i] && without[j] {
				put(place[i], place[j], v)
			}
		})
	})
	if err != nil {
		return err
	}
	full, coupling := make([]float64, heavy*heavy), make([]float64, light*heavy)
	s.given.DoNonZero(func(i, j int, v float64) {
		switch {
		case without[j]:
		case without[i]:
			coupling[place[i]*heavy+place[j]] = v
		default:
			full[place[i]*heavy+place[j]] = v
		}
	})
	factor, err := sparse.NewLDLT(ctx, block, 0, sparse.CholeskyOptions{Kernels: s.Kernels, Threads: s.Threads, Memory: s.Memory})
	if err != nil {
		return err
	}
	c.solved = append([]float64(nil), coupling...)
	if _, err = factor.Solve(c.solved, heavy); err != nil {
		if _, singular := errors.AsType[*sparse.BackwardError](err); singular {
			return s.mass.spread()
		}
		return err
	}
	s.Kernels.Gemm(true, false, heavy, heavy, light, -1, coupling, heavy, c.solved, heavy, 1, full, heavy)
	a, err := sparse.FromEntries(heavy, heavy, func(put func(i, j int, v float64)) {
		for i := range heavy {
			for j := range heavy {
				if v := (full[i*heavy+j] + full[j*heavy+i]) / 2; v != 0 {
					put(i, j, v)
				}
			}
		}
	})
	if err != nil {
		return err
	}
	c.whole = *s
	own := *s.problem
	c.whole.problem = &own
	if err := c.whole.mass.spread(); err != nil {
		return err
	}
	s.condensed = c
	s.A, s.given, s.n, s.size = a, a, heavy, a.RowSumNorm()
	s.M = c.massOf(s.mass)
	s.Null, s.Start = c.of(s.Null), nil
	s.mass, err = massOf(s.M, heavy)
	return err
}

// massOf is the block of M that has entries.
func (c *condensed) massOf(m mass) mat.Matrix {
	if m.diagonal != nil {
		return mat.NewVecDense(len(c.kept), c.of([][]float64{m.diagonal})[0])
	}
	place := make([]int, m.n)
	for to, i := range c.kept {
		place[i] = to
	}
	var entries []sparse.Triplet
	m.matrix.DoNonZero(func(i, j int, v float64) {
		entries = append(entries, sparse.Triplet{Row: place[i], Col: place[j], Val: v})
	})
	a, err := sparse.FromTriplets(len(c.kept), len(c.kept), entries)
	if err != nil {
		panic(err) // of entries that are in range and there once
	}
	return a
}

// of are the entries of vectors in the rows with mass.
func (c *condensed) of(vectors [][]float64) [][]float64 {
	out := make([][]float64, len(vectors))
	for j, v := range vectors {
		out[j] = make([]float64, len(c.kept))
		for to, i := range c.kept {
			out[j][to] = v[i]
		}
	}
	return out
}

// rowOf is the row of the whole pencil that a row is; nil: the same one, as no rows were eliminated.
func (c *condensed) rowOf(row int) int {
	if c == nil || row < 0 {
		return row
	}
	return c.kept[row]
}

// expand brings the pairs of the condensed pencil back to the whole one, and measures them there.
func (s *pencil) expand(ctx context.Context, e *Eigen) error {
	c := s.condensed
	heavy, t := len(c.kept), c.whole
	for j, x := range e.Vectors {
		e.Vectors[j] = make([]float64, t.n)
		for to, i := range c.kept {
			e.Vectors[j][i] = x[to]
		}
		for to, i := range t.mass.massless.rows {
			e.Vectors[j][i] = -blas.Dot(c.solved[to*heavy:(to+1)*heavy], x)
		}
	}
	own := *t.problem
	own.inverted, own.Memory = s.inverted, 0
	t.problem, t.massLater = &own, true
	if err := t.equilibrate(ctx); err != nil {
		return err
	}
	values, next, certificate := e.Values, e.Next, e.Certificate
	e.Values, e.Certificate = make([]float64, len(values)), nil
	for j, v := range values {
		e.Values[j] = t.scaling.inside(v)
	}
	e.Vectors = t.scaling.into(e.Vectors)
	t.measure(e)
	if _, err := t.scaledBack(e); err != nil {
		return err
	}
	e.Values, e.Next, e.Certificate = values, next, certificate
	return nil
}

// named adds the infinite eigenvalues that were left out to a result.
func (s *pencil) named(e *Eigen) {
	rows := s.mass.massless.rows
	if s.condensed != nil {
		rows = s.condensed.whole.mass.massless.rows
	}
	if len(rows) == 0 {
		return
	}
	e.Infinite = len(rows)
	what := fmt.Sprintf("%d infinite eigenvalues left out", len(rows))
	if len(rows) == 1 {
		what = "an infinite eigenvalue left out"
	}
	e.Plan.Reason += fmt.Sprintf(", %s (rows of M without entries, the first in row %d, counting from 0)", what, rows[0])
}

// withoutInfinite drops the eigenvalues of an inverse that stand for infinite ones.
func withoutInfinite(theta []float64, vectors [][]float64) ([]float64, [][]float64) {
	for j, t := range theta {
		if !(max(t, -t) > vanishedShare*max(theta[0], -theta[0])) {
			return theta[:j], vectors[:j]
		}
	}
	return theta, vectors
}
