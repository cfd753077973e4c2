package engine

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers"
)

// start returns the first factor, order × dim, of nonnegative numbers.
func (r multiplicative) start(p *problem, a *alignment, order int) ([]float64, error) {
	if p.options.Init != nil {
		return p.givenStart(order)
	}
	if r.init != "spectral" {
		u := make([]float64, order*p.dim)
		// A stream of its own: generated data may have been drawn from the same seed,
		// and a start that knows it would not be random.
		blas.NewStream(blas.NewStream(p.options.Seed).Uint64()).Uniforms(u)
		for i, v := range u {
			u[i] = 0.1 + 0.9*v
		}
		unitColumns(u, p.dim)
		return u, nil
	}
	vectors, err := r.leading(p, a, order)
	if err != nil {
		return nil, err
	}
	return positiveParts(vectors, order), nil
}

// givenStart checks Options.Init.
func (p *problem) givenStart(order int) ([]float64, error) {
	rows, cols := p.options.Init.Dims()
	if rows != order || cols != p.dim {
		return nil, fmt.Errorf("%s: the start is %d × %d; give %d × %d, the order of the problem and dim", p.name, rows, cols, order, p.dim)
	}
	u := slices.Clone(mat.DenseCopyOf(p.options.Init).RawMatrix().Data)
	for i, v := range u {
		if !(v >= 0) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("%s: row %d, column %d (counting from 1) of the start is %v; give finite numbers ≥ 0", p.name, i/cols+1, i%cols+1, v)
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
		fixSign(v)
		for i, x := range v {
			u[i*dim+q] = max(x*math.Sqrt(float64(order)), 0) + 0.2
		}
	}
	unitColumns(u, dim)
	return u
}

// leading returns the eigenvectors of the largest eigenvalues of C: those of the
// smallest of Φ where that is made small.
func (r multiplicative) leading(p *problem, a *alignment, order int) ([][]float64, error) {
	if a.dense != nil {
		return r.leadingDense(p, a.dense.q, order)
	}
	if a.phi == nil { // a Gram matrix left in its factor
		m := p.x.M
		vectors, err := r.leadingDense(p, p.gramOf(a.gram.centred, order, m, true), m)
		for q, v := range vectors {
			if vectors[q] = make([]float64, order); v == nil {
				continue
			}
			p.kernels.Gemv(false, order, m, 1, a.gram.centred, m, v, 0, vectors[q])
			if !isZero(vectors[q]) {
				normalise(vectors[q])
			}
		}
		return vectors, err
	}
	vectors := [][]float64{slices.Clone(a.null)}
	if p.dim == 1 {
		return vectors, nil
	}
	o := solvers.Options{Kernels: p.kernels, Threads: p.options.Threads, Seed: p.options.Seed, Memory: p.options.Memory,
		Laplacian: a.laplacian, Columns: p.x.M}
	if a.laplacian {
		o.Bound = 2
	}
	e, err := solvers.Smallest(p.ctx, a.phi, [][]float64{a.null}, p.dim-1, o)
	if err != nil {
		return nil, err
	}
	return append(vectors, e.Vectors...), nil
}

// leadingDense does so for a full matrix; vectors beyond its order are nil.
func (r multiplicative) leadingDense(p *problem, matrix []float64, order int) ([][]float64, error) {
	work, count := slices.Clone(matrix[:order*order]), min(p.dim, order)
	values, rows := make([]float64, count), make([]float64, count*order)
	from := order - count
	if r.minimise {
		from = 0
	}
	if err := p.kernels.SymEigRange(order, from, from+count, work, order, values, rows, order, new(blas.Work)); err != nil {
		return nil, err
	}
	vectors := make([][]float64, p.dim)
	for q := range count {
		at := q
		if !r.minimise {
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
