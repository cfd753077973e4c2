package neighbors

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/engine/internal/magnitude"
)

// sameDistances compares lists that were found without distances, and what DistancesOf says of them, with a graph that has them.
func sameDistances(t *testing.T, name string, lists, want *Graph, x *Stored, metric Metric) {
	t.Helper()
	if lists.Dist != nil || !slices.Equal(lists.Index, want.Index) || !slices.Equal(lists.Ptr, want.Ptr) {
		t.Errorf("%s: other lists than with distances, or %d distances", name, len(lists.Dist))
		return
	}
	d, err := DistancesOf(lists, x, metric, 2)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	n, k := d.Dims()
	for i := range n {
		for j, v := range d.RawRowView(i) {
			if v != want.Distances(i)[j] || i%50 == 0 && (v != d.At(i, j) || v != d.T().At(j, i)) {
				t.Errorf("%s: neighbour %d of sample %d is at %v and %v, want %v", name, j, i, v, d.At(i, j), want.Distances(i)[j])
				return
			}
		}
	}
	if last := d.RawRowView(0); n*k != len(want.Index) || !slices.Equal(last, want.Distances(0)) {
		t.Errorf("%s: the first row is %v after the last of %d × %d", name, last, n, k)
	}
}

// compared are a float64, a float32, a large one and bytes among the types of narrowed.
var compared = []int{0, 1, 3, 7}

// Lists without distances are the lists with them, and the distances measured afterwards have their bits: by every search, type and
// metric, for samples of any size.
func TestListsOnly(t *testing.T) {
	for _, metric := range append(slices.Clone(metrics), Minkowski(3)) {
		for at, x := range narrowed(sources["normal"](210, map[bool]int{true: 2, false: 9}[metric == Haversine])) {
			want, err := NearestStored(t.Context(), x, 7, metric, Options{})
			if err != nil {
				t.Fatal(err)
			}
			lists, err := NearestStored(t.Context(), x, 7, metric, Options{Threads: 2, ListsOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			sameDistances(t, fmt.Sprintf("%s, %s (%d)", metric, x.Type(), at), lists, want, x, metric)
		}
	}
	for _, source := range []string{"normal", "grid", "tight clusters"} {
		for _, c := range []struct{ n, m, k int }{{13, 1, 12}, {9000, 3, 5}, {400, 17, 40}, {600, 140, 3}} {
			for at, x := range narrowed(sources[source](c.n, c.m)) {
				if !slices.Contains(compared, at) {
					continue
				}
				for _, how := range []method{tree, blocked, coded} {
					if c.n > 1000 && how != tree {
						continue
					}
					o := Options{method: how}
					want, err := ExactStored(t.Context(), x, c.k, o)
					if err != nil {
						t.Fatal(err)
					}
					o.ListsOnly = true
					lists, err := ExactStored(t.Context(), x, c.k, o)
					if err != nil {
						t.Fatal(err)
					}
					sameDistances(t, fmt.Sprintf("%s, %s (%d), n=%d m=%d k=%d, method %d", source, x.Type(), at, c.n, c.m, c.k, how), lists, want, x, Euclidean)
				}
			}
		}
	}
	// Beyond and below what squares hold.
	for _, e := range []int{-1000, -300, 300, 1000} {
		p := sources["normal"](300, 4)
		x := Points{p.N, p.M, magnitude.Scaled(e, p.Data)}.Stored()
		for _, metric := range []Metric{Euclidean, Cosine, Manhattan, InnerProduct} {
			if metric == InnerProduct && math.Abs(float64(e)) == 1000 {
				continue // out of the range itself
			}
			want, err := NearestStored(t.Context(), x, 5, metric, Options{})
			if err != nil {
				t.Fatal(err)
			}
			lists, err := NearestStored(t.Context(), x, 5, metric, Options{ListsOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			sameDistances(t, fmt.Sprintf("%s at 2^%d", metric, e), lists, want, x, metric)
		}
	}
}

// The same by the approximate searches, and where they leave it to the exact one.
func TestListsOnlyApproximately(t *testing.T) {
	for name, o := range map[string]ApproximateOptions{"leaves": {Seed: 2}, "trees": {Seed: 2, trees: true}, "exact": {Recall: 1, ExactWithin: 1e9}} {
		for at, x := range narrowed(smooth(2500, 18, 4, 5)) {
			if !slices.Contains(compared, at) {
				continue
			}
			for _, metric := range []Metric{Euclidean, Cosine} {
				o.ListsOnly = false
				want, with, err := ApproximateBy(t.Context(), x, 6, metric, o)
				if err != nil {
					t.Fatal(err)
				}
				if with.Exact != (name == "exact") || (with.Trees > 0) != (name == "trees") {
					t.Fatalf("%s, %s: %+v", name, x.Type(), with)
				}
				o.ListsOnly = true
				lists, without, err := ApproximateBy(t.Context(), x, 6, metric, o)
				if err != nil || with != without {
					t.Fatalf("%s, %s: %+v and %+v, %v", name, x.Type(), with, without, err)
				}
				sameDistances(t, fmt.Sprintf("%s, %s (%d), %s", name, x.Type(), at, metric), lists, want, x, metric)
			}
		}
	}
}

// Distances beyond the range of numbers are refused as the search refuses them; lists need none.
func TestDistancesOfRefuses(t *testing.T) {
	x := StoredOf(3, 2, []float64{1.7e308, 0, -1.7e308, 0, 0, 1})
	_, want := NearestStored(t.Context(), x, 2, Euclidean, Options{})
	lists, err := NearestStored(t.Context(), x, 2, Euclidean, Options{ListsOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := DistancesOf(lists, x, Euclidean, 1); want == nil || err == nil || err.Error() != want.Error() {
		t.Errorf("error %v, want %v", err, want)
	}
	if _, err := DistancesOf(lists, StoredOf(4, 2, make([]float64, 8)), Euclidean, 1); err == nil || !strings.Contains(err.Error(), "3 lists") {
		t.Errorf("lists of other samples: %v", err)
	}
	if _, err := DistancesOf(&Graph{Ptr: []int{0, 1, 1, 3}, Index: []int32{1, 0, 1}}, x, Euclidean, 1); err == nil || !strings.Contains(err.Error(), "equal length") {
		t.Errorf("lists of different lengths: %v", err)
	}
	if _, err := DistancesOf(lists, StoredOf(3, 1, []float64{0, math.NaN(), 1}), Cosine, 1); err == nil || !strings.Contains(err.Error(), "row 2, column 1") {
		t.Errorf("samples that are not finite: %v", err)
	}
}
