package samples

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestNegativeZeroIsADuplicate(t *testing.T) {
	x := Of(mat.NewDense(3, 2, []float64{0, 1, math.Copysign(0, -1), 1, 2, 2}))
	if c := x.Copies(); c.Count != 1 || c.Of[1] != 0 || c.Of[2] != 1 {
		t.Errorf("%+v", c)
	}
}
