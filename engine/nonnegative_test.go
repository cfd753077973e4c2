package engine

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/files"
)

func zero() *float64 { return new(float64) }

// withKeys sets parameters of a method by their keys.
func withKeys(t *testing.T, m Method, pairs ...string) Method {
	t.Helper()
	fresh := must(New(m.Name()))(t)
	for key, v := range Values(m) {
		if err := Set(fresh, key, fmt.Sprint(v)); err != nil {
			t.Fatal(err)
		}
	}
	for i := 0; i < len(pairs); i += 2 {
		if err := Set(fresh, pairs[i], pairs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	return fresh
}

// factorOf is the nonnegative factor behind a result: the projection of a linear
// method, the coordinates of another.
func factorOf(r *Result) *mat.Dense {
	if linear(r) {
		return projectionOf(r)
	}
	return r.Y
}

func TestNonnegativeResults(t *testing.T) {
	x := generate(t, "swiss-roll", 300, 1).X
	each(t, nonnegativeTrials(t, "60"), nil, func(t *testing.T, m Method) {
		for _, update := range []string{"gradient", "paper", "penalty"} {
			r := embed(t, x, withKeys(t, m, "update", update), Options{})
			for _, v := range factorOf(r).RawMatrix().Data {
				if !(v >= 0) || math.IsInf(v, 0) {
					t.Fatalf("%s, %s: the factor holds %v", m.Name(), update, v)
				}
			}
			if len(r.Objective) != r.Iterations+1 {
				t.Errorf("%s: %d values of the objective for %d iterations", update, len(r.Objective), r.Iterations)
			}
			if r.Iterations > 60 || r.Iterations < 1 {
				t.Errorf("%s: %d iterations", update, r.Iterations)
			}
			if !(r.Orthogonality >= 0) {
				t.Errorf("%s: orthogonality %g", update, r.Orthogonality)
			}
			if r.Values != nil || !math.IsNaN(r.Next) {
				t.Errorf("%s: eigenvalues %v, then %v", m.Name(), r.Values, r.Next)
			}
			if r.Seconds["solve"] <= 0 {
				t.Errorf("%s: no time for the solve", m.Name())
			}
		}
	})
}

// Rounded factors are feasible, and feasible factors are no better than the signed
// optimum: the sum of the smallest (or largest) eigenvalues.
func TestRoundedWithinTheSignedBound(t *testing.T) {
	x := generate(t, "swiss-roll-3d", 240, 1).X
	if _, m := x.Dims(); m < 3 {
		t.Fatalf("%d columns", m)
	}
	each(t, nonnegativeTrials(t, "200"), nil, func(t *testing.T, m Method) {
		r := embed(t, x, withKeys(t, m, "round", "true"), Options{})
		u := factorOf(r)
		rows, _ := u.Dims()
		for i := range rows {
			if row := u.RawRowView(i); row[0] != 0 && row[1] != 0 {
				t.Fatalf("%s: row %d is %g", m.Name(), i, row)
			}
		}
		if r.Orthogonality > 1e-12 {
			t.Errorf("%s: orthogonality %g", m.Name(), r.Orthogonality)
		}
		a := alignedFor(t, x, m)
		if m.Name() == "nmms" {
			return // no trace
		}
		order := a.order
		matrix, values := slices.Clone(a.matrix()), make([]float64, order)
		if err := blas.MustSelect("").SymEig(order, matrix, order, values, new(blas.Work)); err != nil {
			t.Fatal(err)
		}
		got := r.Details["rounded_objective"].(float64)
		slack := 1e-9 * values[order-1]
		if best := values[0] + values[1]; m.Name() != "npca" && got < best-slack {
			t.Errorf("%s: %g is below the bound %g", m.Name(), got, best)
		}
		if best := values[order-1] + values[order-2]; m.Name() == "npca" && got > best+slack {
			t.Errorf("%s: %g is above the bound %g", m.Name(), got, best)
		}
	})
}

// The paper's rule does not feel the scale of C; scaling the data scales it.
func TestScalingDataLeavesIterates(t *testing.T) {
	x := generate(t, "swiss-roll", 200, 1).X
	twice := mat.DenseCopyOf(x)
	twice.Scale(2, twice)
	for _, m := range []Method{NPCA{Update: "paper", Iterations: 60}, NONPP{Update: "paper", Iterations: 60}, NOLPP{Update: "paper", Iterations: 60}} {
		t.Run(m.Name(), func(t *testing.T) {
			a, b := embed(t, x, m, Options{}), embed(t, twice, m, Options{})
			if d := farthest(factorOf(a), factorOf(b)); d > 1e-9 {
				t.Errorf("%s: scaling the data moves the projection by %g", m.Name(), d)
			}
		})
	}
}

// The linear ones map by their projection, the others by the neighbours.
func TestNonnegativeModels(t *testing.T) {
	x := generate(t, "swiss-roll", 200, 1).X
	each(t, nonnegativeTrials(t, "40"), nil, func(t *testing.T, m Method) {
		r, model := fittedModel(t, x, m, Options{})
		linear := linear(r)
		if want := slices.Contains([]string{"npca", "nonpp", "nolpp"}, m.Name()); linear != want {
			t.Errorf("the extension is %s", r.extension.Map.Kind())
		}
		if linear && !mat.Equal(transformed(t, model, x, Options{}), r.Y) {
			t.Error("the training samples change when they are transformed")
		}
	})
}

func TestSpectralStart(t *testing.T) {
	x := generate(t, "swiss-roll", 400, 1).X
	each(t, nonnegativeTrials(t, "10"), nil, func(t *testing.T, m Method) {
		if err := Set(m, "update", "penalty"); err != nil {
			t.Fatal(err)
		}
		a := embed(t, x, withKeys(t, m, "init", "spectral"), Options{})
		b := embed(t, x, withKeys(t, m, "init", "spectral"), Options{Seed: 9})
		c := embed(t, x, withKeys(t, m, "init", "random"), Options{})
		// σ of nlle comes from a run that the seed begins.
		if d := farthest(a.Y, b.Y); d > 1e-2 {
			t.Errorf("%s: the seed moves the embedding from a spectral start by %g", m.Name(), d)
		}
		if mat.Equal(a.Y, c.Y) {
			t.Errorf("%s: the start does not matter", m.Name())
		}
	})
}

// Landmarks are embedded alone and the others placed by them; components too.
func TestNonnegativeLandmarksAndComponents(t *testing.T) {
	x := generate(t, "swiss-roll", 300, 1).X
	withGraph := func(e Entry) bool { return isNonnegative(e) && has(e, "neighbors") }
	each(t, trials(t, withGraph, settings{"": {"neighbors=10 iterations=20"}}), nil, func(t *testing.T, m Method) {
		r := embed(t, x, m, Options{Landmarks: 150})
		if rows, _ := r.Y.Dims(); rows != 300 || r.Y.At(299, 0)-r.Y.At(299, 0) != 0 {
			t.Errorf("%s: %d rows, the last %g", m.Name(), rows, r.Y.RawRowView(299))
		}
		r = embed(t, twoRolls(t), m, Options{Components: "each"})
		if r.Iterations < 1 || r.Y.At(3, 0)-r.Y.At(3, 0) != 0 {
			t.Errorf("%s: %d iterations with components=each", m.Name(), r.Iterations)
		}
	})
}

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

func TestNonnegativeRefuses(t *testing.T) {
	x := generate(t, "swiss-roll", 60, 1).X
	nan := mat.DenseCopyOf(x)
	nan.Set(4, 1, math.NaN())
	equal := mat.NewDense(30, 3, slices.Repeat([]float64{0.1, 0.7, -0.3}, 30))
	apart := mat.DenseCopyOf(x)
	for i := range 30 {
		apart.Set(2*i, 0, apart.At(2*i, 0)+1e4)
	}
	start := func(rows, cols int) *mat.Dense {
		u := mat.NewDense(rows, cols, nil)
		blas.NewStream(1).Uniforms(u.RawMatrix().Data)
		return u
	}
	negative := start(60, 2)
	negative.Set(59, 1, -2)
	infinite := start(3, 2)
	infinite.Set(1, 0, math.Inf(1))
	r := refusing(t)
	r.embed("", nan, NLE{}, Options{})
	r.embed("", nan, NPCA{}, Options{})
	r.embed("", x, NLLE{Dim: -1}, Options{})
	r.embed("", x, NLE{Dim: 60}, Options{})
	r.embed("", x, NMMS{Dim: 61}, Options{})
	r.embed("", x, NPCA{Dim: 4}, Options{})
	r.embed("", x, NONPP{Dim: 4}, Options{})
	r.embed("", x, NOLPP{Dim: 4}, Options{})
	r.embed("", x, NLLE{Neighbors: 60}, Options{})
	r.embed("", x, NOLPP{Neighbors: 99}, Options{})
	r.embed("", x, NLE{}, Options{Init: start(59, 2)})
	r.embed("", x, NPCA{}, Options{Init: start(60, 2)})
	r.embed("", x, NLE{Dim: 3}, Options{Init: start(60, 2)})
	r.embed("", x, NMMS{}, Options{Init: negative})
	r.embed("", x, NONPP{}, Options{Init: infinite})
	r.embed("", equal, NPCA{}, Options{})
	r.embed("", equal, NMMS{}, Options{})
	r.embed("", equal, NONPP{}, Options{})
	r.embed("", equal, NOLPP{}, Options{})
	r.embed("", apart, NLE{}, Options{Components: "error"})
	r.embed("", apart, NONPP{}, Options{Components: "error"})
	r.embed("", x, NLE{Update: "papyrus"}, Options{})
	r.embed("", x, NLE{Iterations: -5}, Options{})
	r.embed("", x, NMMS{}, Options{Memory: 1000})
	r.embed("", x, NMMS{Distances: "geodesic"}, Options{Memory: 1000})
	r.embed("", apart, NMMS{Distances: "geodesic"}, Options{Components: "error"})
	r.embed("", apart, NMMS{Distances: "geodesic"}, Options{Components: "joint"})
	r.embed("", x, NMMS{Distances: "manhattan"}, Options{})
}

// The printed rule for a minimum diverges on data with a large matrix, and that is
// an error.
func TestPrintedDivergesWithAnError(t *testing.T) {
	s := blas.NewStream(1)
	x := mat.NewDense(200, 12, nil)
	for i := range 200 {
		for j := range 12 {
			x.Set(i, j, s.Uniform()*float64(1+(i+j)%5))
		}
	}
	_, err := Embed(context.Background(), x, NONPP{Update: "printed", Dim: 3, Iterations: 20000, Tolerance: zero()}, Options{})
	if err == nil || !strings.Contains(err.Error(), "nonpp: ") || !strings.Contains(err.Error(), "diverged after") {
		t.Errorf("got %v", err)
	}
	r := embed(t, x, NONPP{Update: "printed", Dim: 3, Normalize: true, Iterations: 2000}, Options{})
	u := factorOf(r)
	for j := range 3 {
		if c := mat.Col(nil, j, u); math.Abs(blas.Dot(c, c)-1) > 1e-12 {
			t.Errorf("normalise leaves column %d with squared length %g", j, blas.Dot(c, c))
		}
	}
}

func TestWhatDoesNothingWarns(t *testing.T) {
	x := generate(t, "swiss-roll", 60, 1).X
	five := 5.0
	for want, m := range map[string]Method{
		"Alpha is for Update: \"gradient\" and Update: \"penalty\"": NLE{Update: "paper", Alpha: &five, Iterations: 5},
		"Update: \"gradient\" has no shift":                         NLE{Sigma: &five, Iterations: 5},
		"Normalize is for Update: \"printed\"":                      NLE{Normalize: true, Iterations: 5},
		"the printed update has no shift":                           NLE{Update: "printed", Sigma: &five, Iterations: 5},
	} {
		t.Run(want, func(t *testing.T) {
			if w := embed(t, x, m, Options{}).Warnings; len(w) == 0 || !strings.Contains(strings.Join(w, "\n"), want) {
				t.Errorf("warnings %q, want %q", w, want)
			}
		})
	}
	// A column that begins at nothing has no row after one step.
	start := mat.NewDense(60, 2, nil)
	for i := range 60 {
		start.Set(i, 0, 1)
	}
	r := embed(t, x, NLE{Update: "paper", Round: true, Iterations: 1}, Options{Init: start})
	if w := strings.Join(r.Warnings, "\n"); !strings.Contains(w, "coordinate 2 has no row left after rounding") || r.Y.At(7, 1) != 0 || r.Orthogonality != 1 {
		t.Errorf("warnings %q, orthogonality %g", w, r.Orthogonality)
	}
}
