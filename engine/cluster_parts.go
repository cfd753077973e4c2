package engine

import (
	"fmt"

	"github.com/orthant-go/orthant/engine/internal/samples"
)

// describeParts lists the clusters, and estimates the dimension and computes the embedding of each as asked for.
func (b begun) describeParts(g grouping, x samples.Samples, o ClusterOptions, r *Clustering) error {
	defer b.Phase("clusters")()
	r.list()
	for c := range r.Parts {
		part := &r.Parts[c]
		if len(part.Rows) < 2 || !g.Weighted && !o.Embeddings {
			if o.Embeddings {
				part.Warnings = append(part.Warnings, fmt.Sprintf("%d samples have no embedding", len(part.Rows)))
			}
		} else if err := b.describePart(g, x, o, part); err != nil {
			return err
		}
		for _, w := range part.Warnings {
			b.Warn("cluster %d (%d samples): %s", c, len(part.Rows), w)
		}
		b.Fraction("clusters")(float64(c+1) / float64(len(r.Parts)))
	}
	return nil
}

// list lists the samples of the clusters.
func (r *Clustering) list() {
	r.Sizes, r.Parts = make([]int, r.Clusters), make([]Part, r.Clusters)
	for i, c := range r.Labels {
		r.Sizes[c]++
		r.Parts[c].Rows = append(r.Parts[c].Rows, i)
	}
}

// describePart looks at the samples of one cluster alone.
func (b begun) describePart(g grouping, x samples.Samples, o ClusterOptions, part *Part) error {
	size, own := len(part.Rows), x.Subset(part.Rows)
	found, err := g.Within(size).Find(b.Within(), own)
	if err != nil {
		return err
	}
	part.Gap, part.Dimension = found.Profile.Gap, max(found.Profile.Support, 1)
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
	silent := b.options
	silent.Progress, silent.Explain, silent.Graph, silent.Affinities = nil, nil, nil, nil
	made, err := Embed(b.Context(), own.Matrix(), g.embed(size, dim), silent)
	switch {
	case err == nil:
		part.Y, part.Warnings = made.Y, made.Warnings
	case b.Err() != nil:
		return b.Err()
	default:
		part.Warnings = append(part.Warnings, fmt.Sprintf("no embedding: %v", err))
	}
	return nil
}
