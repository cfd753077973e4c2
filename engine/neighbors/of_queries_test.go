package neighbors

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// someRows are n samples of whole numbers, so that some are equally far, with zeros among them.
func someRows(random *rand.Rand, n, m, most int) *mat.Dense {
	x := mat.NewDense(n, m, nil)
	for i := range n {
		for j := range m {
			if random.IntN(3) > 0 {
				x.Set(i, j, float64(random.IntN(2*most+1)-most))
			}
		}
		x.Set(i, random.IntN(m), 1) // none has no direction
	}
	return x
}

// rankedOf are the samples by their distance from a query, ties by the lower index.
func rankedOf(x, y *mat.Dense, m Metric, i int) []found {
	n, _ := x.Dims()
	list := make([]found, n)
	for j := range n {
		list[j] = found{int32(j), byDefinition(m, y.RawRowView(i), x.RawRowView(j))}
	}
	slices.SortStableFunc(list, func(a, b found) int {
		if a.dist < b.dist {
			return -1
		}
		if a.dist > b.dist {
			return 1
		}
		return 0
	})
	return list
}

func TestQueriesByAnyMetric(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for _, m := range []int{3, 40} {
		x, y := someRows(random, 210, m, 9), someRows(random, 50, m, 9)
		for _, metric := range signed {
			a, _ := compressedRows(x)
			b, _ := compressedRows(y)
			storages := [][2]mat.Matrix{{x, y}, {a, b}, {a, y}, {x, b}}
			if metric == Correlation && m == 3 {
				continue // some rows are constant
			}
			for _, s := range storages {
				var first *Graph
				for _, threads := range []int{1, 3} {
					g, err := NearestOf(context.Background(), s[0], s[1], 7, metric, Options{Threads: threads})
					if err != nil {
						t.Fatalf("%s, %T, %T: %v", metric, s[0], s[1], err)
					}
					if first == nil {
						first = g
					} else if !slices.Equal(first.Index, g.Index) || !slices.Equal(first.Dist, g.Dist) {
						t.Errorf("%s, %T: other bits with %d threads", metric, s[0], threads)
					}
					within, err := WithinOf(context.Background(), s[0], s[1], medianOf(first.Dist), metric, WithinOptions{Options: Options{Threads: threads}})
					if err != nil {
						t.Fatal(err)
					}
					for i := range 50 {
						want := rankedOf(x, y, metric, i)
						for q, d := range g.Distances(i) {
							if math.Abs(d-want[q].dist) > 1e-12*(1+d) || math.Abs(d-byDefinition(metric, y.RawRowView(i), x.RawRowView(int(g.Of(i)[q])))) > 1e-12*(1+d) {
								t.Fatalf("%s, %T: neighbour %d of query %d is %d at %v, want %v", metric, s[0], q, i, g.Of(i)[q], d, want[q])
							}
						}
						for q, d := range within.Distances(i) {
							if math.Abs(d-want[q].dist) > 1e-12*(1+d) || d > medianOf(first.Dist) {
								t.Fatalf("%s, %T: within the radius neighbour %d of query %d is at %v, want %v", metric, s[0], q, i, d, want[q])
							}
						}
						if end := len(within.Of(i)); end < len(want) && want[end].dist < medianOf(first.Dist)*(1-1e-9) {
							t.Errorf("%s, %T: query %d is without the sample at %v", metric, s[0], i, want[end].dist)
						}
					}
				}
			}
		}
	}
}

func medianOf(x []float64) float64 { return slices.Sorted(slices.Values(x))[len(x)/2] }

func TestQueryRefusals(t *testing.T) {
	x, y := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6}), mat.NewDense(1, 2, []float64{1, 1})
	nan, wide := mat.NewDense(1, 2, []float64{math.NaN(), 1}), mat.NewDense(1, 3, []float64{1, 1, 1})
	a, _ := compressedRows(x)
	for name, c := range map[string]struct {
		x, y   mat.Matrix
		k      int
		metric Metric
	}{
		"k":                   {x, y, 4, Manhattan},
		"k of products":       {x, y, 4, Euclidean},
		"columns":             {x, wide, 1, Chebyshev},
		"columns, sparse":     {a, wide, 1, Euclidean},
		"a query":             {x, nan, 1, Manhattan},
		"a query of products": {x, nan, 1, Cosine},
		"sparse by haversine": {a, y, 1, Haversine},
		"a type":              {mat.NewDiagDense(2, []float64{1, 1}), y, 1, Euclidean},
		"no metric":           {x, y, 1, "none"},
		"rows out of order":   {&sparse.CSR{Rows: 1, Cols: 2, Ptr: []int{0, 5}}, y, 1, Euclidean},
	} {
		if _, err := NearestOf(context.Background(), c.x, c.y, c.k, c.metric, Options{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := WithinOf(context.Background(), x, y, math.NaN(), Euclidean, WithinOptions{Options: Options{}}); err == nil {
		t.Error("no radius: no error")
	}
}
