//go:build mpi

package main

import (
	"errors"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/eigen"
)

// residualLimit is the relative residual up to which a pair counts as found, as in
// [eigen.Smallest].
const residualLimit = 1e-9

// guards are the pairs beside those wanted that a refinement turns.
const guards = 3

// found are the lowest eigenpairs, as [eigen.Eigen] has them, in the own rows.
type found struct {
	values, residuals []float64
	vectors           [][]float64
	next, angle       float64
	converged         bool
	solves, products  int
	refinements       int
}

// problem is the search for the lowest pairs of an alignment matrix.
type problem struct {
	*part
	*matrix
	null     []float64 // the unit vector that it sends to zero
	norm     float64   // its largest absolute row sum
	shift    float64
	count    int // pairs wanted
	seed     uint64
	restarts int                              // of the search at most
	factored func() (*eigen.RowBlocks, error) // Bᵀ by place in the part; nil: it is not known
}

// dot is the inner product over all processes, of each two.
func (p *problem) dots(x [][]float64, y []float64) []float64 {
	d := make([]float64, len(x))
	for j, v := range x {
		d[j] = blas.Dot(v, y)
	}
	return p.numbers(sum, d)
}

// without takes out of x, twice for the sake of rounding, what it has of orthonormal vectors.
func (p *problem) without(basis [][]float64, x []float64) {
	for range 2 {
		for j, c := range p.dots(basis, x) {
			blas.Axpy(-c, basis[j], x)
		}
	}
}

// unit gives x unit length, and returns the one it had.
func (p *problem) unit(x []float64) float64 {
	length := math.Sqrt(p.dots([][]float64{x}, x)[0])
	if length > 0 {
		blas.Scale(1/length, x)
	}
	return length
}

// begin is a vector of random numbers, which are the same however the rows are shared.
func (p *problem) begin() []float64 {
	lo, hi := p.where.of(p.rank)
	s := blas.NewStream(p.seed)
	x := make([]float64, hi-lo)
	for i := range hi {
		if v := 2*s.Uniform() - 1; i >= lo {
			x[i-lo] = v
		}
	}
	return x
}

// find finds the pairs by shift and invert, refines those at the rounding of the matrix, and
// measures their residuals with the matrix itself.
func (p *problem) find() (*found, error) {
	wanted := min(p.count+1, p.where.all()-1) // one more shows the gap
	total := wanted
	if p.factored != nil {
		total = min(wanted+guards, p.where.all()-1)
	}
	f, err := p.lowest(total, p.restarts, p.shift, p.null, p.begin())
	if err != nil {
		return nil, err
	}
	if len(f.values) < p.count {
		return nil, errors.New("the search for eigenvectors ended before it had found as many as there are coordinates; take another --seed, or more neighbours")
	}
	if p.factored != nil && f.values[0] < eigen.RoundingLevel*p.norm {
		if err := p.refine(f); err != nil {
			return nil, err
		}
	}
	if len(f.values) > p.count {
		f.next = f.values[p.count]
	}
	f.values, f.vectors = f.values[:p.count], f.vectors[:p.count]
	return f, p.measure(f)
}

// measure cleans the vectors of what rounding left of the null vector, and finds the residuals.
func (p *problem) measure(f *found) error {
	for j, x := range f.vectors {
		p.without([][]float64{p.null}, x)
		p.unit(x)
		y, err := p.multiply(x)
		if err != nil {
			return err
		}
		f.products++
		if f.values[j] >= -eigen.RoundingLevel*p.norm {
			f.values[j] = max(f.values[j], 0) // below zero there is only rounding
		}
		blas.Axpy(-f.values[j], x, y)
		residual := math.Sqrt(p.dots([][]float64{y}, y)[0])
		if p.norm > 0 {
			residual /= p.norm
		}
		f.residuals = append(f.residuals, residual)
		f.converged = f.converged && residual <= residualLimit
	}
	if gap := f.next - f.values[p.count-1]; gap > 0 {
		angle := slices.Max(f.residuals) * p.norm / gap
		if f.converged {
			rounding := 0x1p-52 * p.norm / gap
			if f.refinements > 0 {
				rounding = f.angle
			}
			angle = min(angle, ritzTolerance*(f.next+p.shift)/gap+rounding)
		}
		f.angle = min(angle, math.Pi/2)
	} else {
		f.angle = math.NaN()
	}
	return nil
}

// fixSigns makes the entry of largest magnitude of each vector, the first on ties, positive.
func (p *problem) fixSigns(vectors [][]float64) {
	for _, x := range vectors {
		_, _, dominant := farthestFromZero(p.processes, x, 1, p.where)
		if dominant < 0 {
			blas.Scale(-1, x)
		}
	}
}
