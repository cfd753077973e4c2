// Package twofold computes with unevaluated sums of two float64, with about 32 digits (Dekker
// 1971; Ogita, Rump and Oishi 2005). Tests use it as a reference to measure errors.
// It uses no kernel of the program. Numbers must be finite and far from overflow and underflow.
package twofold

import "math"

// Number is Hi + Lo, where Lo is at most half a unit in the last place of Hi.
type Number struct{ Hi, Lo float64 }

// Of returns x.
func Of(x float64) Number { return Number{x, 0} }

// sum returns a + b, exactly.
func sum(a, b float64) Number {
	s := a + b
	t := s - a
	return Number{s, (a - (s - t)) + (b - t)}
}

// Product is x·y, exactly. The conversion rounds the product also where the compiler fuses
// products and sums.
func Product(x, y float64) Number {
	p := float64(x * y)
	return Number{p, math.FMA(x, y, -p)}
}

// Plus returns x + y.
func (x Number) Plus(y Number) Number {
	s := sum(x.Hi, y.Hi)
	return sum(s.Hi, s.Lo+x.Lo+y.Lo)
}

// Minus returns x − y.
func (x Number) Minus(y Number) Number { return x.Plus(Number{-y.Hi, -y.Lo}) }

// Times returns x·y.
func (x Number) Times(y Number) Number {
	p := Product(x.Hi, y.Hi)
	return sum(p.Hi, p.Lo+x.Hi*y.Lo+x.Lo*y.Hi)
}

// Over returns x/y.
func (x Number) Over(y Number) Number {
	q := Of(x.Hi / y.Hi)
	r := x.Minus(q.Times(y))
	return q.Plus(Of(r.Hi / y.Hi))
}

// Root returns √x for x ≥ 0.
func (x Number) Root() Number {
	if x.Hi == 0 {
		return Number{}
	}
	s := Of(math.Sqrt(x.Hi))
	r := x.Minus(s.Times(s))
	return s.Plus(Of(r.Hi / (2 * s.Hi)))
}

// Value returns x, rounded once.
func (x Number) Value() float64 { return x.Hi + x.Lo }

// Dot returns Σxᵢyᵢ.
func Dot(x, y []float64) (s Number) {
	for i, v := range x {
		s = s.Plus(Product(v, y[i]))
	}
	return s
}

// SquaredDistance returns Σ(xᵢ − yᵢ)².
func SquaredDistance(x, y []float64) (s Number) {
	for i, v := range x {
		d := sum(v, -y[i])
		s = s.Plus(d.Times(d))
	}
	return s
}
