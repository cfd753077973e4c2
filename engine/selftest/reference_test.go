package selftest

import (
	"math"
	"math/big"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// The references have twice the precision, also where the compiler may fuse products and sums.
func TestReferencesHaveTwiceThePrecision(t *testing.T) {
	random := blas.NewStream(seed)
	for _, n := range []int{1, 2, 3, 10, 100} {
		for range 200 {
			var s exact
			want, size := new(big.Float).SetPrec(2200), 0.0
			for range n {
				x, y := 2*random.Uniform()-1, 2*random.Uniform()-1
				s.addProduct(x, y)
				product := new(big.Float).SetPrec(2200).Mul(big.NewFloat(x), big.NewFloat(y))
				want.Add(want, product)
				size += math.Abs(x * y)
			}
			got := new(big.Float).SetPrec(2200).SetFloat64(s.hi)
			got.Add(got, big.NewFloat(s.lo))
			off, _ := got.Sub(got, want).Float64()
			if !(math.Abs(off) <= float64(n*n)*unit*unit*size) {
				t.Fatalf("a sum of %d products is off by %g of u²Σ|xy|", n, math.Abs(off)/(unit*unit*size))
			}
		}
	}
}
