package twofold

import (
	"math"
	"math/big"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// off is |got − want| relative to want.
func off(got Number, want *big.Float) float64 {
	g := new(big.Float).SetPrec(400).SetFloat64(got.Hi)
	g.Add(g, new(big.Float).SetPrec(400).SetFloat64(got.Lo))
	d := new(big.Float).SetPrec(400).Sub(g, want)
	d.Quo(d, want)
	v, _ := d.Abs(d).Float64()
	return v
}

func TestNumbersHaveTwiceTheDigits(t *testing.T) {
	s := blas.NewStream(1)
	exact := func(x Number) *big.Float {
		b := new(big.Float).SetPrec(400).SetFloat64(x.Hi)
		return b.Add(b, new(big.Float).SetPrec(400).SetFloat64(x.Lo))
	}
	for range 2000 {
		draw := func() Number {
			hi := math.Ldexp(s.Uniform()+0.1, s.Below(40)-20)
			return sum(hi, hi*(s.Uniform()-0.5)*0x1p-54)
		}
		x, y := draw(), draw()
		a, b := exact(x), exact(y)
		z := func() *big.Float { return new(big.Float).SetPrec(400) }
		for what, c := range map[string]struct {
			got  Number
			want *big.Float
		}{
			"+": {x.Plus(y), z().Add(a, b)}, "×": {x.Times(y), z().Mul(a, b)}, "/": {x.Over(y), z().Quo(a, b)}, "√": {x.Root(), z().Sqrt(a)},
		} {
			if d := off(c.got, c.want); d > 0x1p-100 {
				t.Fatalf("%v %s %v is off by %g", x, what, y, d)
			}
		}
	}
	if r := (Number{}).Root(); r != (Number{}) {
		t.Errorf("√0 is %v", r)
	}
}

// Sums that cancel keep their digits.
func TestSumsThatCancel(t *testing.T) {
	x, y := []float64{1e16, 1, -1e16, 0x1p-60}, []float64{1, 1, 1, 1}
	if got := Dot(x, y).Value(); got != 1+0x1p-60 {
		t.Errorf("the product is %v", got)
	}
	if got := SquaredDistance([]float64{1, 3}, []float64{1 + 0x1p-52, 3}).Value(); got != 0x1p-104 {
		t.Errorf("the squared distance is %v", got)
	}
}
