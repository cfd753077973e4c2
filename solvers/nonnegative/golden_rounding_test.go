package nonnegative

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/orthant-go/orthant/blas/golden"
)

func TestGoldenRounding(t *testing.T) {
	golden.Cases(t, "nonnegative-embeddings", func(t *testing.T, raw json.RawMessage) {
		var c struct {
			Tol    float64
			Inputs struct{ C, U [][]float64 }
			Expect struct{ R [][]float64 }
		}
		golden.Decode(t, raw, &c)
		s, err := SignedDense(len(c.Inputs.U), golden.Flat(c.Inputs.C), false, 0)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Round(context.Background(), s, len(c.Inputs.U[0]), golden.Flat(c.Inputs.U), 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		golden.Expect(t, "rounded", r.U, golden.Flat(c.Expect.R), c.Tol)
	})
}
