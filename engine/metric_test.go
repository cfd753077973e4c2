package engine

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// cloud is samples without negative entries, of any direction among these.
func cloud(n, m int) *mat.Dense {
	stream := blas.NewStream(5)
	x := mat.NewDense(n, m, nil)
	for i := range n {
		for j := range m {
			x.Set(i, j, stream.Uniform())
		}
	}
	return x
}

// searched is the graph that a method would find of samples, by a search for itself.
func searched(t *testing.T, task string, m Method, x *mat.Dense, metric neighbors.Metric) *neighbors.Graph {
	t.Helper()
	n, cols := x.Dims()
	settled := must(param.Resolve(m.Name(), method.WithTaskDefaults(task, m), n, func(string, ...any) {}))(t)
	k, _ := neighborhood.Plain(method.RowOf(settled).Searches(task), n)
	return must(neighbors.Nearest(context.Background(), neighbors.Points{N: n, M: cols, Data: x.RawMatrix().Data}, k, metric, neighbors.Options{}))(t)
}

// found are the numbers that a method finds.
func found(task string, x *mat.Dense, m Method, o Options) ([]float64, error) {
	switch task {
	case "embed":
		r, err := Embed(context.Background(), x, m, o)
		if err != nil {
			return nil, err
		}
		return r.Y.RawMatrix().Data, nil
	case "factorize":
		r, err := Factorize(context.Background(), x, m, FactorizeOptions{Options: o, Rank: 3})
		if err != nil {
			return nil, err
		}
		return append(slices.Clone(r.W.RawMatrix().Data), r.H.RawMatrix().Data...), nil
	}
	r, err := Cluster(context.Background(), x, m, ClusterOptions{Options: o, Clusters: countOf(m, 3)})
	if err != nil {
		return nil, err
	}
	list := make([]float64, len(r.Labels))
	for i, l := range r.Labels {
		list[i] = float64(l)
	}
	return list, nil
}

// TestMetricIsItsGraph compares every method that takes a graph with itself on the graph of a search.
func TestMetricIsItsGraph(t *testing.T) {
	x := cloud(150, 9)
	for i := range 3 { // without a direction
		for j := range 9 {
			x.Set(40*i, j, 0)
		}
	}
	tried := 0
	for _, e := range Methods() {
		for _, task := range e.Tasks {
			m := named(t, e.Name)
			if e.Name == "smacof" {
				continue // the metric measures all pairs, and a graph has few: TestSMACOFMetrics
			}
			if task == "select" || !slices.Contains(e.WithSamples, "graph") || !searches(m, task) {
				if task != "select" {
					_, err := found(task, x, m, Options{Metric: "cosine", Labels: make([]int64, 150)})
					if err == nil || !strings.Contains(err.Error(), "does not apply") {
						t.Errorf("%s %s: %v", task, e.Name, err)
					}
				}
				continue
			}
			if e.Name == "pacmap" {
				continue // a graph does not say how its mid-near pairs are measured: TestPairsAreByTheMetric
			}
			for _, metric := range []neighbors.Metric{neighbors.Cosine, neighbors.Manhattan} {
				g := searched(t, task, m, x, metric)
				want, err := found(task, x, m, Options{Graph: g, Threads: 1})
				if err != nil {
					t.Errorf("%s %s: %v", task, e.Name, err)
					continue
				}
				for _, threads := range []int{1, 2, 3} {
					got, err := found(task, x, m, Options{Metric: string(metric), Threads: threads})
					if err != nil || !slices.Equal(got, want) {
						t.Errorf("%s %s by %s, %d threads: other numbers than by its graph (%v)", task, e.Name, metric, threads, err)
					}
				}
				tried++
			}
		}
	}
	if tried < 40 {
		t.Errorf("%d cases were tried", tried)
	}
}

func searches(m Method, task string) bool {
	settled, err := param.Resolve(m.Name(), method.WithTaskDefaults(task, m), 150, func(string, ...any) {})
	return err == nil && method.RowOf(settled).Searches(task) != nil
}

// TestMetricOfAnyUnit: samples so small that a run divides them keep the distances of a metric that
// do not grow with them.
func TestMetricOfAnyUnit(t *testing.T) {
	x := cloud(120, 2)
	small := mat.DenseCopyOf(x)
	small.Scale(0x1p-30, small)
	for _, metric := range []neighbors.Metric{neighbors.Cosine, neighbors.Haversine, neighbors.Canberra, neighbors.Chebyshev} {
		for _, m := range []Method{LE{Weights: "heat"}, Isomap{}, UMAP{}, LTSA{}, DiffusionMaps{}} {
			want, err := found("embed", small, m, Options{Graph: searched(t, "embed", m, small, metric)})
			if err != nil {
				t.Fatalf("%s: %v", m.Name(), err)
			}
			got, err := found("embed", small, m, Options{Metric: string(metric)})
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s by %s: other coordinates than by the graph (%v)", m.Name(), metric, err)
			}
		}
	}
	huge := mat.DenseCopyOf(x)
	huge.Scale(1e200, huge)
	_, err := Embed(context.Background(), huge, Isomap{}, Options{Metric: "cosine"})
	if err == nil || !strings.Contains(err.Error(), "distances by cosine, which do not grow with the samples") || !strings.Contains(err.Error(), "divide the data by 1e199") {
		t.Errorf("samples of 1e200 by cosine: %v", err)
	}
	if _, err := Embed(context.Background(), huge, LLE{}, Options{Metric: "cosine"}); err != nil { // no distance counts
		t.Error(err)
	}
}

// TestMetricOfNewSamples: a model finds the nearest by the metric of the fit, which its file keeps.
func TestMetricOfNewSamples(t *testing.T) {
	x := cloud(160, 6)
	longer := mat.DenseCopyOf(x)
	for i := range 160 {
		blas.Scale(float64(int(1)<<(i%4)), longer.RawRowView(i))
	}
	for _, m := range []Method{UMAP{}, TSNE{Perplexity: 10}, PaCMAP{}, LE{}, Isomap{}, DiffusionMaps{}} {
		r, err := Embed(context.Background(), x, m, Options{Metric: "cosine", Model: true})
		if err != nil {
			t.Fatalf("%s: %v", m.Name(), err)
		}
		own := must(r.Model())(t)
		var file bytes.Buffer
		if err := own.Save(&file); err != nil {
			t.Fatal(err)
		}
		if version := file.Bytes()[8]; version != 8 {
			t.Errorf("%s: version %d of the format", m.Name(), version)
		}
		read := must(LoadModel(&file))(t)
		same := must(read.Transform(context.Background(), x, Options{}))(t)
		y := must(read.Transform(context.Background(), longer, Options{}))(t)
		if !mat.Equal(y, same) || !mat.Equal(y, must(own.Transform(context.Background(), longer, Options{Threads: 3}))(t)) {
			t.Errorf("%s: longer samples of the same direction have other coordinates", m.Name())
		}
		if name := m.Name(); (name == "umap" || name == "tsne" || name == "pacmap") && !mat.Equal(y, r.Y) {
			t.Errorf("%s: samples of the fit have other coordinates", name)
		}
	}
}

// TestMetricOfSparseSamples: rows without their zeros have the neighbours of full ones, by any metric, and
// so have new samples.
func TestMetricOfSparseSamples(t *testing.T) {
	x := cloud(140, 12)
	stream := blas.NewStream(9)
	x.Apply(func(_, _ int, v float64) float64 {
		if stream.Uniform() < 0.5 {
			return 0
		}
		return v
	}, x)
	for _, metric := range []string{"cosine", "correlation", "manhattan", "jaccard", "minkowski=3"} {
		full := must(Embed(context.Background(), x, Isomap{}, Options{Metric: metric, Model: true, Components: "bridge"}))(t)
		thin := must(Embed(context.Background(), compressedOf(t, x), Isomap{}, Options{Metric: metric, Model: true, Components: "bridge"}))(t)
		if !thin.Sparse || off(full.Y, thin.Y) > 1e-8 {
			t.Errorf("%s: sparse samples are %v off", metric, off(full.Y, thin.Y))
		}
		new := mat.DenseCopyOf(x.Slice(10, 40, 0, 12))
		new.Apply(func(i, _ int, v float64) float64 { return v * (1 + float64(i%3)/8) }, new)
		want := must(must(full.Model())(t).Transform(context.Background(), new, Options{}))(t)
		var file bytes.Buffer
		if err := must(thin.Model())(t).Save(&file); err != nil {
			t.Fatal(err)
		}
		read := must(LoadModel(&file))(t)
		if got := must(read.Transform(context.Background(), compressedOf(t, new), Options{Threads: 2}))(t); off(want, got) > 1e-8 {
			t.Errorf("%s: sparse new samples are %v off", metric, off(want, got))
		}
	}
}

// off is the largest difference of two matrices, over the largest entry.
func off(a, b *mat.Dense) float64 {
	var d mat.Dense
	d.Sub(a, b)
	return mat.Norm(&d, math.Inf(1)) / mat.Max(a)
}

// TestMetricWithin: a radius is a distance of the metric, and landmarks stand for the others by it.
func TestMetricWithin(t *testing.T) {
	x := cloud(200, 3)
	points := neighbors.Points{N: 200, M: 3, Data: x.RawMatrix().Data}
	const radius = 0.02
	wide := must(neighbors.Nearest(context.Background(), points, 64, neighbors.Cosine, neighbors.Options{}))(t)
	g := &neighbors.Graph{Ptr: []int{0}}
	for i := range 200 {
		for p, d := range wide.Distances(i) {
			if d <= radius || p < 6 {
				g.Index, g.Dist = append(g.Index, wide.Of(i)[p]), append(g.Dist, d)
			}
		}
		g.Ptr = append(g.Ptr, len(g.Index))
	}
	r := must(Embed(context.Background(), x, LE{}, Options{Metric: "cosine", Radius: "0.02"}))(t)
	if want := must(Embed(context.Background(), x, LE{}, Options{Graph: g}))(t); !mat.Equal(r.Y, want.Y) {
		t.Error("within a radius: other coordinates than by the graph")
	}
	for _, m := range []Method{Isomap{}, LTSA{}, UMAP{}} {
		r, err := Embed(context.Background(), x, m, Options{Metric: "correlation", Landmarks: 80})
		if err != nil || math.IsNaN(mat.Sum(r.Y)) {
			t.Errorf("%s by landmarks: %v", m.Name(), err)
		}
	}
}

// TestMetricBetweenComponents: the edges that join components are the shortest by the metric.
func TestMetricBetweenComponents(t *testing.T) {
	x := mat.NewDense(80, 3, nil)
	for i := range 80 { // two arcs of directions, at many lengths
		angle, length := float64(i%40)/200+float64(i/40), 1+float64(i*7%13)
		x.SetRow(i, []float64{length * math.Cos(angle), length * math.Sin(angle), 0.01 * length * float64(i%3)})
	}
	shortest := math.Inf(1)
	for i := range 40 {
		for j := 40; j < 80; j++ {
			u, v := x.RowView(i), x.RowView(j)
			shortest = min(shortest, 1-mat.Dot(u, v)/mat.Norm(u, 2)/mat.Norm(v, 2))
		}
	}
	r := must(Embed(context.Background(), x, Isomap{Neighbors: 8}, Options{Metric: "cosine", Components: "bridge"}))(t)
	if longest := r.Details["longest_bridge"].(float64); r.Components != 2 || math.Abs(longest-shortest) > 1e-12 {
		t.Errorf("%d components, joined by %v, want %v", r.Components, longest, shortest)
	}
	for _, q := range r.Quality.NotJudged {
		if strings.Contains(q.Why, "those by cosine") {
			return
		}
	}
	t.Errorf("lengths are judged: %+v", r.Quality.NotJudged)
}

// TestMetricApproximately: cosine is searched approximately where Euclidean distances are.
func TestMetricApproximately(t *testing.T) {
	x := cloud(300, 20)
	exact := must(Embed(context.Background(), x, LE{}, Options{Metric: "cosine"}))(t)
	r := must(Embed(context.Background(), x, LE{}, Options{Metric: "cosine", Neighbors: "approximate"}))(t)
	if recall, is := r.Details["recall"].(float64); !is || recall < 0.99 || recall == 1 && !mat.Equal(r.Y, exact.Y) {
		t.Errorf("recall %v", r.Details["recall"])
	}
}

func TestMetricRefusals(t *testing.T) {
	x := cloud(60, 4)
	r := refusing(t)
	by := func(metric string) Options { return Options{Metric: metric} }
	r.embed("", x, PCA{}, by("cosine"))
	r.embed("", x, MDS{}, by("manhattan"))
	r.embed("", x, LNP{}, by("cosine"))
	r.embed("", x, LE{}, by("sine"))
	r.embed("", x, LE{}, by("inner-product"))
	r.embed("", x, LE{}, by("haversine"))
	r.embed("", x, LE{Neighbors: Auto}, by("cosine"))
	r.embed("", x, LE{Dim: Auto}, by("cosine"))
	r.embed("", x, LE{}, Options{Metric: "manhattan", Neighbors: "approximate"})
	r.embed("a graph", x, LE{}, Options{Metric: "manhattan", Graph: graphOf(t, x, 5)})
}
