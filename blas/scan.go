package blas

// Candidates sets bit q of mask where g[q] − h[q] ≥ t or g[q] − c ≥ r[q], for
// the length of g, clears the others, and reports whether any is set. NaN passes
// neither test. It is the scan of a row of a Gram matrix for entries that
// matter to the row's point or to the column's. mask has at least ⌈len(g)/64⌉
// words.
func Candidates(mask []uint64, g, h, r []float64, c, t float64) bool {
	h, r = h[:len(g)], r[:len(g)]
	mask = mask[:(len(g)+63)/64]
	clear(mask)
	from, any := 0, false
	if pairs := len(g) / 8; kernel.scan64 != nil && pairs > 0 {
		any = kernel.scan64(pairs, noescape(&g[0]), noescape(&h[0]), noescape(&r[0]), c, t, noescape(&mask[0])) != 0
		from = pairs * 8
	}
	return candidatesFrom(from, mask, g, h, r, c, t) || any
}

// Candidates32 is [Candidates] in single precision.
func Candidates32(mask []uint64, g, h, r []float32, c, t float32) bool {
	h, r = h[:len(g)], r[:len(g)]
	mask = mask[:(len(g)+63)/64]
	clear(mask)
	from, any := 0, false
	if pairs := len(g) / 16; kernel.scan32 != nil && pairs > 0 {
		any = kernel.scan32(pairs, noescape(&g[0]), noescape(&h[0]), noescape(&r[0]), c, t, noescape(&mask[0])) != 0
		from = pairs * 16
	}
	return candidatesFrom(from, mask, g, h, r, c, t) || any
}

func candidatesFrom[T float](from int, mask []uint64, g, h, r []T, c, t T) (any bool) {
	for q := from; q < len(g); q++ {
		if v := g[q]; v-h[q] >= t || v-c >= r[q] {
			mask[q/64] |= 1 << (q % 64)
			any = true
		}
	}
	return any
}

// CandidatesSquared sets bit q of mask where g[q]·(r[q] − c)² + (h[q] − r[q]) ≥ t,
// for the length of g, clears the others, and reports whether any is set. NaN
// does not pass. It is the scan of the lines through one point for those near
// another; values close to t may fall on either side, by the rounding of a fused
// operation. mask has at least ⌈len(g)/64⌉ words.
func CandidatesSquared(mask []uint64, g, h, r []float64, c, t float64) bool {
	h, r = h[:len(g)], r[:len(g)]
	mask = mask[:(len(g)+63)/64]
	clear(mask)
	from, any := 0, false
	if eights := len(g) / 8; kernel.scanSquares != nil && eights > 0 {
		any = kernel.scanSquares(eights, noescape(&g[0]), noescape(&h[0]), noescape(&r[0]), c, t, noescape(&mask[0])) != 0
		from = eights * 8
	}
	for q := from; q < len(g); q++ {
		if d := r[q] - c; d*d*g[q]+(h[q]-r[q]) >= t {
			mask[q/64] |= 1 << (q % 64)
			any = true
		}
	}
	return any
}
