package engine

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// All coordinates keep all distances, and the values are the squared lengths of
// the columns.
func TestMDSKeepsDistances(t *testing.T) {
	s := blas.NewStream(2)
	for _, shape := range [][2]int{{30, 4}, {9, 40}} { // either Gram matrix
		t.Run(fmt.Sprint(shape), func(t *testing.T) {
			n, m := shape[0], shape[1]
			x := mat.NewDense(n, m, nil)
			s.Normals(x.RawMatrix().Data)
			dim := min(m, n-1)
			r := embed(t, x, MDS{Dim: dim}, Options{})
			for i := range n {
				for j := range i {
					want := blas.SquaredDistance(x.RawRowView(i), x.RawRowView(j))
					if got := blas.SquaredDistance(r.Y.RawRowView(i), r.Y.RawRowView(j)); math.Abs(got-want) > 1e-11*want {
						t.Fatalf("%d × %d: samples %d and %d are at squared distance %g, want %g", n, m, i, j, got, want)
					}
				}
			}
			for j, v := range r.Values {
				c := mat.Col(nil, j, r.Y)
				if length := blas.Dot(c, c); math.Abs(length-v) > 1e-11*v || j > 0 && v > r.Values[j-1] || c[largestAt(c)] < 0 {
					t.Errorf("%d × %d: value %d is %g, its column has squared length %g", n, m, j, v, length)
				}
			}
			pca := embed(t, x, PCA{Dim: dim}, Options{})
			if far := farthest(pca.Y, r.Y); far > 1e-13 {
				t.Errorf("coordinates differ from those of PCA by %g", far)
			}
			if math.Abs(pca.Values[0]*float64(n-1)-r.Values[0]) > 1e-12*r.Values[0] {
				t.Errorf("values %g, variances %g", r.Values, pca.Values)
			}
		})
	}
}

// Training samples come back where they are, also along directions of small
// extent; columns without extent stay 0.
func TestMDSTransform(t *testing.T) {
	s := blas.NewStream(4)
	for _, shape := range [][2]int{{60, 5}, {12, 30}} {
		t.Run(fmt.Sprint(shape), func(t *testing.T) {
			n, m := shape[0], shape[1]
			x := mat.NewDense(n, m, nil)
			s.Normals(x.RawMatrix().Data)
			x.Apply(func(_, j int, v float64) float64 { return v*math.Pow(10, -float64(j%4)) + 100 }, x)
			r := embed(t, x, MDS{Dim: 4}, Options{})
			model := must(r.Model())(t)
			back := transformed(t, model, x, Options{})
			if far := farthest(r.Y, back); far > 1e-10 {
				t.Errorf("%d × %d: training samples move by %g", n, m, far)
			}
		})
	}
	flat := mat.NewDense(20, 3, nil)
	for i := range 20 {
		flat.Set(i, 1, float64(i))
	}
	r := embed(t, flat, MDS{}, Options{})
	model := must(r.Model())(t)
	y := transformed(t, model, flat, Options{})
	for i := range 20 {
		if math.Abs(y.At(i, 0)-r.Y.At(i, 0)) > 1e-12 || y.At(i, 1) != 0 || math.Abs(r.Y.At(i, 1)) > 1e-6 {
			t.Errorf("sample %d is at %v, in training at %v", i, y.RawRowView(i), r.Y.RawRowView(i))
		}
	}
	if _, err := model.Transform(context.Background(), mat.NewDense(2, 4, nil), Options{}); err == nil {
		t.Error("samples of another width were mapped")
	}
}
