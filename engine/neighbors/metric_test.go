package neighbors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// byDefinition is the distance of two rows as the metric defines it.
func byDefinition(m Metric, u, v []float64) float64 {
	var sum, most, uu, vv, uv, mu, mv float64
	differ, both, either := 0, 0, 0
	for j := range u {
		mu, mv = mu+u[j]/float64(len(u)), mv+v[j]/float64(len(u))
	}
	if m != Correlation {
		mu, mv = 0, 0
	}
	for j := range u {
		d := math.Abs(u[j] - v[j])
		most = max(most, d)
		uu, vv, uv = uu+(u[j]-mu)*(u[j]-mu), vv+(v[j]-mv)*(v[j]-mv), uv+(u[j]-mu)*(v[j]-mv)
		if m == Euclidean {
			d *= d
		}
		sum += d
		if u[j] != v[j] {
			differ++
		}
		if u[j] != 0 && v[j] != 0 {
			both++
		}
		if u[j] != 0 || v[j] != 0 {
			either++
		}
	}
	switch m {
	case Euclidean:
		return math.Sqrt(sum)
	case Cosine, Correlation:
		return 1 - uv/math.Sqrt(uu*vv)
	case Manhattan:
		return sum
	case Chebyshev:
		return most
	case Hamming:
		return float64(differ) / float64(len(u))
	}
	tt, one, n := float64(both), float64(either-both), float64(len(u))
	var over, under float64
	switch m {
	case Canberra:
		for j := range u {
			if d := math.Abs(u[j]) + math.Abs(v[j]); d > 0 {
				over += math.Abs(u[j]-v[j]) / d
			}
		}
		return over
	case Jaccard:
		over, under = one, float64(either)
	case Dice:
		over, under = one, 2*tt+one
	case RogersTanimoto, SokalMichener:
		over, under = 2*one, n-one+2*one
	case RussellRao:
		over, under = n-tt, n
	case SokalSneath:
		over, under = 2*one, tt+2*one
	case Kulsinski:
		over, under = one-tt+n, one+n
	case Yule:
		tf, ft := 0.0, 0.0
		for j := range u {
			if u[j] != 0 && v[j] == 0 {
				tf++
			}
			if u[j] == 0 && v[j] != 0 {
				ft++
			}
		}
		over, under = 2*tf*ft, tt*(n-one-tt)+tf*ft
	}
	if over == 0 {
		return 0
	}
	return over / under
}

// signed are the metrics of samples of any sign and number of columns.
var signed = slices.DeleteFunc(slices.Clone(metrics), func(m Metric) bool { return m == BrayCurtis || m == Haversine || m == InnerProduct })

// metricData are samples of this many columns: small whole numbers, with copies and many ties,
// no row of them constant.
func metricData(n, m int) Points {
	x, s := Points{n, m, make([]float64, n*m)}, blas.NewStream(uint64(n*m))
	for i := range n {
		row := x.Row(i)
		for j := range row {
			if s.Uniform() < 0.6 {
				row[j] = float64(s.Below(5) - 2)
			}
		}
		row[0], row[m-1] = 3, float64(s.Below(3))
		if i%9 == 5 {
			copy(row, x.Row(i-3))
		}
	}
	return x
}

func compressed(x Points) *sparse.CSR {
	a := &sparse.CSR{Rows: x.N, Cols: x.M, Ptr: []int{0}}
	for i := range x.N {
		for j, v := range x.Row(i) {
			if v != 0 || (i+j)%7 == 0 { // zeros may be stored
				a.Col, a.Val = append(a.Col, int32(j)), append(a.Val, v)
			}
		}
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	return a
}

// ranked are all others by their distance and number.
func ranked(x Points, m Metric, i int) []found {
	var list []found
	for j := range x.N {
		if j != i {
			list = append(list, found{int32(j), byDefinition(m, x.Row(i), x.Row(j))})
		}
	}
	slices.SortFunc(list, func(a, b found) int { return cmp.Or(cmp.Compare(a.dist, b.dist), cmp.Compare(a.index, b.index)) })
	return list
}

// checkAgainst holds a list to the ranked others: the same distances, each the distance of its
// sample, up to rounding.
func checkAgainst(t *testing.T, what string, x Points, m Metric, i int, index []int32, dist []float64, want []found) {
	t.Helper()
	if len(index) != len(want) {
		t.Errorf("%s: sample %d has %d neighbours, want %d", what, i, len(index), len(want))
		return
	}
	for q, j := range index {
		if math.Abs(dist[q]-want[q].dist) > 1e-13*(1+want[q].dist) || math.Abs(dist[q]-byDefinition(m, x.Row(i), x.Row(int(j)))) > 1e-13*(1+dist[q]) || int(j) == i {
			t.Errorf("%s: neighbour %d of sample %d is %d at %v, want %v", what, q, i, j, dist[q], want[q])
			return
		}
	}
}

func TestNearestByAnyMetric(t *testing.T) {
	ctx := context.Background()
	for _, m := range signed {
		for _, shape := range [][2]int{{2, 2}, {40, 2}, {150, 10}, {120, 130}} {
			x := metricData(shape[0], shape[1])
			k := min(7, x.N-1)
			what := fmt.Sprintf("%s %v", m, shape)
			g, err := Nearest(ctx, x, k, m, Options{Threads: 1})
			if err != nil {
				t.Fatal(what, err)
			}
			for i := range x.N {
				checkAgainst(t, what, x, m, i, g.Of(i), g.Distances(i), ranked(x, m, i)[:k])
			}
			many, err := Nearest(ctx, x, k, m, Options{Threads: 5})
			if err != nil || !slices.Equal(many.Index, g.Index) || !slices.Equal(many.Dist, g.Dist) {
				t.Errorf("%s: other lists on five threads, %v", what, err)
			}
			s, err := NearestSparse(ctx, compressed(x), k, m, Options{Threads: 3})
			if err != nil {
				t.Fatal(what, err)
			}
			for i := range x.N {
				checkAgainst(t, what+" sparse", x, m, i, s.Of(i), s.Distances(i), ranked(x, m, i)[:k])
			}
			if exact := m == Hamming || m == Jaccard; exact && !slices.Equal(s.Index, g.Index) {
				t.Errorf("%s: sparse samples have other neighbours", what)
			}
		}
	}
}

// The nearest by inner product have the largest, and minus that for a distance.
func TestNearestByInnerProduct(t *testing.T) {
	ctx := context.Background()
	for _, e := range []int{0, -200, 200} {
		x := metricData(90, 11)
		for i := range x.Data {
			x.Data[i] = math.Ldexp(x.Data[i], e)
		}
		g, err := Nearest(ctx, x, 5, InnerProduct, Options{Threads: 3})
		if err != nil {
			t.Fatal(err)
		}
		s, err := NearestSparse(ctx, compressed(x), 5, InnerProduct, Options{Threads: 1})
		if err != nil || !slices.Equal(s.Index, g.Index) || !slices.Equal(s.Dist, g.Dist) {
			t.Errorf("2^%d: sparse samples have other neighbours, %v", e, err)
		}
		dense := mat.NewDense(x.N, x.M, x.Data)
		q, err := NearestOf(ctx, dense, dense, 6, InnerProduct, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.N {
			var want []found
			for j := range x.N {
				want = append(want, found{int32(j), -blas.Dot(x.Row(i), x.Row(j))})
			}
			slices.SortStableFunc(want, func(a, b found) int { return cmp.Compare(a.dist, b.dist) })
			for p, w := range want[:6] {
				if q.Of(i)[p] != w.index || q.Distances(i)[p] != w.dist {
					t.Fatalf("2^%d: neighbour %d of query %d is %d at %v, want %v", e, p, i, q.Of(i)[p], q.Distances(i)[p], w)
				}
			}
			want = slices.DeleteFunc(want, func(w found) bool { return int(w.index) == i })
			for p, w := range want[:5] {
				if g.Of(i)[p] != w.index || g.Distances(i)[p] != w.dist {
					t.Fatalf("2^%d: neighbour %d of sample %d is %d at %v, want %v", e, p, i, g.Of(i)[p], g.Distances(i)[p], w)
				}
			}
		}
	}
}

func TestMetricNames(t *testing.T) {
	for name, want := range map[string]Metric{"l1": Manhattan, "cityblock": Manhattan, "L2": Euclidean, "linf": Chebyshev, "Bray_Curtis": BrayCurtis, "innerproduct": InnerProduct, "minkowski=1.5": Minkowski(1.5)} {
		if got, err := MetricNamed(name); err != nil || got != want {
			t.Errorf("%s is %s, %v", name, got, err)
		}
	}
	inUnit := []Metric{Euclidean, Manhattan, Chebyshev, Minkowski(3)}
	for _, m := range append(slices.Clone(metrics), Minkowski(3)) {
		if m.InUnit() != slices.Contains(inUnit, m) {
			t.Errorf("%s: %v", m, m.InUnit())
		}
	}
}

func TestWithinByAnyMetric(t *testing.T) {
	ctx := context.Background()
	for _, m := range signed {
		for _, shape := range [][2]int{{1, 2}, {60, 2}, {300, 3}, {150, 10}, {120, 130}} {
			x := metricData(shape[0], shape[1])
			all := make([][]found, x.N)
			for i := range all {
				all[i] = ranked(x, m, i)
			}
			for _, share := range []float64{0, 0.02, 0.3} {
				// Between two distances, so that rounding decides nothing; 0: copies alone.
				radius, sample := 0.0, []float64{0}
				for i := range min(x.N, 20) {
					for _, e := range all[i] {
						sample = append(sample, max(e.dist, 0))
					}
				}
				slices.Sort(sample)
				if at := int(share * float64(len(sample))); share > 0 {
					radius = sample[at] + 1e-9
				}
				what := fmt.Sprintf("%s %v within %g", m, shape, radius)
				g, err := Within(ctx, x, radius, m, WithinOptions{Options: Options{Threads: 1}})
				if err != nil {
					t.Fatal(what, err)
				}
				lists := make([][]found, x.N)
				for i := range x.N {
					for _, e := range all[i] {
						if e.dist <= radius+1e-12 {
							lists[i] = append(lists[i], e)
						}
					}
					if m.directional() && radius == 0 { // rounding decides which copies are copies
						continue
					}
					checkAgainst(t, what, x, m, i, g.Of(i), g.Distances(i), lists[i])
				}
				many, err := Within(ctx, x, radius, m, WithinOptions{Options: Options{Threads: 5}, Edges: int64(len(g.Index)) + 1})
				if err != nil || !slices.Equal(many.Index, g.Index) || !slices.Equal(many.Dist, g.Dist) || !slices.Equal(many.Ptr, g.Ptr) {
					t.Errorf("%s: other lists on five threads, %v", what, err)
				}
				if len(g.Index) > 40 {
					var edges *EdgesError
					if _, err := Within(ctx, x, radius, m, WithinOptions{Edges: int64(len(g.Index)) / 3}); !errors.As(err, &edges) || edges.Most != int64(len(g.Index))/3 || edges.Edges <= edges.Most {
						t.Errorf("%s: beyond the limit: %v", what, err)
					}
				}
				if m == Manhattan || m == Chebyshev || m.directional() && radius == 0 {
					continue
				}
				s, err := WithinSparse(ctx, compressed(x), radius, m, WithinOptions{Options: Options{Threads: 2}})
				if err != nil {
					t.Fatal(what, err)
				}
				for i := range x.N {
					checkAgainst(t, what+" sparse", x, m, i, s.Of(i), s.Distances(i), lists[i])
				}
			}
		}
	}
}

// Samples of any unit have the neighbours of ordinary ones.
func TestMetricsOfAnyUnit(t *testing.T) {
	x := metricData(80, 12)
	for _, m := range signed {
		want, err := Within(context.Background(), x, 1.5, m, WithinOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []int{600, -600} {
			y := Points{x.N, x.M, slices.Clone(x.Data)}
			for i := range y.Data {
				y.Data[i] = math.Ldexp(y.Data[i], e)
			}
			radius := 1.5
			if m == Euclidean || m == Manhattan || m == Chebyshev {
				radius = math.Ldexp(1.5, e)
			}
			got, err := Within(context.Background(), y, radius, m, WithinOptions{})
			if err != nil || !slices.Equal(got.Index, want.Index) {
				t.Errorf("%s, 2^%d: other neighbours, %v", m, e, err)
			}
		}
	}
}

func TestMetricRefusals(t *testing.T) {
	ctx := context.Background()
	x := metricData(20, 4)
	nan := Points{2, 2, []float64{1, 2, math.NaN(), 4}}
	within := func(x Points, r float64, m Metric) error {
		_, err := Within(ctx, x, r, m, WithinOptions{})
		return err
	}
	nearest := func(x Points, k int, m Metric) error {
		_, err := Nearest(ctx, x, k, m, Options{})
		return err
	}
	_, named := MetricNamed("cosin")
	_, sparseFar := WithinSparse(ctx, compressed(x), -1, Jaccard, WithinOptions{})
	_, sparseMany := NearestSparse(ctx, compressed(x), 20, Jaccard, Options{})
	_, _, approximately := ApproximateBy(ctx, x.Stored(), 3, Jaccard, ApproximateOptions{})
	for want, err := range map[string]error{
		"inner-product gives no distances":                     within(x, 1, InnerProduct),
		"not jaccard; use one of these":                        approximately,
		`no metric "cosin" (did you mean "cosine"?)`:           named,
		"the radius is -1":                                     within(x, -1, Euclidean),
		"the radius is NaN":                                    within(x, math.NaN(), Manhattan),
		"the radius is +Inf":                                   within(x, math.Inf(1), Cosine),
		"row 2, column 1 (counting from 1) is NaN":             nearest(nan, 1, Hamming),
		"20 neighbours requested of 20 samples":                nearest(x, 20, Manhattan),
		`there is no metric "angle"`:                           nearest(x, 2, "angle"),
		"the radius is -1; give":                               sparseFar,
		"20 neighbours requested of 20 samples; give a number": sparseMany,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Within(cancelled, metricData(3000, 20), 1, Euclidean, WithinOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A row without direction is at 1 from all that have one and at 0 from the others without, in every search.
func TestRowsWithoutDirection(t *testing.T) {
	ctx := context.Background()
	for metric, fill := range map[Metric]float64{Cosine: 0, Correlation: 3} {
		for _, m := range []int{3, 40} {
			x := metricData(30, m)
			x = Points{x.N, x.M, slices.Clone(x.Data)}
			none := []int{4, 17, 29}
			for _, i := range none {
				for j := range m {
					x.Row(i)[j] = fill
				}
			}
			checked := func(what string, g *Graph, err error) {
				t.Helper()
				if err != nil {
					t.Fatalf("%s of %d columns, %s: %v", metric, m, what, err)
				}
				for i := range g.Len() {
					for p, j := range g.Of(i) {
						want, of := 1.0, slices.Contains(none, i)
						if of != slices.Contains(none, int(j)) {
						} else if of {
							want = 0
						} else {
							continue
						}
						if d := g.Distances(i)[p]; math.Abs(d-want) > 1e-12 {
							t.Errorf("%s of %d columns, %s: row %d is %v from row %d, want %v", metric, m, what, i, d, j, want)
						}
					}
				}
			}
			g, err := Nearest(ctx, x, 29, metric, Options{})
			checked("nearest", g, err)
			g, err = Within(ctx, x, 1.5, metric, WithinOptions{})
			checked("within", g, err)
			g, err = NearestOf(ctx, mat.NewDense(x.N, x.M, x.Data), mat.NewDense(x.N, x.M, x.Data), 30, metric, Options{})
			checked("of queries", g, err)
			with := mat.NewDense(3, m, slices.Concat(x.Row(0), x.Row(1), x.Row(2)))
			if _, err := NearestOf(ctx, with, mat.NewDense(1, m, x.Row(4)), 2, metric, Options{}); err != nil {
				t.Errorf("%s: a query without direction: %v", metric, err)
			}
			if metric == Cosine {
				g, err = NearestSparse(ctx, compressed(x), 29, metric, Options{})
				checked("of sparse rows", g, err)
				g, err = WithinSparse(ctx, compressed(x), 1.5, metric, WithinOptions{})
				checked("within sparse rows", g, err)
				_, err = NearestOf(ctx, compressed(x), compressed(Points{1, m, x.Row(4)}), 30, metric, Options{})
				if err != nil {
					t.Error(err)
				}
			}
		}
	}
}
