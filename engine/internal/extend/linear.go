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
	return &Extension{Kind: "linear", Arrays: map[string]*mat.Dense{"mean": mat.NewDense(1, len(mean), mean), "projection": s.Projection}}, "", nil
}

// newLinear reads the arrays "mean", 1 × m, and "projection", m × d.
func newLinear(e *Extension, r Resources) (*Mapping, error) {
	projection, err := e.array("projection", 0, 0)
	if err != nil {
		return nil, err
	}
	m, d := projection.Dims()
	mean, err := e.array("mean", 1, m)
	if err != nil {
		return nil, err
	}
	l := solve.Linear{Kernels: r.Kernels, Threads: r.Threads, Projection: projection}
	if row := mean.RawRowView(0); !vector.IsZero(row) {
		l.Mean = row
	}
	return &Mapping{Features: m, Dim: d, Apply: l.Apply, ApplySparse: l.ApplySparse}, nil
}
