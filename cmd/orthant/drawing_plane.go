package main

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/picture"
)

// samplesOnPlane are points for samples: at the coordinates in a file, or else at the first two
// principal components.
func (inv *invocation) samplesOnPlane(ctx context.Context, x mat.Matrix, embedding, standardize string) (*picture.Scatter, error) {
	if embedding != "" {
		o := inv.reading()
		o.AllowNonFinite = true // rows of NaN are samples without coordinates
		y, err := files.ReadMatrix(embedding, o)
		if err != nil {
			return nil, err
		}
		if x != nil {
			n, _ := x.Dims()
			if rows, _ := y.Dims(); rows != n {
				return nil, wrong("%s has %d rows for %d samples; give the embedding of these samples", embedding, rows, n)
			}
		}
		points := &picture.Scatter{Y: y}
		if n, _ := y.Dims(); points.Points() < n {
			inv.warn("%d of %s have no coordinates in %s and are not drawn", n-points.Points(), counted(n, "sample"), embedding)
		}
		return points, nil
	}
	if x == nil {
		return nil, wrong("--plot has no samples to draw, of which only the graph is known; give --embedding, their coordinates")
	}
	n, m := x.Dims()
	r, err := engine.Embed(ctx, x, engine.PCA{Dim: max(min(2, m, n-1), 1)}, engine.Options{Backend: inv.backend, Threads: inv.threads, Seed: inv.seed, Memory: int64(inv.memory), Standardize: standardize})
	if err != nil {
		return nil, fmt.Errorf("plot: principal components: %w; give --embedding, coordinates of the samples", err)
	}
	return &picture.Scatter{Y: r.Y, Equal: true, Axes: "principal component"}, nil
}
