package engine

import (
	"context"
	"encoding/json"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// matrix turns rows into a dense matrix.
func matrix(rows [][]float64) *mat.Dense {
	m := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, r := range rows {
		m.SetRow(i, r)
	}
	return m
}

// testProblem is a problem as far as patches need it.
func testProblem(x *mat.Dense, g *neighbors.Graph) *problem {
	return &problem{ctx: context.Background(), name: "test", x: pointsOf(x), kernels: blas.MustSelect("auto"), graph: g,
		clock: NewClock(), report: &report{details: map[string]any{}}, options: Options{Progress: func(Progress) {}, Explain: func(string) {}}}
}

func decode(t *testing.T, raw json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

func expectClose(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i := range want {
		if !golden.Close(got[i], want[i], tol) {
			t.Errorf("%s[%d] = %.17g, want %.17g (tolerance %g)", what, i, got[i], want[i], tol)
			return
		}
	}
}
