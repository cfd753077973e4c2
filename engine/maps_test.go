package engine

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// mapMethods are the methods of maps, in few iterations.
func mapMethods() map[string]Method {
	return map[string]Method{
		"umap": UMAP{Epochs: 60}, "umap density": UMAP{Epochs: 60, Density: number(2)}, "umap in four": UMAP{Epochs: 40, Dim: 4},
		"tsne": TSNE{Iterations: 150}, "tsne in three": TSNE{Iterations: 60, Dim: 3}, "tsne in one": TSNE{Iterations: 60, Dim: 1},
		"pacmap": PaCMAP{Iterations: 100}, "pacmap local": PaCMAP{Iterations: 100, Local: true}, "pacmap in three": PaCMAP{Iterations: 60, Dim: 3},
	}
}

func number(v float64) *float64 { return &v }

// clumps are groups of equal size, and the group of each sample.
func clumps(t *testing.T, n int) (*mat.Dense, []int64) {
	t.Helper()
	d := generate(t, "gaussians", n, 3)
	return d.X, d.Labels
}

// purity is the share of the 10 nearest samples in a map that are of the same group.
func purity(t *testing.T, y *mat.Dense, labels []int64) float64 {
	t.Helper()
	return purityFrom(t, y, labels, 0)
}

// purityFrom is purity about the samples from one on.
func purityFrom(t *testing.T, y *mat.Dense, labels []int64, from int) float64 {
	t.Helper()
	n, dim := y.Dims()
	g := must(neighbors.Exact(t.Context(), neighbors.Points{N: n, M: dim, Data: mat.DenseCopyOf(y).RawMatrix().Data}, 10, neighbors.Options{}))(t)
	same := 0
	for i := from; i < n; i++ {
		for _, j := range g.Of(i) {
			if labels[i] == labels[j] {
				same++
			}
		}
	}
	return float64(same) / float64(10*(n-from))
}

// Maps keep groups together, have the same bits on any number of threads, and others by another seed.
func TestMaps(t *testing.T) {
	x, labels := clumps(t, 600)
	for name, m := range mapMethods() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := must(Embed(t.Context(), x, m, Options{Seed: 4, Threads: 1}))(t)
			if share := purity(t, r.Y, labels); share < 0.9 {
				t.Errorf("%.3f of the nearest are of the same group", share)
			}
			if at, is := r.Details["objective_iterations"].([]int); !is || len(at) != len(r.Objective) || at[len(at)-1] != r.Iterations || !r.Converged {
				t.Errorf("objectives %v of the iterations %v of %d", r.Objective, r.Details["objective_iterations"], r.Iterations)
			}
			for _, threads := range []int{2, 3, 7} {
				if again := must(Embed(t.Context(), x, m, Options{Seed: 4, Threads: threads}))(t); !mat.Equal(again.Y, r.Y) {
					t.Errorf("%d threads change bits", threads)
				}
			}
			if other := must(Embed(t.Context(), x, m, Options{Seed: 5}))(t); mat.Equal(other.Y, r.Y) {
				t.Error("the seed changes nothing")
			}
		})
	}
}

// A training sample that comes again gets its place, and a new one the same place whatever else comes.
func TestMapsOfNewSamples(t *testing.T) {
	x, labels := clumps(t, 700)
	_, m := x.Dims()
	for name, method := range mapMethods() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			known := x.Slice(0, 600, 0, m).(*mat.Dense)
			r := must(Embed(t.Context(), known, method, Options{}))(t)
			model := must(r.Model())(t)
			if again := must(model.Transform(t.Context(), known, Options{}))(t); !mat.Equal(again, r.Y) {
				t.Error("training samples move")
			}
			added := x.Slice(600, 700, 0, m).(*mat.Dense)
			z := must(model.Transform(t.Context(), added, Options{Threads: 3}))(t)
			for _, i := range []int{0, 57, 99} {
				alone := must(model.Transform(t.Context(), added.Slice(i, i+1, 0, m), Options{Threads: 1}))(t)
				if !slices.Equal(alone.RawRowView(0), z.RawRowView(i)) {
					t.Errorf("sample %d is elsewhere when it comes alone", i)
				}
			}
			both := mat.NewDense(700, r.Dim, nil)
			both.Stack(r.Y, z)
			if share := purityFrom(t, both, labels, 600); share < 0.85 {
				t.Errorf("%.3f of the nearest of new samples are of their group", share)
			}
		})
	}
}

// A map is the same from samples, from their graph, and from their distances; sparse samples give the
// map of the same samples.
func TestMapsOfStructures(t *testing.T) {
	x, labels := clumps(t, 200)
	distances := distancesOf(t, x)
	compressed := compressedOf(t, x)
	for name, m := range map[string]Method{"umap": UMAP{Epochs: 100}, "tsne": TSNE{Iterations: 200, Init: "spectral"}, "pacmap": PaCMAP{Iterations: 150}} {
		k, alone := map[string]int{"umap": 14, "tsne": 90, "pacmap": 60}[name], m
		if name == "pacmap" {
			alone = PaCMAP{Iterations: 150, MidNear: number(0)}
		}
		g := graphOf(t, x, k)
		for what, of := range map[string]*Result{
			"a graph": must(Embed(t.Context(), nil, alone, Options{Graph: g}))(t), "distances": must(Embed(t.Context(), nil, m, Options{Distances: distances}))(t),
		} {
			if share := purity(t, of.Y, labels); share < 0.9 {
				t.Errorf("%s of %s: %.3f of the nearest are of the same group", name, what, share)
			}
		}
		plain := must(Embed(t.Context(), x, m, Options{}))(t)
		for what, o := range map[string]Options{"their graph": {Graph: g}, "their distances": {Distances: distances}} {
			if of := must(Embed(t.Context(), x, m, o))(t); !mat.Equal(of.Y, plain.Y) {
				t.Errorf("%s of samples and %s: another map than of the samples", name, what)
			}
		}
		if name != "pacmap" {
			w := must(Alignment(t.Context(), x, m, Options{}))(t)
			of := must(Embed(t.Context(), nil, m, Options{Affinities: w}))(t)
			if share := purity(t, of.Y, labels); share < 0.9 {
				t.Errorf("%s of affinities: %.3f of the nearest are of the same group", name, share)
			}
		}
		of := must(Embed(t.Context(), compressed, m, Options{}))(t)
		if share := purity(t, of.Y, labels); !of.Sparse || share < 0.9 {
			t.Errorf("%s of sparse samples: %.3f of the nearest are of the same group", name, share)
		}
	}
}

// Components of the graph make one map, in which they are apart, and copies part.
func TestMapsOfComponentsAndCopies(t *testing.T) {
	x, _ := clumps(t, 300)
	far := mat.DenseCopyOf(x)
	for i := 150; i < 300; i++ {
		for k := range far.RawRowView(i) {
			far.RawRowView(i)[k] += 1e4
		}
	}
	for i := range 20 {
		far.SetRow(i, far.RawRowView(0))
	}
	for name, m := range map[string]Method{"umap": UMAP{Epochs: 100}, "tsne": TSNE{Iterations: 300, Perplexity: 10}, "pacmap": PaCMAP{}} {
		r := must(Embed(t.Context(), far, m, Options{}))(t)
		if name != "pacmap" && (r.Components < 2 || r.Params["components"] != "joint") {
			t.Errorf("%s: %d components, by %v", name, r.Components, r.Params["components"])
		}
		labels := make([]int64, 300)
		for i := 150; i < 300; i++ {
			labels[i] = 1
		}
		if share := purity(t, r.Y, labels); share < 0.99 {
			t.Errorf("%s: %.3f of the nearest are of the same component", name, share)
		}
	}
}

// Labels with a weight pull classes together, and unknown ones do not count; without it they change nothing.
func TestTargetedMaps(t *testing.T) {
	d := generate(t, "gaussians", 400, 5)
	n, _ := d.X.Dims()
	labels := make([]int64, n)
	for i := range labels { // classes that the data do not show
		labels[i] = int64(i % 2)
	}
	plain := must(Embed(t.Context(), d.X, UMAP{Epochs: 100}, Options{}))(t)
	if ignored := must(Embed(t.Context(), d.X, UMAP{Epochs: 100}, Options{Labels: labels}))(t); !mat.Equal(ignored.Y, plain.Y) {
		t.Error("labels without a weight change the map")
	}
	before := purity(t, plain.Y, labels)
	for _, weight := range []float64{0.5, 0.9, 1} {
		r := must(Embed(t.Context(), d.X, UMAP{Epochs: 100, TargetWeight: number(weight)}, Options{Labels: labels}))(t)
		if share := purity(t, r.Y, labels); share < before+0.2 {
			t.Errorf("weight %g: %.3f of the nearest are of the same class, %.3f without", weight, share, before)
		}
	}
	unknown := slices.Repeat([]int64{-1}, n)
	r := must(Embed(t.Context(), d.X, UMAP{Epochs: 100, TargetWeight: number(0.5)}, Options{Labels: unknown}))(t)
	if share := purity(t, r.Y, d.Labels); share < 0.9 {
		t.Errorf("without any class %.3f of the nearest are of the same group", share)
	}
}

// A start that is given is taken as it is.
func TestMapsFromAStart(t *testing.T) {
	x, _ := clumps(t, 300)
	start := mat.NewDense(300, 2, nil)
	for i := range 300 {
		start.SetRow(i, []float64{1e3 + x.At(i, 0), -1e3 + x.At(i, 1)})
	}
	for name, m := range map[string]Method{"umap": UMAP{Epochs: 1, Rate: 1e-9}, "pacmap": PaCMAP{Iterations: 1, Rate: 1e-9}} {
		r := must(Embed(t.Context(), x, m, Options{Init: start}))(t)
		if !mat.EqualApprox(r.Y, start, 1e-3) {
			t.Errorf("%s: the map does not begin at the start", name)
		}
	}
}

// A map is smaller than the limit of memory allows, or refused.
func TestMapsWithinMemory(t *testing.T) {
	x, _ := clumps(t, 3000)
	r := refusing(t)
	for _, m := range []Method{UMAP{}, TSNE{}, PaCMAP{}} {
		r.of(m.Name(), failed(Embed(t.Context(), x, m, Options{Memory: 20 << 20})))
	}
}

func TestMapsRefuse(t *testing.T) {
	x, labels := clumps(t, 50)
	r := refusing(t)
	for _, m := range []Method{
		UMAP{Neighbors: 50}, UMAP{MinDist: number(3)}, UMAP{MinDist: number(-1)}, UMAP{Spread: -1}, UMAP{TargetWeight: number(2)}, UMAP{TargetWeight: number(0.5)}, UMAP{Init: "grid"},
		TSNE{Perplexity: 17}, TSNE{Perplexity: 0.5}, TSNE{Dim: 4}, TSNE{Theta: number(-1)}, PaCMAP{Neighbors: 50}, PaCMAP{Init: "grid"},
	} {
		r.of(m.Name(), failed(Embed(t.Context(), x, m, Options{})))
	}
	r.of("a start of 3 columns", failed(Embed(t.Context(), x, UMAP{}, Options{Init: mat.NewDense(50, 3, nil)})))
	nan := mat.NewDense(50, 2, nil)
	nan.Set(7, 1, math.NaN())
	r.of("a start with NaN", failed(Embed(t.Context(), x, TSNE{}, Options{Init: nan})))
	r.of("labels of others", failed(Embed(t.Context(), x, UMAP{TargetWeight: number(0.5)}, Options{Labels: labels[:9]})))
	w := must(Alignment(t.Context(), x, UMAP{}, Options{}))(t)
	r.of("density of affinities", failed(Embed(t.Context(), nil, UMAP{Density: number(2)}, Options{Affinities: w})))
	r.of("components without samples", failed(Embed(t.Context(), nil, UMAP{Init: "pca"}, Options{Affinities: w})))
	g := must(neighbors.Exact(t.Context(), neighbors.Points{N: 50, M: 10, Data: x.RawMatrix().Data}, 20, neighbors.Options{}))(t)
	r.of("pacmap of a graph alone", failed(Embed(t.Context(), nil, PaCMAP{}, Options{Graph: g})))
	r.of("pacmap of a graph alone from principal components", failed(Embed(t.Context(), nil, PaCMAP{MidNear: number(0), Init: "pca"}, Options{Graph: g})))
	r.of("pacmap of affinities", failed(Embed(t.Context(), nil, PaCMAP{}, Options{Affinities: w})))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, m := range []Method{UMAP{}, TSNE{}, PaCMAP{}} {
		if _, err := Embed(ctx, x, m, Options{}); err != context.Canceled {
			t.Errorf("%s: %v", m.Name(), err)
		}
	}
}

// A map that learns from numbers follows them; columns of targets are used
// together, and samples in order, in parts and in landmarks keep theirs.
func TestMapsFollowTargets(t *testing.T) {
	const n = 600
	x, y := mat.NewDense(n, 6, nil), mat.NewDense(n, 1, nil)
	random := blas.NewStream(2)
	random.Normals(x.RawMatrix().Data) // one cloud
	random.Normals(y.RawMatrix().Data)
	for i := range n {
		y.Set(i, 0, 3*x.At(i, 0)+y.At(i, 0))
	}
	// follows is the share of the variance of the targets that the means of the nearest 10 in the map explain.
	follows := func(m *mat.Dense) float64 {
		rows, dim := m.Dims()
		g := must(neighbors.Exact(t.Context(), neighbors.Points{N: rows, M: dim, Data: m.RawMatrix().Data}, 10, neighbors.Options{}))(t)
		var left, all float64
		for i := range rows {
			var mean float64
			for _, j := range g.Of(i) {
				mean += y.At(int(j), 0) / 10
			}
			left += (y.At(i, 0) - mean) * (y.At(i, 0) - mean)
			all += y.At(i, 0) * y.At(i, 0)
		}
		return 1 - left/all
	}
	if without := follows(must(Embed(t.Context(), x, UMAP{Epochs: 100}, Options{}))(t).Y); without > 0.8 {
		t.Fatalf("the map explains %.3f of the targets without them", without)
	}
	for _, weight := range []float64{0.3, 0.7} {
		m := UMAP{Epochs: 100, TargetWeight: number(weight), TargetMetric: "euclidean"}
		r := must(Embed(t.Context(), x, m, Options{Targets: y}))(t)
		if share := follows(r.Y); share < 0.95 {
			t.Errorf("by the weight %v the map explains %.3f of the targets", weight, share)
		}
		if again := must(Embed(t.Context(), x, m, Options{Targets: y, Threads: 3}))(t); !mat.Equal(again.Y, r.Y) {
			t.Error("threads change bits")
		}
		if of := must(Embed(t.Context(), x, m, Options{Targets: y, Landmarks: 300}))(t); follows(of.Y) < 0.5 {
			t.Errorf("with landmarks the map explains %.3f of the targets", follows(of.Y))
		}
	}
	m := UMAP{Epochs: 20, TargetWeight: number(0.5), TargetMetric: "euclidean"}
	two := mat.NewDense(n, 2, nil)
	two.SetCol(0, mat.Col(nil, 0, y))
	same := must(Embed(t.Context(), x, m, Options{Targets: two}))(t) // a constant column changes nothing
	if of := must(Embed(t.Context(), x, m, Options{Targets: y}))(t); !mat.Equal(of.Y, same.Y) {
		t.Error("a constant column of the targets changes the map")
	}
	two.SetCol(1, mat.Col(nil, 1, x))
	if of := must(Embed(t.Context(), x, m, Options{Targets: two}))(t); mat.Equal(of.Y, same.Y) {
		t.Error("the second column of the targets changes nothing")
	}
}

// Targets that cannot be learned from are refused, and those that nobody learns from are not looked at.
func TestTargetsAreChecked(t *testing.T) {
	x, _ := clumps(t, 60)
	y := mat.NewDense(60, 1, nil)
	y.Set(7, 0, math.NaN())
	learns := UMAP{Epochs: 5, TargetWeight: number(0.5), TargetMetric: "euclidean"}
	dense := learns
	dense.Density = number(2)
	for want, of := range map[string]struct {
		m Method
		o Options
	}{
		"there are none; give the numbers of each sample (Options.Targets)": {learns, Options{}},
		"row 8, column 1 (counting from 1) of the targets is NaN":           {learns, Options{Targets: y}},
		"targets of 59 × 1 for 60 samples":                                  {learns, Options{Targets: mat.NewDense(59, 1, nil)}},
		"Density preserves the distances of neighbours":                     {dense, Options{Targets: mat.NewDense(60, 1, nil)}},
	} {
		if _, err := Embed(t.Context(), x, of.m, of.o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, and not %q", err, want)
		}
	}
	double := mat.NewDense(60, 10, nil)
	double.Copy(x)
	double.SetRow(1, double.RawRowView(0))
	for i := range 60 {
		y.Set(i, 0, float64(i))
	}
	if _, err := Embed(t.Context(), double, learns, Options{Targets: y, Duplicates: "merge"}); err == nil || !strings.Contains(err.Error(), "are equal and have different targets") {
		t.Errorf("%v", err)
	}
	alone := must(Embed(t.Context(), x, UMAP{Epochs: 5}, Options{}))(t)
	if of := must(Embed(t.Context(), x, UMAP{Epochs: 5, TargetMetric: "euclidean"}, Options{Targets: y}))(t); !mat.Equal(of.Y, alone.Y) {
		t.Error("targets of no weight change the map")
	}
}

// A model keeps the epochs and the negatives of its fit, up to the largest that parameters allow, and more are refused.
func TestModelsOfLongMaps(t *testing.T) {
	x, _ := clumps(t, 40)
	r := must(Embed(t.Context(), x, UMAP{Epochs: 30000, Negatives: 100, Neighbors: 3}, Options{}))(t)
	var file bytes.Buffer
	if err := must(r.Model())(t).Save(&file); err != nil {
		t.Fatal(err)
	}
	model, err := LoadModel(&file)
	if err != nil {
		t.Fatal(err)
	}
	if y := must(model.Transform(t.Context(), x, Options{}))(t); !mat.Equal(y, r.Y) {
		t.Error("training samples move")
	}
	for _, m := range []UMAP{{Epochs: 30001}, {Negatives: 101}} {
		if _, err := Embed(t.Context(), x, m, Options{}); err == nil || !strings.Contains(err.Error(), "give a whole number from 1 to ") {
			t.Errorf("%v", err)
		}
	}
}

// All pairs of pacmap are by the metric: a map is that of the distances by it, on any number of threads, of samples that
// are put in order and of those that are not.
func TestPairsAreByTheMetric(t *testing.T) {
	for _, of := range []struct {
		n       int
		metrics []neighbors.Metric
	}{
		{150, []neighbors.Metric{neighbors.Euclidean, neighbors.Manhattan, neighbors.Cosine, neighbors.Correlation, neighbors.Canberra}},
		{pipeline.OrderedFrom + 10, []neighbors.Metric{neighbors.Cosine}},
	} {
		x := cloud(of.n, 8)
		o := Options{Init: spiral(of.n)}
		m := PaCMAP{Iterations: 30}
		euclidean := must(Embed(t.Context(), x, m, o))(t)
		for _, metric := range of.metrics {
			byDistances, byMetric := o, o
			byDistances.Distances, byMetric.Metric = distancesBy(t, x, metric), string(metric)
			want := must(Embed(t.Context(), nil, m, byDistances))(t)
			if mat.Equal(want.Y, euclidean.Y) != (metric == neighbors.Euclidean) {
				t.Errorf("%d samples: by %s the map is the Euclidean one, or by Euclidean distances it is not", of.n, metric)
			}
			for what, samples := range map[string]mat.Matrix{"samples": x, "sparse samples": compressedOf(t, x)} {
				for _, threads := range []int{1, 2, 3, 7} {
					byMetric.Threads = threads
					if got := must(Embed(t.Context(), samples, m, byMetric))(t); !mat.Equal(got.Y, want.Y) {
						t.Errorf("%d %s by %s, %d threads: another map than by the distances", of.n, what, metric, threads)
					}
				}
			}
		}
	}
}

// spiral is n places on one.
func spiral(n int) *mat.Dense {
	y := mat.NewDense(n, 2, nil)
	for i := range n {
		y.SetRow(i, []float64{math.Cos(float64(i)) / 20, float64(i) / float64(20*n)})
	}
	return y
}

// On a graph pacmap chooses its number of near pairs of each list, or takes all of a shorter one.
func TestPairsOfAGraph(t *testing.T) {
	x, _ := clumps(t, 150)
	few := PaCMAP{Iterations: 20, Neighbors: 5}
	plain := must(Embed(t.Context(), x, few, Options{}))(t)
	if of := must(Embed(t.Context(), x, few, Options{Graph: graphOf(t, x, 55)}))(t); !mat.Equal(of.Y, plain.Y) {
		t.Error("the near pairs are others than where the method searches")
	}
	lists := must(Embed(t.Context(), x, few, Options{Graph: graphOf(t, x, 4)}))(t)
	more := must(Embed(t.Context(), x, PaCMAP{Iterations: 20, Neighbors: 7, MidNear: number(3.0 / 7), Further: number(10.0 / 7)}, Options{Graph: graphOf(t, x, 4)}))(t)
	if lists.Params["neighbors"] != 5 || !mat.Equal(lists.Y, more.Y) {
		t.Errorf("lists of 4 are not taken whole, by %v neighbours", lists.Params["neighbors"])
	}
}

// Maps of pacmap by different seeds agree: they begin small enough for all pairs to find their order. From the same start
// with a largest coordinate of 10 they differ.
func TestSeedsOfPaCMAPAgree(t *testing.T) {
	x := generate(t, "gaussians", 500, 6, "clusters=10").X
	disparity := func(start *mat.Dense) (largest float64) {
		var maps []*mat.Dense
		for seed := range uint64(4) {
			y := must(Embed(t.Context(), x, PaCMAP{}, Options{Seed: seed + 1, Init: start}))(t).Y
			for _, other := range maps {
				largest = max(largest, must(measures.Procrustes(other, y))(t))
			}
			maps = append(maps, y)
		}
		return largest
	}
	if d := disparity(nil); d > 0.05 {
		t.Errorf("maps of four seeds have a disparity of %.3f", d)
	}
	start := mat.DenseCopyOf(must(Embed(t.Context(), x, PCA{}, Options{}))(t).Y)
	start.Scale(10/max(mat.Max(start), -mat.Min(start)), start)
	if d := disparity(start); d < 0.3 {
		t.Errorf("maps from a large start have a disparity of %.3f: on these data the size of the start does not matter", d)
	}
}

// A map of further samples stays near an earlier one, in which they have no place; the start alone does not hold it.
func TestMapsFollowAReference(t *testing.T) {
	x, labels := clumps(t, 500)
	n := 400
	for _, name := range []string{"umap", "tsne", "pacmap"} {
		m := must(New(name))(t)
		earlier := must(Embed(t.Context(), x.Slice(0, n, 0, 3), m, Options{Seed: 1}))(t)
		start := mat.NewDense(500, 2, nil)
		for i := range 500 {
			if i < n {
				start.SetRow(i, earlier.Y.RawRowView(i))
			} else {
				start.SetRow(i, []float64{math.NaN(), math.NaN()})
			}
		}
		moved := func(weight string) float64 {
			m := must(New(name))(t)
			if err := Set(m, "reference_weight", weight); err != nil {
				t.Fatal(err)
			}
			r := must(Embed(t.Context(), x, m, Options{Seed: 2, Init: start}))(t)
			if share := purity(t, r.Y, labels); share < 0.9 {
				t.Errorf("%s with the weight %s: %.3f of the nearest are of the same group", name, weight, share)
			}
			var sum float64
			for i := range n {
				sum += math.Sqrt(blas.SquaredDistance(r.Y.RawRowView(i), start.RawRowView(i)))
			}
			return sum / float64(n)
		}
		if free, held := moved("0"), moved("30"); !(held < free/2) {
			t.Errorf("%s moves samples by %g with a reference, and %g from it as a start", name, held, free)
		}
	}
}

func TestReferencesThatAreRefused(t *testing.T) {
	x, _ := clumps(t, 100)
	with := func(row, column int, v float64) *mat.Dense {
		y := mat.NewDense(100, 2, nil)
		y.Set(row, column, v)
		return y
	}
	without := mat.NewDense(100, 2, nil)
	for i := range 100 {
		without.SetRow(i, []float64{math.NaN(), math.NaN()})
	}
	for _, c := range []struct {
		start *mat.Dense
		want  string
	}{
		{nil, "ReferenceWeight holds samples near given coordinates, and none are given"},
		{with(3, 1, math.NaN()), "row 4 (counting from 1) of the start has coordinates that are NaN"},
		{with(3, 1, math.Inf(1)), "row 4, column 2 (counting from 1) of the start is +Inf"},
		{mat.NewDense(99, 2, nil), "the start is 99 × 2 for 100 samples in 2 columns"},
		{without, "the start has no sample with coordinates"},
	} {
		m := must(New("umap"))(t)
		if err := Set(m, "reference_weight", "1"); err != nil {
			t.Fatal(err)
		}
		if _, err := Embed(t.Context(), x, m, Options{Init: c.start}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// Samples that no path joins to one with a place start as a group of their own.
func TestReferenceOfAnotherComponent(t *testing.T) {
	x, labels := clumps(t, 300)
	far := mat.DenseCopyOf(x)
	start := mat.NewDense(300, 2, nil)
	for i := range 300 {
		if labels[i] == labels[0] {
			for k := range 3 {
				far.Set(i, k, far.At(i, k)+1e4)
			}
			start.SetRow(i, []float64{math.NaN(), math.NaN()})
		} else {
			start.SetRow(i, x.RawRowView(i)[:2])
		}
	}
	for _, name := range []string{"umap", "tsne", "pacmap"} {
		m := must(New(name))(t)
		if err := Set(m, "reference_weight", "5"); err != nil {
			t.Fatal(err)
		}
		r := must(Embed(t.Context(), far, m, Options{Seed: 2, Init: start}))(t)
		if share := purity(t, r.Y, labels); share < 0.9 {
			t.Errorf("%s: %.3f of the nearest are of the same group", name, share)
		}
		if r.Details["start_rows_without"] == nil {
			t.Errorf("%s does not report samples without a place", name)
		}
	}
}

// BenchmarkAlignedMaps makes the table of aligned maps in docs/methods/maps.md: a map of 2000 samples in ten overlapping groups, and one of 2000 samples
// of which 1000 are the same, with the first as a reference of several weights. It reports how far the median shared sample moves, by the root mean square distance of
// the places from their mean, and the share of the 15 nearest that is kept.
func BenchmarkAlignedMaps(b *testing.B) {
	const n, shared, columns = 2000, 1000, 20
	all, random := mat.NewDense(2*n-shared, columns, nil), blas.NewStream(3)
	centres := mat.NewDense(10, columns, nil)
	random.Normals(centres.RawMatrix().Data)
	random.Normals(all.RawMatrix().Data)
	for i := range 2*n - shared {
		blas.Axpy(1.5, centres.RawRowView(i%10), all.RawRowView(i))
	}
	may, june := mat.DenseCopyOf(all.Slice(0, n, 0, columns)), mat.DenseCopyOf(all.Slice(n-shared, 2*n-shared, 0, columns))
	with := func(m Method, weight float64, part float64) Method {
		switch m := m.(type) {
		case UMAP:
			m.ReferenceWeight, m.Epochs = weight, int(500*part)
			return m
		case TSNE:
			m.ReferenceWeight, m.Iterations = weight, int(750*part)
			return m
		case PaCMAP:
			m.ReferenceWeight, m.Iterations = weight, int(450*part)
			return m
		}
		return m
	}
	for _, m := range []Method{UMAP{}, TSNE{}, PaCMAP{}} {
		first := must(Embed(b.Context(), may, m, Options{}))(b).Y
		places := mat.NewDense(n, 2, nil)
		var mean [2]float64
		for i := range n {
			if places.SetRow(i, []float64{math.NaN(), math.NaN()}); i < shared {
				places.SetRow(i, first.RawRowView(n-shared+i))
				mean[0], mean[1] = mean[0]+places.At(i, 0)/shared, mean[1]+places.At(i, 1)/shared
			}
		}
		var size float64
		for i := range shared {
			size += blas.SquaredDistance(places.RawRowView(i), mean[:]) / shared
		}
		for _, c := range []struct{ weight, part float64 }{{0, 1}, {1, 1}, {5, 0.5}, {5, 1}, {5, 2}, {20, 1}} {
			b.Run(fmt.Sprintf("%s/W=%v/steps=%v", m.Name(), c.weight, c.part), func(b *testing.B) {
				for b.Loop() {
					o := Options{}
					if c.weight > 0 {
						o.Init = places
					}
					y := must(Embed(b.Context(), june, with(m, c.weight, c.part), o))(b).Y
					moved := make([]float64, shared)
					for i := range moved {
						moved[i] = math.Sqrt(blas.SquaredDistance(y.RawRowView(i), places.RawRowView(i)) / size)
					}
					slices.Sort(moved)
					kept := must(measures.LCMC(b.Context(), june, y, 15, measures.Options{}))(b) + 15./(n-1)
					b.ReportMetric(moved[shared/2], "moved")
					b.ReportMetric(kept, "np15")
				}
			})
		}
	}
}
