package engine

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// On a grid the products of tangent coordinates depend on each other, and some are
// dropped: the coordinates are finite all the same.
func TestHLLEOnAGrid(t *testing.T) {
	x := mat.NewDense(25, 2, nil)
	for i := range 25 {
		x.SetRow(i, []float64{float64(i / 5), float64(i % 5)})
	}
	for _, m := range []Method{HLLE{Neighbors: 8}, HLLE{Neighbors: 6}} {
		r, err := Embed(context.Background(), x, m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range r.Y.RawMatrix().Data {
			if math.IsNaN(v) {
				t.Fatal("a coordinate is NaN")
			}
		}
	}
}
