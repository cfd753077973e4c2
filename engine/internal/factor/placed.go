package factor

import (
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
)

// placed is where a factorisation sees the samples: every feature scaled, less its mean
// where that is taken off, and all divided by one number. What is found is reported of the
// samples as they were given.
type placed struct {
	scaling samples.Scaling
	mean    []float64 // of the scaled features; nil: it is not taken off
	norm    float64   // by which all were divided
	m       int
}

// place scales the samples of a work, which lets go of the given ones, and takes the mean
// off.
func (w *Work) place(scale string, centered bool) *placed {
	p := &placed{scaling: w.X.ScalingOf(scale), norm: 1, m: w.X.M()}
	w.X = w.X.ScaledBy(p.scaling)
	if centered {
		p.mean = w.X.Mean()
		w.X.TakeOff(p.mean)
	}
	return p
}

// spread is by what a feature was divided.
func (p *placed) spread(j int) float64 {
	if p.scaling.How != "minmax" {
		return 1
	}
	return p.scaling.Most[j] - p.scaling.Least[j]
}

// offset is what X ≈ offset + WH adds to every sample; nil: nothing.
func (p *placed) offset() []float64 {
	if p.mean == nil && p.scaling.Least == nil {
		return nil
	}
	offset := slices.Clone(p.scaling.Least)
	if offset == nil {
		offset = make([]float64, len(p.mean))
	}
	for j, v := range p.mean {
		offset[j] += v * p.spread(j)
	}
	return offset
}

// outside gives components, in place, the unit of the samples as they were given.
func (p *placed) outside(h []float64) {
	for at := range h {
		h[at] *= p.norm * p.spread(at%p.m)
	}
}

// inside is the converse, with 0 for features that are constant.
func (p *placed) inside(h []float64) {
	for at, v := range h {
		if spread := p.spread(at % p.m); spread > 0 {
			h[at] = v / (p.norm * spread)
		} else {
			h[at] = 0
		}
	}
}

// errorOf is ‖X − offset − WH‖_F/‖X − offset‖_F of the samples as they were given, where
// unit are those that the factors w (n × r) and h are of.
func (p *placed) errorOf(n, r int, unit, w, h []float64) float64 {
	m := len(unit) / n
	left, columns, whole := make([]float64, m), make([]float64, m), make([]float64, m)
	for i := range n {
		copy(left, unit[i*m:(i+1)*m])
		for k, v := range w[i*r : (i+1)*r] {
			if v != 0 {
				blas.Axpy(-v, h[k*m:(k+1)*m], left)
			}
		}
		for j, v := range left {
			columns[j] += v * v
			whole[j] += unit[i*m+j] * unit[i*m+j]
		}
	}
	var squares, all float64
	for j, v := range columns {
		spread := p.spread(j)
		squares, all = squares+v*spread*spread, all+whole[j]*spread*spread
	}
	if all == 0 {
		return 0
	}
	return math.Sqrt(squares / all)
}
