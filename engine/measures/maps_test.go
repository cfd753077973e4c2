package measures

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// byMap are the measures of a map of some data, with three classes in turn where they need classes.
func byMap(n int) map[string]func(ctx context.Context, x, y mat.Matrix, seed uint64, o Options) (float64, error) {
	labels := make([]int64, n)
	for i := range labels {
		labels[i] = int64(i % 61) // of more than 59 classes not all triplets count
	}
	return map[string]func(ctx context.Context, x, y mat.Matrix, seed uint64, o Options) (float64, error){
		"random-triplet": RandomTriplet,
		"centroid-triplet": func(ctx context.Context, x, y mat.Matrix, seed uint64, o Options) (float64, error) {
			return CentroidTriplet(ctx, x, y, labels, seed, o)
		},
		"distance-correlation": DistanceCorrelation,
		"kl-divergence": func(ctx context.Context, x, y mat.Matrix, _ uint64, o Options) (float64, error) {
			return KLDivergence(ctx, x, y, 0, o)
		},
	}
}

// Samples on a line at 0, 1 and 3, and at 0, 2 and 1: the triplets of the first and of the second sample
// change their order, the triplet of the last, at distances 3 and 2, and 1 and 1, has a tie.
func TestTripletsByHand(t *testing.T) {
	x, y := mat.NewDense(3, 1, []float64{0, 1, 3}), mat.NewDense(3, 1, []float64{0, 2, 1})
	if got, err := RandomTriplet(t.Context(), x, y, 1, Options{}); err != nil || got != 0.5/3 {
		t.Errorf("%v (%v), want 1/6", got, err)
	}
	// The other way round the tie is one of the data: two triplets are left, and none is in order.
	if got, err := RandomTriplet(t.Context(), y, x, 1, Options{}); err != nil || got != 0 {
		t.Errorf("exchanged: %v (%v), want 0", got, err)
	}
	// Classes with these centroids.
	twice := func(v []float64) *mat.Dense {
		m := mat.NewDense(6, 1, nil)
		for i := range 6 {
			m.Set(i, 0, v[i/2]+float64(i%2)-0.5)
		}
		return m
	}
	got, err := CentroidTriplet(t.Context(), twice([]float64{0, 1, 3}), twice([]float64{0, 2, 1}), []int64{4, 4, -1, -1, 9, 9}, 1, Options{})
	if err != nil || got != 0.5/3 {
		t.Errorf("of centroids %v (%v), want 1/6", got, err)
	}
	if got, err := RandomTriplet(t.Context(), x, mat.NewDense(3, 1, nil), 1, Options{}); err != nil || got != 0.5 {
		t.Errorf("of a map of one place %v (%v), want 1/2", got, err)
	}
}

// The pairs have distances 1, 3, 2 in the data and 2, 1, 1 in the map: ranks 1, 3, 2 and 3, 1½, 1½, whose correlation
// is −1.5/√(2·1.5).
func TestDistanceCorrelationByHand(t *testing.T) {
	x, y := mat.NewDense(3, 1, []float64{0, 1, 3}), mat.NewDense(3, 1, []float64{0, 2, 1})
	if got, err := DistanceCorrelation(t.Context(), x, y, 1, Options{}); err != nil || math.Abs(got+1.5/math.Sqrt(3)) > 1e-15 {
		t.Errorf("%v (%v)", got, err)
	}
}

// Draws come near what all triplets and all pairs give, and other seeds draw others.
func TestDrawsComeNearAll(t *testing.T) {
	near := func(what string, n int, all func(data, shown blas.Rows) float64) {
		x, y := normal(3, n, 4), mat.NewDense(n, 2, nil)
		y.Add(x.Slice(0, n, 0, 2), x.Slice(0, n, 2, 4))
		data, shown := must.Two(readMap(what, x, y))(t)
		want := all(data, shown)
		one, err := byMap(n)[what](t.Context(), x, y, 1, Options{})
		if err != nil || math.Abs(one-want) > 0.005 {
			t.Errorf("%s: %v (%v), want about %v", what, one, err, want)
		}
		if two, err := byMap(n)[what](t.Context(), x, y, 2, Options{}); err != nil || two == one || math.Abs(two-want) > 0.005 {
			t.Errorf("%s: %v (%v) with another seed, %v with the first", what, two, err, one)
		}
	}
	near("random-triplet", 300, func(data, shown blas.Rows) float64 {
		var all orders
		for i := range data.N {
			all.addAll(data, shown, i)
		}
		return float64(all.kept) / float64(all.compared)
	})
	near("distance-correlation", 1100, func(data, shown blas.Rows) float64 {
		var apart, shownApart []float64
		for i := range data.N {
			for j := range i {
				apart = append(apart, blas.SquaredDistance(data.Row(i), data.Row(j)))
				shownApart = append(shownApart, blas.SquaredDistance(shown.Row(i), shown.Row(j)))
			}
		}
		var c correlation
		second := ranks(shownApart)
		for q, r := range ranks(apart) {
			c.add(r, second[q])
		}
		r, _ := c.value()
		return r
	})
}

// Data are the best map of themselves in any unit; other units of the map, threads, backends and sparse storage change no bit.
func TestMapMeasuresOfUnits(t *testing.T) {
	const n = 1200
	x := normal(5, n, 3)
	x.Apply(func(_, _ int, v float64) float64 { return math.Max(v, 0) }, x)
	y := normal(6, n, 2)
	csr := must.Get(sparse.FromTriplets(n, 3, entries(x)))(t)
	for what, measure := range byMap(n) {
		t.Run(what, func(t *testing.T) {
			want := must.Get(measure(t.Context(), x, y, 1, Options{Threads: 1}))(t)
			check := func(change string, x, y mat.Matrix, o Options) {
				if got, err := measure(t.Context(), x, y, 1, o); err != nil || got != want {
					t.Errorf("%s: %v (%v), want %v", change, got, err, want)
				}
			}
			check("five threads", x, y, Options{Threads: 5})
			check("gonum", x, y, Options{Kernels: blas.MustSelect("gonum")})
			check("sparse", csr, y, Options{})
			for _, e := range []int{-1000, 900} {
				var far mat.Dense
				far.Scale(math.Ldexp(1, e), x)
				check(fmt.Sprint("data times 2^", e), &far, y, Options{})
				if what != "kl-divergence" { // where the unit counts
					far.Reset()
					far.Scale(math.Ldexp(1, e), y)
					check(fmt.Sprint("map times 2^", e), x, &far, Options{})
				}
			}
			stopped, stop := context.WithCancel(t.Context())
			stop()
			if _, err := measure(stopped, x, y, 1, Options{}); !errors.Is(err, context.Canceled) {
				t.Errorf("a cancelled context gives %v", err)
			}
			if what == "kl-divergence" {
				return
			}
			if got, err := measure(t.Context(), x, x, 1, Options{}); err != nil || math.Abs(got-1) > 1e-12 {
				t.Errorf("of the data itself %v (%v), want 1", got, err)
			}
		})
	}
}

func entries(x *mat.Dense) (list []sparse.Triplet) {
	n, m := x.Dims()
	for i := range n {
		for j := range m {
			if v := x.At(i, j); v != 0 {
				list = append(list, sparse.Triplet{Row: i, Col: j, Val: v})
			}
		}
	}
	return list
}

// A map has the disparity 0 to what a rotation, a reflection, a shift and a scale make of it, and of noise nearly 1.
func TestProcrustesOfMovedMaps(t *testing.T) {
	const n = 300
	a := normal(1, n, 2)
	moved := mat.NewDense(n, 3, nil)
	for i := range n {
		u, v := 3*a.At(i, 0), 3*a.At(i, 1)
		moved.SetRow(i, []float64{0.6*u + 0.8*v + 7, 0.8*u - 0.6*v - 1, 1e3})
	}
	for _, unit := range []float64{1, 0x1p-1000, 0x1p900} {
		var b mat.Dense
		b.Scale(unit, moved)
		for _, maps := range [][2]mat.Matrix{{a, &b}, {&b, a}} {
			if got, err := Procrustes(maps[0], maps[1]); err != nil || !(got >= 0 && got <= 1e-14) {
				t.Errorf("times %g: %v (%v)", unit, got, err)
			}
		}
	}
	if got, err := Procrustes(a, normal(2, n, 2)); err != nil || got < 0.95 || got > 1 {
		t.Errorf("of noise %v (%v)", got, err)
	}
}

func TestMapMeasuresRefuse(t *testing.T) {
	x, y := normal(1, 70, 3), normal(2, 70, 2)
	same := mat.NewDense(70, 2, nil)
	bad := normal(1, 70, 3)
	bad.Set(4, 2, math.NaN())
	for what, measure := range byMap(70) {
		_, err := measure(t.Context(), x, normal(1, 9, 2), 1, Options{})
		refuses(t, err, what+": the data has 70 rows and the embedding 9")
		_, err = measure(t.Context(), bad, y, 1, Options{})
		refuses(t, err, what+": the data has NaN in row 5, column 3")
		_, err = measure(t.Context(), x, nil, 1, Options{})
		refuses(t, err, what+": no embedding given")
	}
	for what, measure := range byMap(2) {
		if what != "centroid-triplet" {
			_, err := measure(t.Context(), x.Slice(0, 2, 0, 3), y.Slice(0, 2, 0, 2), 1, Options{})
			refuses(t, err, what+": the number of samples is 2; give at least")
		}
	}
	_, err := RandomTriplet(t.Context(), same, y, 1, Options{})
	refuses(t, err, "random-triplet: all distances in the data are equal")
	_, err = CentroidTriplet(t.Context(), same, y, make([]int64, 69), 1, Options{})
	refuses(t, err, "centroid-triplet: 69 labels for 70 samples")
	_, err = CentroidTriplet(t.Context(), same, y, make([]int64, 70), 1, Options{})
	refuses(t, err, "centroid-triplet: the number of classes is 1; give at least 3")
	_, err = byMap(70)["centroid-triplet"](t.Context(), same, y, 1, Options{})
	refuses(t, err, "centroid-triplet: all distances of the centroids in the data are equal")
	_, err = DistanceCorrelation(t.Context(), x, same, 1, Options{})
	refuses(t, err, "distance-correlation: all distances in the data, or all in the embedding, are equal")
	for _, perplexity := range []float64{-1, 0.5, 23.1, math.NaN(), math.Inf(1)} {
		_, err = KLDivergence(t.Context(), x, y, perplexity, Options{})
		refuses(t, err, fmt.Sprintf("kl-divergence: a perplexity of %g for 70 samples; give a number from 1 to 23", perplexity))
	}
	_, err = KLDivergence(t.Context(), x, normal(1, 70, 4), 0, Options{})
	refuses(t, err, "kl-divergence: the embedding has 4 columns")
	y.Scale(1e200, y)
	_, err = KLDivergence(t.Context(), x, y, 0, Options{})
	refuses(t, err, "kl-divergence: the coordinates are too far apart")
	_, err = Procrustes(same, x)
	refuses(t, err, "procrustes: the first map is the same in all 70 rows; it has no shape")
	_, err = Procrustes(x, same)
	refuses(t, err, "procrustes: the second map is the same")
	_, err = Procrustes(x, normal(1, 9, 2))
	refuses(t, err, "procrustes: the first map has 70 rows and the second 9")
	_, err = Procrustes(bad, x)
	refuses(t, err, "procrustes: the first map has NaN in row 5, column 3")
}
