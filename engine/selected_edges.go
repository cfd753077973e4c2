package engine

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/engine/neighbors"
)

// selectedNearest are the neighbourhoods of exemplars alone, with their weights: selective
// regularisation, which keeps together what is close to a sample that stands for
// others. The samples that are not chosen have empty lists.
type selectedNearest struct {
	nearest rootNearest
	weights string // adaptive or binary
	method  string // the selector's name
	count   *int   // exemplars; nil: a tenth of the samples
}

// number is τ, the exemplars among n samples.
func (r selectedNearest) number(n int) int {
	if r.count != nil {
		return *r.count
	}
	return max(1, int(math.Round(0.1*float64(n))))
}

func (r selectedNearest) find(p *problem) (*neighbors.Graph, error) {
	all, err := r.nearest.find(p)
	if err != nil {
		return nil, err
	}
	weight := func(_, _ int, _ float64) float64 { return 1 }
	if r.weights == "adaptive" {
		p.graph = all // which the widths of the kernel are taken from
		weight = adaptiveKernel(p)
	}
	chosen, err := p.exemplarsBy(r.method, r.number(p.x.N))
	if err != nil {
		return nil, err
	}
	p.details["exemplars"] = chosen
	is := make([]bool, p.x.N)
	for _, i := range chosen {
		is[i] = true
	}
	g := &neighbors.Graph{Ptr: make([]int, p.x.N+1)}
	for i := range p.x.N {
		if is[i] {
			for a, j := range all.Of(i) {
				d := all.Distances(i)[a]
				g.Index, g.Dist, g.Weight = append(g.Index, j), append(g.Dist, d), append(g.Weight, weight(i, int(j), d))
			}
		}
		g.Ptr[i+1] = len(g.Index)
	}
	return g, nil
}

func (r selectedNearest) widen(p *problem, k int) (func(int) (*neighbors.Graph, error), error) {
	return r.nearest.widen(p, k)
}

// exemplarsBy chooses exemplars of the problem's samples, which are scaled already, by
// another method at its defaults.
func (p *problem) exemplarsBy(name string, count int) ([]int, error) {
	m, err := NewFor("select", name)
	if err != nil {
		return nil, err
	}
	if err := Set(m, "scale", "none"); err != nil {
		return nil, err
	}
	if m, err = resolved(m, p.x.N, p.warn); err != nil {
		return nil, err
	}
	if c, ok := m.(checker); ok {
		if err := c.check(p.x.N, p.x.M); err != nil {
			return nil, err
		}
	}
	own, q := p.x, *p
	q.report, q.clock = &report{details: map[string]any{}}, NewClock()
	q.options.Progress = func(Progress) {}
	found, err := m.(selector).choose(&q, count)
	p.x = own
	if err != nil {
		return nil, fmt.Errorf("%s: select: %w", p.name, err)
	}
	for _, w := range q.warnings {
		p.warn("select=%s: %s", name, w)
	}
	return found.indices, nil
}

// listedEdges are the edges of lists with weights, half the weight for each list that
// has one: W = (M + Mᵀ)/2.
type listedEdges struct{}

func (listedEdges) sets(g *neighbors.Graph) ([]int, []int32) {
	ptr, index := []int{0}, []int32{}
	for i := range g.Len() {
		for _, j := range g.Of(i) {
			index = append(index, int32(i), j)
			ptr = append(ptr, len(index))
		}
	}
	return ptr, index
}

func (listedEdges) begin(p *problem) (func() patchFunc, error) {
	weights := p.graph.Weight
	return func() patchFunc {
		return func(i int, dst []float64) {
			w := weights[i] / 2
			dst[0], dst[1], dst[2] = w, -w, w
		}
	}, nil
}
