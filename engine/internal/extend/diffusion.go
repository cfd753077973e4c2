package extend

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// Diffusion is the rule of diffusion maps: Nyström's formula for the random walk that
// leads from the new sample x to its nearest training samples (Coifman and Lafon 2006,
// section 3),
//
//	y(x) = 1/λ · Σⱼ w(x, xⱼ) yⱼ / Σⱼ w(x, xⱼ),   w(x, xⱼ) = k(x, xⱼ)/qⱼ^α;
//
// the density at x itself cancels. A training sample has k neighbours and itself, and so
// a new one has k + 1: where the fit joined all samples, training samples that come again
// get their own coordinates.
func Diffusion(k int, edges patch.Edges) Rule[*solve.Diffused] {
	return func(f Fit, s *solve.Diffused) (*Extension, string, error) {
		for j, lambda := range s.Values {
			if math.Abs(lambda) < nearOne {
				return nil, fmt.Sprintf(" because eigenvalue %d, %.7g, is too near 0 (take fewer dimensions)", j+1, lambda), nil
			}
		}
		return extensionOf("diffusion", f.X, map[string]*mat.Dense{"embedding": s.Y,
			"values": mat.NewDense(1, len(s.Values), slices.Clone(s.Values)), "density": mat.NewDense(f.X.N(), 1, s.Density)},
			map[string]float64{"neighbors": float64(min(k+1, f.X.N())), "epsilon": edges.Scale(f.Found.Graph)}), "", nil
	}
}

func newDiffusion(e *Extension, r Resources) (*Mapping, error) {
	t, err := newTraining(e, r)
	if err != nil {
		return nil, err
	}
	_, dim := t.y.Dims()
	values, err := e.array("values", 1, dim)
	if err != nil {
		return nil, err
	}
	density, err := e.array("density", t.samples.N(), 1)
	if err != nil {
		return nil, err
	}
	n := &nystromMap{training: t, kernel: "heat", density: mat.Col(nil, 0, density)}
	for _, lambda := range values.RawRowView(0) {
		if math.Abs(lambda) < nearOne {
			return nil, fmt.Errorf("model: an eigenvalue of a %s model is %g, too near 0", e.Kind, lambda)
		}
		n.values = append(n.values, 1-lambda)
	}
	for i, q := range n.density {
		if !(q > 0) {
			return nil, fmt.Errorf("model: the density of sample %d of a %s model is %g, not above 0", i+1, e.Kind, q)
		}
	}
	n.t, err = e.number("epsilon", math.SmallestNonzeroFloat64, math.MaxFloat64)
	return t.mapping(n.apply), err
}
