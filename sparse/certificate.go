package sparse

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// Claim says that someone has found the smallest eigenvalues of A·x = λM·x, each as often as it occurs.
type Claim struct {
	A      *CSR      // symmetric, with every mirror entry stored ([CSR.Symmetric])
	M      *CSR      // likewise, positive definite; nil: the identity
	Values []float64 // those found, ascending
	Null   int       // eigenvalues that are zero, besides
	Next   float64   // about the first eigenvalue behind them, from which to keep away; NaN: nothing is known
	// Residual is the largest ‖Ax − λMx‖₂/‖x‖₂ of a pair: divided by the least eigenvalue of M it bounds the error of a value.
	Residual float64
	// Analysis of the pattern of A and M together, by which to factorise; nil: the matrix is analysed, which finds
	// pairs of rows for a weak diagonal.
	Analysis *Analysis
}

// Certificate is a count of eigenvalues by inertia ([Inertia]) compared with the claimed ones.
//
// Below = Known proves, in exact arithmetic from the numbers stored: A and M have as many eigenvalues up to
// Shift − Bound as were found there, so that none is missing. It does not judge the vectors; their residuals do.
// Where eigenvalues behind the last one found are so near to it that no shift
// fits between, the shift is in front of all these, and Pairs are those before it.
type Certificate struct {
	Shift  float64 `json:"shift"`
	Below  int     `json:"below"` // eigenvalues below the shift, counted
	Known  int     `json:"known"` // those that were found there, null vectors included
	Pairs  int     `json:"pairs"` // leading pairs of the result below the shift by more than the bound: those that are certified
	Missed int     `json:"missed"`
	// Bound on what rounding may have moved an eigenvalue by: one within it of the shift may be counted on either side.
	Bound          float64 `json:"bound"`
	Factorisations int     `json:"factorisations"`
	// Certain says that no eigenvalue found is within the bound of the shift, and of an interval that none is of either end
	// ([Inertia.Certain]).
	Certain bool `json:"certain"`
}

// Holds reports whether the count is the one that was claimed.
func (c *Certificate) Holds() bool { return c.Below == c.Known && c.Pairs > 0 && c.Certain }

// String says in words what the certificate proves.
func (c *Certificate) String() string {
	text := fmt.Sprintf("%d eigenvalues lie below %.6g (to %.1e), and %d were found there", c.Below, c.Shift, c.Bound, c.Known)
	if c.Missed > 0 {
		text += fmt.Sprintf(", %d of them after the count", c.Missed)
	}
	return text
}

// Doubt says if a certificate is less than a proof for this many pairs, and what it changed; empty: no doubt.
func (c *Certificate) Doubt(pairs int) string {
	switch {
	case c.Below != c.Known:
		return fmt.Sprintf("no certificate: %s", c)
	case !c.Certain:
		return fmt.Sprintf("no certificate: an eigenvalue is within rounding of where they were counted, and may be on either side (%s)", c)
	case c.Pairs < pairs:
		return fmt.Sprintf("the certificate is of %d of the %d eigenpairs: the following eigenvalues are closer together than the rounding error (%s)", c.Pairs, pairs, c)
	case c.Missed > 0:
		return fmt.Sprintf("the search had missed eigenvalues, went on and found them: %s", c)
	}
	return ""
}

// keepAway times the bound is how far the shift stays from values at least.
const keepAway = 2

// Certify counts the eigenvalues below a shift behind the values claimed: in the middle of the gap where the next
// is known. It is one factorisation, and two where there is no gap ([Certificate]); with a sparse M
// another proves how far M is from singular. Options are the same as for [NewLDLT].
//
// A definite answer is not an error, whatever it is. Errors are the same as for [NewLDLT].
func (c Claim) Certify(ctx context.Context, o CholeskyOptions) (*Certificate, error) {
	if o.Kernels == nil {
		kernels, err := blas.Select("")
		if err != nil {
			return nil, err
		}
		o.Kernels = kernels
	}
	least, err := c.minMass(ctx, o)
	if err != nil {
		return nil, err
	}
	found := &Certificate{}
	last := c.Values[len(c.Values)-1]
	c.Residual /= least
	shift := (last + c.Next) / 2
	if !(c.Next > last) {
		shift = last + max(2*c.Residual, 1e-3*math.Abs(last), 0x1p-40*c.A.RowSumNorm())
	}
	if err := c.count(ctx, found, shift, least, o); err != nil {
		return nil, err
	}
	if c.Recount(found); found.Certain {
		return found, nil
	}
	// No shift fits behind the last one: in front of all that are as near to each other.
	away := keepAway*found.Bound + c.Residual
	first := len(c.Values) - 1
	for first > 0 && c.Values[first]-c.Values[first-1] <= 2*away {
		first--
	}
	if first == 0 {
		return found, nil
	}
	err = c.count(ctx, found, c.Values[first]-away, least, o)
	c.Recount(found)
	return found, err
}

// Recount enters which of the values lie below the shift, where others are claimed than at the time of the count. Where one is within
// the bound of the shift it may be counted on either side, and nothing is certain.
func (c Claim) Recount(found *Certificate) {
	found.Known, found.Pairs = 0, 0
	if found.Shift > 0 {
		found.Known = c.Null
	}
	near, away := false, c.Residual+found.Bound
	for _, v := range c.Values {
		if v < found.Shift {
			found.Known++
		}
		if v < found.Shift-away {
			found.Pairs++
		} else if v <= found.Shift+away {
			near = true
		}
	}
	found.Certain = !near
}

// count enters the number of eigenvalues below a shift.
func (c Claim) count(ctx context.Context, found *Certificate, shift, least float64, o CholeskyOptions) error {
	a, at := c.A, -shift
	if c.M != nil {
		var err error
		if a, err = Add(1, c.A, -shift, c.M); err != nil {
			return err
		}
		at = 0
	}
	in, err := c.inertia(ctx, a, at, o)
	if err != nil {
		return err
	}
	found.Factorisations++
	found.Shift, found.Below, found.Bound = shift, in.Negative, in.Bound/least
	return nil
}

// inertia is by the analysis given where that is certain without pairs of rows and delayed pivots.
func (c Claim) inertia(ctx context.Context, a *CSR, shift float64, o CholeskyOptions) (Inertia, error) {
	if c.Analysis != nil {
		if need := c.Analysis.Bytes(); o.Memory > 0 && need > o.Memory {
			return Inertia{}, &MemoryError{"the factor of the certificate", need, o.Memory, "raise the limit, or leave the certificate out"}
		}
		f, err := c.Analysis.FactorIndefinite(ctx, o.Kernels, o.Threads, a, shift, nil)
		if err != nil {
			return Inertia{}, err
		}
		if in := f.Inertia(a, shift); in.Certain {
			return in, nil
		}
	}
	f, err := NewLDLT(ctx, a, shift, o)
	if err != nil {
		return Inertia{}, err
	}
	return f.Inertia()
}

// minMass is a number that no eigenvalue of M is below: a change E of A − σM moves eigenvalues by
// ‖E‖₂ over it at most. A definite M − μI proves μ.
func (c Claim) minMass(ctx context.Context, o CholeskyOptions) (float64, error) {
	if c.M == nil {
		return 1, nil
	}
	diagonal := make([]float64, c.M.Rows)
	least, only := math.Inf(1), true
	for i := range diagonal {
		cols, vals := c.M.Row(i)
		left := 0.0 // of the diagonal entry after the others
		for p, j := range cols {
			switch {
			case int(j) == i:
				diagonal[i] = vals[p]
				left += vals[p]
			default:
				left -= math.Abs(vals[p])
				only = only && vals[p] == 0
			}
		}
		least = min(least, left)
	}
	if only || least > 0 {
		return least, nil // Gershgorin's circles
	}
	mu := 3.6 * slices.Min(diagonal)
	var err error
	for range 5 {
		mu /= 8
		var f *Cholesky
		if f, err = NewCholesky(ctx, c.M, -mu, o); err == nil {
			in := f.numeric.factor.Inertia(c.M, -mu)
			if mu > 2*in.Bound {
				return mu - in.Bound, nil
			}
		}
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
	}
	if err != nil {
		return 0, fmt.Errorf("sparse: a certificate: M is too near to singular: %w", err)
	}
	return 0, fmt.Errorf("sparse: a certificate: M is singular within rounding; give a positive definite M")
}
