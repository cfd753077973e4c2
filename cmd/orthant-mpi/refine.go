//go:build mpi

package main

import (
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/sparse"
)

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

// turned are the first so many vectors in the directions of the rows of a turn.
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
// They come of the singular values of BᵀS, which is never held whole: each block of it is
// triangularised, then the triangles of a process, then those of all.
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

// stacked appends to columns those of the triangle of a block.
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
