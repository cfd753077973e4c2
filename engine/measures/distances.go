package measures

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

const (
	tileRows = 32  // rows of a block of work
	tileCols = 256 // points compared with a block at a time
	narrow   = 3   // number of features up to which the loop over pairs is written out
	// gemmFrom is the number of features from which distances by matrix products
	// are faster in spite of their error.
	gemmFrom = 12
)

// distances computes all squared distances among points in tiles. In few
// dimensions they are exact, meaning equal in every bit to the result of exact.
// In many dimensions they are |a|² + |b|² − 2ab by matrix products, which a backend
// accelerates, with an error of up to slack. A comparison that slack leaves undecided uses
// exact, so no decision depends on how the products are
// computed.
type distances struct {
	blas.Rows
	slack   float64
	centred []float64 // nil: exact
	norms   []float64
	kernels *blas.Kernels
}

func newDistances(p blas.Rows, kernels *blas.Kernels) *distances {
	d := &distances{Rows: p, kernels: kernels}
	if p.M < gemmFrom {
		return d
	}
	mean := make([]float64, p.M)
	for i := range p.N {
		blas.Axpy(1/float64(p.N), p.Row(i), mean)
	}
	d.centred, d.norms = make([]float64, len(p.Data)), make([]float64, p.N)
	far := 0.0
	for i := range p.N {
		row := d.centred[i*p.M : (i+1)*p.M]
		for c, v := range p.Row(i) {
			row[c] = v - mean[c]
		}
		d.norms[i] = blas.Dot(row, row)
		far = math.Max(far, d.norms[i])
	}
	// With u = 2⁻⁵³ and far the largest norm: a sum of m products has an error of at most
	// m·u·far in any order of its terms, which makes 4m·u·far for the two
	// norms and twice the product; the exact distance, at most 4·far, has an error of at most
	// 4(m+2)·u·far; subtracting the rounded mean moves a point by
	// u·√far and a distance by 8u·far; and the final sums add 8u·far. This is
	// less than (8m + 24)u·far; slack is four times as much.
	d.slack = 32 * float64(p.M+3) * 0x1p-53 * far
	return d
}

// exact returns the squared distance of two points.
func (d *distances) exact(i, j int) float64 {
	if d.M <= narrow {
		var out [1]float64
		d.narrowTile(i, j, j+1, out[:])
		return out[0]
	}
	return blas.SquaredDistance(d.Row(i), d.Row(j))
}

// narrowTile computes a row of a tile in up to three dimensions, where a call for
// each pair would take longer than the pair. The conversions prevent the compiler
// from fusing operations, so the bits are the same wherever this is
// inlined, and equal to the plain sum.
func (d *distances) narrowTile(i, j0, j1 int, out []float64) {
	x, row := d.Data[j0*d.M:j1*d.M], d.Row(i)
	out = out[:j1-j0]
	switch d.M {
	case 1:
		a := row[0]
		for c, v := range x[:len(out)] {
			out[c] = float64((v - a) * (v - a))
		}
	case 2:
		a, b := row[0], row[1]
		for c := range out {
			p, q := x[2*c]-a, x[2*c+1]-b
			out[c] = float64(p*p) + float64(q*q)
		}
	case 3:
		a, b, e := row[0], row[1], row[2]
		for c := range out {
			p, q, r := x[3*c]-a, x[3*c+1]-b, x[3*c+2]-e
			out[c] = float64(p*p) + float64(q*q) + float64(r*r)
		}
	}
}

// tile writes the squared distances of points i0 ≤ i < i1 to j0 ≤ j < j1, with an error of
// up to slack, into rows of tileCols.
func (d *distances) tile(i0, i1, j0, j1 int, dst []float64) {
	if d.centred == nil {
		for i := i0; i < i1; i++ {
			row, out := d.Row(i), dst[(i-i0)*tileCols:]
			if d.M <= narrow {
				d.narrowTile(i, j0, j1, out)
				continue
			}
			for j := j0; j < j1; j++ {
				out[j-j0] = blas.SquaredDistance(row, d.Row(j))
			}
		}
		return
	}
	d.kernels.Gemm(false, true, i1-i0, j1-j0, d.M, -2, d.centred[i0*d.M:], d.M, d.centred[j0*d.M:], d.M, 0, dst, tileCols)
	for i := i0; i < i1; i++ {
		out, own := dst[(i-i0)*tileCols:(i-i0)*tileCols+j1-j0], d.norms[i]
		for c, other := range d.norms[j0:j1] {
			out[c] += own + other
		}
	}
}
