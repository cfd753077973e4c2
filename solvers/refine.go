package solvers

import (
	"context"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

const (
	refineGuard     = 3 // vectors beside those wanted
	refineSteps     = 12
	refineTolerance = 1e-9 // movement of the wanted span at which refinement stops
	refineStall     = 1e-6 // movement under which a standstill counts
)

// refine restores eigenvalues that rounding has swallowed in the stored matrix:
// with A = BBᵀ, an eigenvalue is |Bᵀx|², which is accurate however small it is.
// Locally optimal block steps (Knyazev 2001) run on B with the factor of A + εI
// as preconditioner, and every Rayleigh–Ritz step is the singular value
// decomposition of BᵀS, never an eigenproblem of SᵀAS.
func (p *problem) refine(ctx context.Context, inverse *sparse.Factor, e *Eigen) (*Eigen, error) {
	bt, err := p.Factored()
	if err != nil {
		return nil, err
	}
	if bt == nil { // there is no room for it
		e.Vectors = e.Vectors[:len(e.Values)]
		return e, nil
	}
	r := &refinement{problem: p, bt: bt, inverse: inverse, x: e.Vectors, work: sparse.SolveWork{Threads: p.Threads}}
	last, stalled := math.Inf(1), 0
	for step := range refineSteps {
		moved, err := r.step(ctx)
		if err != nil {
			return nil, err
		}
		e.Solves += len(r.x)
		e.Refinements = step + 1
		if moved < refineTolerance {
			break
		}
		// The first steps may move further and further; two in a row that no longer
		// shrink, from where the span is known well, are rounding.
		if stalled++; moved < last/2 || moved > refineStall {
			stalled = 0
		}
		if stalled == 2 {
			break
		}
		last = moved
	}
	for j := range e.Values {
		e.Values[j] = r.singular[j] * r.singular[j]
	}
	e.Vectors = r.x[:len(e.Values)]
	return e, nil
}

// refinement is the state of the block steps; vectors are kept one by one.
type refinement struct {
	*problem
	bt       *sparse.CSR // Bᵀ
	inverse  *sparse.Factor
	x, p     [][]float64 // the pairs' vectors, and the last step's directions
	singular []float64   // √λ, ascending
	work     sparse.SolveWork
}

// step replaces x by the best vectors of the span of x, the preconditioned
// residuals and the last directions, and returns the sine of the largest angle
// by which the wanted span moved.
func (r *refinement) step(ctx context.Context) (float64, error) {
	x, singular, err := r.ritz(ctx, r.x, len(r.x))
	if err != nil {
		return 0, err
	}
	// W = (A + εI)⁻¹(BBᵀx − s²x). The residuals differ by many orders, so each is
	// solved for by itself and scaled to unit length later.
	space := append([][]float64{}, x...)
	for j, w := range r.gram(x) {
		blas.Axpy(-singular[j]*singular[j], x[j], w)
		r.inverse.Solve(w, 1, &r.work)
		space = append(space, w)
	}
	space = r.orthonormal(append(space, r.p...))
	next, singular, err := r.ritz(ctx, space, len(x))
	if err != nil {
		return 0, err
	}
	r.p = r.p[:0]
	var moved float64
	for j, v := range next {
		d := slices.Clone(v)
		blas.Orthogonalize(x, d)
		if j < r.count {
			moved = math.Max(moved, outside(v, x[:min(r.count, len(x))]))
		}
		r.p = append(r.p, d)
	}
	r.x, r.singular = next, singular
	return moved, nil
}

// outside returns the length of what a unit vector has outside a span.
func outside(v []float64, basis [][]float64) float64 {
	d := slices.Clone(v)
	blas.Orthogonalize(basis, d)
	return math.Sqrt(blas.Dot(d, d))
}

// orthonormal returns an orthonormal basis of the vectors' span, orthogonal to
// the null space; vectors that add nothing are left out.
func (r *refinement) orthonormal(vectors [][]float64) [][]float64 {
	var basis [][]float64
	for _, v := range vectors {
		if norm := math.Sqrt(blas.Dot(v, v)); norm > 0 {
			blas.Scale(1/norm, v)
		}
		for range 3 { // until a pass takes away next to nothing
			blas.Orthogonalize(r.null, v)
			blas.Orthogonalize(basis, v)
			norm := math.Sqrt(blas.Dot(v, v))
			if !(norm > 1e-10) {
				break
			}
			blas.Scale(1/norm, v)
			if norm > 0.5 {
				basis = append(basis, v)
				break
			}
		}
	}
	return basis
}

// gram returns BBᵀx for each vector, in one pass over the rows of Bᵀ and on one
// thread, so that what is scattered is summed in order.
func (r *refinement) gram(x [][]float64) [][]float64 {
	n, w := r.a.Rows, len(x)
	columns, sums := interleaved(x), make([]float64, n*w)
	c := make([]float64, w)
	for i := range r.bt.Rows {
		cols, vals := r.bt.Row(i)
		clear(c)
		for q, j := range cols {
			v := vals[q]
			for l, t := range columns[int(j)*w : int(j)*w+w] {
				c[l] += v * t
			}
		}
		for q, j := range cols {
			v := vals[q]
			row := sums[int(j)*w : int(j)*w+w]
			for l, t := range c {
				row[l] += v * t
			}
		}
	}
	y := make([][]float64, w)
	for j := range y {
		y[j] = make([]float64, n)
		for i := range n {
			y[j][i] = sums[i*w+j]
		}
	}
	return y
}

// interleaved lays vectors side by side, as the columns of a row-major block.
func interleaved(x [][]float64) []float64 {
	w := len(x)
	out := make([]float64, len(x[0])*w)
	for j, v := range x {
		for i, t := range v {
			out[i*w+j] = t
		}
	}
	return out
}

// refineRows is the number of rows of BᵀS that are triangularised at a time.
const refineRows = 1 << 13

// ritz returns the count best vectors in the span of orthonormal ones and the
// lengths of their images under Bᵀ, ascending: the smallest singular values of
// BᵀS. BᵀS is never held whole: pieces of fixed size are triangularised, and then
// their triangles (Demmel, Grigori, Hoemmen and Langou 2012). That and one-sided
// Jacobi keep small columns accurate beside large ones.
func (r *refinement) ritz(ctx context.Context, space [][]float64, count int) (x [][]float64, singular []float64, err error) {
	w, rows := len(space), r.bt.Rows
	columns := interleaved(space)
	pieces := (rows + refineRows - 1) / refineRows
	stacked := make([][]float64, w) // column j of all pieces' triangles
	for j := range stacked {
		stacked[j] = make([]float64, pieces*w)
	}
	err = blas.For(ctx, r.Threads, rows, refineRows, func(_, lo, hi int) {
		image := make([]float64, (hi-lo)*w)
		blas.MulCSRBlock(w, 0, hi-lo, r.bt.Ptr[lo:hi+1], r.bt.Col, r.bt.Val, columns, image)
		q := make([][]float64, w)
		for j := range q {
			q[j] = make([]float64, hi-lo)
			for i := range q[j] {
				q[j][i] = image[i*w+j]
			}
		}
		triangle, at := triangularize(q), lo/refineRows*w
		for i := range w {
			for j := i; j < w; j++ {
				stacked[j][at+i] = triangle[i*w+j]
			}
		}
	})
	if err != nil {
		return nil, nil, err
	}
	singular, v := jacobiSVD(triangularize(stacked), w)
	for j := range count {
		out := make([]float64, r.a.Rows)
		for i, u := range space {
			blas.Axpy(v[i*w+j], u, out)
		}
		x = append(x, out)
	}
	return x, singular[:count], nil
}
