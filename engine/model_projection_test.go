package engine_test

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
)

// A linear model maps by its projection, and no other model has one.
func TestProjectionOfModels(t *testing.T) {
	x := mat.NewDense(40, 4, nil)
	for i := range 40 {
		for j := range 4 {
			x.Set(i, j, math.Sin(float64(1+3*i+7*j*j))+float64(j))
		}
	}
	for _, method := range []engine.Method{engine.PCA{}, engine.LPP{}, engine.LLE{}} {
		r, err := engine.Embed(context.Background(), x, method, engine.Options{Model: true})
		if err != nil {
			t.Fatal(err)
		}
		m, err := r.Model()
		if err != nil {
			t.Fatal(err)
		}
		mean, projection := m.Projection()
		if linear := m.Kind() == "linear"; linear != (projection != nil) || linear != (mean != nil) {
			t.Fatalf("%s, of kind %s: %v", m.Method, m.Kind(), projection)
		}
		if projection == nil {
			continue
		}
		want, err := m.Transform(context.Background(), x, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		centred := mat.DenseCopyOf(x)
		for i := range 40 {
			for j, v := range mean {
				centred.Set(i, j, centred.At(i, j)-v)
			}
		}
		var got mat.Dense
		got.Mul(centred, projection)
		if got.Sub(&got, want); mat.Norm(&got, 2) > 1e-12*mat.Norm(want, 2) {
			t.Errorf("%s: off by %g", m.Method, mat.Norm(&got, 2))
		}
	}
}
