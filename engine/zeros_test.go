package engine

import (
	"math"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/sparse"
)

// Dense samples most of which are zero have the factors of the same samples given as sparse ones, to the bit: the
// zeros are not multiplied.
func TestZerosAreNotMultiplied(t *testing.T) {
	a := mostlyZeros(300, 60)
	x := a.Dense()
	for name, m := range map[string]Method{"mu": NMF{LeastSquares: LeastSquares{Solver: "mu"}}, "hals": NMF{LeastSquares: LeastSquares{Solver: "hals"}}} {
		dense, stored := factorized(t, x, m, FactorizeOptions{Rank: 5}), factorized(t, a, m, FactorizeOptions{Rank: 5})
		if !sameEntries(dense.W, stored.W) || !sameEntries(dense.H, stored.H) {
			t.Errorf("%s: the factors of dense and of sparse samples differ", name)
		}
	}
}

// Where the memory has room for the dense factorisation but not for the entries without their zeros, the error says so, and the same
// samples given as sparse ones, its remedy, fit.
func TestSamplesWithoutZerosNeedRoom(t *testing.T) {
	a := mostlyZeros(2000, 300)
	x := a.Dense()
	for limit := int64(16 << 20); limit < 1<<30; limit += limit / 64 {
		o := FactorizeOptions{Rank: 5, Options: Options{Memory: limit}}
		_, err := Factorize(t.Context(), x, NMF{}, o)
		if err == nil {
			break
		}
		if strings.Contains(err.Error(), "without their zeros") {
			if !strings.Contains(err.Error(), "give sparse samples, or raise the limit") {
				t.Errorf("%v: no remedy", err)
			}
			if _, err := Factorize(t.Context(), a, NMF{}, o); err != nil {
				t.Errorf("sparse samples at the same limit: %v", err)
			}
			return
		}
	}
	t.Error("no limit refuses the entries without their zeros")
}

// mostlyZeros are nonnegative samples of which a tenth of the entries is not zero.
func mostlyZeros(n, m int) *sparse.CSR {
	a := scattered(n, m, 0.1)
	for p, v := range a.Val {
		a.Val[p] = math.Abs(v)
	}
	return a
}
