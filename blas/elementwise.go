package blas

import "math"

// The loops of weighted and Kullback–Leibler factorisations, which pass over every
// entry of the data between two products. Each entry is computed as the generic
// code spells it out, whatever the instruction level.

// minExponent bounds the exponents of [GaussWeights] from below: smaller weights are negligible
// next to other entries, and their products could be denormal.
const minExponent = -400

// GaussWeights writes the weights max(e^−c(x[i]−t[i])², e^−400) to p[i], p[i]·x[i]
// to u[i] and p[i]·t[i] to v[i], over the length of x, for c ≥ 0. p may be t.
func GaussWeights(c float64, x, t, p, u, v []float64) {
	n := len(x)
	t, p, u, v = t[:n], p[:n], u[:n], v[:n]
	i := 0
	if q := n &^ 7; kernel.gaussWeights != nil && q > 0 {
		for ; i < q; i += spanTerms {
			kernel.gaussWeights(min(q-i, spanTerms), c, noescape(&x[i]), noescape(&t[i]), noescape(&p[i]), noescape(&u[i]), noescape(&v[i]))
		}
		i = q
	}
	var weights [128]float64
	for ; i < n; i += len(weights) {
		end := min(i+len(weights), n)
		w := weights[:end-i]
		gaussArguments(w, c, x[i:end], t[i:end])
		Exp(w, w)
		Weigh(w, x[i:end], t[i:end], u[i:end], v[i:end])
		copy(p[i:end], w)
	}
}

// gaussArguments writes max(−c·(x[i] − t[i])², minExponent) to dst[i].
func gaussArguments(dst []float64, c float64, x, t []float64) {
	i := 0
	if q := len(x) &^ 3; kernel.gaussArguments != nil && q > 0 {
		kernel.gaussArguments(q, c, minExponent, noescape(&x[0]), noescape(&t[0]), noescape(&dst[0]))
		i = q
	}
	for ; i < len(x); i++ {
		d := x[i] - t[i]
		a := float64(d*d) * -c
		if !(a > minExponent) {
			a = minExponent
		}
		dst[i] = a
	}
}

// Weigh writes p[i]·x[i] to u[i] and p[i]·t[i] to v[i] over the length of x; u and
// v may be any of the three.
func Weigh(p, x, t, u, v []float64) {
	p, t, u, v = p[:len(x)], t[:len(x)], u[:len(x)], v[:len(x)]
	i := 0
	if q := len(x) &^ 3; kernel.weigh != nil && q > 0 {
		for ; i < q; i += spanTerms {
			kernel.weigh(min(q-i, spanTerms), noescape(&p[i]), noescape(&x[i]), noescape(&t[i]), noescape(&u[i]), noescape(&v[i]))
		}
		i = q
	}
	for ; i < len(x); i++ {
		f, a, b := p[i], x[i], t[i]
		u[i], v[i] = f*a, f*b
	}
}

// Multiply writes x[i]·t[i] to dst[i] over the length of x; dst may be x or t.
func Multiply(dst, x, t []float64) {
	t, dst = t[:len(x)], dst[:len(x)]
	i := 0
	if q := len(x) &^ 3; kernel.multiply != nil && q > 0 {
		for ; i < q; i += spanTerms {
			kernel.multiply(min(q-i, spanTerms), noescape(&x[i]), noescape(&t[i]), noescape(&dst[i]))
		}
		i = q
	}
	for ; i < len(x); i++ {
		dst[i] = x[i] * t[i]
	}
}

// Quotients writes x[i] / max(t[i], floor) to dst[i] over the length of x; dst may
// be x or t.
func Quotients(dst []float64, floor float64, x, t []float64) {
	t, dst = t[:len(x)], dst[:len(x)]
	i := 0
	if q := len(x) &^ 3; kernel.quotients != nil && q > 0 {
		for ; i < q; i += spanTerms {
			kernel.quotients(min(q-i, spanTerms), floor, noescape(&x[i]), noescape(&t[i]), noescape(&dst[i]))
		}
		i = q
	}
	for ; i < len(x); i++ {
		d := t[i]
		if !(d > floor) {
			d = floor
		}
		dst[i] = x[i] / d
	}
}

// Roots writes √max(x[i], floor) to dst[i] over the length of x, for floor ≥ 0; dst may be x.
func Roots(dst []float64, floor float64, x []float64) {
	dst = dst[:len(x)]
	i := 0
	if q := len(x) &^ 3; kernel.roots != nil && q > 0 {
		for ; i < q; i += spanTerms {
			kernel.roots(min(q-i, spanTerms), floor, noescape(&x[i]), noescape(&dst[i]))
		}
		i = q
	}
	for ; i < len(x); i++ {
		v := x[i]
		if !(v > floor) {
			v = floor
		}
		dst[i] = math.Sqrt(v)
	}
}

// MultiplyRatios is one multiplicative step: y[i] ← y[i]·(num[i] / max(den[i],
// floor)), and 0 where that is below least.
func MultiplyRatios(y []float64, floor, least float64, num, den []float64) {
	num, den = num[:len(y)], den[:len(y)]
	i := 0
	if q := len(y) &^ 3; kernel.multiplyRatios != nil && q > 0 {
		for ; i < q; i += spanTerms {
			kernel.multiplyRatios(min(q-i, spanTerms), floor, least, noescape(&num[i]), noescape(&den[i]), noescape(&y[i]))
		}
		i = q
	}
	for ; i < len(y); i++ {
		d := den[i]
		if !(d > floor) {
			d = floor
		}
		v := y[i] * (num[i] / d)
		if !(v >= least) {
			v = 0
		}
		y[i] = v
	}
}

// Exp writes e^x[i] to dst[i] over the length of x; dst may be x. The error is at
// most one unit in the last place and a half, and −∞, +∞ and NaN give 0, +∞ and
// NaN.
func Exp(dst, x []float64) {
	dst = dst[:len(x)]
	if kernel.exp == nil {
		for i, v := range x {
			dst[i] = expGeneric(v)
		}
		return
	}
	for len(x) >= 16 {
		n := min(len(x), spanTerms) / 16
		kernel.exp(n, noescape(&x[0]), noescape(&dst[0]))
		x, dst = x[16*n:], dst[16*n:]
	}
	if len(x) > 0 {
		var rest [16]float64
		copy(rest[:], x)
		kernel.exp(1, noescape(&rest[0]), noescape(&rest[0]))
		copy(dst, rest[:])
	}
}

// expTerms are the coefficients of e^r ≈ 1 + r + r²·q(r), constant first: q
// interpolates at the Chebyshev points of |r| ≤ ln 2/2, where the relative error is
// below 1.7·10⁻¹⁷.
var expTerms = []float64{
	1, 1, 0x1.0000000000001p-1, 0x1.5555555555556p-3,
	0x1.5555555553d63p-5, 0x1.11111111109b3p-7, 0x1.6c16c1788bd90p-10, 0x1.a01a01a7c41d5p-13,
	0x1.a019b90d2ae7ap-16, 0x1.71de0dae63bb3p-19, 0x1.289185613a3d6p-22, 0x1.af38a9b0ec855p-26,
}

// expGeneric is the definition of Exp: e^x = 2ⁿ·e^r with n the whole number next
// to x/ln 2 and e^r a polynomial.
func expGeneric(x float64) float64 {
	const ln2hi, ln2lo, magic = 6.93147180369123816490e-01, 1.90821492927058770002e-10, 0x1.8p52
	if x < -746 {
		x = -746
	}
	if x > 710 {
		x = 710
	}
	shifted := fma(math.Log2E, x, magic)
	n := shifted - magic
	r := fma(-n, ln2lo, fma(-n, ln2hi, x))
	p := expTerms[len(expTerms)-1]
	for i := len(expTerms) - 2; i >= 0; i-- {
		p = fma(p, r, expTerms[i])
	}
	// 2ⁿ in two factors, because n exceeds the range of exponents.
	whole := int32(math.Float64bits(shifted))
	half := whole >> 1
	power := func(e int32) float64 { return math.Float64frombits(uint64(int64(e)+1023) << 52) }
	return p * power(half) * power(whole-half)
}
