package neighbors

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

var sources = map[string]func(n, m int) Points{
	"normal": func(n, m int) Points {
		x := Points{N: n, M: m, Data: make([]float64, n*m)}
		blas.NewStream(7).Normals(x.Data)
		return x
	},
	"grid": func(n, m int) Points { // full of exact ties and duplicates
		x := Points{N: n, M: m, Data: make([]float64, n*m)}
		s := blas.NewStream(8)
		for i := range x.Data {
			x.Data[i] = float64(s.Below(3))
		}
		return x
	},
	"far from the origin": func(n, m int) Points { // products lose seven digits uncentred
		x := Points{N: n, M: m, Data: make([]float64, n*m)}
		blas.NewStream(9).Normals(x.Data)
		for i := range x.Data {
			x.Data[i] += 1e7
		}
		return x
	},
	"two scales": func(n, m int) Points { // centring does not help here
		x := Points{N: n, M: m, Data: make([]float64, n*m)}
		blas.NewStream(10).Normals(x.Data)
		for i := range x.N {
			if i%2 == 0 {
				blas.Scale(1e-6, x.Row(i))
				x.Row(i)[0] += 1e3
			}
		}
		return x
	},
	"tight clusters": func(n, m int) Points { // single precision does not separate their points
		x := Points{N: n, M: m, Data: make([]float64, n*m)}
		s := blas.NewStream(11)
		s.Normals(x.Data)
		for i := range x.N {
			blas.Scale(1e-5, x.Row(i))
			x.Row(i)[0] += float64(s.Below(2))
		}
		return x
	},
	"huge":      func(n, m int) Points { return clumped(n, m, 1e140) },
	"tiny":      func(n, m int) Points { return clumped(n, m, 1e-150) },
	"all equal": func(n, m int) Points { return Points{N: n, M: m, Data: slices.Repeat([]float64{0.1}, n*m)} },
}

func clumped(n, m int, by float64) Points {
	x := Points{N: n, M: m, Data: make([]float64, n*m)}
	blas.NewStream(12).Normals(x.Data)
	blas.Scale(by, x.Data)
	return x
}

// bruteForce sorts all others by (distance, index).
func bruteForce(x Points, k int) *Graph {
	g := newGraph(x.N, k)
	order := make([]int32, 0, x.N)
	for i := range x.N {
		order = order[:0]
		square := make([]float64, x.N)
		for j := range x.N {
			if j != i {
				order = append(order, int32(j))
				square[j] = blas.SquaredDistance(x.Row(i), x.Row(j))
			}
		}
		slices.SortStableFunc(order, func(a, b int32) int {
			if square[a] < square[b] {
				return -1
			} else if square[a] > square[b] {
				return 1
			}
			return int(a - b)
		})
		copy(g.Of(i), order)
		for p, j := range order[:k] {
			g.Distances(i)[p] = math.Sqrt(square[j])
		}
	}
	return g
}

func TestExactEqualsBruteForce(t *testing.T) {
	for name, source := range sources {
		t.Run(name, func(t *testing.T) {
			for _, c := range []struct{ n, m, k int }{{2, 1, 1}, {13, 1, 12}, {200, 2, 7}, {300, 3, 12}, {257, 5, 40}, {600, 17, 10}, {520, 40, 33}, {64, 100, 63}, {300, 300, 5}} {
				x := source(c.n, c.m)
				want := bruteForce(x, c.k)
				for _, how := range []method{tree, blocked, coded} {
					for _, threads := range []int{1, 3} {
						if testing.Short() && threads == 1 {
							continue
						}
						got, err := Exact(context.Background(), x, c.k, Options{Threads: threads, method: how})
						if err != nil {
							t.Fatal(err)
						}
						if !slices.Equal(got.Index, want.Index) || !slices.Equal(got.Dist, want.Dist) {
							t.Errorf("%s n=%d m=%d k=%d method %d, %d threads: differs from brute force", name, c.n, c.m, c.k, how, threads)
						}
					}
				}
			}
		})
	}
}

// Data that single precision cannot distinguish are searched in double.
func TestSinglePrecisionGivesUp(t *testing.T) {
	kernels := blas.MustSelect("auto")
	if !kernels.Single() {
		t.Skip("products are in double precision here")
	}
	x := sources["tight clusters"](1600, 20)
	want := bruteForce(x, 8)
	got, err := Exact(context.Background(), x, 8, Options{Kernels: kernels, method: blocked})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Index, want.Index) || !slices.Equal(got.Dist, want.Dist) {
		t.Error("differs from brute force")
	}
	rows := centred{x.Stored(), columnMeans(x.Stored())}
	s := newSingleSearch(rows, rows.squares())
	s.judge(1, 100, 100, 8)
	if s.judge(6, 25, 100, 8); s.doubtful.Load() {
		t.Error("given up for lists under way or for few measurements")
	}
	if s.judge(6, 26, 100, 8); !s.doubtful.Load() {
		t.Error("not given up")
	}
}

func TestExactRefuses(t *testing.T) {
	ok := sources["normal"](10, 3)
	nan, huge := sources["normal"](10, 3), sources["normal"](10, 3)
	nan.Data[16], huge.Data[3] = math.NaN(), 1.5e308
	huge.Data[6] = -1e308
	for _, c := range []struct {
		x    Points
		k    int
		want string
	}{
		{ok, 0, "0 neighbours requested of 10 samples"},
		{ok, 10, "from 1 to 9"},
		{Points{N: 1, M: 1, Data: []float64{1}}, 1, "at least 2"},
		{nan, 2, "row 6, column 2 (counting from 1) is NaN"},
		{huge, 9, "row 2, column 1 (counting from 1) is 1.5e+308, the largest entry, and distances overflow; divide the data by 10"},
	} {
		t.Run(c.want, func(t *testing.T) {
			if _, err := Exact(context.Background(), c.x, c.k, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestExactStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, m := range []int{2, 30} {
		t.Run(fmt.Sprintf("m=%d", m), func(t *testing.T) {
			if _, err := Exact(ctx, sources["normal"](100, m), 3, Options{}); err != context.Canceled {
				t.Errorf("m=%d: got %v", m, err)
			}
		})
	}
}

func TestGraph(t *testing.T) {
	// Two pairs, and a point that lists one of them without being listed.
	g := &Graph{Ptr: []int{0, 1, 2, 3, 4, 5}, Index: []int32{1, 0, 4, 0, 2}, Dist: []float64{1, 1, 2, 5, 2}}
	label, sizes := g.Components()
	if !slices.Equal(label, []int{0, 0, 1, 0, 1}) || !slices.Equal(sizes, []int{3, 2}) {
		t.Errorf("labels %v, sizes %v", label, sizes)
	}
	if got := g.Mutual(); !slices.Equal(got, []bool{true, true, true, false, true}) {
		t.Errorf("mutual %v", got)
	}
	r := g.Restrict([]int{2, 4})
	if !slices.Equal(r.Index, []int32{1, 0}) || !slices.Equal(r.Dist, []float64{2, 2}) {
		t.Errorf("restricted %v %v", r.Index, r.Dist)
	}
	// Distances where there are no weights, the columns of a row ascending.
	far := &Graph{Ptr: []int{0, 2, 2, 3}, Index: []int32{2, 1, 0}, Dist: []float64{1, 4, 1}}
	if a, err := far.Matrix(); err != nil || !mat.Equal(a, mat.NewDense(3, 3, []float64{0, 4, 1, 0, 0, 0, 1, 0, 0})) {
		t.Errorf("distances %v, %v", a, err)
	}
	far.Weight = []float64{0.75, 0.25, 1}
	if a, err := far.Matrix(); err != nil || !slices.Equal(a.Val, []float64{0.25, 0.75, 1}) || !slices.Equal(a.Col, []int32{1, 2, 0}) {
		t.Errorf("weights %v, %v", a, err)
	}
	far.Index[0] = 3
	if _, err := far.Matrix(); err == nil {
		t.Error("a neighbour outside the graph was taken")
	}
	far.Index[0], far.Weight = 2, nil
	if _, err := far.WithoutDistances().Matrix(); err == nil {
		t.Error("lists without distances became a matrix of them")
	}
	full := bruteForce(sources["normal"](30, 3), 8)
	if want := bruteForce(sources["normal"](30, 3), 5); !slices.Equal(full.Truncated(5).Index, want.Index) {
		t.Error("truncated to 5 differs from a search for 5")
	}
}

func BenchmarkExact(b *testing.B) {
	for _, c := range []struct{ n, m, k int }{{20000, 3, 12}, {20000, 6, 12}, {20000, 8, 12}, {20000, 10, 12}, {20000, 12, 12}, {20000, 16, 12}, {11000, 256, 20}} {
		x := Points{N: c.n, M: c.m, Data: make([]float64, c.n*c.m)}
		blas.NewStream(7).Uniforms(x.Data)
		for how, name := range map[method]string{tree: "tree", blocked: "blocked"} {
			if how == tree && c.m > 16 || how == blocked && c.m < 6 {
				continue
			}
			b.Run(fmt.Sprintf("%s/n=%d/m=%d/k=%d", name, c.n, c.m, c.k), func(b *testing.B) {
				for b.Loop() {
					if _, err := Exact(context.Background(), x, c.k, Options{Threads: 1, method: how}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
