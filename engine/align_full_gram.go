package engine

import (
	"github.com/orthant-go/orthant/solvers"
)

// featureGram is C = XcᵀXc, m × m, whichever of the two Gram matrices is smaller:
// methods that look at the signs of its entries need them.
func featureGram(p *problem, _ patchRule) (*alignment, error) {
	defer p.clock.Phase("alignment")()
	n, m := p.x.N, p.x.M
	if err := p.roomForGram(m); err != nil {
		return nil, err
	}
	mean := meanOf(p.x)
	g := &gram{mean: mean, centred: centredRows(p.x, mean), order: m, columns: true}
	q := p.gramOf(g.centred, n, m, true)
	g.centred = nil
	p.explain("alignment: Gram matrix of the columns, order %d", m)
	return &alignment{gram: g, dense: &denseProblem{order: m, q: q}}, p.ctx.Err()
}

// storedGram is the number of samples up to which their Gram matrix is stored.
const storedGram = 20_000

// sampleGram is K = XcXcᵀ, n × n. Of many samples with fewer columns it is left in
// its factor Xc.
func sampleGram(p *problem, _ patchRule) (*alignment, error) {
	defer p.clock.Phase("alignment")()
	n, m := p.x.N, p.x.M
	g := &gram{mean: meanOf(p.x), order: n}
	g.centred = centredRows(p.x, g.mean)
	if n > storedGram && m < n {
		p.explain("alignment: Gram matrix of order %d, not stored", n)
		return &alignment{gram: g}, p.ctx.Err()
	}
	if err := p.roomForGram(n); err != nil {
		return nil, err
	}
	q := p.gramOf(g.centred, n, m, false)
	p.explain("alignment: Gram matrix of order %d", n)
	return &alignment{gram: g, dense: &denseProblem{order: n, q: q}}, p.ctx.Err()
}

// geodesicGram is K = −½JD²J, J = I − 11ᵀ/n, for the lengths D of shortest paths
// through the neighbour graph. It need not be semidefinite.
func geodesicGram(p *problem, _ patchRule) (*alignment, error) {
	if err := p.roomForGram(p.x.N); err != nil {
		return nil, err
	}
	a, err := geodesics(p, nil)
	if err != nil {
		return nil, err
	}
	defer p.clock.Phase("alignment")()
	n, g := p.x.N, a.geodesic
	place := g.paths.Place() // of a sample among the vertices
	k, mean := make([]float64, n*n), make([]float64, n)
	var total float64
	for i := range n {
		for j := range n {
			v, w := int(place[i]), int(place[j])
			if v > w {
				v, w = w, v
			}
			k[i*n+j] = -0.5 * g.squares.Row(v)[w-g.squares.First(v)]
			mean[i] += k[i*n+j] / float64(n)
		}
		total += mean[i] / float64(n)
	}
	for i := range n {
		for j := range n {
			k[i*n+j] += total - (mean[i] + mean[j]) // in this order symmetric to the bit
		}
	}
	return &alignment{dense: &denseProblem{order: n, q: k}}, p.ctx.Err()
}

func (p *problem) roomForGram(order int) error {
	need := 8 * (2*int64(order)*int64(order) + int64(p.x.N)*int64(p.x.M))
	if p.options.Memory > 0 && need > p.options.Memory {
		return beyond("%s: a matrix of order %d needs about %s where the limit is %s; take fewer samples or columns, or raise the limit",
			p.name, order, solvers.FormatBytes(need), solvers.FormatBytes(p.options.Memory))
	}
	return nil
}
