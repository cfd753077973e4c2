package blas

import "math"

// A panel is the n × w matrix of an iteration for nonnegative factors, row-major
// with w a multiple of 4. Of its columns the first `cols` count; the others hold
// zeros and keep them.

// PanelFloor is the least value of a denominator and, by the vector of floors, of
// an entry after an update: zero would never recover under a multiplicative
// rule, and smaller numbers are denormal, tens of times slower to multiply.
const PanelFloor = 1e-16

// PanelGrams computes the w × w matrices UᵀU, UᵀA and UᵀB of the rows lo ≤ i < hi
// into g, one after the other, each entry one chain of fused multiply-adds over
// the rows from 0. b may be nil: the third matrix is then left alone.
func PanelGrams(w, lo, hi int, u, a, b, g []float64) {
	count := 3
	if b == nil {
		b, count = a, 2
	}
	if w%4 != 0 || lo < 0 || hi < lo {
		panic("blas: PanelGrams wants a multiple of 4 columns")
	}
	g = g[:count*w*w]
	u, a, b = u[lo*w:hi*w], a[lo*w:hi*w], b[lo*w:hi*w]
	if hi == lo {
		clear(g)
		return
	}
	if kernel.grams3 == nil {
		panelGramsGeneric(w, u, [3][]float64{u, a, b}, g)
		return
	}
	var tile [48]float64
	for p := 0; p < w; p += 4 {
		for q := 0; q < w; q += 4 {
			if count == 3 {
				kernel.grams3(hi-lo, w, noescape(&u[p]), noescape(&u[q]), noescape(&a[q]), noescape(&b[q]), noescape(&tile[0]))
			} else {
				kernel.grams2(hi-lo, w, noescape(&u[p]), noescape(&u[q]), noescape(&a[q]), noescape(&tile[0]))
			}
			for m := range count {
				for r := range 4 {
					copy(g[m*w*w+(p+r)*w+q:][:4], tile[16*m+4*r:])
				}
			}
		}
	}
}

// panelGramsGeneric is the definition of PanelGrams.
func panelGramsGeneric(w int, u []float64, with [3][]float64, g []float64) {
	clear(g)
	for at := 0; at < len(u); at += w {
		for m := range len(g) / (w * w) {
			row := with[m][at : at+w]
			for p, x := range u[at : at+w] {
				out := g[m*w*w+p*w : m*w*w+p*w+w]
				for q, y := range row {
					out[q] = fma(x, y, out[q])
				}
			}
		}
	}
}

// PanelRatio is the multiplicative step
//
//	U′ = max(U ∘ √((A + U·Lb) / max(B + U·La, ε)), floor),  ε = PanelFloor
//
// for the rows lo ≤ i < hi, with U′ written over A. la and lb are w × w, floor
// has one number for each column; every entry of U·L is a chain of fused
// multiply-adds that begins at the entry of A or B. b and lb may both be nil, which means zeros. To
// each of the four numbers of moved the squares of U′ − U in the columns of that number modulo 4
// are added.
func PanelRatio(w, cols, lo, hi int, u, a, b, la, lb, floor []float64, moved *[4]float64) {
	if w%4 != 0 || cols > w || lo < 0 {
		panic("blas: PanelRatio wants a multiple of 4 columns")
	}
	if hi <= lo {
		return
	}
	u, a, la, floor = u[lo*w:hi*w], a[lo*w:hi*w], la[:w*w], floor[:w]
	if b != nil {
		b, lb = b[lo*w:hi*w], lb[:w*w]
	}
	if kernel.ratio != nil {
		if b == nil {
			kernel.ratioHalf(hi-lo, w, cols, noescape(&u[0]), noescape(&a[0]), noescape(&la[0]), noescape(&floor[0]), noescape(&moved[0]))
		} else {
			kernel.ratio(hi-lo, w, cols, noescape(&u[0]), noescape(&a[0]), noescape(&b[0]), noescape(&la[0]), noescape(&lb[0]), noescape(&floor[0]), noescape(&moved[0]))
		}
		return
	}
	for at := 0; at < len(u); at += w {
		row := u[at : at+w]
		for q, v := range row {
			numerator, denominator := a[at+q], 0.0
			if b != nil {
				denominator = b[at+q]
			}
			for p, x := range row[:cols] {
				denominator = fma(x, la[p*w+q], denominator)
				if b != nil {
					numerator = fma(x, lb[p*w+q], numerator)
				}
			}
			if PanelFloor > denominator {
				denominator = PanelFloor
			}
			a[at+q] = stepTo(v, float64(v*math.Sqrt(numerator/denominator)), floor[q], &moved[q%4])
		}
	}
}

// stepTo floors a new entry and counts how far it moved from v.
func stepTo(v, next, floor float64, moved *float64) float64 {
	if floor > next {
		next = floor
	}
	d := next - v
	*moved = fma(d, d, *moved)
	return next
}

// PanelQuartic is the step to the minimum of a quartic majoriser,
//
//	U′ = max(U ∘ √(2c / max(b + √(b² + 4ac), ε)), floor),
//	a = U·M,  b = s ∘ B,  c = s ∘ A + α·U
//
// with one factor s for each column; the rest as in [PanelRatio]. b may be nil,
// for zeros.
func PanelQuartic(w, cols, lo, hi int, u, a, b, m, s, floor []float64, alpha float64, moved *[4]float64) {
	if w%4 != 0 || cols > w || lo < 0 {
		panic("blas: PanelQuartic wants a multiple of 4 columns")
	}
	if hi <= lo {
		return
	}
	u, a, m, s, floor = u[lo*w:hi*w], a[lo*w:hi*w], m[:w*w], s[:w], floor[:w]
	if b != nil {
		b = b[lo*w : hi*w]
	}
	if kernel.quartic != nil {
		if b == nil {
			kernel.quarticHalf(hi-lo, w, cols, noescape(&u[0]), noescape(&a[0]), noescape(&m[0]), noescape(&s[0]), noescape(&floor[0]), alpha, noescape(&moved[0]))
		} else {
			kernel.quartic(hi-lo, w, cols, noescape(&u[0]), noescape(&a[0]), noescape(&b[0]), noescape(&m[0]), noescape(&s[0]), noescape(&floor[0]), alpha, noescape(&moved[0]))
		}
		return
	}
	for at := 0; at < len(u); at += w {
		row := u[at : at+w]
		for q, v := range row {
			var quartic, linear float64
			for p, x := range row[:cols] {
				quartic = fma(x, m[p*w+q], quartic)
			}
			if b != nil {
				linear = float64(b[at+q] * s[q])
			}
			logarithmic := fma(alpha, v, float64(a[at+q]*s[q]))
			root := math.Sqrt(fma(float64(4*quartic), logarithmic, float64(linear*linear)))
			denominator := linear + root
			if PanelFloor > denominator {
				denominator = PanelFloor
			}
			a[at+q] = stepTo(v, float64(v*math.Sqrt(float64(2*logarithmic)/denominator)), floor[q], &moved[q%4])
		}
	}
}
