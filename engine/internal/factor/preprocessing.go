package factor

import (
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
)

// preprocessing describes the transformation of the samples for a factorisation: features are scaled and
// possibly centred, and everything is divided by one number. Results are converted back to the given
// samples.
type preprocessing struct {
	scaling samples.Scaling
	mean    []float64 // of the scaled features; nil: not subtracted
	norm    float64   // common divisor
	m       int
}

// preprocess scales the samples of a work, releasing the originals, and subtracts the mean
// if centered.
func (w *Work) preprocess(scale string, centered bool) *preprocessing {
	p := &preprocessing{scaling: w.X.ScalingOf(scale), norm: 1, m: w.X.M()}
	w.X = w.X.ScaledBy(p.scaling)
	if centered {
		p.mean = w.X.Mean()
		w.X.Subtract(p.mean)
	}
	return p
}

// spread returns the divisor of a feature.
func (p *preprocessing) spread(j int) float64 {
	if p.scaling.How != "minmax" {
		return 1
	}
	return p.scaling.Most[j] - p.scaling.Least[j]
}

// offset returns the offset in X ≈ offset + WH; nil: zero.
func (p *preprocessing) offset() []float64 {
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

// restore converts components, in place, to the unit of the given samples.
func (p *preprocessing) restore(h []float64) {
	for at := range h {
		h[at] *= p.norm * p.spread(at%p.m)
	}
}

// apply is the inverse of restore, with 0 for constant features.
func (p *preprocessing) apply(h []float64) {
	for at, v := range h {
		if spread := p.spread(at % p.m); spread > 0 {
			h[at] = v / (p.norm * spread)
		} else {
			h[at] = 0
		}
	}
}

// errorOf returns ‖X − offset − WH‖_F/‖X − offset‖_F for the given samples; unit holds
// the transformed samples, with factors w (n × r) and h.
func (p *preprocessing) errorOf(n, r int, unit, w, h []float64) float64 {
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
