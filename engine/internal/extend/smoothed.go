package extend

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/scale"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// MaxPasses bounds the passes of a smoother.
const MaxPasses = 16

// smoothed returns the mapping for samples as given, from an extension of smoothed ones.
func smoothed(p scale.Parts, m *Mapping, r Resources) (*Mapping, error) {
	if low := p.Kept.M; low > scale.MaxColumns || p.Neighbors > max(scale.MaxKept, p.Dim+2) {
		return nil, fmt.Errorf("model: planes among %d samples of %d columns are beyond what a fit makes, %d and %d", p.Neighbors, low, max(scale.MaxKept, p.Dim+2), scale.MaxColumns)
	}
	if err := r.fit(3*float64(p.Kept.N)*float64(p.Kept.M), r.workers()*float64(p.Neighbors)*float64(p.Kept.M+p.Neighbors)); err != nil {
		return nil, err
	}
	by, err := p.Smoother(scale.Settings{Kernels: r.Kernels, Threads: r.Threads, Seed: 1})
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	outer := *m
	outer.ApplySparse = nil
	outer.RowBytes += 8 * int64(m.Features)
	outer.Apply = func(ctx context.Context, points neighbors.Points, dst *mat.Dense) error {
		z := neighbors.Points{N: points.N, M: points.M, Data: make([]float64, points.N*points.M)}
		if err := by.Apply(ctx, points, z.Data, func(int) {}); err != nil {
			return err
		}
		return m.Apply(ctx, z, dst)
	}
	return &outer, nil
}
