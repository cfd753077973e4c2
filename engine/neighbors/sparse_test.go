package neighbors

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// thinned draws rows of which about a fifth of the entries are not zero, some rows
// repeated and some empty.
func thinned(t *testing.T, n, m int, draw func(s *blas.Stream) float64) (Points, *sparse.CSR) {
	t.Helper()
	s := blas.NewStream(3)
	x := Points{N: n, M: m, Data: make([]float64, n*m)}
	var entries []sparse.Triplet
	for i := range n {
		switch {
		case i%17 == 5:
		case i%11 == 7:
			copy(x.Row(i), x.Row(i-3))
		default:
			for j := range m {
				if s.Uniform() < 0.2 {
					x.Row(i)[j] = draw(s)
				}
			}
		}
		for j, v := range x.Row(i) {
			if v != 0 {
				entries = append(entries, sparse.Triplet{Row: i, Col: j, Val: v})
			}
		}
	}
	a, err := sparse.FromTriplets(n, m, entries)
	if err != nil {
		t.Fatal(err)
	}
	return x, a
}

// Sparse samples have the neighbours of the same samples made dense, ties and
// duplicates among them.
func TestExactSparseIsExact(t *testing.T) {
	for name, draw := range map[string]func(s *blas.Stream) float64{
		"binary": func(*blas.Stream) float64 { return 1 },
		"counts": func(s *blas.Stream) float64 { return float64(s.Below(4)) - 1 },
		"tenths": func(s *blas.Stream) float64 { return float64(1+s.Below(3)) / 10 }, // ties that rounding splits
		"reals":  func(s *blas.Stream) float64 { return s.Uniform() },
		"uneven": func(s *blas.Stream) float64 { return math.Exp(20 * s.Uniform()) },
	} {
		t.Run(name, func(t *testing.T) {
			x, a := thinned(t, 240, 40, draw)
			for _, k := range []int{1, 6, 40, 239} {
				want, err := Exact(context.Background(), x, k, Options{})
				if err != nil {
					t.Fatal(err)
				}
				for _, threads := range []int{1, 3} {
					got, err := ExactSparse(context.Background(), a, k, Options{Threads: threads})
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(got.Index, want.Index) || !slices.Equal(got.Dist, want.Dist) {
						t.Errorf("%s, k = %d, %d threads: other neighbours than those of dense samples", name, k, threads)
					}
				}
			}
		})
	}
}

func TestExactSparseRefuses(t *testing.T) {
	_, a := thinned(t, 20, 5, func(*blas.Stream) float64 { return 1 })
	for _, k := range []int{0, 20} {
		if _, err := ExactSparse(context.Background(), a, k, Options{}); err == nil {
			t.Errorf("%d neighbours of 20 samples were found", k)
		}
	}
	if _, err := ExactSparse(context.Background(), &sparse.CSR{Rows: 1, Cols: 2, Ptr: []int{0, 0}}, 1, Options{}); err == nil {
		t.Error("a sample alone has neighbours")
	}
	a.Val[3] = math.NaN()
	if _, err := ExactSparse(context.Background(), a, 2, Options{}); err == nil {
		t.Error("NaN has neighbours")
	}
}
