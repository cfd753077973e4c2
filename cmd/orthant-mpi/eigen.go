//go:build mpi

package main

import (
	"errors"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/sparse"
)

// residualLimit is the relative residual up to which a pair counts as found, as in
// [eigen.Smallest].
const residualLimit = 1e-9

// guards are the pairs next to the wanted ones that a refinement turns.
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

const (
	refineSteps = 12
	// refineTolerance is the estimated angle up to which a span counts as refined.
	refineTolerance = 1e-7
)

// refine restores what rounding in the stored matrix has mixed or swallowed. With A = BBᵀ, as
// the patches give it, the eigenvalues of (BᵀS)ᵀ(BᵀS) are accurate however small they are: S has
// the vectors X alone at first, and then (A + εI)⁻¹(BBᵀX − XΛ) besides, until the span no
// longer moves. The vectors of S have eigenvalues near each other, so that the products of BᵀS
// cost no digits. [eigen.Smallest] does the same where it has all rows.
func (p *problem) refine(f *found) error {
	rows, err := p.factored()
	if err != nil {
		return err
	}
	s := &stack{problem: p, rows: rows, make: rows.Worker()}
	var basis [][]float64
	for _, x := range f.vectors { // once more by the inverse: what the search leaves of large eigenvalues
		y, err := p.matrix.solve(x)
		if err != nil {
			return err
		}
		f.solves++
		basis = p.extended(basis, y)
	}
	kept := len(basis)
	values, turn := s.ritz(basis)
	basis = turned(basis, turn, kept)
	f.refinements, f.angle = 1, math.Pi/2
	for f.refinements < refineSteps {
		image := s.image(basis[:p.count])
		larger := basis
		for j, w := range image {
			blas.Axpy(-values[j], basis[j], w)
			p.unit(w) // the residuals differ by many orders
			if w, err = p.matrix.solve(w); err != nil {
				return err
			}
			f.solves++
			larger = p.extended(larger, w)
		}
		if values, turn = s.ritz(larger); len(larger) == kept {
			f.angle = 0
			break
		}
		moved := 0.0
		for j := range p.count {
			var square float64
			for i := kept; i < len(larger); i++ {
				square += turn[j][i] * turn[j][i]
			}
			moved = max(moved, math.Sqrt(square))
		}
		basis = turned(larger, turn, kept)
		values = values[:kept]
		f.refinements++
		shrinks := min(1, (values[p.count-1]+p.shift)/(values[kept-1]+p.shift))
		if f.angle = moved * shrinks; f.angle <= refineTolerance {
			break
		}
	}
	f.vectors = basis
	f.values = values[:kept]
	return nil
}

// extended adds to an orthonormal basis what is new in x.
func (p *problem) extended(basis [][]float64, x []float64) [][]float64 {
	const new = 1e-10
	p.unit(x)
	p.without([][]float64{p.null}, x)
	p.without(basis, x)
	if p.unit(x) <= new {
		return basis
	}
	p.without(basis, x)
	p.unit(x)
	return append(basis[:len(basis):len(basis)], x)
}

// turned are the first kept vectors in the directions of the rows of a turn.
func turned(basis, turn [][]float64, kept int) [][]float64 {
	out := make([][]float64, kept)
	for j := range out {
		out[j] = make([]float64, len(basis[0]))
		for i, v := range basis {
			blas.Axpy(turn[j][i], v, out[j])
		}
	}
	return out
}

// stack multiplies with B and Bᵀ, whose rows are made block by block.
type stack struct {
	*problem
	rows *eigen.RowBlocks
	make func(block int) *sparse.CSR
}

// ritz are the eigenvalues of (BᵀS)ᵀ(BᵀS), ascending, and the eigenvectors in the rows of turn.
// They come from the singular values of BᵀS, which is never held whole: each block of it is
// triangularised, then the triangles of a process, then the triangles of all processes.
func (s *stack) ritz(basis [][]float64) (values []float64, turn [][]float64) {
	n := len(basis)
	full := s.filled(basis)
	own := make([][]float64, n) // the columns of the triangles of the blocks
	for b := range s.rows.Blocks {
		rows := s.make(b)
		columns := make([][]float64, n)
		for j, x := range full {
			columns[j] = make([]float64, rows.Rows)
			rows.MulVec(1, x, columns[j])
		}
		own = stacked(own, columns)
	}
	all := make([]float64, s.size*n*n)
	triangle := all[s.rank*n*n : (s.rank+1)*n*n]
	eigen.Triangularize(own, triangle)
	s.numbers(sum, all)
	columns := make([][]float64, n)
	for j := range columns {
		for at := j; at < len(all); at += n {
			columns[j] = append(columns[j], all[at])
		}
	}
	eigen.Triangularize(columns, triangle)
	singular, v := eigen.JacobiSVD(triangle, n)
	values = make([]float64, n)
	for j, c := range singular {
		values[j] = c * c
		turn = append(turn, make([]float64, n))
		for i := range n {
			turn[j][i] = v[i*n+j]
		}
	}
	return values, turn
}

// stacked appends to columns the columns of the triangle of a block.
func stacked(columns, block [][]float64) [][]float64 {
	n := len(block)
	triangle := make([]float64, n*n)
	eigen.Triangularize(block, triangle)
	for j := range columns {
		for i := range n {
			columns[j] = append(columns[j], triangle[i*n+j])
		}
	}
	return columns
}

// image is BBᵀX.
func (s *stack) image(x [][]float64) [][]float64 {
	full := s.filled(x)
	out := make([][]float64, len(x))
	for j := range out {
		out[j] = make([]float64, len(s.part.rows))
	}
	for b := range s.rows.Blocks {
		rows := s.make(b)
		for r := range rows.Rows {
			cols, vals := rows.Row(r)
			for j, v := range full {
				var c float64
				for q, i := range cols {
					c += vals[q] * v[i]
				}
				for q, i := range cols {
					out[j][i] += vals[q] * c
				}
			}
		}
	}
	for j := range out {
		out[j] = s.gather(out[j])
	}
	return out
}

// filled are vectors with the entries of the others that the part has.
func (s *stack) filled(x [][]float64) [][]float64 {
	out := make([][]float64, len(x))
	for j := range x {
		out[j] = s.fill(x[j], 1)
	}
	return out
}
