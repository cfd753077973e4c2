package sparse

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// nearGraph joins samples of the unit cube in m dimensions that are closer than
// reach, with their distances as lengths.
func nearGraph(t testing.TB, n, m int, reach float64, seed uint64) *CSR {
	x := make([]float64, n*m)
	blas.NewStream(seed).Uniforms(x)
	var entries []Triplet
	for i := range n {
		for j := range i {
			d := math.Sqrt(blas.SquaredDistance(x[i*m:i*m+m], x[j*m:j*m+m]))
			if d < reach {
				entries = append(entries, Triplet{i, j, d}, Triplet{j, i, d})
			}
		}
	}
	a := must.Get(FromTriplets(n, n, entries))(t)
	return a
}

// floydWarshall is the cubic definition.
func floydWarshall(a *CSR) [][]float64 {
	n := a.Rows
	d := make([][]float64, n)
	for i := range d {
		d[i] = slices.Repeat([]float64{math.Inf(1)}, n)
		d[i][i] = 0
		cols, vals := a.Row(i)
		for p, j := range cols {
			d[i][j] = min(d[i][j], vals[p])
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				d[i][j] = min(d[i][j], d[i][k]+d[k][j])
			}
		}
	}
	return d
}

// bothWays prepares a graph for either way of searching.
func bothWays(t testing.TB, a *CSR) map[string]*Paths {
	perm := MinimumDegree(a)
	e := eliminate(a, perm, ByMinimumDegree)
	triangle := must.Get(eliminatePaths(context.Background(), a, e))(t)
	return map[string]*Paths{
		"triangle": {reordering: e.reordering, triangle: triangle},
		"dijkstra": {reordering: e.reordering, graph: a.permuted(e.reordering)},
	}
}

// allLengths collects the lengths between all vertices, in the order of the
// matrix.
func allLengths(t testing.TB, p *Paths, threads int, least func(int) int) [][]float64 {
	n := len(p.Order())
	d := make([][]float64, n)
	must.Do(t, p.Search(context.Background(), threads, n, least,
		func(q int, reach func(int, float64)) { reach(q, 0) },
		func(_, lo, hi int, length []float64) {
			first := 0
			if least != nil {
				first = least(lo)
			}
			for q := lo; q < hi; q++ {
				row := slices.Repeat([]float64{-1}, n)
				for v := first; v < n; v++ {
					row[p.Order()[v]] = length[v*blas.PathLanes+q-lo]
				}
				d[p.Order()[q]] = row
			}
		}))
	return d
}

func TestPathsAreShortest(t *testing.T) {
	zero := nearGraph(t, 60, 2, 0.3, 4)
	for i := range zero.Rows { // edges of length 0, as between equal samples
		cols, vals := zero.Row(i)
		for p, j := range cols {
			if (i+int(j))%3 == 0 {
				vals[p] = 0
			}
		}
	}
	long := nearGraph(t, 80, 2, 0.35, 5)
	for i := range long.Rows {
		cols, vals := long.Row(i)
		for p, j := range cols {
			vals[p] *= math.Pow(10, float64((i*int(j))%13)-6)
		}
	}
	for name, a := range map[string]*CSR{
		"plane": nearGraph(t, 200, 2, 0.13, 1), "space": nearGraph(t, 150, 3, 0.4, 2), "apart": nearGraph(t, 100, 2, 0.08, 3),
		"zeros": zero, "long and short": long, "one": {Rows: 1, Cols: 1, Ptr: []int{0, 0}}, "no edges": {Rows: 20, Cols: 20, Ptr: make([]int, 21)},
	} {
		want := floydWarshall(a)
		for way, p := range bothWays(t, a) {
			least := func(lo int) int { return lo }
			for part, got := range map[string][][]float64{"all": allLengths(t, p, 1, nil), "above": allLengths(t, p, 1, least)} {
				for i := range got {
					for j, d := range got[i] {
						if part == "above" && p.Place()[j] < p.Place()[i] {
							continue // not asked for
						}
						// Sums of up to n lengths, added in another order.
						if d != want[i][j] && !(math.Abs(d-want[i][j]) <= 1e-13*want[i][j]) {
							t.Fatalf("%s, %s, %s: from %d to %d it is %g, want %g", name, way, part, i, j, d, want[i][j])
						}
					}
					if got[i][i] != 0 {
						t.Fatalf("%s, %s: %d is at %g from itself", name, way, i, got[i][i])
					}
				}
			}
		}
	}
}

// A search may set out from several vertices with lengths behind it.
func TestPathsFromSeveral(t *testing.T) {
	a := nearGraph(t, 120, 2, 0.2, 7)
	d := floydWarshall(a)
	const count = 37
	for way, p := range bothWays(t, a) {
		must.Do(t, p.Search(context.Background(), 2, count, nil, func(q int, reach func(int, float64)) {
			for s := range 3 {
				reach(int(p.Place()[(q*7+s*11)%120]), 0.1*float64(s))
			}
		}, func(_, lo, hi int, length []float64) {
			for q := lo; q < hi; q++ {
				for j := range 120 {
					want := math.Inf(1)
					for s := range 3 {
						want = min(want, 0.1*float64(s)+d[(q*7+s*11)%120][j])
					}
					if got := length[int(p.Place()[j])*blas.PathLanes+q-lo]; got != want && !(math.Abs(got-want) <= 1e-13*want) {
						t.Errorf("%s: search %d to %d: %g, want %g", way, q, j, got, want)
					}
				}
			}
		}))
	}
}

func TestPathsSameBitsForAnyThreads(t *testing.T) {
	a := nearGraph(t, 300, 3, 0.25, 9)
	for way, p := range bothWays(t, a) {
		first := allLengths(t, p, 1, nil)
		for _, threads := range []int{2, 5} {
			if !slices.EqualFunc(first, allLengths(t, p, threads, nil), slices.Equal[[]float64]) {
				t.Errorf("%s: %d threads change the lengths", way, threads)
			}
		}
	}
}

func TestPathsChooseTheirWay(t *testing.T) {
	plane, dense := nearGraph(t, 1500, 2, 0.05, 1), nearGraph(t, 600, 12, 1.5, 1)
	for _, c := range []struct {
		a        *CSR
		searches int
		want     bool
	}{
		{plane, plane.Rows, true}, {plane, 16, true},
		{dense, 16, false}, // the elimination would take longer than a few searches
	} {
		p, err := NewPaths(context.Background(), c.a, c.searches)
		if err != nil || p.Eliminated() != c.want || p.Bytes() <= 0 {
			t.Errorf("%d entries, %d searches: eliminated %v, want %v (%v)", c.a.NNZ(), c.searches, p.Eliminated(), c.want, err)
		}
	}
}

func TestPathsRefuse(t *testing.T) {
	edge := func(v float64) *CSR {
		return &CSR{Rows: 2, Cols: 2, Ptr: []int{0, 1, 2}, Col: []int32{1, 0}, Val: []float64{v, v}}
	}
	for _, v := range []float64{-1, math.NaN(), math.Inf(1)} {
		must.Refuse(t, "has length "+fmt.Sprint(v))(NewPaths(context.Background(), edge(v), 2))
	}
	oneWay := &CSR{Rows: 2, Cols: 2, Ptr: []int{0, 1, 1}, Col: []int32{1}, Val: []float64{1}}
	if _, err := NewPaths(context.Background(), oneWay, 2); err == nil {
		t.Error("a graph of one-way edges was taken")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := NewPaths(ctx, edge(1), 2); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func BenchmarkPaths(b *testing.B) {
	for _, m := range []int{2, 3, 6} {
		reach := map[int]float64{2: 0.03, 3: 0.088, 6: 0.45}[m]
		a := nearGraph(b, 5000, m, reach, 1)
		for way, p := range bothWays(b, a) {
			b.Run(fmt.Sprintf("m=%d/%s", m, way), func(b *testing.B) {
				arcs := a.NNZ()
				if p.triangle != nil {
					arcs = len(p.triangle.row)
				}
				for b.Loop() {
					err := p.Search(context.Background(), 1, 1600, nil,
						func(q int, reach func(int, float64)) { reach(q*3, 0) }, func(int, int, int, []float64) {})
					if err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(arcs), "arcs")
				b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/1600*1e6, "µs/search")
			})
		}
	}
}
