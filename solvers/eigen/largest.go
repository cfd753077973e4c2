package eigen

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// largestTolerance bounds the residual of a pair that [Largest] finds, relative
// to the largest eigenvalue.
const largestTolerance = 1e-12

// Operator is a symmetric matrix that is known by its products.
type Operator struct {
	Order int
	// Multiply computes Y = A·X for Order × width blocks, row-major.
	Multiply func(width int, x, y []float64)
}

// Largest finds the count largest eigenpairs, in the sense of the number line,
// of a symmetric operator, which may be indefinite: Values descend, and Next and
// the residuals are as for [Smallest], relative to the largest eigenvalue in
// size. count must be from 1 to the order. The matrix is neither formed nor
// changed, except where it is small or more than a quarter of its spectrum is
// asked for; otherwise thick-restart block Lanczos takes some tens of products.
// Of the options it reads Kernels, Threads, Seed, Memory, Progress and Planned.
func Largest(ctx context.Context, a Operator, count int, o Options) (*Eigen, error) {
	n := a.Order
	if count < 1 || count > n {
		return nil, fmt.Errorf("solvers: %d eigenpairs requested of an operator of order %d; give a number from 1 to %d", count, n, n)
	}
	if err := o.fill(); err != nil {
		return nil, err
	}
	e, err := largest(ctx, a, count, o)
	if err == nil && powerOf(e.size) == 0 {
		return e, nil
	}
	power := powerOfProducts(n, n, o.Seed, a.Multiply)
	if power == 0 || ctx.Err() != nil {
		return e, err
	}
	// Squares of its products are not numbers: once more with an operator of another size.
	a.Multiply, o.Planned = divided(a.Multiply, power), func(Plan) {}
	if e, err = largest(ctx, a, count, o); err != nil {
		return nil, err
	}
	for j := range e.Values {
		e.Values[j], e.Errors[j] = math.Ldexp(e.Values[j], power), math.Ldexp(e.Errors[j], power)
		if math.IsInf(e.Values[j], 0) {
			return nil, errBeyond
		}
	}
	e.Next = math.Ldexp(e.Next, power)
	return e, nil
}

// largest is [Largest] for an operator whose products can be squared.
func largest(ctx context.Context, a Operator, count int, o Options) (*Eigen, error) {
	n := a.Order
	p := &problem{n: n, count: count, wanted: min(count+1, n), Options: o}
	p.plan.MatrixEntries = int64(n) * int64(n)
	e, err := p.largestPairs(ctx, a)
	if err != nil {
		return nil, err
	}
	for _, v := range e.Values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, errors.New("solvers: the operator holds NaN or infinities")
		}
		p.norm = max(p.norm, math.Abs(v))
	}
	e.size = p.norm
	e.Next = math.NaN()
	if len(e.Values) > count {
		e.Next = e.Values[count]
		e.Values, e.Vectors = e.Values[:count], e.Vectors[:count]
	}
	p.measure(a, e)
	e.Plan = p.plan
	return e, nil
}

// largestPairs chooses the solver. The wanted pairs come in descending order.
func (p *problem) largestPairs(ctx context.Context, a Operator) (*Eigen, error) {
	n := p.n
	if n <= denseOrder || p.wanted > n/denseShare {
		p.plan.Solver, p.plan.Reason = "dense", fmt.Sprintf("%d pairs of order %d", p.wanted, n)
		p.plan.Bytes = 24*int64(n)*int64(n) + 8*int64(p.wanted)*int64(n)
		if err := p.announce(); err != nil {
			return nil, err
		}
		return p.largestDense(ctx, a)
	}
	basis := min(max(6*p.wanted, 20*p.block()), n)
	p.plan.Solver, p.plan.Reason = "lanczos", fmt.Sprintf("the %d largest of order %d", p.wanted, n)
	p.plan.Bytes = 8 * int64(n) * int64(2*basis+(4+upperGroups)*p.block())
	if err := p.announce(); err != nil {
		return nil, err
	}
	var product []float64
	k := &krylov{
		problem: p, block: p.block(), limit: basis, keep: p.wanted + (basis-p.wanted)/3, most: maxProducts,
		tolerance: largestTolerance, signed: true, random: blas.NewStream(p.Seed),
		apply: func(x []float64, width int) {
			if len(product) < len(x) {
				product = make([]float64, len(x))
			}
			a.Multiply(width, x, product[:len(x)])
			copy(x, product)
		},
	}
	theta, vectors, converged, err := k.pairs(ctx, p.wanted, false)
	if err != nil {
		return nil, err
	}
	return &Eigen{Values: theta, Vectors: vectors, Converged: converged, Products: k.products}, nil
}

// largestDense forms the matrix by its products with unit vectors.
func (p *problem) largestDense(ctx context.Context, a Operator) (*Eigen, error) {
	n := p.n
	unit, full := make([]float64, n*n), make([]float64, n*n)
	for i := range n {
		unit[i*n+i] = 1
	}
	a.Multiply(n, unit, full)
	for i := range n {
		for j := range i {
			v := (full[i*n+j] + full[j*n+i]) / 2
			full[i*n+j], full[j*n+i] = v, v
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	values, vectors := make([]float64, p.wanted), make([]float64, p.wanted*n)
	if err := p.Kernels.SymEigRange(n, n-p.wanted, n, full, n, values, vectors, n, new(blas.Work)); err != nil {
		return nil, err
	}
	e := &Eigen{Converged: true, Products: n}
	for j := p.wanted - 1; j >= 0; j-- {
		e.Values, e.Vectors = append(e.Values, values[j]), append(e.Vectors, vectors[j*n:j*n+n])
	}
	p.Progress(1)
	return e, ctx.Err()
}

// measure finds the residuals of the pairs with the operator itself.
func (p *problem) measure(a Operator, e *Eigen) {
	n, count := p.n, len(e.Vectors)
	x, y := make([]float64, n*count), make([]float64, n*count)
	for j, v := range e.Vectors {
		for i, t := range v {
			x[i*count+j] = t
		}
	}
	a.Multiply(count, x, y)
	e.Residuals, e.Errors = make([]float64, count), make([]float64, count)
	quotients := make([]float64, count)
	for i := range n {
		for j, lambda := range e.Values {
			d := y[i*count+j] - lambda*x[i*count+j]
			e.Residuals[j] += d * d
			quotients[j] += x[i*count+j] * y[i*count+j]
		}
	}
	for j, square := range e.Residuals {
		e.Residuals[j] = math.Sqrt(square)
		e.Errors[j] = p.error(e, j, quotients[j], e.Residuals[j], p.norm)
		if p.norm > 0 {
			e.Residuals[j] /= p.norm
		}
		if !(e.Residuals[j] <= residualLimit) {
			e.Converged = false
		}
	}
	e.Angle = math.NaN()
	if gap := e.Values[count-1] - e.Next; gap > 0 {
		worst := 0.0
		for _, r := range e.Residuals {
			worst = max(worst, r)
		}
		e.Angle = min(worst*p.norm/gap, math.Pi/2)
	}
}

// LargestOf is [Largest] for a symmetric matrix: sparse, of any type that [sparse.Of]
// takes, or dense. A matrix that is not symmetric ([sparse.AsymmetryError]) or not finite
// is an error that names the place.
func LargestOf(ctx context.Context, a mat.Matrix, count int, o Options) (*Eigen, error) {
	if rows, cols := a.Dims(); rows != cols || rows < 1 {
		return nil, fmt.Errorf("solvers: the matrix is %d × %d; give a symmetric one", rows, cols)
	}
	if err := o.fill(); err != nil {
		return nil, err
	}
	if _, _, isSparse := sparse.OfBytes(a); !isSparse {
		return largestOfDense(ctx, a, count, o)
	}
	rows, copied, err := rowsOf(a, o.Memory)
	if err != nil {
		return nil, err
	}
	if rows, err = checked(rows, nil); err != nil {
		return nil, err
	}
	if o.Memory > 0 {
		o.Memory -= copied
	}
	e, err := Largest(ctx, Operator{Order: rows.Rows, Multiply: func(width int, x, y []float64) { rows.MulBlock(o.Threads, width, x, y) }}, count, o)
	if err == nil {
		e.least, _ = extremes(rowSizes(rows), nil)
	}
	return e, err
}

func largestOfDense(ctx context.Context, a mat.Matrix, count int, o Options) (*Eigen, error) {
	dense, copied := rowMajor(a)
	if o.Memory > 0 && copied >= o.Memory {
		return nil, &MemoryError{Need: copied, Limit: o.Memory}
	}
	if err := finiteEntries(dense); err != nil {
		return nil, err
	}
	if err := sparse.CheckSymmetricDense(dense); err != nil {
		return nil, fmt.Errorf("solvers: A: %w", err)
	}
	if o.Memory > 0 {
		o.Memory -= copied
	}
	e, err := Largest(ctx, Operator{Order: dense.Rows, Multiply: denseProducts(dense, o).Multiply}, count, o)
	if err == nil {
		diagonal := make([]float64, dense.Rows)
		for i := range diagonal {
			diagonal[i] = math.Abs(dense.Data[i*dense.Stride+i])
		}
		e.least, _ = extremes(diagonal, nil)
	}
	return e, err
}
