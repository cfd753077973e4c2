package engine

import (
	"github.com/orthant-go/orthant/blas"
)

// gram is the smaller of the two products of the centred data with itself:
// XcᵀXc (m × m) or XcXcᵀ (n × n). Both have the same nonzero eigenvalues.
type gram struct {
	centred []float64 // n × m
	product []float64 // order × order, both triangles
	order   int
	columns bool // product is XcᵀXc
}

// centredGram aligns nothing: every sample is local to every other.
func centredGram(p *problem, _ patchRule) (*alignment, error) {
	defer p.clock.Phase("alignment")()
	n, m := p.x.N, p.x.M
	mean := make([]float64, m)
	for i := range n {
		blas.Axpy(1/float64(n), p.x.Row(i), mean)
	}
	g := &gram{centred: make([]float64, n*m), order: min(n, m), columns: m <= n}
	for i := range n {
		row := g.centred[i*m : i*m+m]
		for j, v := range p.x.Row(i) {
			row[j] = v - mean[j]
		}
	}
	if err := p.ctx.Err(); err != nil {
		return nil, err
	}
	g.product = make([]float64, g.order*g.order)
	p.kernels.SyrkParallel(p.options.Threads, g.columns, g.order, max(n, m), 1, g.centred, m, 0, g.product, g.order)
	for i := range g.order {
		for j := range i {
			g.product[i*g.order+j] = g.product[j*g.order+i]
		}
	}
	p.explain("alignment: Gram matrix of order %d", g.order)
	return &alignment{gram: g}, p.ctx.Err()
}
