package engine

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// strayAt is a flat sheet of 119 samples and one more of its plane.
func strayAt(u, v float64) *mat.Dense {
	x := withStray(120)
	x.SetRow(119, []float64{u, v})
	return x
}

// A sample without an equation is refused before the solve, by its number, with the
// cause and what mends it.
func TestSamplesWithoutAnEquation(t *testing.T) {
	small := 1e-3
	heat := strayAt(2, 2)
	for name, c := range map[string]struct {
		method Method
		x      *mat.Dense
		want   []string
	}{
		"hlle, unlisted":           {HLLE{Neighbors: 9, ExcludeSelf: true}, withStray(120), []string{"sample 120 (", "nobody lists", "ExcludeSelf: false"}},
		"ltsa, unlisted":           {LTSA{Neighbors: 9, ExcludeSelf: true}, withStray(120), []string{"sample 120 (", "nobody lists", "ExcludeSelf: false"}},
		"ltsa-curvature, unlisted": {LTSACurvature{Neighbors: 9, ExcludeSelf: true}, withStray(120), []string{"sample 120 (", "nobody lists", "ExcludeSelf: false"}},
		"hlle, far away":           {HLLE{Neighbors: 9}, strayAt(1e10, 3e9), []string{"sample 120 (", "far from all others", "leave them out"}},
		"le, mutual":               {LE{Neighbors: 9, Graph: "mutual"}, withStray(120), []string{"sample 120 (", "lists them in its turn", `Graph: "union"`}},
		"le, heat":                 {LE{Neighbors: 9, Weights: "heat", T: &small}, heat, []string{"sample 120 (", "weight 0", "t is too small"}},
		"diffusion-maps, mutual":   {DiffusionMaps{Neighbors: 9, Graph: "mutual"}, withStray(120), []string{"sample 120 (", "lists them in its turn", `Graph: "union"`}},
		"diffusion-maps, epsilon":  {DiffusionMaps{Neighbors: 9, Epsilon: &small}, heat, []string{"sample 120 (", "weight 0", "epsilon is too small"}},
		"nle, mutual":              {NLE{Neighbors: 9, Graph: "mutual"}, withStray(120), []string{"sample 120 (", `Graph: "union"`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Embed(t.Context(), c.x, c.method, Options{Components: "joint"})
			for _, want := range c.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Fatalf("error %v, want one with %q", err, want)
				}
			}
		})
	}
	// Clusters come of components, and a sample without edges is one.
	c, err := Cluster(t.Context(), heat, Spectral{Neighbors: 9, Weights: "heat", T: &small}, ClusterOptions{Clusters: 2})
	if err != nil || len(c.Labels) != 120 || c.Components < 2 {
		t.Errorf("spectral: %v, error %v", c, err)
	}
}

// A sample that nobody lists has an equation where its own neighbourhood holds it.
func TestUnlistedSamplesThatHoldThemselves(t *testing.T) {
	for _, m := range []Method{LLE{Neighbors: 9}, NEML{Neighbors: 9}, MLLE{Neighbors: 9}, LTSA{Neighbors: 9}, HLLE{Neighbors: 9},
		LNP{Neighbors: 9}, SMCE{Neighbors: 9}, LE{Neighbors: 9}, DiffusionMaps{Neighbors: 9}, NPP{Neighbors: 9}} {
		if _, err := Embed(t.Context(), strayAt(1.4, 1.3), m, Options{Components: "largest"}); err != nil {
			t.Errorf("%s: %v", m.Name(), err)
		}
	}
}

// A projection places every sample by its columns: one without an edge is told of.
func TestProjectionsTellOfSamplesWithoutAnEdge(t *testing.T) {
	x := mat.NewDense(120, 3, nil)
	blas.NewStream(3).Uniforms(x.RawMatrix().Data)
	x.SetRow(119, []float64{3, 3, 3})
	r := embed(t, x, LPP{Neighbors: 9, Graph: "mutual"}, Options{})
	if text := strings.Join(r.Warnings, "\n"); !strings.Contains(text, "no edge of positive weight leads to sample 120 (counting from 1)") {
		t.Errorf("warnings %q", text)
	}
}

// A sample is named by its number in all of the data, not in the component that it is in.
func TestNumbersOfSamplesInComponents(t *testing.T) {
	x := mat.NewDense(420, 2, nil)
	whole := withStray(120)
	for i := range 300 { // another component, before
		x.SetRow(i, []float64{50 + float64(i%20), float64(i / 20)})
	}
	for i := range 120 {
		x.SetRow(300+i, whole.RawRowView(i))
	}
	_, err := Embed(t.Context(), x, HLLE{Neighbors: 9, ExcludeSelf: true}, Options{Components: "each"})
	if err == nil || !strings.Contains(err.Error(), "sample 420 (") {
		t.Errorf("error %v", err)
	}
}
