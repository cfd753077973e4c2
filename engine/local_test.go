package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/engine/internal/vector"
)

func TestLocalConverges(t *testing.T) {
	x := generate(t, "swiss-roll", 400, 1).X
	each(t, local(t), nil, func(t *testing.T, m Method) {
		r := embed(t, x, m, Options{})
		if !r.Converged {
			t.Errorf("not converged: residuals %g", r.Residuals)
		}
		if r.Components != 1 {
			t.Errorf("%d components", r.Components)
		}
	})
}

func TestLocalValuesAscend(t *testing.T) {
	x := generate(t, "swiss-roll", 400, 1).X
	each(t, local(t), exceptions{
		"diffusion-maps": "its eigenvalues are those of the walk, which descend: TestDiffusionMapsConstraint",
		"isomap":         "its eigenvalues descend: TestIsomapByDefinition",
	}, func(t *testing.T, m Method) {
		r := embed(t, x, m, Options{})
		if r.Values[0] < 0 {
			t.Errorf("the first eigenvalue is %g", r.Values[0])
		}
		if r.Values[1] < r.Values[0] || r.Next < r.Values[1] {
			t.Errorf("eigenvalues %g, then %g, are not ascending", r.Values, r.Next)
		}
	})
}

// YᵀY = I, columns have mean 0 and a positive largest entry.
func TestLocalConstraints(t *testing.T) {
	x := generate(t, "swiss-roll", 400, 1).X
	each(t, local(t), exceptions{
		"diffusion-maps": "its constraint has the weights of the walk: TestDiffusionMapsConstraint",
		"isomap":         "the lengths of its columns are the roots of its eigenvalues: TestIsomapByDefinition",
		"le":             "its constraint is YᵀDY = I: TestLaplacianEigenmapsConstraint",
		"smce":           "its constraint is that of le",
	}, func(t *testing.T, m Method) {
		r := embed(t, x, m, Options{})
		for j := range 2 {
			c := mat.Col(nil, j, r.Y)
			if mean := vector.Sum(c) / 400; math.Abs(mean) > 1e-10 {
				t.Errorf("column %d has mean %g", j, mean)
			}
			if norm := blas.Dot(c, c); math.Abs(norm-1) > 1e-12 {
				t.Errorf("column %d has squared norm %g", j, norm)
			}
			if c[largestAt(c)] < 0 {
				t.Errorf("the largest entry of column %d is negative", j)
			}
		}
		if d := blas.Dot(mat.Col(nil, 0, r.Y), mat.Col(nil, 1, r.Y)); math.Abs(d) > 1e-9 {
			t.Errorf("columns are not orthogonal: %g", d)
		}
	})
}

// farthest returns the largest difference of two embeddings' entries, column by
// column up to sign, relative to the largest entry.
func farthest(a, b *mat.Dense) float64 {
	_, d := a.Dims()
	var worst float64
	for j := range d {
		x, y := mat.Col(nil, j, a), mat.Col(nil, j, b)
		if blas.Dot(x, y) < 0 {
			blas.Scale(-1, y)
		}
		var largest, difference float64
		for i := range x {
			largest = max(largest, math.Abs(x[i]))
			difference = max(difference, math.Abs(x[i]-y[i]))
		}
		worst = max(worst, difference/largest)
	}
	return worst
}

func largestAt(x []float64) int {
	at := 0
	for i, v := range x {
		if math.Abs(v) > math.Abs(x[at]) {
			at = i
		}
	}
	return at
}

func TestLaplacianEigenmapsConstraint(t *testing.T) {
	x := generate(t, "swiss-roll", 400, 1).X
	for _, graph := range []string{"union", "mutual", "average"} {
		t.Run(graph, func(t *testing.T) {
			job, rows := steptest.Run(t), samples.Of(x)
			found := must(neighborhood.Nearest(12).Find(job, rows))(t)
			g := found.Graph
			local := patch.Local{Run: job, X: rows, Graph: g}
			a := must(align.SumOfPatches(align.Input{Local: local, Patch: patch.Edges{Graph: graph, Weights: "binary"}.Rule()}))(t)
			// The patches sum to D − W: rows sum to 0 and the diagonal is the degree.
			lists := func(i, j int) float64 {
				if slices.Contains(g.Of(i), int32(j)) {
					return 1
				}
				return 0
			}
			degree := make([]float64, 400)
			for i := range 400 {
				for j := range 400 {
					if i == j {
						continue
					}
					want := map[string]float64{"union": max(lists(i, j), lists(j, i)), "mutual": lists(i, j) * lists(j, i), "average": (lists(i, j) + lists(j, i)) / 2}[graph]
					degree[i] += want
					if got := -a.Phi.At(i, j); got != want {
						t.Fatalf("%s: weight (%d, %d) is %g, want %g", graph, i, j, got, want)
					}
				}
				if got := a.Phi.At(i, i); got != degree[i] {
					t.Fatalf("%s: degree of %d is %g, want %g", graph, i, got, degree[i])
				}
			}
			r := embed(t, x, LE{Graph: graph}, Options{})
			for j := range 2 {
				var norm, mean float64
				for i := range 400 {
					y := r.Y.At(i, j)
					norm += degree[i] * y * y
					mean += degree[i] * y
				}
				if math.Abs(norm-1) > 1e-10 || math.Abs(mean) > 1e-9 {
					t.Errorf("%s: yᵀDy = %g, 1ᵀDy = %g", graph, norm, mean)
				}
			}
		})
	}
}

// Flat data is recovered up to an affine map: by LTSA and HLLE exactly, by NEML to O(γ).
func TestFlatDataIsRecovered(t *testing.T) {
	const n = 200
	s := blas.NewStream(1)
	truth := mat.NewDense(n, 2, nil)
	s.Uniforms(truth.RawMatrix().Data)
	basis := mat.NewDense(2, 5, nil)
	s.Normals(basis.RawMatrix().Data)
	var x mat.Dense
	x.Mul(truth, basis)
	for _, c := range []struct {
		name  string
		m     Method
		limit float64
	}{
		{"hlle", HLLE{Neighbors: 8}, 1e-9}, {"ltsa-curvature", LTSACurvature{Neighbors: 8}, 1e-9},
		{"ltsa", LTSA{Neighbors: 8}, 1e-9}, {"ltsa without self", LTSA{Neighbors: 8, ExcludeSelf: true}, 1e-9},
		{"neml", NEML{Neighbors: 8}, 1e-2}, {"neml, small γ", NEML{Neighbors: 8, Gamma: 1e-10}, 1e-8}, {"mlle, small γ", MLLE{Neighbors: 8, Gamma: 1e-10}, 1e-8},
	} {
		t.Run(c.name, func(t *testing.T) {
			dev := deviationOf(t, truth, embed(t, &x, c.m, Options{}).Y)
			if dev > c.limit {
				t.Errorf("dev %g, want below %g", dev, c.limit)
			}
		})
	}
}

// The first figures of the NEML paper: constant in γ where LLE is erratic, and the
// triple peak, which is perfect only with sᵢ chosen by the rule.
func TestNEMLAgainstLLE(t *testing.T) {
	for seed := uint64(1); seed <= 2; seed++ {
		s := generate(t, "swiss-roll-hole", 1500, seed)
		best := math.Inf(1)
		var worst float64
		for _, gamma := range []float64{1e-10, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3} {
			best = min(best, deviation(t, s, LLE{Neighbors: 15, Gamma: gamma}))
			worst = max(worst, deviation(t, s, NEML{Neighbors: 15, Gamma: gamma}))
		}
		if worst > 0.05 || worst > best/2 {
			t.Errorf("seed %d: NEML's worst dev over γ is %g, LLE's best %g", seed, worst, best)
		}
	}
	s := generate(t, "triple-peak", 0, 1)
	if neml, ltsa := deviation(t, s, NEML{Neighbors: 15}), deviation(t, s, LTSA{Neighbors: 15}); neml > 0.01 || ltsa < 0.1 {
		t.Errorf("triple peak: dev %g (NEML), %g (LTSA)", neml, ltsa)
	}
}

func deviation(t testing.TB, s *datasets.Set, m Method) float64 {
	dev := deviationOf(t, s.Params, embed(t, s.X, m, Options{}).Y)
	return dev
}

func TestDefaultsAndCaps(t *testing.T) {
	x := generate(t, "swiss-roll", 10, 1).X
	r := embed(t, x, NEML{}, Options{})
	if r.Params["neighbors"] != 9 || len(r.Warnings) == 0 || !strings.Contains(r.Warnings[0], "12 neighbours, the default") {
		t.Errorf("params %v, warnings %q", r.Params, r.Warnings)
	}
	for key, want := range map[string]any{"dim": 2, "gamma": "auto", "eta": "auto", "mixing": "alpha", "components": "auto", "duplicates": "keep"} {
		if r.Params[key] != want {
			t.Errorf("%s is %v, want %v", key, r.Params[key], want)
		}
	}
}

// Data at the limits of what is allowed give finite embeddings.
func TestEdgesOfTheDomain(t *testing.T) {
	s := blas.NewStream(1)
	random := func(n, m int) *mat.Dense {
		x := mat.NewDense(n, m, nil)
		s.Normals(x.RawMatrix().Data)
		return x
	}
	duplicated := random(40, 3)
	for i := range 15 {
		duplicated.SetRow(i+20, duplicated.RawRowView(i))
	}
	clumped := random(40, 3) // more copies than neighbours: patches without extent
	for i := range 20 {
		clumped.SetRow(i, []float64{1, 2, 3})
	}
	type shape struct {
		name   string
		x      *mat.Dense
		k, dim int
	}
	shapes := []shape{
		{"k = n−1", random(12, 3), 11, 2}, {"k > m", random(40, 2), 9, 1}, {"k = d+1", random(60, 5), 3, 2}, {"one column", random(50, 1), 5, 1},
		{"d = m", random(60, 3), 8, 3}, {"d > m", random(60, 2), 8, 4}, {"duplicates", duplicated, 6, 2}, {"clumped", clumped, 8, 2},
		{"a constant column", mat.NewDense(6, 2, []float64{1, 0, 1, 1, 1, 2, 1, 3, 1, 4, 1, 5}), 3, 1}, {"two samples", random(2, 3), 1, 1},
		{"d = n−1", random(12, 4), 11, 11}, {"many pairs", random(60, 8), 40, 30},
	}
	each(t, append(trials(t, isLocal, nil), global(t)...), nil, func(t *testing.T, m Method) {
		for _, c := range shapes {
			t.Run(c.name, func(t *testing.T) {
				if _, has := Values(m)["neighbors"]; has {
					if err := Set(m, "neighbors", fmt.Sprint(c.k)); err != nil {
						t.Fatal(err)
					}
				}
				if err := Set(m, "dim", fmt.Sprint(c.dim)); err != nil {
					t.Fatal(err)
				}
				components := "joint"
				if m.Name() == "isomap" { // has no distance between components
					components = "largest"
				}
				r, err := Embed(context.Background(), c.x, m, Options{Components: components})
				if err != nil {
					// Methods that need k > d, and PCA with d > m, say so.
					if !strings.Contains(err.Error(), "give at") {
						t.Error(err)
					}
					return
				}
				if r.Components > 1 && components == "largest" {
					return // rows are NaN on purpose
				}
				for _, v := range r.Y.RawMatrix().Data {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						t.Errorf("the embedding holds %v", v)
						break
					}
				}
				if !r.Converged {
					t.Errorf("residuals %g", r.Residuals)
				}
			})
		}
	})
}

func TestEmbedRefuses(t *testing.T) {
	good := generate(t, "swiss-roll", 30, 1).X
	nan, inf := mat.DenseCopyOf(good), mat.DenseCopyOf(good)
	nan.Set(4, 1, math.NaN())
	inf.Set(0, 2, math.Inf(-1))
	eta := -1.0
	r := refusing(t)
	r.embed("", nan, LLE{}, Options{})
	r.embed("", inf, PCA{}, Options{})
	r.embed("", good, LLE{Neighbors: 30}, Options{})
	r.embed("", good, LTSA{Neighbors: -1}, Options{})
	r.embed("", good, LLE{Dim: 30, Neighbors: 29}, Options{})
	r.embed("", good, NEML{Neighbors: 3, Dim: 3}, Options{})
	r.embed("", good, LTSA{Neighbors: 2}, Options{})
	r.embed("", good, LTSACurvature{Neighbors: 2}, Options{})
	r.embed("", good, LTSACurvature{Delta: -1}, Options{})
	r.embed("", good, HLLE{Neighbors: 5}, Options{})
	r.embed("", good, HLLE{Dim: 4}, Options{})
	r.embed("", good, MDS{Dim: 4}, Options{})
	r.embed("", good, PCA{Dim: 4}, Options{})
	r.embed("", good, LLE{Gamma: -1}, Options{})
	r.embed("", good, NEML{Eta: &eta}, Options{})
	r.embed("", good, LE{Graph: "onion"}, Options{})
	r.embed("", good, LLE{}, Options{Components: "some"})
	r.embed("", good, LLE{}, Options{Duplicates: "drop"})
	r.embed("", good, LLE{}, Options{Backend: "mkl"})
	r.embed("", good, LLE{}, Options{Memory: 1000})
	r.embed("", mat.NewDense(1, 3, nil), LLE{}, Options{})
	r.embed("", good, nil, Options{})
}

// withStray returns a flat sheet of n − 1 samples, and one more in its plane that no list has.
func withStray(n int) *mat.Dense {
	x := mat.NewDense(n, 2, nil)
	blas.NewStream(5).Uniforms(x.RawMatrix().Data)
	x.SetRow(n-1, []float64{3, 2})
	return x
}

// A sample in no list has an equation if the patch contains the
// sample. Otherwise it is refused by its number.
func TestHLLEOfASampleThatNobodyLists(t *testing.T) {
	x := withStray(120)
	r := embed(t, x, HLLE{Neighbors: 9}, Options{})
	dev := deviationOf(t, x, r.Y)
	if dev > 1e-8 {
		t.Errorf("dev %g of flat data", dev)
	}
	_, err := Embed(t.Context(), x, HLLE{Neighbors: 9, ExcludeSelf: true}, Options{})
	if err == nil || !strings.Contains(err.Error(), "sample 120") || !strings.Contains(err.Error(), "ExcludeSelf: false") {
		t.Errorf("without the sample itself: %v", err)
	}
}

// In many dimensions some samples are in no list. They must not have the first coordinates to
// themselves, with eigenvalue 0.
func TestHLLEInManyDimensions(t *testing.T) {
	x := mat.NewDense(300, 60, nil)
	blas.NewStream(2).Normals(x.RawMatrix().Data)
	if r := embed(t, x, HLLE{Neighbors: 12}, Options{}); r.Values[0] < 1e-6 {
		t.Errorf("eigenvalues %g", r.Values)
	}
}

// On a grid the products of tangent coordinates are dependent, and some are
// dropped; the coordinates are finite even so.
func TestHLLEOnAGrid(t *testing.T) {
	x := mat.NewDense(25, 2, nil)
	for i := range 25 {
		x.SetRow(i, []float64{float64(i / 5), float64(i % 5)})
	}
	for _, m := range []Method{HLLE{Neighbors: 8}, HLLE{Neighbors: 6}} {
		r := embed(t, x, m, Options{})
		for _, v := range r.Y.RawMatrix().Data {
			if math.IsNaN(v) {
				t.Fatal("a coordinate is NaN")
			}
		}
	}
}

// Copies stay together: two in no list, and many that list only one another.
func TestHLLEOfCopies(t *testing.T) {
	x := withStray(140)
	x.SetRow(3, x.RawRowView(139))
	for i := 60; i < 90; i++ {
		x.SetRow(i, x.RawRowView(59))
	}
	r := embed(t, x, HLLE{Neighbors: 9}, Options{})
	dev := deviationOf(t, x, r.Y)
	if dev > 1e-8 {
		t.Errorf("dev %g of flat data", dev)
	}
}

// The triple peak, which bends sharply at its ridges: with weights for the
// curvature LTSA loses more than half of its error (Zhang, Wang and Zha 2012).
func TestCurvatureOnTheTriplePeak(t *testing.T) {
	s := generate(t, "triple-peak", 0, 1)
	plain := deviation(t, s, LTSA{Neighbors: 15})
	for delta, want := range map[float64]float64{1e-3: 0.086, 1e-2: 0.068, 0.1: 0.117} {
		if dev := deviation(t, s, LTSACurvature{Neighbors: 15, Delta: delta}); math.Abs(dev-want) > 1e-3 || dev > 0.8*plain {
			t.Errorf("δ = %g: dev %g, want %g; of plain LTSA %g", delta, dev, want, plain)
		}
	}
}

// strayAt returns a flat sheet of 119 samples and one more in its plane.
func strayAt(u, v float64) *mat.Dense {
	x := withStray(120)
	x.SetRow(119, []float64{u, v})
	return x
}

// A sample without an equation is refused before the solve, by its number, with the
// cause and the remedy.
func TestSamplesWithoutAnEquation(t *testing.T) {
	small := 1e-3
	heat := strayAt(2, 2)
	r := refusing(t)
	r.embed("hlle, unlisted", withStray(120), HLLE{Neighbors: 9, ExcludeSelf: true}, Options{Components: "joint"})
	r.embed("ltsa, unlisted", withStray(120), LTSA{Neighbors: 9, ExcludeSelf: true}, Options{Components: "joint"})
	r.embed("ltsa-curvature, unlisted", withStray(120), LTSACurvature{Neighbors: 9, ExcludeSelf: true}, Options{Components: "joint"})
	r.embed("hlle, far away", strayAt(1e10, 3e9), HLLE{Neighbors: 9}, Options{Components: "joint"})
	r.embed("le, mutual", withStray(120), LE{Neighbors: 9, Graph: "mutual"}, Options{Components: "joint"})
	r.embed("le, heat", heat, LE{Neighbors: 9, Weights: "heat", T: &small}, Options{Components: "joint"})
	r.embed("diffusion-maps, mutual", withStray(120), DiffusionMaps{Neighbors: 9, Graph: "mutual"}, Options{Components: "joint"})
	r.embed("diffusion-maps, epsilon", heat, DiffusionMaps{Neighbors: 9, Epsilon: &small}, Options{Components: "joint"})
	r.embed("nle, mutual", withStray(120), NLE{Neighbors: 9, Graph: "mutual"}, Options{Components: "joint"})
	// Clusters follow from components, and a sample without edges is one.
	c, err := Cluster(t.Context(), heat, Spectral{Neighbors: 9, Weights: "heat", T: &small}, ClusterOptions{Clusters: 2})
	if err != nil || len(c.Labels) != 120 || c.Components < 2 {
		t.Errorf("spectral: %v, error %v", c, err)
	}
}

// A sample in no list has an equation if its own neighbourhood contains it.
func TestUnlistedSamplesThatHoldThemselves(t *testing.T) {
	for _, m := range []Method{LLE{Neighbors: 9}, NEML{Neighbors: 9}, MLLE{Neighbors: 9}, LTSA{Neighbors: 9}, HLLE{Neighbors: 9},
		LNP{Neighbors: 9}, SMCE{Neighbors: 9}, LE{Neighbors: 9}, DiffusionMaps{Neighbors: 9}, NPP{Neighbors: 9}} {
		if _, err := Embed(t.Context(), strayAt(1.4, 1.3), m, Options{Components: "largest"}); err != nil {
			t.Errorf("%s: %v", m.Name(), err)
		}
	}
}

// A projection places every sample by its columns; a sample without an edge is reported.
func TestProjectionsTellOfSamplesWithoutAnEdge(t *testing.T) {
	x := mat.NewDense(120, 3, nil)
	blas.NewStream(3).Uniforms(x.RawMatrix().Data)
	x.SetRow(119, []float64{3, 3, 3})
	r := embed(t, x, LPP{Neighbors: 9, Graph: "mutual"}, Options{})
	if text := strings.Join(r.Warnings, "\n"); !strings.Contains(text, "no edge of positive weight leads to sample 120 (counting from 1)") {
		t.Errorf("warnings %q", text)
	}
}

// Messages give the number of a sample in the whole data, not in its component.
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
