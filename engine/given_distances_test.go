package engine

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// distancesOf are all distances between the rows, as the search measures them.
func distancesOf(t *testing.T, x *mat.Dense) *mat.Dense {
	t.Helper()
	n, _ := x.Dims()
	g := graphOf(t, x, n-1)
	d := mat.NewDense(n, n, nil)
	for i := range n {
		for q, j := range g.Of(i) {
			d.Set(i, int(j), g.Distances(i)[q])
		}
	}
	return d
}

// TestGivenDistancesChangeNoBit embeds, factorises and clusters by the distances of the
// samples as by these themselves.
func TestGivenDistancesChangeNoBit(t *testing.T) {
	x := sheet(t, 150)
	d := distancesOf(t, x)
	for _, e := range Methods() {
		if !slices.Contains(e.BesideSamples, "distances") {
			continue
		}
		for _, alone := range []bool{false, true} {
			if alone && !slices.Contains(e.InsteadOfSamples, "distances") {
				continue
			}
			m, _ := New(e.Name)
			if alone && e.Name == "nle" {
				m = NLE{Weights: "heat"}
			}
			options := Options{Components: "largest"}
			given := options
			given.Distances = d
			var data mat.Matrix = x
			if alone {
				data = nil
			}
			t.Run(e.Name+map[bool]string{true: ", alone"}[alone], func(t *testing.T) {
				for _, task := range e.Tasks {
					var found [2][]float64
					for at, o := range []Options{options, given} {
						from := []mat.Matrix{x, data}[at]
						switch task {
						case "embed":
							r := embed(t, from, m, o)
							found[at] = r.Y.RawMatrix().Data
						case "cluster":
							r := clusteringOf(t, from, m, ClusterOptions{Options: o, Clusters: 3})
							for _, label := range r.Labels {
								found[at] = append(found[at], float64(label))
							}
						case "factorize":
							r := factorized(t, from, m, FactorizeOptions{Options: o, Rank: 2})
							found[at] = r.W.RawMatrix().Data
						}
					}
					if !slices.EqualFunc(found[0], found[1], func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }) {
						t.Errorf("%s differs", task)
					}
				}
			})
		}
	}
}

// TestScalingOfDistances scales the distances of samples to their principal components, of
// any unit, and starts NMMS as samples do.
func TestScalingOfDistances(t *testing.T) {
	x := sheet(t, 120)
	d := distancesOf(t, x)
	for _, unit := range []float64{1, 0x1p300, 0x1p-300} {
		y := mat.DenseCopyOf(x)
		y.Scale(unit, y)
		e := mat.DenseCopyOf(d)
		e.Scale(unit, e)
		want := embed(t, y, MDS{Dim: 2}, Options{})
		got := embed(t, nil, MDS{Dim: 2}, Options{Distances: e})
		if len(got.Warnings) > 0 {
			t.Errorf("warnings: %v", got.Warnings)
		}
		for j := range 2 {
			a, b := mat.Col(nil, j, want.Y), mat.Col(nil, j, got.Y)
			for i := range a {
				if !(math.Abs(a[i]-b[i]) < 1e-9*unit*40) {
					t.Fatalf("unit %g: coordinate %d of sample %d is %g, of samples %g", unit, j, i, b[i], a[i])
				}
			}
		}
	}
	paper := NMMS{Dim: 2, Update: "paper", Iterations: 30}
	want := embed(t, x, paper, Options{})
	got := embed(t, nil, paper, Options{Distances: d})
	for i, v := range want.Y.RawMatrix().Data {
		if w := got.Y.RawMatrix().Data[i]; !(math.Abs(v-w) < 1e-6*math.Max(1, math.Abs(v))) {
			t.Fatalf("nmms: entry %d is %g, of samples %g", i, w, v)
		}
	}
}

// TestBrokenTriangles warns, by the pair that is farthest from a metric, up to a thousand
// samples and beyond.
func TestBrokenTriangles(t *testing.T) {
	for _, n := range []int{40, 1100} {
		d := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				d.Set(i, j, math.Abs(float64(i-j)))
			}
		}
		d.Set(2, n-3, 3*float64(n))
		d.Set(n-3, 2, 3*float64(n))
		r := embed(t, nil, MDS{}, Options{Distances: d})
		if all := strings.Join(r.Warnings, "; "); !strings.Contains(all, "triangle") || !strings.Contains(all, "samples 3 and") {
			t.Errorf("%d samples: %q", n, all)
		}
	}
}

func TestGivenDistancesRefusals(t *testing.T) {
	x, ctx := sheet(t, 30), context.Background()
	good := distancesOf(t, x)
	with := func(i, j int, v float64) *mat.Dense {
		d := mat.DenseCopyOf(good)
		d.Set(i, j, v)
		return d
	}
	for _, c := range []struct {
		says string
		x    mat.Matrix
		m    Method
		o    Options
	}{
		{"30 × 29", nil, MDS{}, Options{Distances: good.Slice(0, 30, 0, 29)}},
		{"row 4, column 6 (counting from 1) of the distances is -1", nil, Isomap{}, Options{Distances: with(3, 5, -1)}},
		{"row 4, column 6 (counting from 1) of the distances is NaN", nil, MDS{}, Options{Distances: with(3, 5, math.NaN())}},
		{"is +Inf", nil, LE{}, Options{Distances: with(3, 5, math.Inf(1))}},
		{"0 from a sample to itself", nil, MDS{}, Options{Distances: with(3, 3, 1)}},
		{"not symmetric: row 6, column 4", nil, MDS{}, Options{Distances: with(3, 5, 77)}},
		{"distances of 30 samples for data of 20", x.Slice(0, 20, 0, 3), LLE{}, Options{Distances: good}},
		{"needs the samples beside their distances", nil, LLE{}, Options{Distances: good}},
		{"Weights: \"cosine\" needs the samples", nil, LE{Weights: "cosine"}, Options{Distances: good}},
		{"takes no distances", nil, PCA{}, Options{Distances: good}},
		{"a graph and distances are given together", nil, LE{}, Options{Distances: good, Graph: graphOf(t, x, 5)}},
		{"samples and distances are given together", x, MDS{}, Options{Distances: good}},
		{"give them as a graph", nil, Isomap{}, Options{Distances: &sparse.CSR{Rows: 2, Cols: 2, Ptr: []int{0, 0, 0}}}},
		{"40 neighbours", nil, LE{Neighbors: 40}, Options{Distances: good}},
		{`Duplicates: "merge"`, nil, LE{}, Options{Distances: good, Duplicates: "merge"}},
		{"landmarks with", x, LLE{}, Options{Distances: good, Landmarks: 5}},
		{"no rule for new samples", nil, Isomap{}, Options{Distances: good, Model: true}},
		{"no rule for new samples", nil, MDS{}, Options{Distances: good, Model: true}},
		{"limit is 1000 B", nil, MDS{}, Options{Distances: good, Memory: 1000}},
		{"dim 30", nil, MDS{Dim: 30}, Options{Distances: good}},
		{"1 × 1", nil, MDS{}, Options{Distances: mat.NewDense(1, 1, nil)}},
	} {
		_, err := Embed(ctx, c.x, c.m, c.o)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.m.Name(), err, c.says)
		}
	}
	if _, err := neighbors.FromDistances(ctx, neighbors.Points{N: 2, M: 3, Data: make([]float64, 6)}, 1, neighbors.Options{}); err == nil {
		t.Error("2 × 3 distances were taken")
	}
}
