package eigen

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// Rectangular is a matrix that is known by its products.
type Rectangular struct {
	Rows, Cols int
	// Multiply computes Y = A·X, from Cols × width to Rows × width blocks, row-major.
	Multiply func(width int, x, y []float64)
	// MultiplyTransposed computes Y = Aᵀ·X, from Rows × width to Cols × width blocks.
	MultiplyTransposed func(width int, x, y []float64)
}

// Singular holds the singular triplets found, σ descending: Avⱼ = σⱼuⱼ, Aᵀuⱼ = σⱼvⱼ.
type Singular struct {
	Values    []float64
	Left      [][]float64 // Left[j] is uⱼ, of the number of rows; orthonormal
	Right     [][]float64 // Right[j] is vⱼ, of the number of columns; orthonormal
	Residuals []float64   // the larger of ‖Av − σu‖₂ and ‖Aᵀu − σv‖₂, over σ₁
	Errors    []float64   // how far each value may be off, estimated; rounding in the entries of A is part of it
	Next      float64     // the first singular value not asked for; NaN where there is none
	Converged bool        // every triplet met its tolerance
	Plan      Plan

	Products int     // of A or Aᵀ with a vector, in all
	Angle    float64 // estimated angle between the spans found and the true ones; NaN where no gap is known
	least    float64 // the least size of a row or column that is not zero; 0: not known
}

const (
	// singularLimit is the residual up to which a triplet counts as found.
	singularLimit = 1e-10
	// denseEntries is the size up to which a matrix is decomposed in full.
	denseEntries = 2000 * denseOrder
)

// SVD finds the count largest singular triplets of a matrix: sparse, of any type that
// [sparse.Of] takes, or dense. count must be from 1 to the smaller number of rows and
// columns. Nothing is centred.
//
// Block Lanczos bidiagonalisation (Golub, Luk and Overton 1981) with full
// orthogonalisation and thick restarts (Baglama and Reichel 2005) begins with a random
// block and takes products with A and Aᵀ only, tens of them for most matrices. A is never
// squared, so that every triplet is known to the same residual, 1e-10·σ₁ at most: the
// largest singular values to all digits but a few, and one of 1e-6·σ₁ still to about four.
// A small matrix, or one most of whose triplets are requested, is decomposed in full.
//
// The signs of u and v are such that the largest entry of v in size is positive. The same
// input, seed and kernels give the same bits for any number of threads. Of the options it
// reads Kernels, Threads, Seed, Memory, Progress and Planned. An entry that is not finite
// is an error that names its place.
func SVD(ctx context.Context, a mat.Matrix, count int, o Options) (*Singular, error) {
	if rows, cols := a.Dims(); rows < 1 || cols < 1 {
		return nil, fmt.Errorf("solvers: a %d × %d matrix has no singular values; give at least one row and one column", rows, cols)
	}
	if err := o.fill(); err != nil {
		return nil, err
	}
	if _, copied, isSparse := sparse.OfBytes(a); isSparse {
		return sparseSVD(ctx, a, copied, count, o)
	}
	dense, copied := rowMajor(a)
	if err := finiteEntries(dense); err != nil {
		return nil, err
	}
	s := &singular{Options: o, Rectangular: denseProducts(dense, o), entries: int64(dense.Rows) * int64(dense.Cols), copied: copied}
	s.least = minOf(dense.Rows, dense.Cols, func(visit func(i, j int, v float64)) {
		for i := range dense.Rows {
			for j, v := range dense.Data[i*dense.Stride : i*dense.Stride+dense.Cols] {
				visit(i, j, v)
			}
		}
	})
	s.full = func() []float64 { return mat.DenseCopyOf(a).RawMatrix().Data }
	return s.solve(ctx, count)
}

// SVD is [SVD] for a matrix that is known by its products. It is never formed but where
// it is small.
func (a Rectangular) SVD(ctx context.Context, count int, o Options) (*Singular, error) {
	if a.Rows < 1 || a.Cols < 1 || a.Multiply == nil || a.MultiplyTransposed == nil {
		return nil, fmt.Errorf("solvers: a %d × %d operator; give its numbers of rows and columns, Multiply and MultiplyTransposed", a.Rows, a.Cols)
	}
	if err := o.fill(); err != nil {
		return nil, err
	}
	s := &singular{Options: o, Rectangular: a, entries: int64(a.Rows) * int64(a.Cols)}
	s.full = func() []float64 {
		unit, full := make([]float64, a.Cols*a.Cols), make([]float64, a.Rows*a.Cols)
		for i := range a.Cols {
			unit[i*a.Cols+i] = 1
		}
		a.Multiply(a.Cols, unit, full)
		return full
	}
	return s.solve(ctx, count)
}

func sparseSVD(ctx context.Context, matrix mat.Matrix, copied int64, count int, o Options) (*Singular, error) {
	if o.Memory > 0 && copied >= o.Memory {
		return nil, &MemoryError{Need: copied, Limit: o.Memory}
	}
	a, _, err := sparse.Of(matrix)
	if err != nil {
		return nil, fmt.Errorf("solvers: %w", err)
	}
	if err := a.Validate(); err != nil {
		return nil, fmt.Errorf("solvers: %w", err)
	}
	// A transposed copy: its products are sums by row, in one order whatever the threads.
	need := 12*int64(a.NNZ()) + 8*int64(a.Cols+1)
	if o.Memory > 0 && copied+need >= o.Memory {
		return nil, &MemoryError{Need: copied + need, Limit: o.Memory}
	}
	t := a.Transposed()
	s := &singular{Options: o, entries: int64(a.NNZ()), copied: copied + need, Rectangular: Rectangular{
		Rows: a.Rows, Cols: a.Cols,
		Multiply:           func(width int, x, y []float64) { a.MulBlock(o.Threads, width, x, y) },
		MultiplyTransposed: func(width int, x, y []float64) { t.MulBlock(o.Threads, width, x, y) },
	}}
	s.full = func() []float64 { return a.Dense().RawMatrix().Data }
	s.least = minOf(a.Rows, a.Cols, a.DoNonZero)
	return s.solve(ctx, count)
}

// rowMajor returns the entries of a dense matrix, and the bytes of the copy where it is
// one.
func rowMajor(a mat.Matrix) (dense blas64.General, copied int64) {
	if raw, is := a.(mat.RawMatrixer); is {
		return raw.RawMatrix(), 0
	}
	raw := mat.DenseCopyOf(a).RawMatrix()
	return raw, 8 * int64(len(raw.Data))
}

// finiteEntries names the first entry that is not finite.
func finiteEntries(a blas64.General) error {
	for i := range a.Rows {
		for j, v := range a.Data[i*a.Stride : i*a.Stride+a.Cols] {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("solvers: the entry in row %d, column %d (counting from 0) is %v; give finite numbers", i, j, v)
			}
		}
	}
	return nil
}

func denseProducts(a blas64.General, o Options) Rectangular {
	return Rectangular{
		Rows: a.Rows, Cols: a.Cols,
		Multiply: func(width int, x, y []float64) {
			o.Kernels.GemmParallel(o.Threads, false, false, a.Rows, width, a.Cols, 1, a.Data, a.Stride, x, width, 0, y, width)
		},
		MultiplyTransposed: func(width int, x, y []float64) {
			o.Kernels.GemmParallel(o.Threads, true, false, a.Cols, width, a.Rows, 1, a.Data, a.Stride, x, width, 0, y, width)
		},
	}
}

// singular is one call of SVD under way.
type singular struct {
	Options
	Rectangular
	entries int64            // stored in A
	copied  int64            // bytes of copies of A
	least   float64          // the least size of a row or column of A that is not zero; 0: not known
	full    func() []float64 // A as a full array of its own, row-major
	plan    Plan
}

// solve chooses the way and measures what it finds.
func (s *singular) solve(ctx context.Context, count int) (*Singular, error) {
	small, large := min(s.Rows, s.Cols), max(s.Rows, s.Cols)
	if count < 1 || count > small {
		return nil, fmt.Errorf("solvers: %d singular triplets requested of a %d × %d matrix; give a number from 1 to %d", count, s.Rows, s.Cols, small)
	}
	s.plan.MatrixEntries = s.entries
	power := powerOfProducts(s.Rows, s.Cols, s.Seed, s.Multiply)
	if power != 0 { // squares of the products are not numbers
		full := s.full
		s.full = func() []float64 {
			a := full()
			for i, v := range a {
				a[i] = math.Ldexp(v, -power)
			}
			return a
		}
		s.Multiply, s.MultiplyTransposed = divided(s.Multiply, power), divided(s.MultiplyTransposed, power)
	}
	wanted := min(count+1, small)
	find := s.lanczos
	basis := min(max(6*wanted, 20*s.block(wanted)), small)
	s.plan.Solver, s.plan.Reason = "lanczos bidiagonalisation", fmt.Sprintf("the %d largest of a %d × %d matrix", wanted, s.Rows, s.Cols)
	s.plan.Bytes = 8 * int64(s.Rows+s.Cols) * int64(2*basis+4*s.block(wanted))
	if size := small * large; size <= denseEntries || wanted > small/denseShare && size <= 20*denseEntries {
		find = s.dense
		s.plan.Solver, s.plan.Bytes = "dense", 8*(2*int64(size)+int64(small)*int64(small))+blas.SVDBytes(s.Rows, s.Cols)
	}
	s.plan.Bytes += s.copied
	s.Planned(s.plan)
	if s.Memory > 0 && s.plan.Bytes > s.Memory {
		return nil, &MemoryError{Need: s.plan.Bytes, Limit: s.Memory}
	}
	r, err := find(ctx, wanted)
	if err != nil {
		return nil, err
	}
	if !finite(r.Values) {
		return nil, errProducts
	}
	r.Next = math.NaN()
	if len(r.Values) > count {
		r.Next = r.Values[count]
		r.Values, r.Left, r.Right = r.Values[:count], r.Left[:count], r.Right[:count]
	}
	s.measure(r)
	r.Plan, r.least = s.plan, s.least
	if power != 0 {
		r.Next = math.Ldexp(r.Next, power)
		for j := range r.Values {
			r.Values[j], r.Errors[j] = math.Ldexp(r.Values[j], power), math.Ldexp(r.Errors[j], power)
			if math.IsInf(r.Values[j], 0) {
				return nil, errBeyond
			}
		}
	}
	return r, nil
}

// block is the number of vectors treated at a time.
func (s *singular) block(wanted int) int {
	if wanted > 6 {
		return min(8, s.Rows, s.Cols)
	}
	return min(4, s.Rows, s.Cols)
}

// dense decomposes the full matrix.
func (s *singular) dense(ctx context.Context, wanted int) (*Singular, error) {
	m, n, p := s.Rows, s.Cols, min(s.Rows, s.Cols)
	values, u, vt := make([]float64, p), make([]float64, m*p), make([]float64, p*n)
	if err := s.Kernels.SVD(m, n, s.full(), n, values, u, p, vt, n, new(blas.Work)); err != nil {
		return nil, err
	}
	r := &Singular{Values: values[:wanted], Converged: true}
	for j := range wanted {
		left := make([]float64, m)
		for i := range left {
			left[i] = u[i*p+j]
		}
		r.Left, r.Right = append(r.Left, left), append(r.Right, vt[j*n:j*n+n])
	}
	s.Progress(1)
	return r, ctx.Err()
}

// measure fixes the signs and finds the residuals with A itself.
func (s *singular) measure(r *Singular) {
	largest, worst := r.Values[0], 0.0
	au, av := make([]float64, s.Cols), make([]float64, s.Rows)
	for j, sigma := range r.Values {
		u, v := r.Left[j], r.Right[j]
		if dominant(v) < 0 {
			blas.Scale(-1, u)
			blas.Scale(-1, v)
		}
		clear(av)
		clear(au)
		s.Multiply(1, v, av)
		s.MultiplyTransposed(1, u, au)
		blas.Axpy(-sigma, u, av)
		blas.Axpy(-sigma, v, au)
		residual := math.Sqrt(max(blas.Dot(av, av), blas.Dot(au, au)))
		left := residual
		if gap := r.gap(j); gap > 0 {
			left = min(left, left*left/gap)
		}
		// uᵀAv is off by the square of the residual alone.
		r.Errors = append(r.Errors, math.Abs(blas.Dot(u, av))+left+roundings*0x1p-52*largest)
		if largest > 0 {
			residual /= largest
		}
		r.Residuals = append(r.Residuals, residual)
		r.Converged = r.Converged && residual <= singularLimit
		worst = max(worst, residual)
	}
	r.Angle = math.NaN()
	if gap := r.Values[len(r.Values)-1] - r.Next; gap > 0 {
		r.Angle = min(worst*largest/gap, math.Pi/2)
	}
}

// gap is the distance from a value to the nearest other one; 0 where there is no other.
func (r *Singular) gap(j int) float64 { return gapOf(r.Values, r.Next, j) }

// Doubt is [Eigen.Doubt] for singular values.
func (r *Singular) Doubt() string { return doubtOf("singular values", r.Values, r.Errors, r.least) }

// dominant returns the entry of largest size, the first on ties.
func dominant(x []float64) float64 {
	largest := x[0]
	for _, v := range x {
		if math.Abs(v) > math.Abs(largest) {
			largest = v
		}
	}
	return largest
}
