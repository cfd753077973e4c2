package extend

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/solve"
	"github.com/orthant-go/orthant/engine/internal/vector"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// Linear is the rule of methods whose solution is a projection.
func Linear(_ Fit, s *solve.Projected) (*Extension, string, error) {
	m, _ := s.Projection.Dims()
	mean := s.Mean
	if mean == nil {
		mean = make([]float64, m)
	}
	return &Extension{Map: LinearMap{mean, s.Projection}}, "", nil
}

// reduced returns the mapping for samples as given, from an extension of principal components.
func reduced(to LinearMap, m *Mapping, r Resources) (*Mapping, error) {
	by, err := to.prepare(r)
	if err != nil {
		return nil, err
	}
	if by.Dim != m.Features {
		return nil, fmt.Errorf("model: %d principal components for a map of %d columns", by.Dim, m.Features)
	}
	outer := *m
	outer.Features = by.Features
	outer.RowBytes += 8 * int64(by.Dim)
	outer.Apply = func(ctx context.Context, points neighbors.Points, dst *mat.Dense) error {
		scores := mat.NewDense(points.N, by.Dim, nil)
		if err := by.Apply(ctx, points, scores); err != nil {
			return err
		}
		return m.Apply(ctx, neighbors.Points{N: points.N, M: by.Dim, Data: scores.RawMatrix().Data}, dst)
	}
	outer.ApplySparse = func(ctx context.Context, a *sparse.CSR, dst *mat.Dense) error {
		scores := mat.NewDense(a.Rows, by.Dim, nil)
		if err := by.ApplySparse(ctx, a, scores); err != nil {
			return err
		}
		return m.Apply(ctx, neighbors.Points{N: a.Rows, M: by.Dim, Data: scores.RawMatrix().Data}, dst)
	}
	return &outer, nil
}

// LinearMap maps x to (x − Mean)·Projection.
type LinearMap struct {
	Mean       []float64
	Projection *mat.Dense // m × d
}

// Kind returns "linear".
func (LinearMap) Kind() string { return "linear" }

func (l LinearMap) prepare(r Resources) (*Mapping, error) {
	m, d := l.Projection.Dims()
	by := solve.Linear{Kernels: r.Kernels, Threads: r.Threads, Projection: l.Projection}
	if !vector.IsZero(l.Mean) {
		by.Mean = l.Mean
	}
	return &Mapping{Features: m, Dim: d, Apply: by.Apply, ApplySparse: by.ApplySparse}, nil
}
