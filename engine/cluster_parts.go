package engine

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/neighbors"
)

// describeParts numbers the clusters by their first samples, lists them, and
// estimates the dimension and computes the embedding of each as asked for.
func (p *problem) describeParts(g grouping, o ClusterOptions, r *Clustering) error {
	defer p.clock.Phase("clusters")()
	renumber(r)
	for c := range r.Parts {
		part := &r.Parts[c]
		if len(part.Rows) < 2 || !g.weighted && !o.Embeddings {
			if o.Embeddings {
				part.Warnings = append(part.Warnings, fmt.Sprintf("%d samples have no embedding", len(part.Rows)))
			}
		} else if err := p.describePart(g, o, part); err != nil {
			return err
		}
		for _, w := range part.Warnings {
			p.warn("cluster %d (%d samples): %s", c, len(part.Rows), w)
		}
		p.fraction("clusters")(float64(c+1) / float64(len(r.Parts)))
	}
	return nil
}

// renumber numbers the clusters in the order of their first samples, as samples
// that were given their cluster late may have come before those, and lists them.
func renumber(r *Clustering) {
	to := make(map[int64]int64, r.Clusters)
	r.Sizes, r.Parts = make([]int, r.Clusters), make([]Part, r.Clusters)
	for i, label := range r.Labels {
		c, seen := to[label]
		if !seen {
			c = int64(len(to))
			to[label] = c
		}
		r.Labels[i] = c
		r.Sizes[c]++
		r.Parts[c].Rows = append(r.Parts[c].Rows, i)
	}
}

// take copies some of the samples, with their zeros where they are sparse.
func (p *problem) take(which []int) neighbors.Points {
	if p.sparse == nil {
		return take(p.x, which)
	}
	part := neighbors.Points{N: len(which), M: p.x.M, Data: make([]float64, len(which)*p.x.M)}
	for at, i := range which {
		row := part.Row(at)
		cols, vals := p.sparse.Row(i)
		for q, j := range cols {
			row[j] = vals[q]
		}
	}
	return part
}

// describePart looks at the samples of one cluster alone.
func (p *problem) describePart(g grouping, o ClusterOptions, part *Part) error {
	size := len(part.Rows)
	q := &problem{ctx: p.ctx, name: p.name, x: p.take(part.Rows), options: p.options, kernels: p.kernels,
		clock: NewClock(), report: &report{details: map[string]any{}}}
	q.options.Progress = func(Progress) {}
	q.options.Explain = func(string) {}
	if _, err := g.within(size).find(q); err != nil {
		return err
	}
	part.Gap = q.details["gap_dimension"].(int)
	part.Dimension = max(q.details["support_dimension"].(int), 1)
	if !o.Embeddings {
		return nil
	}
	dim := min(part.Dimension, size-1)
	if o.Dim > 0 {
		dim = o.Dim
	}
	if dim >= size {
		part.Warnings = append(part.Warnings, fmt.Sprintf("no embedding in %d dimensions", dim))
		return nil
	}
	found, err := Embed(p.ctx, mat.NewDense(size, p.x.M, q.x.Data), g.embed(size, dim), q.options)
	switch {
	case err == nil:
		part.Y, part.Warnings = found.Y, found.Warnings
	case p.ctx.Err() != nil:
		return p.ctx.Err()
	default:
		part.Warnings = append(part.Warnings, fmt.Sprintf("no embedding: %v", err))
	}
	return nil
}
