package solve

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/vector"
	"github.com/orthant-go/orthant/solvers"
)

// start returns the first factor, order × dim, of nonnegative numbers.
func (r Multiplicative) start(in Input, a target) ([]float64, error) {
	if in.Start != nil {
		return r.givenStart(in, a.order)
	}
	if r.Init != "spectral" {
		u := make([]float64, a.order*r.Dim)
		// A stream of its own: generated data may have been drawn from the same seed,
		// and a start that knows it would not be random.
		blas.NewStream(blas.NewStream(in.Seed()).Uint64()).Uniforms(u)
		for i, v := range u {
			u[i] = 0.1 + 0.9*v
		}
		unitColumns(u, r.Dim)
		return u, nil
	}
	vectors, err := r.leading(in, a)
	if err != nil {
		return nil, err
	}
	return positiveParts(vectors, a.order), nil
}

// givenStart checks the start that was given.
func (r Multiplicative) givenStart(in Input, order int) ([]float64, error) {
	rows, cols := in.Start.Dims()
	if rows != order || cols != r.Dim {
		return nil, fmt.Errorf("%s: the start is %d × %d; give %d × %d, the order of the problem and dim", in.Method(), rows, cols, order, r.Dim)
	}
	u := slices.Clone(mat.DenseCopyOf(in.Start).RawMatrix().Data)
	for i, v := range u {
		if !(v >= 0) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("%s: row %d, column %d (counting from 1) of the start is %v; give finite numbers ≥ 0", in.Method(), i/cols+1, i%cols+1, v)
		}
	}
	return u, nil
}

// positiveParts is the start from eigenvectors of unit length: their positive
// parts, by the sign that makes the largest entry positive, plus 0.2. They are
// scaled to entries of root mean square 1 first, so that 0.2 is as much of them
// whatever the order.
func positiveParts(vectors [][]float64, order int) []float64 {
	dim := len(vectors)
	u := make([]float64, order*dim)
	for q, v := range vectors {
		vector.FixSign(v)
		for i, x := range v {
			u[i*dim+q] = max(x*math.Sqrt(float64(order)), 0) + 0.2
		}
	}
	unitColumns(u, dim)
	return u
}

// leading returns the eigenvectors of the largest eigenvalues of C: those of the
// smallest of Φ where that is made small.
func (r Multiplicative) leading(in Input, a target) ([][]float64, error) {
	if a.q != nil {
		return r.leadingDense(in, a.q, a.order)
	}
	if a.factor != nil {
		m := in.X.M()
		vectors, err := r.leadingDense(in, align.GramOf(in.Run, a.factor, a.order, m, true), m)
		for q, v := range vectors {
			if vectors[q] = make([]float64, a.order); v == nil {
				continue
			}
			in.Kernels().Gemv(false, a.order, m, 1, a.factor, m, v, 0, vectors[q])
			if !vector.IsZero(vectors[q]) {
				vector.Normalize(vectors[q])
			}
		}
		return vectors, err
	}
	vectors := [][]float64{slices.Clone(a.sum.Null)}
	if r.Dim == 1 {
		return vectors, nil
	}
	o := solvers.Options{Kernels: in.Kernels(), Threads: in.Threads(), Seed: in.Seed(), Memory: in.Left(),
		Laplacian: a.laplacian(), Columns: in.X.M(), Trusted: true, Planned: func(plan solvers.Plan) { in.Exceeds(plan.Bytes) }}
	if a.laplacian() {
		o.Bound = 2
	}
	e, err := solvers.Smallest(in.Context(), a.sum.Phi, [][]float64{a.sum.Null}, r.Dim-1, o)
	if err != nil {
		return nil, in.Room(err)
	}
	return append(vectors, e.Vectors...), nil
}

// leadingDense does so for a full matrix; vectors beyond its order are nil.
func (r Multiplicative) leadingDense(in Input, matrix []float64, order int) ([][]float64, error) {
	if err := in.Fit(28*int64(order)*int64(order), fmt.Sprintf("a start by the eigenvectors of order %d needs", order), "take ‹init=random›, or raise the limit"); err != nil {
		return nil, err
	}
	work, count := slices.Clone(matrix[:order*order]), min(r.Dim, order)
	values, rows := make([]float64, count), make([]float64, count*order)
	from := order - count
	if r.Minimize {
		from = 0
	}
	if err := in.Kernels().SymEigRange(order, from, from+count, work, order, values, rows, order, new(blas.Work)); err != nil {
		return nil, err
	}
	vectors := make([][]float64, r.Dim)
	for q := range count {
		at := q
		if !r.Minimize {
			at = count - 1 - q // descending
		}
		vectors[q] = rows[at*order : (at+1)*order]
	}
	return vectors, nil
}

// unitColumns scales the columns of a row-major matrix to unit length.
func unitColumns(u []float64, dim int) {
	norms := make([]float64, dim)
	for i, v := range u {
		norms[i%dim] += v * v
	}
	for i := range u {
		u[i] /= math.Sqrt(norms[i%dim])
	}
}
