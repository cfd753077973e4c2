package measures

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

func normal(seed uint64, n, m int) *mat.Dense {
	x := make([]float64, n*m)
	blas.NewStream(seed).Normals(x)
	return mat.NewDense(n, m, x)
}

func refuses(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one with %q", err, want)
	}
}

// TestDeviationByLeastSquares compares with residuals of a QR solve and the
// singular values of gonum's SVD.
func TestDeviationByLeastSquares(t *testing.T) {
	for _, c := range []struct{ n, p, d int }{{30, 2, 2}, {40, 5, 1}, {12, 1, 3}, {9, 4, 7}} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			truth, y := normal(1, c.n, c.p), normal(2, c.n, c.d)
			for i := range c.n {
				truth.Set(i, 0, truth.At(i, 0)+3) // an origin away from the mean
			}
			affine := mat.NewDense(c.n, c.d+1, nil)
			for i := range c.n {
				affine.Set(i, 0, 1)
			}
			affine.Slice(0, c.n, 1, c.d+1).(*mat.Dense).Copy(y)
			var fit, rest mat.Dense
			must.Do(t, fit.Solve(affine, truth))
			rest.Mul(affine, &fit)
			rest.Sub(truth, &rest)
			centredTruth := mat.DenseCopyOf(truth)
			for j := range c.p {
				mean := mat.Sum(truth.ColView(j)) / float64(c.n)
				for i := range c.n {
					centredTruth.Set(i, j, truth.At(i, j)-mean)
				}
			}
			wantDev := spectral(t, &rest) / spectral(t, truth)
			wantCentred := mat.Norm(&rest, 2) / mat.Norm(centredTruth, 2)
			dev, centred := must.Two(Deviation(truth, y))(t)
			if math.Abs(dev-wantDev) > 1e-13 || math.Abs(centred-wantCentred) > 1e-13 {
				t.Errorf("%+v: dev %v, centred %v; want %v, %v", c, dev, centred, wantDev, wantCentred)
			}
		})
	}
}

func spectral(t *testing.T, m mat.Matrix) float64 {
	t.Helper()
	var svd mat.SVD
	if !svd.Factorize(m, mat.SVDNone) {
		t.Fatal("no SVD")
	}
	return svd.Values(nil)[0]
}

// TestDeviationIsAffine: an affine image of the truth has none, whatever the
// scales; and the measure of any embedding is that of its affine images.
func TestDeviationIsAffine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, d := rapid.IntRange(8, 20).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "d")
		seed := rapid.Uint64().Draw(t, "seed")
		scale := rapid.SampledFrom([]float64{1, 1e-200, 1e200, 3}).Draw(t, "scale")
		y, l := normal(seed, n, d), normal(seed+1, d, d)
		for i := range d {
			l.Set(i, i, l.At(i, i)+5) // far from singular
		}
		image := new(mat.Dense)
		image.Mul(y, l)
		image.Apply(func(_, j int, v float64) float64 { return scale * (v + float64(j) - 2) }, image)
		dev, centred := must.Two(Deviation(image, y))(t)
		// About the condition number of L times rounding.
		if dev > 1e-12 || centred > 1e-12 {
			t.Fatalf("affine image: dev %v, centred %v", dev, centred)
		}
		truth := normal(seed+2, n, 2)
		a, ac := must.Two(Deviation(truth, y))(t)
		b, bc := must.Two(Deviation(truth, image))(t)
		if math.Abs(a-b) > 1e-11 || math.Abs(ac-bc) > 1e-11 {
			t.Fatalf("dev %v of Y and %v of its image, centred %v and %v", a, b, ac, bc)
		}
	})
}

func TestDeviationDependentColumns(t *testing.T) {
	truth, y := normal(1, 20, 2), normal(2, 20, 2)
	want, _ := must.Two(Deviation(truth, y))(t)
	more := mat.NewDense(20, 6, nil) // y, their sum, a constant, zeros, a multiple
	for i := range 20 {
		a, b := y.At(i, 0), y.At(i, 1)
		more.SetRow(i, []float64{1e-3 * a, 1e9, b, a + b, 0, 1e5 * a / 3})
	}
	if got, _, err := Deviation(truth, more); err != nil || math.Abs(got-want) > 1e-12 {
		t.Errorf("dev %v (%v) with columns that add nothing, want %v", got, err, want)
	}
	if got, centred, err := Deviation(truth, normal(3, 20, 25)); err != nil || got > 1e-12 || centred > 1e-12 {
		t.Errorf("more columns than rows span everything: dev %v, %v, %v", got, centred, err)
	}
	constant := mat.NewDense(20, 2, nil)
	if _, centred, err := Deviation(truth, constant); err != nil || math.Abs(centred-1) > 1e-14 {
		t.Errorf("a constant embedding: centred %v (%v), want 1", centred, err)
	}
}

func TestDeviationErrors(t *testing.T) {
	y := normal(1, 5, 2)
	bad := normal(1, 5, 2)
	bad.Set(3, 1, math.NaN())
	_, _, err := Deviation(normal(1, 6, 2), y)
	refuses(t, err, "the truth has 6 rows and the embedding 5")
	_, _, err = Deviation(bad, y)
	refuses(t, err, "the truth has NaN in row 4, column 2")
	_, _, err = Deviation(y, bad)
	refuses(t, err, "the embedding has NaN")
	_, _, err = Deviation(nil, y)
	refuses(t, err, "no truth given")
	_, _, err = Deviation(new(mat.Dense), y)
	refuses(t, err, "0 × 0")
	flat := mat.NewDense(5, 2, nil)
	flat.Apply(func(_, j int, _ float64) float64 { return 0.1 + float64(j) }, flat)
	_, _, err = Deviation(flat, y)
	refuses(t, err, "the truth is the same in all 5 rows")
}
