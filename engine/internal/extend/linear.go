package extend

import (
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/solve"
	"github.com/orthant-go/orthant/engine/internal/vector"
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
