package engine

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/method"
)

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
		{x, NLE{Update: "papyrus"}, Options{}, "Update is papyrus; give one of gradient, paper, penalty"},
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
