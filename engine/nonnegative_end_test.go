package engine

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/files"
)

func tumours(t *testing.T) *mat.Dense {
	t.Helper()
	x := must(files.ReadMatrix(filepath.Join("..", "testdata", "wdbc.csv"), files.Options{}))(t)
	return x
}

// With their defaults all six end at a minimum, and none that is worse than what the
// multiplicative rules reach in 2000 iterations.
func TestNonnegativeEnds(t *testing.T) {
	x := tumours(t)
	rules := map[string]string{"npca": "penalty", "nmms": "penalty"}
	each(t, trials(t, isNonnegative, settings{"": {""}}), nil, func(t *testing.T, m Method) {
		r := embed(t, x, m, Options{})
		if !r.Converged || !(r.KKT <= 1e-3) {
			t.Fatalf("converged %v with the residual %g after %d iterations", r.Converged, r.KKT, r.Iterations)
		}
		update := rules[m.Name()]
		if update == "" {
			update = "paper"
		}
		old := embed(t, x, withKeys(t, m, "update", update, "iterations", "2000", "tolerance", "0"), Options{})
		sign := 1.0
		if m.Name() == "npca" {
			sign = -1
		}
		alpha, value := r.Details["alpha"].(float64), r.Details["penalised"].(float64)
		before := sign*old.Objective[old.Iterations] + alpha/2*old.Orthogonality*old.Orthogonality
		if value > before+0.01*math.Abs(before) {
			t.Errorf("penalised objective %g, by update=%s %g", value, update, before)
		}
		if !(old.KKT > 0) {
			t.Errorf("update=%s: residual %g", update, old.KKT)
		}
	})
}

// The residual, and with it when they stop, does not feel the scale of the data.
func TestResidualIsInvariantToScale(t *testing.T) {
	x := tumours(t)
	scaled := mat.DenseCopyOf(x)
	scaled.Scale(1<<12, scaled)
	each(t, trials(t, isNonnegative, settings{"": {""}}), nil, func(t *testing.T, m Method) {
		a, b := embed(t, x, m, Options{}), embed(t, scaled, m, Options{})
		if a.Iterations != b.Iterations || math.Abs(a.KKT-b.KKT) > 1e-9*a.KKT {
			t.Errorf("residuals %g and %g after %d and %d iterations", a.KKT, b.KKT, a.Iterations, b.Iterations)
		}
	})
}

// Outliers, which have light edges by the heat kernel, take no coordinate of nle.
func TestNLEOutliers(t *testing.T) {
	x := tumours(t)
	for _, k := range []int{10, 12, 20} {
		for seed := range uint64(3) {
			r := embed(t, x, NLE{Neighbors: k}, Options{Seed: seed + 1})
			for j := range 2 {
				c := mat.Col(nil, j, r.Y)
				var total, three float64
				for i, v := range c {
					c[i] = v * v
					total += c[i]
				}
				slices.Sort(c)
				for _, v := range c[len(c)-3:] {
					three += v
				}
				if three > 0.1*total {
					t.Errorf("k = %d, seed %d: three samples have %.2f of coordinate %d", k, seed+1, three/total, j+1)
				}
			}
		}
	}
}

// Methods without such conditions have no residual.
func TestNoResidual(t *testing.T) {
	if r := embed(t, tumours(t), PCA{}, Options{}); !math.IsNaN(r.KKT) {
		t.Errorf("pca has the residual %g", r.KKT)
	}
}
