package engine

// gram is the smaller of the two products of the centred data with itself:
// XcᵀXc (m × m) or XcXcᵀ (n × n). Both have the same nonzero eigenvalues.
type gram struct {
	mean    []float64 // m
	centred []float64 // n × m
	product []float64 // order × order, both triangles
	order   int
	columns bool // product is XcᵀXc
}

// centredGram aligns nothing: every sample is local to every other.
func centredGram(p *problem, _ patchRule) (*alignment, error) {
	defer p.clock.Phase("alignment")()
	n, m := p.x.N, p.x.M
	g := &gram{mean: meanOf(p.x), order: min(n, m), columns: m <= n}
	g.centred = centredRows(p.x, g.mean)
	if err := p.ctx.Err(); err != nil {
		return nil, err
	}
	g.product = p.gramOf(g.centred, n, m, g.columns)
	p.explain("alignment: Gram matrix of order %d", g.order)
	return &alignment{gram: g}, p.ctx.Err()
}
