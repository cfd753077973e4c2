package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/golden"
)

// The interpolation of new points has golden values among those of the measures.
func TestGoldenInterpolation(t *testing.T) {
	golden.Cases(t, "local-metrics", func(t *testing.T, raw json.RawMessage) {
		var c struct {
			Kind                     string
			Train, Coordinates, Test [][]float64
			K                        int
			Gamma, Tol               float64
			Expect                   struct{ Projected [][]float64 }
		}
		decode(t, raw, &c)
		p := testProblem(matrix(c.Train), nil)
		z := mat.NewDense(len(c.Test), len(c.Coordinates[0]), nil)
		mapping, err := byNeighbours(p.x, matrix(c.Coordinates), c.K, c.Gamma).prepare(resources{p.kernels, 1})
		if err == nil {
			err = mapping.apply(context.Background(), pointsOf(matrix(c.Test)), z)
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range c.Expect.Projected {
			expectClose(t, fmt.Sprintf("point %d", i), z.RawRowView(i), want, c.Tol)
		}
	})
}
