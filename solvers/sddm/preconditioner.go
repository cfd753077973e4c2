package sddm

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
	"github.com/orthant-go/orthant/sparse"
)

// Preconditioner is about the inverse of a symmetric positive semidefinite matrix A, for iterative methods on A: by the
// diagonal, or by the approximate factor of SAS, for a positive diagonal S for which that is a Laplacian plus a nonnegative diagonal.
type Preconditioner struct {
	reason   string
	entries  int
	scale    []float64 // S; nil: the identity
	diagonal []float64 // the inverse of that of A
	factor   *factor   // nil: the diagonal
	dominant *system   // SAS; nil: it is not of that form
}

// ErrUnsuited says that A is neither of the form that the factor needs, nor has a diagonal that is enough.
var ErrUnsuited = errors.New("solvers: laplacian: neither the diagonal nor a sampled factor preconditions the matrix")

// NewPreconditioner tries the identity and each of the given diagonals as S. The preconditioner is the diagonal where a trial shows that
// conjugate gradients need few iterations with it, and otherwise the approximate factor; it is [ErrUnsuited] where the
// matrix is not of that form. With o.Preconditioner Diagonal no factor is made. A is valid, symmetric, and with every entry has its mirror.
func NewPreconditioner(ctx context.Context, a *sparse.CSR, scales [][]float64, o Options) (*Preconditioner, error) {
	if err := o.fill(); err != nil {
		return nil, err
	}
	p := &Preconditioner{entries: a.NNZ(), diagonal: inverseDiagonal(a)}
	for _, scale := range append([][]float64{nil}, scales...) {
		if s := dominantBy(a, scale); s != nil {
			p.dominant, p.scale = s, scale
			break
		}
	}
	s := &Solver{system: system{given: a.Rows, a: a}, Options: o, diagonal: p.diagonal}
	if p.dominant != nil {
		s.system, s.diagonal = *p.dominant, inverseDiagonal(p.dominant.a)
	}
	var left float64
	var err error
	iterations := 0
	if o.Preconditioner != Sampled {
		if iterations, left, err = s.trial(ctx, p.dominant == nil); err != nil {
			return nil, err
		}
		if left <= trialShare {
			p.reason = fmt.Sprintf("%d iterations with the diagonal reduce a random residual to %.1g", iterations, left)
			p.leave()
			return p, nil
		}
	}
	if p.dominant == nil || o.Preconditioner == Diagonal {
		return nil, ErrUnsuited
	}
	if err := s.sampled(ctx); err != nil {
		return nil, err
	}
	p.factor = s.factor
	p.leave()
	p.reason = fmt.Sprintf("an approximate Cholesky factor of %d entries", p.factor.entries())
	return p, nil
}

// leave lets go of the scaled matrix.
func (p *Preconditioner) leave() {
	if p.dominant != nil {
		p.dominant.a = nil
	}
}

// dominantBy is SAS, where that is a Laplacian plus a nonnegative diagonal; otherwise nil.
func dominantBy(a *sparse.CSR, scale []float64) *system {
	s := &system{given: a.Rows, a: a}
	for i := range a.Rows { // soon seen where it is not
		cols, vals := a.Row(i)
		for p, j := range cols {
			if int(j) != i && vals[p] > 0 {
				return nil
			}
		}
	}
	if scale != nil {
		scaled := *a
		scaled.Val = pages.Make[float64](len(a.Val))
		for i := range a.Rows {
			if !(scale[i] > 0) || math.IsInf(scale[i], 1) {
				return nil
			}
			for p := a.Ptr[i]; p < a.Ptr[i+1]; p++ {
				scaled.Val[p] = scale[i] * a.Val[p] * scale[a.Col[p]]
			}
		}
		s.a = &scaled
	}
	s.scale()
	if s.dominant() != nil {
		return nil
	}
	s.components()
	return s
}

// Reason says in words what it is.
func (p *Preconditioner) Reason() string { return p.reason }

// Work is the number of operations of a vector, in products with A.
func (p *Preconditioner) Work() float64 {
	if p.factor == nil {
		return 0
	}
	return 2 * float64(p.factor.entries()) / float64(max(p.entries, 1))
}

// Bytes is its memory, and that of one use for a block of this many vectors.
func (p *Preconditioner) Bytes(width int) int64 {
	b := 8 * int64(len(p.diagonal)+len(p.scale))
	if p.factor != nil {
		b += p.factor.bytes() + 16*int64(len(p.diagonal))*int64(width)
	}
	if p.dominant != nil {
		b += 12*int64(len(p.diagonal)) + 24*int64(len(p.dominant.singular))
	}
	return b
}

// Singular is the number of components on which A is known to be singular, each with a null vector of its own.
func (p *Preconditioner) Singular() int {
	if p.dominant == nil {
		return 0
	}
	return len(p.dominant.singular)
}

// Null writes the unit null vector of one of these components, which is positive there and 0 elsewhere.
func (p *Preconditioner) Null(component int, v []float64) {
	c := p.dominant.singular[component]
	for i := range v {
		if v[i] = 0; int(p.dominant.component[i]) == c.label {
			if v[i] = 1; p.scale != nil {
				v[i] = p.scale[i]
			}
		}
	}
	blas.Scale(1/math.Sqrt(blas.Dot(v, v)), v)
}

// applyRows is the number of rows of a task.
const applyRows = 4096

// Apply writes about A⁻¹X, of width columns, to Z. On a singular component it has any part along the null vector. work
// keeps storage from call to call.
func (p *Preconditioner) Apply(threads, width int, x, z []float64, work *Work) {
	n := len(p.diagonal)
	if p.factor == nil {
		_ = blas.For(context.Background(), threads, n, applyRows, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				d, to := p.diagonal[i], z[i*width:(i+1)*width]
				for l, v := range x[i*width : (i+1)*width] {
					to[l] = d * v
				}
			}
		})
		return
	}
	work.x, work.sums = grown(work.x, n*width), grown(work.sums, n*width)
	y, order := work.x, p.factor.order
	_ = blas.For(context.Background(), threads, n, applyRows, func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			i := int(order[k])
			copy(y[k*width:(k+1)*width], x[i*width:])
			if p.scale != nil {
				blas.Scale(p.scale[i], y[k*width:(k+1)*width])
			}
		}
	})
	p.factor.apply(threads, width, y, work.sums)
	_ = blas.For(context.Background(), threads, n, applyRows, func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			i := int(order[k])
			copy(z[i*width:(i+1)*width], y[k*width:(k+1)*width])
			if p.scale != nil {
				blas.Scale(p.scale[i], z[i*width:(i+1)*width])
			}
		}
	})
}

// Work is the storage of [Preconditioner.Apply].
type Work struct{ x, sums []float64 }
