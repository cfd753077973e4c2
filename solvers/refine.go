package solvers

import (
	"context"
	"math"

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
	r := &refinement{problem: p, bt: bt, inverse: inverse, x: e.Vectors, work: sparse.SolveWork{Threads: p.Threads}}
	last, stalled := math.Inf(1), 0
	for step := range refineSteps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		moved, err := r.step()
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
func (r *refinement) step() (float64, error) {
	x, image, singular, err := r.ritz(r.x, len(r.x))
	if err != nil {
		return 0, err
	}
	// W = (A + εI)⁻¹(B·Bᵀx − s²x), each scaled to its own size first: the residuals
	// differ by many orders.
	space := append([][]float64{}, x...)
	for j := range x {
		w := make([]float64, r.a.Rows)
		r.bt.MulTransposed(image[j], w)
		blas.Axpy(-singular[j]*singular[j], x[j], w)
		r.inverse.Solve(w, 1, &r.work)
		space = append(space, w)
	}
	space = r.orthonormal(append(space, r.p...))
	next, _, singular, err := r.ritz(space, len(x))
	if err != nil {
		return 0, err
	}
	r.p = r.p[:0]
	var moved float64
	for j, v := range next {
		d := append([]float64(nil), v...)
		for range 2 {
			for _, u := range x {
				blas.Axpy(-blas.Dot(u, d), u, d)
			}
		}
		if j < r.count {
			moved = math.Max(moved, r.outside(v, x[:min(r.count, len(x))]))
		}
		r.p = append(r.p, d)
	}
	r.x, r.singular = next, singular
	return moved, nil
}

// outside returns the length of what a unit vector has outside a span.
func (r *refinement) outside(v []float64, basis [][]float64) float64 {
	d := append([]float64(nil), v...)
	project(basis, d)
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
		before := 1.0
		keep := false
		for range 3 { // until a pass takes away next to nothing
			project(r.null, v)
			project(basis, v)
			norm := math.Sqrt(blas.Dot(v, v))
			if !(norm > 1e-10) {
				break
			}
			blas.Scale(1/norm, v)
			if norm > 0.5*before {
				keep = true
				break
			}
		}
		if keep {
			basis = append(basis, v)
		}
	}
	return basis
}

// ritz returns the count best vectors in the span of orthonormal ones, their
// images under Bᵀ, and the lengths of those, ascending: the smallest singular
// values of BᵀS, by orthogonal triangularisation and one-sided Jacobi, both of
// which keep small columns accurate beside large ones.
func (r *refinement) ritz(space [][]float64, count int) (x, image [][]float64, singular []float64, err error) {
	rows := r.bt.Rows
	images := make([][]float64, len(space))
	for j, s := range space {
		images[j] = make([]float64, rows)
		r.bt.MulVec(r.Threads, s, images[j])
	}
	q := make([][]float64, len(space))
	for j := range images {
		q[j] = append([]float64(nil), images[j]...)
	}
	triangle := triangularise(q)
	singular, v := jacobiSVD(triangle, len(space))
	combine := func(of [][]float64, j int) []float64 {
		out := make([]float64, len(of[0]))
		for i, u := range of {
			blas.Axpy(v[i*len(space)+j], u, out)
		}
		return out
	}
	for j := range count {
		x, image = append(x, combine(space, j)), append(image, combine(images, j))
	}
	return x, image, singular[:count], nil
}
