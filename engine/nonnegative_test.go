package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/method"
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
	if r.extension.Kind == "linear" {
		return r.extension.Arrays["projection"]
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

func TestNonnegativeSameBitsForAnyThreads(t *testing.T) {
	x := generate(t, "swiss-roll", 1200, 1).X
	each(t, nonnegativeTrials(t, "20"), nil, func(t *testing.T, m Method) {
		var first *Result
		for _, threads := range []int{1, 2, 3} {
			r := embed(t, x, withKeys(t, m, "round", "true"), Options{Threads: threads})
			if first == nil {
				first = r
			}
			if !slices.Equal(r.Y.RawMatrix().Data, first.Y.RawMatrix().Data) {
				t.Errorf("%d threads change bits of the embedding", threads)
			}
			if !slices.Equal(r.Objective, first.Objective) {
				t.Errorf("%d threads change bits of the objective", threads)
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

func TestPermutingSamplesPermutesRows(t *testing.T) {
	const n = 150
	x := generate(t, "swiss-roll", n, 1).X
	start, turned, back := mat.NewDense(n, 2, nil), mat.NewDense(n, 3, nil), mat.NewDense(n, 2, nil)
	blas.NewStream(7).Uniforms(start.RawMatrix().Data)
	turnedStart := mat.NewDense(n, 2, nil)
	for i := range n {
		turned.SetRow(n-1-i, x.RawRowView(i))
		turnedStart.SetRow(n-1-i, start.RawRowView(i))
	}
	for _, m := range []Method{NLE{Update: "paper", Iterations: 40}, NLLE{Update: "paper", Iterations: 40}, NMMS{Update: "penalty", Iterations: 40}} {
		t.Run(m.Name(), func(t *testing.T) {
			r := embed(t, x, m, Options{Init: start})
			q := embed(t, turned, m, Options{Init: turnedStart})
			for i := range n {
				back.SetRow(i, q.Y.RawRowView(n-1-i))
			}
			// Rounding in the matrix, and σ from a Lanczos run that began elsewhere.
			tol := 1e-9
			if m.Name() == "nlle" {
				tol = 1e-2
			}
			if d := farthest(r.Y, back); d > tol {
				t.Errorf("%s: permutation moves the embedding by %g", m.Name(), d)
			}
		})
	}
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

func TestNonnegativeModels(t *testing.T) {
	x := generate(t, "swiss-roll", 200, 1).X
	each(t, nonnegativeTrials(t, "40"), nil, func(t *testing.T, m Method) {
		r := embed(t, x, m, Options{})
		model := must(r.Model())(t)
		y := transformed(t, model, x, Options{})
		linear := r.extension.Kind == "linear"
		if want := slices.Contains([]string{"npca", "nonpp", "nolpp"}, m.Name()); linear != want {
			t.Errorf("%s: the extension is %s", m.Name(), r.extension.Kind)
		}
		if linear && !mat.Equal(y, r.Y) {
			t.Errorf("%s: the training samples change when they are transformed", m.Name())
		}
		if rows, cols := y.Dims(); rows != 200 || cols != 2 || y.At(0, 0)-y.At(0, 0) != 0 {
			t.Errorf("%s: transformed to %d × %d", m.Name(), rows, cols)
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
	for _, c := range []struct {
		x    mat.Matrix
		m    Method
		o    Options
		want string
	}{
		{nan, NLE{}, Options{}, "row 5, column 2 (counting from 1) is NaN"},
		{nan, NPCA{}, Options{}, "is NaN"},
		{x, NLLE{Dim: -1}, Options{}, "Dim is -1; give a whole number ≥ 1"},
		{x, NLE{Dim: 60}, Options{}, "dim 60 asked of 60 samples"},
		{x, NMMS{Dim: 61}, Options{}, "dim 61 asked of 60 samples"},
		{x, NPCA{Dim: 4}, Options{}, "npca: dim 4 of data with 3 columns; give at most 3"},
		{x, NONPP{Dim: 4}, Options{}, "nonpp: dim 4 of data with 3 columns"},
		{x, NOLPP{Dim: 4}, Options{}, "nolpp: dim 4 of data with 3 columns"},
		{x, NLLE{Neighbors: 60}, Options{}, "60 neighbours asked of 60 samples"},
		{x, NOLPP{Neighbors: 99}, Options{}, "99 neighbours asked of 60 samples"},
		{x, NLE{}, Options{Init: start(59, 2)}, "the start is 59 × 2; give 60 × 2"},
		{x, NPCA{}, Options{Init: start(60, 2)}, "the start is 60 × 2; give 3 × 2"},
		{x, NLE{Dim: 3}, Options{Init: start(60, 2)}, "give 60 × 3"},
		{x, NMMS{}, Options{Init: negative}, "row 60, column 2 (counting from 1) of the start is -2"},
		{x, NONPP{}, Options{Init: infinite}, "row 2, column 1 (counting from 1) of the start is +Inf"},
		{equal, NPCA{}, Options{}, "npca: all samples are equal"},
		{equal, NMMS{}, Options{}, "nmms: all samples are equal"},
		{equal, NONPP{}, Options{}, "nonpp: all samples are equal"},
		{equal, NOLPP{}, Options{}, "nolpp: all samples are equal"},
		{apart, NLE{}, Options{Components: "error"}, "the neighbour graph has 2 components"},
		{apart, NONPP{}, Options{Components: "error"}, "the neighbour graph has 2 components"},
		{x, NLE{Update: "papyrus"}, Options{}, "Update is papyrus; give one of gradient, paper, penalty, printed"},
		{x, NLE{Iterations: -5}, Options{}, "Iterations is -5"},
		{x, NMMS{}, Options{Memory: 1000}, "the limit is 1000 B"},
		{x, NMMS{Distances: "geodesic"}, Options{Memory: 1000}, "the limit is 1000 B"},
		{apart, NMMS{Distances: "geodesic"}, Options{Components: "error"}, "the neighbour graph has 2 components"},
		{apart, NMMS{Distances: "geodesic"}, Options{Components: "joint"}, "Components: \"joint\" does not apply"},
		{x, NMMS{Distances: "manhattan"}, Options{}, "Distances is manhattan; give one of euclidean, geodesic"},
	} {
		t.Run(c.m.Name()+" "+c.want, func(t *testing.T) {
			_, err := Embed(context.Background(), c.x, c.m, c.o)
			expectRefusal(t, err, c.want)
		})
	}
}

// What is degenerate but has an answer gives finite numbers.
func TestNonnegativeDegenerateData(t *testing.T) {
	roll := generate(t, "swiss-roll", 60, 1).X
	duplicated := mat.DenseCopyOf(roll)
	for i := range 20 {
		duplicated.SetRow(i+20, duplicated.RawRowView(i))
	}
	constant := mat.DenseCopyOf(roll) // one column without variance
	for i := range 60 {
		constant.Set(i, 1, 5)
	}
	equal := mat.NewDense(30, 3, slices.Repeat([]float64{1, 2, 3}, 30))
	sets := map[string]*mat.Dense{"duplicates": duplicated, "a constant column": constant, "equal samples": equal,
		"two samples": mat.NewDense(2, 2, []float64{0, 1, 3, 2}), "one column": mat.NewDense(9, 1, []float64{1, 2, 4, 3, 7, 5, 6, 9, 8})}
	each(t, nonnegativeTrials(t, "30"), nil, func(t *testing.T, m Method) {
		for name, x := range sets {
			n, columns := x.Dims()
			for _, update := range []string{"gradient", "paper", "penalty", "printed"} {
				t.Run(name+" "+update, func(t *testing.T) {
					dim := min(2, n-1, columns)
					keys := []string{"update", update, "dim", strconv.Itoa(dim), "round", "true"}
					m := withKeys(t, m, keys...)
					_ = Set(m, "neighbors", strconv.Itoa(min(10, n-1)))
					o := Options{Components: "joint"}
					if method.RowOf(m).Embed().NeedConnected {
						o.Components = "error"
					}
					r, err := Embed(context.Background(), x, m, o)
					if err != nil {
						if !strings.Contains(err.Error(), "all samples are equal") && !strings.Contains(err.Error(), "components (sizes") && !strings.Contains(err.Error(), "diverged after") {
							t.Errorf("%s, %s, %s: %v", name, m.Name(), update, err)
						}
						return
					}
					for _, v := range append(slices.Clone(r.Y.RawMatrix().Data), r.Objective...) {
						if v-v != 0 {
							t.Errorf("%s, %s, %s: %v", name, m.Name(), update, v)
							break
						}
					}
					if name == "duplicates" && r.Duplicates != 20 {
						t.Errorf("%d duplicates", r.Duplicates)
					}
					if name == "duplicates" && len(r.Warnings) == 0 {
						t.Error("no warning of duplicates")
					}
				})
			}
		}
	})
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

func TestNonnegativeStopsWhenCancelled(t *testing.T) {
	x := generate(t, "swiss-roll", 500, 1).X
	each(t, nonnegativeTrials(t, "100000"), nil, func(t *testing.T, m Method) {
		ctx, cancel := context.WithCancel(context.Background())
		_, err := Embed(ctx, x, withKeys(t, m, "tolerance", "0"), Options{Progress: func(p Progress) {
			if p.Phase == "solve" {
				cancel()
			}
		}})
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", m.Name(), err)
		}
	})
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
