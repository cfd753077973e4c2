package blas

import (
	"math"
	"runtime"
)

// fused is x·y + z in one rounding. WebAssembly has no instruction for it, and math.FMA computes with integers there.
func fused(x, y, z float64) float64 {
	if runtime.GOARCH == "wasm" {
		return fusedBySums(x, y, z)
	}
	return math.FMA(x, y, z)
}

// fusedBySums is math.FMA, to the bit, by additions and products of float64 (Boldo and Melquiond 2008, "Emulation of FMA
// and correctly rounded sums: proved algorithms using rounding to odd", algorithm 5). The product and its error are exact
// (Dekker 1971), and so are the sums of them with z and their errors (Knuth 1969); the two errors are added by rounding to
// odd, so that the last sum rounds once. Numbers near overflow or underflow, where parts are not exact, are left to math.FMA.
// Each product is rounded by itself on processors that fuse, too.
func fusedBySums(x, y, z float64) float64 {
	// The parts of x and y have half of the digits.
	t := float64(x * 134217729)
	xh := t - (t - x)
	xl := x - xh
	t = float64(y * 134217729)
	yh := t - (t - y)
	yl := y - yh
	p := float64(x * y)
	e := float64(xl*yl) - (((p - float64(xh*yh)) - float64(xl*yh)) - float64(xh*yl))

	sum, low := sumAndError(z, e)
	high, rest := sumAndError(p, sum)
	odd, left := sumAndError(low, rest)
	if left != 0 {
		if bits := math.Float64bits(odd); bits&1 == 0 {
			if (left > 0) == (odd > 0) {
				bits++
			} else {
				bits--
			}
			odd = math.Float64frombits(bits)
		}
	}
	all := high + odd
	const large, small = 0x1p900, 0x1p-800
	if size := math.Abs(p); size > small && size < large && math.Abs(all) > small && math.Abs(x) < large && math.Abs(y) < large && math.Abs(z) < large {
		return all
	}
	return math.FMA(x, y, z)
}

// sumAndError returns a + b, rounded, and what the rounding left out.
func sumAndError(a, b float64) (sum, left float64) {
	sum = a + b
	t := sum - a
	return sum, (a - (sum - t)) + (b - t)
}
