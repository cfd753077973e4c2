// Package magnitude chooses the power of two by which numbers are divided before they are
// squared and multiplied. Such a division changes only the exponents, so it is exact
// except for numbers that are negligible next to the largest.
package magnitude

import "math"

const (
	// most is the largest magnitude for which fourth powers, which some objectives contain,
	// summed over as many entries as fit into memory, stay far below the largest number.
	most = 0x1p100
	// least is the smallest magnitude for which guards against division by zero, at most 1e-16 and
	// added to products of three entries, stay negligible.
	least = 0x1p-20
)

// Exponent returns the power of two by which to divide numbers with this largest absolute
// value: 0 if it is of ordinary size, otherwise the exponent that brings it to at least ½
// and below 2. It is even, so that square roots of powers of the data are scaled exactly too.
func Exponent(largest float64) int {
	if largest == 0 || largest >= least && largest <= most {
		return 0
	}
	_, e := math.Frexp(largest)
	return e &^ 1
}

// Times returns v·2^e, rounded once.
func Times(v float64, e int) float64 {
	if e >= minExponent && e <= maxExponent {
		return v * math.Ldexp(1, e)
	}
	return math.Ldexp(v, e)
}

// TimesPower returns v·2^e, rounded once if e is an integer.
func TimesPower(v, e float64) float64 {
	whole, rest := math.Modf(e)
	return Times(v*math.Exp2(rest), int(whole))
}

// Scale multiplies the numbers by 2^e.
func Scale(e int, x []float64) {
	if e == 0 {
		return
	}
	for i, v := range x {
		x[i] = Times(v, e)
	}
}

// Scaled returns a copy of the numbers, multiplied by 2^e.
func Scaled(e int, x []float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = Times(v, e)
	}
	return y
}

// The exponents of the smallest and the largest power of two of full precision.
const (
	minExponent = -1022
	maxExponent = 1023
)

// Normal reports whether 2^e is a number of full precision.
func Normal(e float64) bool { return e >= minExponent && e <= maxExponent }

// Largest returns the index of the number that is largest in absolute value, the first on
// ties, and that value; −1: all are zero, or there are none. The numbers must be finite.
func Largest(x []float64) (at int, value float64) {
	at = -1
	for i, v := range x {
		if v = math.Abs(v); v > value {
			at, value = i, v
		}
	}
	return at, value
}

// Size returns the largest absolute value, or NaN or an infinity if there
// is one. Without the sign bit, the bits of finite numbers order as the numbers do, and
// those of infinities and NaN are larger.
func Size(x []float64) float64 {
	const unsigned = 1<<63 - 1
	var most [4]uint64
	for ; len(x) >= 4; x = x[4:] {
		for l := range most {
			most[l] = max(most[l], math.Float64bits(x[l])&unsigned)
		}
	}
	for _, v := range x {
		most[0] = max(most[0], math.Float64bits(v)&unsigned)
	}
	return math.Float64frombits(max(most[0], most[1], most[2], most[3]))
}
