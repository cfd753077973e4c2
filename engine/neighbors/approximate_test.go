package neighbors

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
)

// smooth maps q latent uniforms to m columns by random sines.
func smooth(n, m, q int, seed uint64) Points {
	const waves = 32
	rng := blas.NewStream(seed)
	inner, phase, outer := make([]float64, waves*q), make([]float64, waves), make([]float64, m*waves)
	rng.Normals(inner)
	rng.Uniforms(phase)
	rng.Normals(outer)
	x := Points{N: n, M: m, Data: make([]float64, n*m)}
	z, h := make([]float64, q), make([]float64, waves)
	for i := range n {
		rng.Uniforms(z)
		for c := range h {
			h[c] = math.Sin(2*blas.Dot(z, inner[c*q:(c+1)*q]) + 2*math.Pi*phase[c])
		}
		for c := range m {
			x.Data[i*m+c] = blas.Dot(h, outer[c*waves:(c+1)*waves])
		}
	}
	return x
}

// clusters are ten normal clouds of different width.
func clusters(n, m int) Points {
	rng := blas.NewStream(21)
	centres := make([]float64, 10*m)
	rng.Normals(centres)
	x := Points{N: n, M: m, Data: make([]float64, n*m)}
	rng.Normals(x.Data)
	for i := range n {
		row := x.Row(i)
		blas.Scale(0.03*float64(1+i%10), row)
		blas.Axpy(10, centres[i%10*m:(i%10+1)*m], row)
	}
	return x
}

// tiny is how far the points of one half are apart in "beyond single": too close for single
// precision to distinguish them.
const tiny = 1e-10

var approximateSources = map[string]Points{
	"smooth":         smooth(3000, 20, 4, 5),
	"clusters":       clusters(3000, 8),
	"one column":     smooth(2500, 1, 3, 6),
	"grid":           sources["grid"](2500, 6),
	"many columns":   smooth(2100, 130, 5, 7),
	"two scales":     sources["two scales"](2400, 5),
	"far":            sources["far from the origin"](2400, 4),
	"huge":           scaled(smooth(2400, 9, 3, 8), 1e140),
	"minute":         scaled(smooth(2400, 9, 3, 8), 1e-150),
	"equal":          {N: 2500, M: 3, Data: make([]float64, 3*2500)},
	"beyond single":  beyondSingle(),
	"one far point":  oneFarPoint(),
	"subnormal data": scaled(smooth(2400, 3, 2, 8), 1e-310),
}

// replaced names the sources for which single precision is not enough; for one far point it
// depends on k.
var replaced = map[string]bool{"beyond single": true, "two scales": true}

func scaled(x Points, by float64) Points {
	blas.Scale(by, x.Data)
	return x
}

func beyondSingle() Points {
	x := sources["normal"](2400, 6)
	for i := 0; i < x.N; i += 2 {
		blas.Scale(tiny, x.Row(i))
	}
	return x
}

func oneFarPoint() Points {
	x := smooth(2400, 5, 2, 9)
	x.Data[0] = 1e9
	return x
}

// recallAgainst counts listed neighbours no further away than the true k-th.
func recallAgainst(g, truth *Graph) float64 {
	var right int
	for i := range g.Len() {
		true_ := truth.Distances(i)
		for _, d := range g.Distances(i) {
			if d <= true_[len(true_)-1] {
				right++
			}
		}
	}
	return float64(right) / float64(len(g.Index))
}

func checkLists(t *testing.T, x Points, k int, g *Graph) {
	t.Helper()
	x, by := ordinary(x) // squares of subnormal numbers vanish
	square := func(i int, j int32) float64 { return blas.SquaredDistance(x.Row(i), x.Row(int(j))) }
	for i := range x.N {
		list, dist := g.Of(i), g.Distances(i)
		if len(list) != k {
			t.Fatalf("sample %d has %d neighbours, not %d", i, len(list), k)
		}
		seen := map[int32]bool{int32(i): true}
		for p, j := range list {
			if seen[j] {
				t.Fatalf("sample %d lists %d twice, or itself", i, j)
			}
			seen[j] = true
			if want := magnitude.Times(math.Sqrt(square(i, j)), by.exponent); dist[p] != want {
				t.Fatalf("distance of %d and %d is %v, not %v", i, j, dist[p], want)
			}
			if p > 0 && !before(square(i, list[p-1]), list[p-1], square(i, j), j) {
				t.Fatalf("list of %d is not sorted", i)
			}
		}
	}
}

func TestApproximateMeasuresItsRecall(t *testing.T) {
	if testing.Short() {
		t.Skip("long under the race detector, which other tests serve")
	}
	truths := map[string]*Graph{}
	for name, x := range approximateSources {
		truth, err := Exact(context.Background(), x, 15, Options{})
		if err != nil {
			t.Fatal(err)
		}
		truths[name] = truth
	}
	for name, x := range approximateSources {
		t.Run(name, func(t *testing.T) {
			for _, c := range []struct {
				k     int
				trees bool
			}{{1, true}, {15, true}, {1, false}, {15, false}} {
				k, truth := c.k, truths[name].Truncated(c.k)
				g, r, err := Approximate(context.Background(), x, k, ApproximateOptions{Seed: 1, Rows: x.N, always: true, trees: c.trees})
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				checkLists(t, x, k, g)
				if r.Rows != x.N || (r.Trees == 0 || r.Iterations == 0) && (r.Partitions == 0 || c.trees) {
					t.Errorf("%s: %+v", name, r)
				}
				// Measured on all rows, recall is a count and not an estimate.
				if want := recallAgainst(g, truth); r.Recall != want || want < 0.99 {
					t.Errorf("%s, k=%d: reported %+v, recall is %v", name, k, r, want)
				}
				if r.Exact && (!slices.Equal(g.Index, truth.Index) || r.Reached >= 0.99) {
					t.Errorf("%s, k=%d: %+v, differing from Exact", name, k, r)
				}
				if name != "one far point" && r.Exact != replaced[name] && (c.trees || r.Trees > 0) {
					t.Errorf("%s, k=%d: replaced by exact is %v: %+v", name, k, r.Exact, r)
				}
			}
		})
	}
}

func TestApproximateIsTheSameForAnyNumberOfThreads(t *testing.T) {
	names := []string{"smooth", "grid", "equal", "clusters"}
	if testing.Short() {
		names = names[:1]
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			x := approximateSources[name]
			var first *Graph
			var report Report
			for _, threads := range []int{1, 2, 3, 2} {
				g, r, err := Approximate(context.Background(), x, 10, ApproximateOptions{Seed: 4, Threads: threads, always: true, trees: true})
				if err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first, report = g, r
					continue
				}
				if r != report || !slices.Equal(g.Index, first.Index) || !slices.Equal(g.Dist, first.Dist) {
					t.Errorf("%s with %d threads: %+v differs from %+v with one", name, threads, r, report)
				}
			}
			if report.Rows != 1000 {
				t.Errorf("recall measured on %d rows", report.Rows)
			}
		})
	}
}

func TestApproximateDependsOnTheSeedAlone(t *testing.T) {
	// Hard enough for some neighbours to be missed, which ones by chance.
	x := sources["normal"](4000, 12)
	graphs := map[uint64]*Graph{}
	for _, seed := range []uint64{1, 2, 1} {
		g, r, err := Approximate(context.Background(), x, 5, ApproximateOptions{Seed: seed, Recall: 0.2})
		if err != nil || r.Exact || r.Recall == 1 {
			t.Fatalf("%+v, %v", r, err)
		}
		if before := graphs[seed]; before != nil && !slices.Equal(before.Index, g.Index) {
			t.Error("the same seed gave another graph")
		}
		graphs[seed] = g
	}
	if slices.Equal(graphs[1].Index, graphs[2].Index) {
		t.Error("seeds 1 and 2 gave the same graph")
	}
}

func TestApproximateSearchesSmallDataExactly(t *testing.T) {
	for _, c := range []struct{ n, m, k int }{{2, 6, 1}, {300, 6, 299}, {1999, 6, 4}, {2400, 6, 200}, {2400, 5, 4}, {2400, 1, 4}} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			x := sources["normal"](c.n, c.m)
			g, r, err := Approximate(context.Background(), x, c.k, ApproximateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			want, err := Exact(context.Background(), x, c.k, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if r != (Report{Recall: 1, Exact: true}) || !slices.Equal(g.Index, want.Index) || !slices.Equal(g.Dist, want.Dist) {
				t.Errorf("%+v: %+v", c, r)
			}
		})
	}
}

func TestApproximateLongLists(t *testing.T) { // beyond the insertion limit of the ranking
	if testing.Short() {
		t.Skip("long under the race detector")
	}
	x := smooth(2600, 10, 3, 3)
	g, r, err := Approximate(context.Background(), x, 120, ApproximateOptions{})
	if err != nil || r.Exact {
		t.Fatalf("%+v, %v", r, err)
	}
	checkLists(t, x, 120, g)
}

func TestApproximateRefuses(t *testing.T) {
	ok, nan := sources["normal"](2100, 3), sources["normal"](2100, 3)
	nan.Data[16] = math.NaN()
	for _, c := range []struct {
		x      Points
		k      int
		recall float64
		want   string
	}{
		{ok, 0, 0, "0 neighbours requested of 2100 samples"},
		{ok, 2100, 0, "from 1 to 2099"},
		{Points{N: 1, M: 1, Data: []float64{1}}, 1, 0, "at least 2"},
		{nan, 2, 0, "row 6, column 2 (counting from 1) is NaN"},
		{ok, 2, 1.5, "recall 1.5 requested"},
		{ok, 2, -1, "recall -1 requested"},
		{ok, 2, math.NaN(), "recall NaN requested"},
	} {
		t.Run(c.want, func(t *testing.T) {
			if _, _, err := Approximate(context.Background(), c.x, c.k, ApproximateOptions{Recall: c.recall}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want one with %q", err, c.want)
			}
		})
	}
}

// cancelAfter is a context that is cancelled once it has been asked so often.
type cancelAfter struct {
	context.Context
	left int
}

func (c *cancelAfter) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestApproximateStopsWhenCancelled(t *testing.T) {
	x := approximateSources["smooth"]
	never := &cancelAfter{context.Background(), math.MaxInt}
	if _, _, err := Approximate(never, x, 10, ApproximateOptions{Threads: 1}); err != nil {
		t.Fatal(err)
	}
	asked := math.MaxInt - never.left
	for _, left := range []int{0, 1, asked / 8, asked / 4, asked / 2, asked * 3 / 4, asked - 1} {
		ctx := &cancelAfter{context.Background(), left}
		if g, _, err := Approximate(ctx, x, 10, ApproximateOptions{Threads: 1}); err != context.Canceled || g != nil {
			t.Errorf("cancelled at question %d of %d: got %v", left, asked, err)
		}
	}
}

func BenchmarkApproximate(b *testing.B) {
	for name, x := range map[string]Points{"smooth": smooth(50000, 50, 5, 3), "clusters": clusters(50000, 50), "few columns": smooth(50000, 6, 6, 3)} {
		b.Run(fmt.Sprintf("%s/n=%d/m=%d/k=15", name, x.N, x.M), func(b *testing.B) {
			var recall float64
			for b.Loop() {
				_, r, err := Approximate(context.Background(), x, 15, ApproximateOptions{Threads: 1, always: true})
				if err != nil {
					b.Fatal(err)
				}
				recall = r.Recall
			}
			b.ReportMetric(recall, "recall")
		})
	}
}
