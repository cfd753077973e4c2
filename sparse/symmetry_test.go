package sparse

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

func TestCheckSymmetric(t *testing.T) {
	entries := func(extra ...Triplet) *CSR {
		a := must.Get(FromTriplets(4, 4, append([]Triplet{{0, 0, 1}, {0, 2, 3}, {2, 0, 3}, {1, 3, -2}, {3, 1, -2 * (1 + 1e-12)}}, extra...)))(t)
		return a
	}
	if err := entries().CheckSymmetric(); err != nil {
		t.Error(err)
	}
	lone := entries(Triplet{0, 1, 0}, Triplet{3, 0, 1e-16})
	if err := lone.CheckSymmetric(); err != nil {
		t.Error(err)
	}
	both := must.Get(lone.Symmetric())(t)
	if err := checkSymmetric(both); err != nil {
		t.Error(err)
	}
	for i := range 4 {
		for j := range 4 {
			if want := (lone.At(i, j) + lone.At(j, i)) / 2; both.At(i, j) != want {
				t.Errorf("half sum (%d, %d) is %g, want %g", i, j, both.At(i, j), want)
			}
		}
	}
	for _, c := range []struct {
		extra Triplet
		row   int
	}{{Triplet{0, 1, 0.5}, 0}, {Triplet{3, 2, 1e-9}, 3}, {Triplet{3, 1, 1}, 1}} {
		err := entries(c.extra).CheckSymmetric()
		if e, is := err.(*AsymmetryError); !is || e.Row != c.row || !strings.Contains(err.Error(), "(A + Aᵀ)/2") {
			t.Errorf("%v: %v", c.extra, err)
		}
	}
}

// A symmetric matrix comes back from its triangle, with rows of zeros and without diagonal
// entries, in its own storage and in new one.
func TestFold(t *testing.T) {
	for _, n := range []int{0, 1, 2, 17, 300} {
		whole := &CSR{Rows: n, Cols: n, Ptr: make([]int, n+1)}
		entry := func(i, j int) float64 {
			i, j = max(i, j), min(i, j)
			if i%7 == 3 || j%7 == 3 || (i*31+j*17)%5 > 1 || i == j && i%2 == 0 {
				return 0
			}
			return float64(1 + i*n + j)
		}
		for i := range n {
			for j := range n {
				if v := entry(i, j); v != 0 {
					whole.Col, whole.Val = append(whole.Col, int32(j)), append(whole.Val, v)
				}
			}
			whole.Ptr[i+1] = len(whole.Col)
		}
		folded := cloned(whole)
		folded.Fold()
		for i := range n {
			cols, vals := folded.Row(i)
			at := 0
			for j := range i + 1 {
				if v := entry(i, j); v != 0 {
					if at == len(cols) || int(cols[at]) != j || vals[at] != v {
						t.Fatalf("n %d: row %d of the triangle is %v %v", n, i, cols, vals)
					}
					at++
				}
			}
			if at != len(cols) {
				t.Fatalf("n %d: row %d of the triangle has %d entries for %d", n, i, len(cols), at)
			}
		}
		inPlace := cloned(folded)
		inPlace.Col, inPlace.Val = append(make([]int32, 0, len(whole.Col)), folded.Col...), append(make([]float64, 0, len(whole.Val)), folded.Val...)
		for name, a := range map[string]*CSR{"storage of its own": cloned(folded), "storage with room": inPlace} {
			a.Unfold()
			if !reflect.DeepEqual(a.Ptr, whole.Ptr) || len(a.Col) != len(whole.Col) {
				t.Fatalf("n %d, %s: pointers %v for %v", n, name, a.Ptr, whole.Ptr)
			}
			for p := range whole.Col {
				if a.Col[p] != whole.Col[p] || a.Val[p] != whole.Val[p] {
					t.Fatalf("n %d, %s: entry %d is (%d, %v) for (%d, %v)", n, name, p, a.Col[p], a.Val[p], whole.Col[p], whole.Val[p])
				}
			}
		}
	}
}

func cloned(a *CSR) *CSR {
	return &CSR{Rows: a.Rows, Cols: a.Cols, Ptr: slices.Clone(a.Ptr), Col: slices.Clone(a.Col), Val: slices.Clone(a.Val)}
}
