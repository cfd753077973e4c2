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

// sheet is a small bent sheet, with nonnegative entries.
func sheet(t *testing.T, n int) *mat.Dense {
	t.Helper()
	d := generate(t, "swiss-roll", n, 3)
	x := mat.DenseCopyOf(d.X)
	x.Apply(func(_, _ int, v float64) float64 { return v + 40 }, x)
	return x
}

// TestGivenGraphOfAnyForm takes lists of different lengths, one way, with an isolated
// vertex, and in parts.
func TestGivenGraphOfAnyForm(t *testing.T) {
	// Two rings of 30 with a chord, and a vertex alone.
	var entries []sparse.Triplet
	for ring := range 2 {
		for i := range 30 {
			at := 30 * ring
			entries = append(entries, sparse.Triplet{Row: at + i, Col: at + (i+1)%30, Val: 1})
			if i%2 == 0 {
				entries = append(entries, sparse.Triplet{Row: at + i, Col: at + (i+2)%30, Val: 2})
			}
		}
	}
	a := must(sparse.FromTriplets(61, 61, entries))(t)
	g := must(neighbors.FromMatrix(a))(t)
	for _, m := range []Method{LE{}, Isomap{}, DiffusionMaps{}} {
		r, err := Embed(context.Background(), nil, m, Options{Graph: g, Components: "largest"})
		if err != nil {
			t.Errorf("%s: %v", m.Name(), err)
			continue
		}
		if r.Components != 3 || r.Samples != 61 || r.Features != 0 || math.IsNaN(r.Y.At(0, 0)) || !math.IsNaN(r.Y.At(60, 0)) {
			t.Errorf("%s: %d components, %d × %d", m.Name(), r.Components, r.Samples, r.Features)
		}
		if _, err := r.Model(); err == nil || !strings.Contains(err.Error(), "only the graph of the samples is known") {
			t.Errorf("%s: a model: %v", m.Name(), err)
		}
		if r, err := Embed(context.Background(), nil, m, Options{Graph: g}); err != nil || r.Params["components"] != "each" || math.IsNaN(r.Y.At(60, 0)) {
			t.Errorf("%s: by default: %v", m.Name(), err)
		}
		if _, err := Embed(context.Background(), nil, m, Options{Graph: g, Components: "error"}); err == nil || !strings.Contains(err.Error(), "3 components") || strings.Contains(err.Error(), "bridge") {
			t.Errorf("%s: %v", m.Name(), err)
		}
	}
	c, err := Cluster(context.Background(), nil, Spectral{}, ClusterOptions{Options: Options{Graph: g}, Clusters: 3})
	if err != nil || !slices.Equal(c.Sizes, []int{30, 30, 1}) {
		t.Errorf("an isolated vertex is a cluster of its own: %v, %v", c, err)
	}
}

func TestGivenGraphRefusals(t *testing.T) {
	x := sheet(t, 60)
	g := graphOf(t, x, 5)
	short := &neighbors.Graph{Ptr: slices.Clone(g.Ptr), Index: slices.Clone(g.Index), Dist: slices.Clone(g.Dist)}
	short.Index, short.Dist = slices.Delete(short.Index, 15, 20), slices.Delete(short.Dist, 15, 20) // list 4
	for i := 4; i < len(short.Ptr); i++ {
		short.Ptr[i] -= 5
	}
	broken := func(change func(g *neighbors.Graph)) *neighbors.Graph {
		b := &neighbors.Graph{Ptr: slices.Clone(g.Ptr), Index: slices.Clone(g.Index), Dist: slices.Clone(g.Dist)}
		change(b)
		return b
	}
	r := refusing(t)
	r.embed("", x, PCA{}, Options{Graph: g})
	r.embed("", x, LNP{}, Options{Graph: g})
	r.embed("", x.Slice(0, 50, 0, 3), LE{}, Options{Graph: g})
	r.embed("", x, LE{Neighbors: 5}, Options{Graph: g})
	r.embed("", nil, LLE{}, Options{Graph: g})
	r.embed("", nil, LE{Weights: "cosine"}, Options{Graph: g})
	r.embed("", nil, NLE{}, Options{Graph: g})
	r.embed("", nil, LE{}, Options{Graph: g, Model: true})
	r.embed("", nil, LE{}, Options{Graph: g, Components: "bridge"})
	r.embed("", nil, Isomap{}, Options{Graph: g, Landmarks: 20, LandmarkChoice: "farthest"})
	r.embed("", x, LLE{}, Options{Graph: g, Landmarks: 20})
	r.embed("", x, LE{}, Options{Graph: g, Duplicates: "merge"})
	r.embed("", x, LLE{}, Options{Graph: short})
	r.embed("", nil, LE{}, Options{})
	r.embed("", x, LE{}, Options{Graph: broken(func(g *neighbors.Graph) { g.Dist[7] = math.NaN() })})
	r.embed("", x, LE{}, Options{Graph: broken(func(g *neighbors.Graph) { g.Dist[5] = -1 })})
	r.embed("", x, LE{}, Options{Graph: broken(func(g *neighbors.Graph) { g.Index[5] = 60 })})
	r.embed("", x, LE{}, Options{Graph: broken(func(g *neighbors.Graph) { g.Index[5] = 1 })})
	r.embed("", x, LE{}, Options{Graph: broken(func(g *neighbors.Graph) { g.Index[6] = g.Index[5] })})
	r.embed("", x, LE{}, Options{Graph: broken(func(g *neighbors.Graph) { g.Dist[5] = 1e9 })})
	r.embed("", x, LE{}, Options{Graph: broken(func(g *neighbors.Graph) { g.Dist = g.Dist[1:] })})
	r.embed("", x, LE{}, Options{Graph: broken(func(g *neighbors.Graph) { g.Ptr[3] = 4 })})
	r.embed("", x, LE{}, Options{Graph: &neighbors.Graph{}})
}

// TestGivenGraphOfAnySize embeds by distances whose squares no number holds.
func TestGivenGraphOfAnySize(t *testing.T) {
	x := sheet(t, 150)
	g := graphOf(t, x, 10)
	large := g.ScaledDown(-700)
	for _, m := range []Method{LE{Weights: "heat"}, Isomap{}} {
		a := embed(t, nil, m, Options{Graph: g})
		b, err := Embed(context.Background(), nil, m, Options{Graph: large})
		if m.Name() == "isomap" {
			if err == nil || !strings.Contains(err.Error(), "beyond the range of numbers") {
				t.Errorf("isomap: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(a.Y, b.Y, 1e-9) {
			t.Errorf("%s: coordinates differ", m.Name())
		}
	}
}

// TestGivenAffinities embeds, clusters and factorises by the weights of the edges that the
// methods make themselves.
func TestGivenAffinities(t *testing.T) {
	x := sheet(t, 200)
	// The union of the lists, with weight 1.
	var entries []sparse.Triplet
	g := graphOf(t, x, 8)
	mutual := g.Mutual()
	for i := range g.Len() {
		for a, j := range g.Of(i) {
			entries = append(entries, sparse.Triplet{Row: i, Col: int(j), Val: 1})
			if !mutual[g.Ptr[i]+a] {
				entries = append(entries, sparse.Triplet{Row: int(j), Col: i, Val: 1})
			}
		}
		entries = append(entries, sparse.Triplet{Row: i, Col: i, Val: 3}) // which does not count
	}
	w := must(sparse.FromTriplets(200, 200, entries))(t)
	searched := embed(t, x, LE{Neighbors: 8}, Options{})
	given := embed(t, nil, LE{}, Options{Affinities: w})
	for j := range 2 {
		if math.Abs(searched.Values[j]-given.Values[j]) > 1e-12 {
			t.Errorf("eigenvalue %d is %v, want %v", j, given.Values[j], searched.Values[j])
		}
	}
	if _, err := given.Model(); err == nil {
		t.Error("a model without samples")
	}
	withSamples := embed(t, x, LE{}, Options{Affinities: w})
	if _, err := withSamples.Model(); err == nil || !strings.Contains(err.Error(), "the affinities are given") {
		t.Errorf("a model of affinities: %v", err)
	}
	a := clusteringOf(t, x, Spectral{Neighbors: 8}, ClusterOptions{Clusters: 3})
	b := clusteringOf(t, nil, Spectral{}, ClusterOptions{Options: Options{Affinities: w}, Clusters: 3})
	if !slices.Equal(a.Labels, b.Labels) {
		t.Error("spectral: the labels differ")
	}
	f := factorized(t, x, GNMF{Neighbors: 8}, FactorizeOptions{Rank: 2})
	h := factorized(t, x, GNMF{}, FactorizeOptions{Options: Options{Affinities: w}, Rank: 2})
	if !mat.EqualApprox(f.W, h.W, 1e-6*mat.Max(f.W)) {
		t.Error("gnmf: the factors differ")
	}
	changed := func(row, col int, v float64) *sparse.CSR {
		c := must(sparse.FromTriplets(200, 200, append(slices.Clone(entries), sparse.Triplet{Row: row, Col: col, Val: v})))(t)
		return c
	}
	alone := slices.DeleteFunc(slices.Clone(entries), func(e sparse.Triplet) bool { return e.Row == 7 || e.Col == 7 })
	isolated := must(sparse.FromTriplets(200, 200, alone))(t)
	r := refusing(t)
	r.embed("", nil, LE{}, Options{Affinities: changed(3, 199, 2)})
	r.embed("", nil, LE{}, Options{Affinities: changed(3, 3, -8)})
	r.embed("", nil, LE{}, Options{Affinities: changed(3, 3, math.NaN())})
	r.embed("", nil, LE{}, Options{Affinities: isolated, Components: "error"})
	r.embed("", nil, LE{}, Options{Affinities: mat.NewDense(200, 200, nil)})
	r.embed("", nil, Isomap{}, Options{Affinities: w})
	r.embed("", nil, LE{Weights: "heat"}, Options{Affinities: w})
	r.embed("", nil, LE{}, Options{Affinities: w, Graph: g})
}

// distancesOf are all distances between the rows, as the search measures them.
func distancesOf(t *testing.T, x *mat.Dense) *mat.Dense {
	t.Helper()
	return distancesBy(t, x, neighbors.Euclidean)
}

// distancesBy are the same by any metric.
func distancesBy(t *testing.T, x *mat.Dense, metric neighbors.Metric) *mat.Dense {
	t.Helper()
	n, m := x.Dims()
	g := must(neighbors.Nearest(t.Context(), neighbors.Points{N: n, M: m, Data: x.RawMatrix().Data}, n-1, metric, neighbors.Options{}))(t)
	d := mat.NewDense(n, n, nil)
	for i := range n {
		for q, j := range g.Of(i) {
			d.Set(i, int(j), g.Distances(i)[q])
		}
	}
	return d
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
	r := refusing(t)
	r.embed("", nil, MDS{}, Options{Distances: good.Slice(0, 30, 0, 29)})
	r.embed("", nil, Isomap{}, Options{Distances: with(3, 5, -1)})
	r.embed("", nil, MDS{}, Options{Distances: with(3, 5, math.NaN())})
	r.embed("", nil, LE{}, Options{Distances: with(3, 5, math.Inf(1))})
	r.embed("", nil, MDS{}, Options{Distances: with(3, 3, 1)})
	r.embed("", nil, MDS{}, Options{Distances: with(3, 5, 77)})
	r.embed("", x.Slice(0, 20, 0, 3), LLE{}, Options{Distances: good})
	r.embed("", nil, LLE{}, Options{Distances: good})
	r.embed("", nil, LE{Weights: "cosine"}, Options{Distances: good})
	r.embed("", nil, PCA{}, Options{Distances: good})
	r.embed("", nil, LE{}, Options{Distances: good, Graph: graphOf(t, x, 5)})
	r.embed("", x, MDS{}, Options{Distances: good})
	r.embed("", nil, Isomap{}, Options{Distances: &sparse.CSR{Rows: 2, Cols: 2, Ptr: []int{0, 0, 0}}})
	r.embed("", nil, LE{Neighbors: 40}, Options{Distances: good})
	r.embed("", nil, LE{}, Options{Distances: good, Duplicates: "merge"})
	r.embed("", x, LLE{}, Options{Distances: good, Landmarks: 5})
	r.embed("", nil, Isomap{}, Options{Distances: good, Model: true})
	r.embed("", nil, MDS{}, Options{Distances: good, Model: true})
	r.embed("", nil, MDS{}, Options{Distances: good, Memory: 1000})
	r.embed("", nil, MDS{Dim: 30}, Options{Distances: good})
	r.embed("", nil, MDS{}, Options{Distances: mat.NewDense(1, 1, nil)})
	if _, err := neighbors.FromDistances(ctx, neighbors.Points{N: 2, M: 3, Data: make([]float64, 6)}, 1, neighbors.Options{}); err == nil {
		t.Error("2 × 3 distances were taken")
	}
}
