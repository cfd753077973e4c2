package engine

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/method"
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

// TestGivenGraphChangesNoBit embeds, factorises and clusters with the graph that the search
// finds, and as the search itself does.
func TestGivenGraphChangesNoBit(t *testing.T) {
	x := sheet(t, 220)
	for _, e := range Methods() {
		if len(e.BesideSamples) == 0 {
			continue
		}
		k := 12
		if at := method.AtDefaults(named(t, e.Name)); at.Neighbors != nil {
			k = *at.Neighbors
		}
		for _, alone := range []bool{false, true} {
			if alone && len(e.InsteadOfSamples) == 0 {
				continue
			}
			m, _ := New(e.Name)
			if alone && e.Name == "nle" {
				m = NLE{Weights: "heat"}
			}
			options := Options{Threads: 1, Components: "largest", Labels: nil}
			given := options
			given.Graph = graphOf(t, x, k)
			var data mat.Matrix = x
			if alone {
				data = nil
			}
			t.Run(e.Name+map[bool]string{true: ", alone"}[alone], func(t *testing.T) {

				for _, task := range e.Tasks {
					var want, got []float64
					switch task {
					case "embed":
						var a, b *Result
						a = embed(t, x, m, options)
						b = embed(t, data, m, given)
						want, got = a.Y.RawMatrix().Data, b.Y.RawMatrix().Data
						if b.Details["least_neighbors"] != k || b.Details["most_neighbors"] != k {
							t.Errorf("neighbours: %v", b.Details)
						}
					case "cluster":
						var a, b *Clustering
						a = clusteringOf(t, x, m, ClusterOptions{Options: options, Clusters: 3})
						b = clusteringOf(t, data, m, ClusterOptions{Options: given, Clusters: 3})
						for i := range a.Labels {
							want, got = append(want, float64(a.Labels[i])), append(got, float64(b.Labels[i]))
						}
					case "factorize":
						var a, b *Factorization
						a = factorized(t, x, m, FactorizeOptions{Options: options, Rank: 2})
						b = factorized(t, data, m, FactorizeOptions{Options: given, Rank: 2})
						want, got = a.W.RawMatrix().Data, b.W.RawMatrix().Data
					default:
						continue
					}
					if !slices.EqualFunc(want, got, func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }) {
						t.Errorf("%s differs", task)
					}
				}
			})
		}
	}
}

// TestGivenGraphExtends maps new samples by the model of a given graph as by that of a
// search.
func TestGivenGraphExtends(t *testing.T) {
	x, k := sheet(t, 200), 9
	for _, name := range []string{"le", "lle", "isomap", "ltsa"} {
		m, _ := New(name)
		searched, _ := New(name)
		if err := Set(searched, "neighbors", "9"); err != nil {
			t.Fatal(err)
		}
		var y [2]*mat.Dense
		for i, c := range []struct {
			m Method
			o Options
		}{{searched, Options{}}, {m, Options{Graph: graphOf(t, x, k)}}} {
			r := embed(t, x, c.m, c.o)
			model := must(r.Model())(t)
			y[i] = transformed(t, model, x.Slice(5, 9, 0, 3), Options{})
		}
		if !mat.Equal(y[0], y[1]) {
			t.Errorf("%s: new samples differ", name)
		}
	}
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
	for _, c := range []struct {
		want string
		x    mat.Matrix
		m    Method
		o    Options
	}{
		{"takes no neighbour graph", x, PCA{}, Options{Graph: g}},
		{"takes no neighbour graph", x, LNP{}, Options{Graph: g}},
		{"a graph of 60 samples for data of 50", x.Slice(0, 50, 0, 3), LE{}, Options{Graph: g}},
		{"Neighbors is given beside a graph", x, LE{Neighbors: 5}, Options{Graph: g}},
		{"needs the samples beside", nil, LLE{}, Options{Graph: g}},
		{"Weights: \"cosine\" needs the samples", nil, LE{Weights: "cosine"}, Options{Graph: g}},
		{"Weights: \"adaptive\" needs the samples", nil, NLE{}, Options{Graph: g}},
		{"no rule for new samples", nil, LE{}, Options{Graph: g, Model: true}},
		{`Components: "bridge"`, nil, LE{}, Options{Graph: g, Components: "bridge"}},
		{`LandmarkChoice: "random"`, nil, Isomap{}, Options{Graph: g, Landmarks: 20, LandmarkChoice: "farthest"}},
		{"landmarks with a given graph", x, LLE{}, Options{Graph: g, Landmarks: 20}},
		{`Duplicates: "merge"`, x, LE{}, Options{Graph: g, Duplicates: "merge"}},
		{"row 4 (counting from 1) of the graph lists no neighbours", x, LLE{}, Options{Graph: short}},
		{"no data given", nil, LE{}, Options{}},
		{"is NaN", x, LE{}, Options{Graph: broken(func(g *neighbors.Graph) { g.Dist[7] = math.NaN() })}},
		{"is -1", x, LE{}, Options{Graph: broken(func(g *neighbors.Graph) { g.Dist[5] = -1 })}},
		{"has sample 60 of 60", x, LE{}, Options{Graph: broken(func(g *neighbors.Graph) { g.Index[5] = 60 })}},
		{"the sample itself", x, LE{}, Options{Graph: broken(func(g *neighbors.Graph) { g.Index[5] = 1 })}},
		{"twice", x, LE{}, Options{Graph: broken(func(g *neighbors.Graph) { g.Index[6] = g.Index[5] })}},
		{"do not ascend", x, LE{}, Options{Graph: broken(func(g *neighbors.Graph) { g.Dist[5] = 1e9 })}},
		{"as many of each", x, LE{}, Options{Graph: broken(func(g *neighbors.Graph) { g.Dist = g.Dist[1:] })}},
		{"Ptr has to ascend", x, LE{}, Options{Graph: broken(func(g *neighbors.Graph) { g.Ptr[3] = 4 })}},
		{"begins with no 0", x, LE{}, Options{Graph: &neighbors.Graph{}}},
	} {
		_, err := Embed(context.Background(), c.x, c.m, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.m.Name(), err, c.want)
		}
	}
}

// TestGivenGraphOfAnySize embeds by distances whose squares no number holds.
func TestGivenGraphOfAnySize(t *testing.T) {
	x := sheet(t, 150)
	g := graphOf(t, x, 10)
	large := g.Over(-700)
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
	x, ctx := sheet(t, 200), context.Background()
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
	for _, c := range []struct {
		want string
		m    Method
		o    Options
	}{
		{"not symmetric: row 4, column 200 (counting from 1) is 2", LE{}, Options{Affinities: changed(3, 199, 2)}},
		{"row 4, column 4 (counting from 1) of the affinities is -5", LE{}, Options{Affinities: changed(3, 3, -8)}},
		{"of the affinities is NaN", LE{}, Options{Affinities: changed(3, 3, math.NaN())}},
		{"2 components", LE{}, Options{Affinities: isolated, Components: "error"}},
		{"not sparse", LE{}, Options{Affinities: mat.NewDense(200, 200, nil)}},
		{"takes no affinities", Isomap{}, Options{Affinities: w}},
		{"takes no affinities", DiffusionMaps{}, Options{Affinities: w}},
		{"Weights is given beside affinities", LE{Weights: "heat"}, Options{Affinities: w}},
		{"given together", LE{}, Options{Affinities: w, Graph: g}},
	} {
		if _, err := Embed(ctx, nil, c.m, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.m.Name(), err, c.want)
		}
	}
}

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
