package nonnegative

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/internal/must"
)

func TestGoldenRounding(t *testing.T) {
	golden.Cases(t, "nonnegative-embeddings", func(t *testing.T, raw json.RawMessage) {
		var c struct {
			Tol    float64
			Inputs struct{ C, U [][]float64 }
			Expect struct{ R [][]float64 }
		}
		golden.Decode(t, raw, &c)
		s := must.Get(SignedDense(len(c.Inputs.U), golden.Flat(c.Inputs.C), false, 0))(t)
		r := must.Get(Round(context.Background(), s, len(c.Inputs.U[0]), golden.Flat(c.Inputs.U), 1, 1))(t)
		golden.Expect(t, "rounded", r.U, golden.Flat(c.Expect.R), c.Tol)
	})
}
