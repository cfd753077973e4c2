package sparse

import (
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

// Sums and transposes, entry by entry.
func TestAddAndTransposed(t *testing.T) {
	a := must.Get(FromTriplets(3, 4, []Triplet{{0, 1, 1}, {0, 3, 2}, {2, 0, 3}}))(t)
	b := must.Get(FromTriplets(3, 4, []Triplet{{0, 0, 5}, {0, 3, 7}, {1, 2, 1}}))(t)
	sum := must.Get(Add(2, a, -1, b))(t)
	if err := sum.Validate(); err != nil || sum.NNZ() != 5 {
		t.Errorf("%d entries, %v", sum.NNZ(), err)
	}
	tr := a.Transposed()
	if err := tr.Validate(); err != nil {
		t.Error(err)
	}
	for i := range 3 {
		for j := range 4 {
			if got, want := sum.At(i, j), 2*a.At(i, j)-b.At(i, j); got != want {
				t.Errorf("sum(%d, %d) is %g, want %g", i, j, got, want)
			}
			if tr.At(j, i) != a.At(i, j) {
				t.Errorf("transpose(%d, %d) is %g", j, i, tr.At(j, i))
			}
		}
	}
	if _, err := Add(1, a, 1, tr); err == nil {
		t.Error("shapes that differ were added")
	}
}
