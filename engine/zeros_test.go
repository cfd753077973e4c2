package engine

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Dense samples most of which are zero have the factors of the same samples given as sparse ones, to the bit: the
// zeros are not multiplied.
func TestZerosAreNotMultiplied(t *testing.T) {
	a := scattered(300, 60, 0.1)
	for p, v := range a.Val {
		a.Val[p] = math.Abs(v)
	}
	x := mat.NewDense(a.Rows, a.Cols, nil)
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for p, j := range cols {
			x.Set(i, int(j), vals[p])
		}
	}
	for name, m := range map[string]Method{"mu": NMF{LeastSquares: LeastSquares{Solver: "mu"}}, "hals": NMF{LeastSquares: LeastSquares{Solver: "hals"}}} {
		dense, stored := factorized(t, x, m, FactorizeOptions{Rank: 5}), factorized(t, a, m, FactorizeOptions{Rank: 5})
		if !sameEntries(dense.W, stored.W) || !sameEntries(dense.H, stored.H) {
			t.Errorf("%s: the factors of dense and of sparse samples differ", name)
		}
	}
}
