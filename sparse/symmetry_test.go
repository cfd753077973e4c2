package sparse

import (
	"strings"
	"testing"
)

func TestCheckSymmetric(t *testing.T) {
	entries := func(extra ...Triplet) *CSR {
		a, err := FromTriplets(4, 4, append([]Triplet{{0, 0, 1}, {0, 2, 3}, {2, 0, 3}, {1, 3, -2}, {3, 1, -2 * (1 + 1e-12)}}, extra...))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if err := entries().CheckSymmetric(); err != nil {
		t.Error(err)
	}
	lone := entries(Triplet{0, 1, 0}, Triplet{3, 0, 1e-16})
	if err := lone.CheckSymmetric(); err != nil {
		t.Error(err)
	}
	both, err := lone.Symmetric()
	if err != nil {
		t.Fatal(err)
	}
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
