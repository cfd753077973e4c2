package exemplars

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// drawn is a vector, long or short, with or without many ties.
func drawn(t *rapid.T) []float64 {
	n := rapid.SampledFrom([]int{2, 3, 17, 300, 1500, 4000}).Draw(t, "n")
	v := make([]float64, n)
	blas.NewStream(rapid.Uint64().Draw(t, "seed")).Normals(v)
	if rapid.Bool().Draw(t, "ties") {
		for i := range v {
			v[i] = math.Round(3 * v[i])
		}
	}
	if rapid.Bool().Draw(t, "sorted") {
		slices.Sort(v)
	}
	return v
}

func TestSelectorIsSorting(t *testing.T) {
	var s selector
	rapid.Check(t, func(t *rapid.T) {
		v := drawn(t)
		skip := rapid.IntRange(-1, len(v)-1).Draw(t, "skip")
		rest := slices.Clone(v)
		if skip >= 0 {
			rest = slices.Delete(rest, skip, skip+1)
		}
		slices.Sort(rest)
		k := rapid.IntRange(1, len(rest)).Draw(t, "k")
		if rapid.Bool().Draw(t, "few") {
			k = min(k, 20)
		}
		if got := s.smallest(v, skip, k); got != rest[k-1] {
			t.Fatalf("the %d-th smallest of %d is %v, want %v", k, len(v), got, rest[k-1])
		}
		front := slices.Clone(s.kept[:k])
		slices.Sort(front)
		if !slices.Equal(front, rest[:k]) {
			t.Fatalf("in front are %v, want %v", front, rest[:k])
		}
		at := make([]int32, k)
		s.nearest(v, skip, at)
		var order []int32
		for i := range v {
			if i != skip {
				order = append(order, int32(i))
			}
		}
		slices.SortStableFunc(order, func(a, b int32) int {
			if v[a] < v[b] {
				return -1
			} else if v[a] > v[b] {
				return 1
			}
			return 0
		})
		if !slices.Equal(at, order[:k]) {
			t.Fatalf("nearest %v, want %v", at, order[:k])
		}
		if got := Largest(slices.Clone(rest), k); got != rest[len(rest)-k] {
			t.Fatalf("the %d-th largest is %v, want %v", k, got, rest[len(rest)-k])
		}
	})
}

func TestMedianOfPositiveNumbers(t *testing.T) {
	var counts bitCounts // of all draws
	rapid.Check(t, func(t *rapid.T) {
		v := drawn(t)
		for i := range v {
			v[i] *= math.Pow(10, float64(i%7-3)) // over many powers of two
		}
		got := must.Get(counts.medianPositive(2, func(count func(int, []float64)) error {
			count(0, v[:len(v)/2])
			count(1, v[len(v)/2:])
			return nil
		}))(t)
		var positive []float64
		for _, x := range v {
			if x > 0 {
				positive = append(positive, x)
			}
		}
		slices.Sort(positive)
		want := 0.0
		if len(positive) > 0 {
			want = positive[(len(positive)-1)/2]
		}
		// 20 bits behind the point, and the middle of the last.
		if math.Abs(got-want) > math.Ldexp(want, -20) {
			t.Fatalf("median %v, want %v", got, want)
		}
	})
}
