package engine

import (
	"encoding/json"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/golden"
)

// matrix turns rows into a dense matrix.
func matrix(rows [][]float64) *mat.Dense {
	return mat.NewDense(len(rows), len(rows[0]), golden.Flat(rows))
}

func decode(t *testing.T, raw json.RawMessage, into any) {
	t.Helper()
	golden.Decode(t, raw, into)
}

func expectClose(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	golden.Expect(t, what, got, want, tol)
}
