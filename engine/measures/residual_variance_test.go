package measures

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/orthant-go/orthant/blas"
)

// Three samples at right angles: 0, 1 and 1 + i in the plane, and 0, 1, 2 on the line. The
// straight distances of the entries are 0, 1, √2, 1, 0, 1, √2, 1, 0, those of the line 0, 1, 2, …
// Along the corner they are 0, 1, 2, as on the line.
func TestResidualVarianceByHand(t *testing.T) {
	corner, line := mat.NewDense(3, 2, []float64{0, 0, 1, 0, 1, 1}), mat.NewDense(3, 1, []float64{0, 1, 2})
	r := stat.Correlation([]float64{0, 1, math.Sqrt2, 1, 0, 1, math.Sqrt2, 1, 0}, []float64{0, 1, 2, 1, 0, 1, 2, 1, 0}, nil)
	// By hand: sums of products about the means 2(2 + √2)/9 and 8/9.
	a, b := 2*(2+math.Sqrt2)/9, 8./9
	hand := (4 + 4*math.Sqrt2 - 9*a*b) / math.Sqrt((4+4-9*a*a)*(4+8-9*b*b))
	if math.Abs(r-hand) > 1e-14 {
		t.Fatalf("R = %v, by hand %v", r, hand)
	}
	for _, c := range []struct {
		k    int
		want float64
	}{{0, 1 - r*r}, {1, 0}, {2, 1 - r*r}} {
		got, err := ResidualVariance(t.Context(), corner, line, c.k, Options{})
		if err != nil || math.Abs(got-c.want) > 1e-14 {
			t.Errorf("k = %d: %v (%v), want %v", c.k, got, err, c.want)
		}
	}
}

// A half circle and its arc length: straight distances bend, those along the data do not. Other
// units and threads change nothing.
func TestResidualVarianceAlongACurve(t *testing.T) {
	const n = 900
	x, y := mat.NewDense(n, 2, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		at := math.Pi * float64(i) / n
		x.SetRow(i, []float64{1e200 * math.Cos(at), 1e200 * math.Sin(at)})
		y.Set(i, 0, 3*at+7)
	}
	along, err := ResidualVariance(t.Context(), x, y, 4, Options{Threads: 1})
	if err != nil || along > 1e-6 {
		t.Errorf("along the curve %v (%v)", along, err)
	}
	if again, _ := ResidualVariance(t.Context(), x, y, 4, Options{Threads: 3}); again != along {
		t.Errorf("%v on three threads, %v on one", again, along)
	}
	straight, err := ResidualVariance(t.Context(), x, y, 0, Options{})
	if err != nil || straight < 0.01 || straight > 0.2 {
		t.Errorf("straight %v (%v)", straight, err)
	}
	noise := mat.NewDense(n, 1, nil)
	blas.NewStream(1).Normals(noise.RawMatrix().Data)
	if none, err := ResidualVariance(t.Context(), x, noise, 4, Options{}); err != nil || none < 0.95 {
		t.Errorf("of noise %v (%v)", none, err)
	}
}

// Pairs that no path joins do not count.
func TestResidualVarianceOfParts(t *testing.T) {
	x := mat.NewDense(6, 1, []float64{0, 1, 2, 100, 101, 102})
	y := mat.NewDense(6, 1, []float64{0, 1, 2, -9, -8, -7})
	if got, err := ResidualVariance(t.Context(), x, y, 1, Options{}); err != nil || got > 1e-14 {
		t.Errorf("%v (%v)", got, err)
	}
}

func TestResidualVarianceRefuses(t *testing.T) {
	x := normal(1, 8, 2)
	_, err := ResidualVariance(t.Context(), x, mat.NewDense(8, 1, nil), 3, Options{})
	refuses(t, err, "are equal; there is nothing to compare")
	_, err = ResidualVariance(t.Context(), x, x, 8, Options{})
	refuses(t, err, "give a number from 1 to 7")
	_, err = ResidualVariance(t.Context(), x, normal(1, 7, 2), 3, Options{})
	refuses(t, err, "same samples")
}
