package blas

import "math"

// Exp writes e^x[i] to dst[i] over the length of x; dst may be x. The error is at
// most one unit in the last place and a half, and −∞, +∞ and NaN give 0, +∞ and
// NaN.
func Exp(dst, x []float64) {
	dst = dst[:len(x)]
	if isa < isaAVX2 {
		for i, v := range x {
			dst[i] = expGeneric(v)
		}
		return
	}
	for len(x) >= 16 {
		n := min(len(x), spanTerms) / 16
		expAVX2(n, &x[0], &dst[0])
		x, dst = x[16*n:], dst[16*n:]
	}
	if len(x) > 0 {
		var rest [16]float64
		copy(rest[:], x)
		expAVX2(1, &rest[0], &rest[0])
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
