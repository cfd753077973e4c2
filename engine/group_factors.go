package engine

import (
	"math"

	"github.com/orthant-go/orthant/engine/neighbors"
)

// factorGrouping clusters by the coordinates of a factorisation of rank C: by k-means
// among them, or each sample by its largest.
func factorGrouping(labels string, f factoring) grouping {
	g := KMeans{Restarts: 10, Iterations: 300}.grouping()
	g.factors, g.largest = &f, labels == "argmax"
	return g
}

// partitionFactors factorises the samples with a rank of as many as there are to be
// clusters, and clusters the rows of W.
func (p *problem) partitionFactors(g grouping, r *Clustering) error {
	samples := p.x
	found, err := p.factorsOf(factorWork{factoring: *g.factors, rank: r.Clusters})
	p.x = samples // as they were before a shift
	if err != nil {
		return err
	}
	r.Components, r.ComponentSizes, r.Selection = p.components, p.sizes, p.selection
	last := found.trace[len(found.trace)-1]
	p.details["factor_iterations"], p.details["factor_objective"], p.details["relative_error"] = found.iterations, last.Objective, found.relativeError()
	w := neighbors.Points{N: p.x.N, M: r.Clusters, Data: found.w}
	if found.codes != nil {
		w.Data = found.codes
	}
	if !g.largest {
		return p.partition(g, w, r)
	}
	r.Labels = make([]int64, w.N)
	used := make([]bool, r.Clusters)
	for i := range r.Labels {
		row, best := w.Row(i), 0
		for k, v := range row {
			if v > row[best] {
				best = k
			}
		}
		r.Labels[i], used[best] = int64(best), true
	}
	count := 0
	for _, u := range used {
		if u {
			count++
		}
	}
	if count < r.Clusters {
		p.warn("only %d of %d clusters have samples: no sample has the largest coordinate in the others", count, r.Clusters)
	}
	r.Cost, r.FirstCost, r.Converged = math.NaN(), math.NaN(), true
	return nil
}
