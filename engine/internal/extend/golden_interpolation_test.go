package extend

import (
	"encoding/json"
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/steptest"
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
		golden.Decode(t, raw, &c)
		if c.Gamma == 0 { // what a case without a γ means
			c.Gamma = patch.PaperGamma
		}
		job, dim := steptest.Run(t), len(c.Coordinates[0])
		z := mat.NewDense(len(c.Test), dim, nil)
		coordinates := mat.NewDense(len(c.Coordinates), dim, golden.Flat(c.Coordinates))
		mapping, err := ByNeighbors(Searched{Samples: steptest.Samples(c.Train), Neighbors: c.K}, coordinates, c.Gamma).Prepare(Resources{Kernels: job.Kernels(), Threads: 1})
		if err == nil {
			err = mapping.Apply(job.Context(), steptest.Samples(c.Test).Points(), z)
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range c.Expect.Projected {
			golden.Expect(t, fmt.Sprintf("point %d", i), z.RawRowView(i), want, c.Tol)
		}
	})
}
