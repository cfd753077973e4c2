package engine

import (
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers"
)

// partitionSpectrum clusters the samples by the leading eigenvectors of their
// similarity graph.
func (p *problem) partitionSpectrum(g grouping, r *Clustering) error {
	end := p.clock.Phase("neighbors")
	graph, err := g.neighbors.find(p)
	end()
	if err != nil {
		return err
	}
	p.graph = graph
	a, err := normalisedSum(p, g.edges)
	if err != nil {
		return err
	}
	label, sizes := similar(a).Components()
	r.Components = len(sizes)
	r.ComponentSizes = slices.SortedFunc(slices.Values(sizes), func(a, b int) int { return b - a })
	p.warnOfClasses(r)
	rows, err := p.spectralRows(a, members(label, sizes), r)
	if err != nil {
		return err
	}
	return p.partitionRows(g, rows, r)
}

// warnOfClasses says where the graph falls into more pieces than there are
// clusters.
func (p *problem) warnOfClasses(r *Clustering) {
	classes, _ := p.details["closed_classes"].(int)
	switch {
	case r.Components > r.Clusters:
		p.warn("the graph has %d components (%s) for %d clusters: the largest make the clusters, the samples of the others go to that of their nearest sample; more neighbours would join some",
			r.Components, listSizes(r.ComponentSizes), r.Clusters)
	case classes > r.Clusters:
		p.warn("%d closed classes of samples have their neighbours among themselves, more than the %d clusters; more neighbours would join some", classes, r.Clusters)
	}
}

// similar is the graph of the similarities that are not zero.
func similar(a *alignment) *neighbors.Graph {
	n := a.phi.Rows
	g := &neighbors.Graph{Ptr: make([]int, 1, n+1), Index: make([]int32, 0, a.phi.NNZ())}
	for i := range n {
		cols, vals := a.phi.Row(i)
		for q, j := range cols {
			if vals[q] != 0 {
				g.Index = append(g.Index, j)
			}
		}
		g.Ptr = append(g.Ptr, len(g.Index))
	}
	return g
}

// spectralRows computes the leading eigenvectors of D^−½WD^−½, which are the bottom
// ones of the normalised Laplacian, and returns their rows, scaled to unit length
// but for zero ones. The known ones, D^½1 on each component, are not solved for.
func (p *problem) spectralRows(a *alignment, components [][]int, r *Clustering) (neighbors.Points, error) {
	defer p.clock.Phase("solve")()
	n := p.x.N
	known := min(len(components), r.Clusters)
	rows := neighbors.Points{N: n, M: r.Clusters, Data: make([]float64, n*r.Clusters)}
	null := make([][]float64, known)
	for c, list := range components[:known] {
		v := make([]float64, n)
		for _, i := range list {
			v[i] = a.null[i]
		}
		normalise(v)
		null[c] = v
		r.Values, r.Residuals = append(r.Values, 1), append(r.Residuals, 0)
	}
	vectors := null
	r.Converged = true
	if len(components) > r.Clusters {
		r.Next = 1
	} else if count := r.Clusters - known; n > known {
		e, err := solvers.Smallest(p.ctx, a.phi, null, max(count, 1), solvers.Options{
			Kernels: p.kernels, Threads: p.options.Threads, Seed: p.options.Seed, Memory: p.options.Memory,
			Progress: p.fraction("solve"), Planned: func(plan solvers.Plan) { explainPlan(p, plan) },
			Laplacian: true, Columns: p.x.M, Bound: 2,
		})
		if err != nil {
			return rows, err
		}
		values := append(slices.Clone(e.Values), e.Next)
		r.Next = 1 - values[count]
		vectors = append(vectors, e.Vectors[:count]...)
		for j, mu := range values[:count] {
			r.Values, r.Residuals = append(r.Values, 1-mu), append(r.Residuals, e.Residuals[j])
		}
		if r.Converged = e.Converged || count == 0; !r.Converged {
			p.warn("some eigenpairs missed their residual: the clusters are the best found")
		}
	}
	for c, v := range vectors {
		for i, entry := range v {
			rows.Data[i*r.Clusters+c] = entry
		}
	}
	for i := range n {
		if row := rows.Row(i); blas.Dot(row, row) > 0 {
			normalise(row)
		}
	}
	return rows, nil
}

// partitionRows clusters the rows that are not zero, and gives the other samples
// the cluster of the nearest sample that has one.
func (p *problem) partitionRows(g grouping, rows neighbors.Points, r *Clustering) error {
	var placed, others []int
	for i := range rows.N {
		if row := rows.Row(i); blas.Dot(row, row) > 0 {
			placed = append(placed, i)
		} else {
			others = append(others, i)
		}
	}
	converged := r.Converged
	err := p.partition(g, take(rows, placed), r)
	r.Converged = r.Converged && converged
	if err != nil || len(others) == 0 {
		return err
	}
	near, err := neighbors.Search(p.ctx, take(p.x, placed), take(p.x, others), 1, neighbors.Options{Kernels: p.kernels, Threads: p.options.Threads})
	if err != nil {
		return err
	}
	labels := make([]int64, rows.N)
	for at, i := range placed {
		labels[i] = r.Labels[at]
	}
	for at, i := range others {
		labels[i] = r.Labels[near.Of(at)[0]]
	}
	r.Labels = labels
	return nil
}

// take returns some of the points.
func take(x neighbors.Points, which []int) neighbors.Points {
	part := neighbors.Points{N: len(which), M: x.M, Data: make([]float64, 0, len(which)*x.M)}
	for _, i := range which {
		part.Data = append(part.Data, x.Row(i)...)
	}
	return part
}
