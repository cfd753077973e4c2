package extend

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/solve"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Conditional is the rule of principal components that say what missing entries are expected to be.
func Conditional(_ Fit, s *solve.Probabilistic) (*Extension, string, error) {
	return &Extension{Map: ConditionalMap{LinearMap{s.Mean, s.Projection}, s.Loadings, s.Noise}}, "", nil
}

// ConditionalMap is [LinearMap] for samples of which entries may be missing (NaN): these become their means given the
// known ones.
type ConditionalMap struct {
	LinearMap
	Loadings *mat.Dense // m × d
	Noise    float64
}

// Kind returns "conditional".
func (ConditionalMap) Kind() string { return "conditional" }

func (l ConditionalMap) prepare(r Resources) (*Mapping, error) {
	m, d := l.Projection.Dims()
	by := solve.Conditional{Linear: solve.Linear{Kernels: r.Kernels, Threads: r.Threads, Projection: l.Projection, Mean: l.Mean}, Loadings: l.Loadings, Noise: l.Noise}
	return &Mapping{Features: m, Dim: d, Missing: true, Apply: func(ctx context.Context, points neighbors.Points, dst *mat.Dense) error {
		for i := range points.N {
			if !slices.ContainsFunc(points.Row(i), func(v float64) bool { return !math.IsNaN(v) }) {
				return &RowError{i, "has no entry that is known; leave it out"}
			}
		}
		return by.Apply(ctx, points, dst)
	}}, nil
}
