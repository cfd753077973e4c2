package engine

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// weightedRule is a patch rule that represents each sample by weights of its
// neighbours, where the neighbourhoods come without any.
type weightedRule interface {
	patchRule
	// columns returns one weight for each entry of the lists; those of a list sum to 1.
	columns(p *problem) ([]float64, error)
}

// Represent returns the neighbours by which a method represents each sample, in
// increasing distance, with their weights: the convex ones of [LNP], those of
// [SMCE] that were kept, the signed ones of [LLE], and the edges of [LE], of each
// sample to the neighbours that it lists, scaled to sum 1. From them [measures] tells the
// dimension of the data, and how neighbours fare in an embedding. Other methods
// are an error; errors about the input are those of [Embed].
func Represent(ctx context.Context, x mat.Matrix, m Method, o Options) (*neighbors.Graph, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	kernels, err := blas.Select(o.Backend)
	if err != nil {
		return nil, err
	}
	p := &problem{ctx: ctx, x: pointsOf(x), options: o, kernels: kernels, clock: NewClock(), report: &report{details: map[string]any{}}}
	e, ok := m.(embedder)
	if !ok {
		return nil, fmt.Errorf("engine: no method given that represents samples by their neighbours")
	}
	p.name = m.Name()
	if p.x.N < 2 || p.x.M < 1 {
		return nil, fmt.Errorf("%s: %d × %d data has no neighbours; give at least 2 samples and 1 column", p.name, p.x.N, p.x.M)
	}
	if err := p.checkFinite(); err != nil {
		return nil, err
	}
	full, err := resolved(e, p.x.N, p.warn)
	if err != nil {
		return nil, err
	}
	if c, ok := full.(checker); ok {
		if err := c.check(p.x.N, p.x.M); err != nil {
			return nil, err
		}
	}
	p.params = Values(full)
	s := full.(embedder).steps()
	rule, weighted := s.patch.(weightedRule)
	if s.neighbors == nil {
		return nil, fmt.Errorf("%s: it does not represent samples by their neighbours; take lnp, smce, lle or le", p.name)
	}
	if p.graph, err = s.neighbors.find(p); err != nil {
		return nil, err
	}
	if p.graph.Weight == nil {
		if !weighted {
			return nil, fmt.Errorf("%s: it does not weight a sample's neighbours; take lnp, smce, lle or le", p.name)
		}
		p.graph.Weight, err = rule.columns(p)
	}
	return p.graph, err
}

// ReconstructionWeights returns the weights by which LLE writes every row of x by
// its neighbours in g (see [LLE]), n × k with zeros behind a list shorter than
// the longest: row i belongs to g.Of(i) and sums to 1. gamma is the regulariser
// as a share of the trace. It reads Backend and Threads of the options.
//
// Errors are about a graph of another number of samples, a γ that is not
// positive, and a cancelled context. O(n(k²m + k³)).
func ReconstructionWeights(ctx context.Context, x mat.Matrix, g *neighbors.Graph, gamma float64, o Options) (*mat.Dense, error) {
	points := pointsOf(x)
	switch {
	case g.Len() != points.N:
		return nil, fmt.Errorf("weights: a graph of %d samples for data of %d", g.Len(), points.N)
	case g.MaxDegree() == 0:
		return nil, fmt.Errorf("weights: the graph lists no neighbours")
	case !(gamma > 0):
		return nil, fmt.Errorf("weights: gamma is %v; give a number above 0", gamma)
	}
	kernels, err := blas.Select(o.Backend)
	if err != nil {
		return nil, err
	}
	columns, err := reconstruction{gamma}.columns(&problem{ctx: ctx, x: points, options: o, kernels: kernels, graph: g})
	w := mat.NewDense(points.N, g.MaxDegree(), nil)
	for i := range points.N {
		copy(w.RawRowView(i), columns[g.Ptr[i]:g.Ptr[i+1]])
	}
	return w, err
}

// columns are LLE's barycentric weights.
func (r reconstruction) columns(p *problem) ([]float64, error) {
	all := make([]float64, len(p.graph.Index))
	k := p.graph.MaxDegree()
	type scratch struct {
		solver *weightSolver
		g      []float64
	}
	workers := make([]scratch, blas.Threads(p.options.Threads))
	err := blas.For(p.ctx, p.options.Threads, p.graph.Len(), patchRows, func(w, lo, hi int) {
		s := &workers[w]
		if s.solver == nil {
			*s = scratch{newWeightSolver(p.kernels, k, r.gamma), make([]float64, k*p.x.M)}
		}
		for i := lo; i < hi; i++ {
			list := p.graph.Of(i)
			differences(p.x, i, list, s.g)
			copy(all[p.graph.Ptr[i]:], s.solver.of(s.g, len(list), p.x.M))
		}
	})
	return all, err
}

// columns are the weights of the edges to the neighbours that a sample lists, scaled.
func (r edges) columns(p *problem) ([]float64, error) {
	weight, err := r.weight(p)
	if err != nil {
		return nil, err
	}
	all := make([]float64, 0, len(p.graph.Index))
	for i := range p.graph.Len() {
		from := len(all)
		var total float64
		for a, j := range p.graph.Of(i) {
			w := weight(i, int(j), p.graph.Distances(i)[a])
			all = append(all, w)
			total += w
		}
		if !(total > math.SmallestNonzeroFloat64) {
			return nil, fmt.Errorf("%s: sample %d (counting from 1) has no neighbour of positive weight; take a larger t", p.name, i+1)
		}
		blas.Scale(1/total, all[from:])
	}
	return all, nil
}
