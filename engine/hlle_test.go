package engine

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// withStray is a flat sheet of n − 1 samples, and one more of its plane that nobody lists.
func withStray(n int) *mat.Dense {
	x := mat.NewDense(n, 2, nil)
	blas.NewStream(5).Uniforms(x.RawMatrix().Data)
	x.SetRow(n-1, []float64{3, 2})
	return x
}

// A sample that is in nobody's list has an equation of its own: the patch holds the
// sample. Without it there is none, which is refused by name.
func TestHLLEOfASampleThatNobodyLists(t *testing.T) {
	x := withStray(120)
	r := embed(t, x, HLLE{Neighbors: 9}, Options{})
	dev := deviationOf(t, x, r.Y)
	if dev > 1e-8 {
		t.Errorf("dev %g of flat data", dev)
	}
	_, err := Embed(t.Context(), x, HLLE{Neighbors: 9, ExcludeSelf: true}, Options{})
	if err == nil || !strings.Contains(err.Error(), "sample 120") || !strings.Contains(err.Error(), "ExcludeSelf: false") {
		t.Errorf("without the sample itself: %v", err)
	}
}

// In many dimensions some samples are in nobody's list, and before these had the first
// coordinates to themselves, of eigenvalue 0.
func TestHLLEInManyDimensions(t *testing.T) {
	x := mat.NewDense(300, 60, nil)
	blas.NewStream(2).Normals(x.RawMatrix().Data)
	if r := embed(t, x, HLLE{Neighbors: 12}, Options{}); r.Values[0] < 1e-6 {
		t.Errorf("eigenvalues %g", r.Values)
	}
}

// On a grid the products of tangent coordinates depend on each other, and some are
// dropped: the coordinates are finite all the same.
func TestHLLEOnAGrid(t *testing.T) {
	x := mat.NewDense(25, 2, nil)
	for i := range 25 {
		x.SetRow(i, []float64{float64(i / 5), float64(i % 5)})
	}
	for _, m := range []Method{HLLE{Neighbors: 8}, HLLE{Neighbors: 6}} {
		r := embed(t, x, m, Options{})
		for _, v := range r.Y.RawMatrix().Data {
			if math.IsNaN(v) {
				t.Fatal("a coordinate is NaN")
			}
		}
	}
}

// Copies stay together: two that nobody lists, and many that list one another alone.
func TestHLLEOfCopies(t *testing.T) {
	x := withStray(140)
	x.SetRow(3, x.RawRowView(139))
	for i := 60; i < 90; i++ {
		x.SetRow(i, x.RawRowView(59))
	}
	r := embed(t, x, HLLE{Neighbors: 9}, Options{})
	dev := deviationOf(t, x, r.Y)
	if dev > 1e-8 {
		t.Errorf("dev %g of flat data", dev)
	}
}
