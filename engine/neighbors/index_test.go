package neighbors

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

func TestSearchEqualsBruteForce(t *testing.T) {
	for name, source := range sources {
		t.Run(name, func(t *testing.T) {
			for _, c := range []struct{ n, queries, m, k int }{{1, 3, 2, 1}, {40, 7, 1, 40}, {300, 80, 3, 12}, {600, 300, 17, 10}, {520, 30, 40, 33}} {
				all := source(c.n+c.queries, c.m)
				reference := Points{N: c.n, M: c.m, Data: all.Data[:c.n*c.m]}
				queries := Points{N: c.queries, M: c.m, Data: all.Data[c.n*c.m:]}
				for _, how := range []method{tree, blocked} {
					for _, threads := range []int{1, 3} {
						g, err := Search(context.Background(), reference, queries, c.k, Options{Threads: threads, method: how})
						if err != nil {
							t.Fatal(err)
						}
						for i := range c.queries {
							order := make([]int32, c.n)
							square := make([]float64, c.n)
							for j := range order {
								order[j], square[j] = int32(j), blas.SquaredDistance(queries.Row(i), reference.Row(j))
							}
							slices.SortFunc(order, func(a, b int32) int {
								if before(square[a], a, square[b], b) {
									return -1
								}
								return 1
							})
							if !slices.Equal(g.Of(i), order[:c.k]) || g.Distances(i)[c.k-1] != math.Sqrt(square[order[c.k-1]]) {
								t.Fatalf("%s %+v method %d: query %d finds %v, want %v", name, c, how, i, g.Of(i), order[:c.k])
							}
						}
					}
				}
			}
		})
	}
}

func TestSearchRefuses(t *testing.T) {
	x := sources["normal"](10, 3)
	for _, c := range []struct {
		queries Points
		k       int
	}{{x, 0}, {x, 11}, {sources["normal"](4, 2), 3}, {Points{N: 1, M: 3, Data: []float64{1, 2, math.NaN()}}, 2}} {
		if _, err := Search(context.Background(), x, c.queries, c.k, Options{}); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
}

// nearestByHand is the list of one query, by definition.
func nearestByHand(reference Points, point []float64, k int) []int32 {
	order, square := make([]int32, reference.N), make([]float64, reference.N)
	for j := range order {
		order[j], square[j] = int32(j), blas.SquaredDistance(point, reference.Row(j))
	}
	slices.SortFunc(order, func(a, b int32) int {
		if before(square[a], a, square[b], b) {
			return -1
		}
		return 1
	})
	return order[:k]
}

// One index answers block after block, the same for any cut into blocks, any
// number of threads and either precision, also for queries far outside: among
// them some that single precision cannot hold.
func TestIndexIsTheSameForAnyBlocks(t *testing.T) {
	for name, source := range sources {
		t.Run(name, func(t *testing.T) {
			for _, m := range []int{3, 20} {
				all := source(2300, m)
				reference := Points{N: 1500, M: m, Data: all.Data[:1500*m]}
				queries := Points{N: 800, M: m, Data: slices.Clone(all.Data[1500*m:])}
				for i, stretch := range []float64{1e3, 1e6, 1e12, 1e40, 1e80, 1e120} {
					for c := range queries.Row(100 * i) {
						queries.Row(100 * i)[c] = min(max(queries.Row(100 * i)[c]*stretch, -1e149), 1e149)
					}
				}
				for _, k := range []int{1, 12, 40} {
					if testing.Short() && k != 12 {
						continue
					}
					for _, backend := range []string{"auto", "gonum"} {
						for _, block := range []int{800, 256, 37} {
							if backend == "gonum" && block != 256 {
								continue // slow
							}
							index, err := NewIndex(reference, Options{Threads: 1 + block%3, Kernels: blas.MustSelect(backend)})
							if err != nil {
								t.Fatal(err)
							}
							for lo := 0; lo < queries.N; lo += block {
								hi := min(lo+block, queries.N)
								g, err := index.Search(context.Background(), Points{N: hi - lo, M: m, Data: queries.Data[lo*m : hi*m]}, k)
								if err != nil {
									t.Fatal(err)
								}
								for i := lo; i < hi; i += 50 {
									if want := nearestByHand(reference, queries.Row(i), k); !slices.Equal(g.Of(i-lo), want) {
										t.Fatalf("%s, %d columns, k = %d, %s, blocks of %d: query %d finds %v, want %v", name, m, k, backend, block, i, g.Of(i-lo), want)
									}
								}
							}
						}
					}
				}
			}
		})
	}
}

// Tight clusters far apart are what single precision does not separate: the
// index then goes on in double precision.
func TestIndexGivesSinglePrecisionUp(t *testing.T) {
	x := Points{N: 2000, M: 12, Data: make([]float64, 2000*12)}
	s := blas.NewStream(3)
	s.Normals(x.Data)
	for i := range x.N {
		for c := range x.Row(i) {
			x.Row(i)[c] = x.Row(i)[c]*1e-7 + float64(i%2)
		}
	}
	index, err := NewIndex(x, Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		g, err := index.Search(context.Background(), x, 5)
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.N {
			if want := nearestByHand(x, x.Row(i), 5); !slices.Equal(g.Of(i), want) {
				t.Fatalf("sample %d finds %v, want %v", i, g.Of(i), want)
			}
		}
	}
	if index.single != nil && !index.doubtful.Load() {
		t.Error("single precision was kept although it lets whole clusters through")
	}
}

func TestIndexRefuses(t *testing.T) {
	x := sources["normal"](10, 3)
	if _, err := NewIndex(Points{M: 3}, Options{}); err == nil {
		t.Error("an index of no samples")
	}
	if _, err := NewIndex(Points{N: 1, M: 1, Data: []float64{math.Inf(1)}}, Options{}); err == nil {
		t.Error("an index of an infinity")
	}
	index, err := NewIndex(x, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := index.Search(context.Background(), sources["normal"](2, 4), 1); err == nil {
		t.Error("queries of other columns")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := index.Search(ctx, x, 2); err != context.Canceled {
		t.Errorf("got %v of a cancelled search", err)
	}
}

// BenchmarkIndex searches 20 000 queries of 50 columns among 20 000 samples, the
// work of a transform.
func BenchmarkIndex(b *testing.B) {
	x, queries := sources["normal"](20000, 50), sources["normal"](20000, 50)
	index, err := NewIndex(x, Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := index.Search(context.Background(), queries, 12); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(queries.N*b.N)/b.Elapsed().Seconds(), "queries/s")
}

// Queries one at a time and all at once find the same by bytes, those out of the samples' range included.
func TestIndexSearchesByBytes(t *testing.T) {
	x, queries := whole(smooth(9000, 40, 5, 3)), smooth(300, 40, 5, 4)
	blas.Scale(10, queries.Row(7))
	index, err := NewIndex(x, Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	all, err := index.Search(t.Context(), queries, 15)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < queries.N; i += 7 {
		one, err := index.Search(t.Context(), Points{1, 40, queries.Row(i)}, 15)
		if err != nil {
			t.Fatal(err)
		}
		if want := nearestByHand(x, queries.Row(i), 15); !slices.Equal(one.Of(0), want) || !slices.Equal(all.Of(i), want) {
			t.Fatalf("query %d finds %v alone and %v among all, want %v", i, one.Of(0), all.Of(i), want)
		}
	}
	if index.coded != nil && index.unclear.Load() {
		t.Error("bytes were given up")
	}
}
