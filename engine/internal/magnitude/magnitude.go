// Package magnitude decides by which power of two numbers are divided before they are
// squared and multiplied. Such a division changes the exponents alone, so that nothing is
// lost except in numbers too small to matter next to the largest.
package magnitude

import "math"

const (
	// most: up to it the fourth powers that some objectives have, summed over as many
	// entries as fit into a memory, stay far below the largest number.
	most = 0x1p100
	// least: above it the guards against a division by zero, of 1e-16 and less next to
	// products of three entries, stay far below what they guard.
	least = 0x1p-20
)

// Exponent is the power of two by which numbers are divided whose largest, in absolute
// value, is this one: 0 where that is of ordinary size, else what brings it to at least ½
// and below 2. It is even, so that roots of powers of the data are scaled exactly too.
func Exponent(largest float64) int {
	if largest == 0 || largest >= least && largest <= most {
		return 0
	}
	_, e := math.Frexp(largest)
	return e &^ 1
}

// Times is v·2^e, rounded once.
func Times(v float64, e int) float64 {
	if e >= leastExponent && e <= mostExponent {
		return v * math.Ldexp(1, e)
	}
	return math.Ldexp(v, e)
}

// TimesPower is v·2^e, rounded once for a whole e.
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

// Scaled is a copy of the numbers times 2^e.
func Scaled(e int, x []float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = Times(v, e)
	}
	return y
}

// The exponents of the smallest and the largest power of two that has all its digits.
const (
	leastExponent = -1022
	mostExponent  = 1023
)

// Normal reports whether 2^e is a number that has all its digits.
func Normal(e float64) bool { return e >= leastExponent && e <= mostExponent }

// Largest is the place of the largest of the numbers in absolute value, the first on
// ties, and that value; −1: all are zeros, or there are none. The numbers must be finite.
func Largest(x []float64) (at int, value float64) {
	at = -1
	for i, v := range x {
		if v = math.Abs(v); v > value {
			at, value = i, v
		}
	}
	return at, value
}

// Size is the largest of the numbers in absolute value, or a NaN or an infinity where
// there is one: the bits of numbers without their sign order as the numbers do, and above
// them stand those of what is not finite.
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
