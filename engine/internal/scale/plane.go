package scale

import (
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// plane is a weighted local plane of d dimensions with the workspace of one worker. It passes
// through center and is spanned by axes.
type plane struct {
	search *neighbors.Searcher
	m, d   int

	center []float64 // weighted mean, relative to the current point
	spread []float64 // the weighted covariance, m × m
	leading
	weights []float64
	from    []float64 // differences from the point, unweighted and weighted
	scaled  []float64
	kernels *blas.Kernels
	all     float64 // variances: over all columns, and off the plane
	off     float64
	last    float64 // squared distance of the k-th nearest
}

func newPlane(s *neighbors.UnorderedIndex, m, d int, kernels *blas.Kernels) *plane {
	p := &plane{search: s.NewSearcher(), m: m, d: d, kernels: kernels,
		center: make([]float64, m), spread: make([]float64, m*m)}
	p.leading.begin(m, d)
	return p
}

// fit fits the plane to the k samples nearest to z. The weights decrease with the squared
// distance and vanish just beyond the last sample (an Epanechnikov kernel).
func (p *plane) fit(z []float64, k int) {
	p.near(z, k)
	p.solve(z)
}

// near finds the k nearest and their weights. A sample at z has weight 0 in its own plane: if it
// is far off, its own weight would be the largest.
func (p *plane) near(z []float64, k int) {
	p.last = p.search.Nearest(z, k)
	far := p.last * (1 + 2/float64(k))
	p.weights = p.weights[:0]
	for _, square := range p.search.Squares {
		w := 1.0 // all are copies
		if far > 0 {
			if w = 1 - square/far; square == 0 {
				w = 0
			}
		}
		p.weights = append(p.weights, w)
	}
}

// solve fits the plane with the weights.
func (p *plane) solve(z []float64) {
	total := 0.0
	for _, w := range p.weights {
		total += w
	}
	if p.m == 3 {
		p.momentsOfThree(z)
	} else {
		p.moments(z)
	}
	p.all = 0
	for i := range p.center {
		p.center[i] /= total
	}
	for i, c := range p.center {
		row := p.spread[i*p.m : (i+1)*p.m]
		for j := range row {
			row[j] = row[j]/total - c*p.center[j]
		}
		p.all += row[i]
	}
	p.leading.find(p.spread)
	p.off = max(p.all-p.leading.sum, 0)
}

// moments computes the weighted sums of the differences from z and of their products.
func (p *plane) moments(z []float64) {
	count := len(p.weights)
	p.from, p.scaled = sized(p.from, count*p.m), sized(p.scaled, count*p.m)
	clear(p.center)
	for q, place := range p.search.Places {
		x, w := p.search.At(int(place)), p.weights[q]
		from, scaled := p.from[q*p.m:(q+1)*p.m], p.scaled[q*p.m:(q+1)*p.m]
		for j, v := range x {
			v -= z[j]
			from[j], scaled[j] = v, w*v
			p.center[j] += w * v
		}
	}
	p.kernels.Gemm(true, false, p.m, p.m, count, 1, p.from, p.m, p.scaled, p.m, 0, p.spread, p.m)
}

func (p *plane) momentsOfThree(z []float64) {
	var a0, a1, a2, c00, c01, c02, c11, c12, c22 float64
	z0, z1, z2 := z[0], z[1], z[2]
	for q, place := range p.search.Places {
		w := p.weights[q]
		x := p.search.At(int(place))
		d0, d1, d2 := x[0]-z0, x[1]-z1, x[2]-z2
		w0, w1, w2 := w*d0, w*d1, w*d2
		a0, a1, a2 = a0+w0, a1+w1, a2+w2
		c00, c01, c02 = c00+w0*d0, c01+w0*d1, c02+w0*d2
		c11, c12, c22 = c11+w1*d1, c12+w1*d2, c22+w2*d2
	}
	p.center[0], p.center[1], p.center[2] = a0, a1, a2
	s := p.spread
	s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8] = c00, c01, c02, c01, c11, c12, c02, c12, c22
}

// trim reduces the weights of samples that are much farther off the plane than the others,
// by Tukey's biweight: to 0 beyond three standard deviations. The plane is the preceding
// one, and the nearest samples are those of a point on it.
func (p *plane) trim(axes []float64, variance float64, z []float64) {
	limit := 9 * variance
	for q, place := range p.search.Places {
		off := p.search.Squares[q]
		x := p.search.At(int(place))
		for a := range p.d {
			axis := axes[a*p.m : (a+1)*p.m]
			along := 0.0
			for j, v := range axis {
				along += v * (x[j] - z[j])
			}
			off -= along * along
		}
		if t := 1 - max(off, 0)/limit; t > 0 {
			p.weights[q] *= t * t
		} else {
			p.weights[q] = 0
		}
	}
}

// move moves z to its projection on the plane, orthogonally to the surface.
func (p *plane) move(z []float64) {
	copy(p.scratch, p.center)
	step := p.scratch[:p.m]
	for a := range p.d {
		axis := p.axes[a*p.m : (a+1)*p.m]
		blas.Axpy(-blas.Dot(axis, p.center), axis, step)
	}
	for j, v := range step {
		z[j] += v
	}
}

func sized(v []float64, n int) []float64 {
	if cap(v) < n {
		return make([]float64, n, n+n/4)
	}
	return v[:n]
}
