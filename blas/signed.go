package blas

// signedRows × signedColumns entries of C are a tile: columns of X that go with it
// stay in the first-level cache for all its rows, and the tile for all columns.
const signedRows, signedColumns = 16, 256

// SignedScratch is the length of the scratch that [MulSigned] needs for w
// columns.
func SignedScratch(w int) int { return 8 * signedRows * w }

// PackedLen is the length of an n × w matrix in the layout of [PackSigned].
func PackedLen(n, w int) int { return (n + 3) / 4 * 4 * w }

// PackSigned lays the n × w matrix x (row-major, w a multiple of 4) out as
// [MulSigned] reads it: four columns at a time, and of these four rows at a time,
// column after column. Rows beyond n are zeros.
func PackSigned(n, w int, x, dst []float64) {
	dst = dst[:PackedLen(n, w)]
	quads := (n + 3) / 4
	for g := 0; g < w; g += 4 {
		out := dst[4*quads*g:]
		for r := range quads {
			for l := range 4 {
				i := 4*r + l
				if i >= n {
					for q := range 4 {
						out[16*r+4*q+l] = 0
					}
					continue
				}
				for q, v := range x[i*w+g : i*w+g+4] {
					out[16*r+4*q+l] = v
				}
			}
		}
	}
}

// MulSigned computes the rows lo ≤ i < hi of A = C⁺X and B = C⁻X in one pass over
// C, where C⁺ = max(C, 0) and C⁻ = max(−C, 0) are never formed. C has n columns
// and rows ldc apart; X, of w columns, is packed by [PackSigned]; a and b are
// whole, row-major; scratch has [SignedScratch] numbers.
//
// Each entry of A and B is four sums, term j joining sum j mod 4 by a fused
// multiply-add, added as (s₀+s₁) + (s₂+s₃).
func MulSigned(w, lo, hi, n int, c []float64, ldc int, packed, a, b, scratch []float64) {
	if hi <= lo || w <= 0 || n <= 0 {
		return
	}
	if w%4 != 0 || lo < 0 || ldc < n {
		panic("blas: MulSigned wants a multiple of 4 columns and rows that do not overlap")
	}
	_, _, _ = c[(hi-1)*ldc+n-1], a[hi*w-1], b[hi*w-1]
	packed, scratch = packed[:PackedLen(n, w)], scratch[:SignedScratch(w)]
	for i := lo; i < hi; i += signedRows {
		rows := min(signedRows, hi-i)
		sums := scratch[:32*rows*(w/4)]
		clear(sums)
		for j := 0; j < n; j += signedColumns {
			cols := min(signedColumns, n-j)
			for g := range w / 4 {
				signedTile(rows, cols, c[i*ldc+j:], ldc, packed[g*((n+3)/4*16)+4*j:], sums[32*rows*g:32*rows*(g+1)])
			}
		}
		for g := range w / 4 {
			for r := range rows {
				s := sums[32*(rows*g+r) : 32*(rows*g+r+1)]
				at := (i+r)*w + 4*g
				for q := range 4 {
					a[at+q] = (s[4*q] + s[4*q+1]) + (s[4*q+2] + s[4*q+3])
					b[at+q] = (s[16+4*q] + s[16+4*q+1]) + (s[16+4*q+2] + s[16+4*q+3])
				}
			}
		}
	}
}

// signedTile adds the products of rows × cols entries of C with four columns of
// X to the sums of each row: for each column four of C⁺, and after the sums of all columns, four of
// C⁻.
func signedTile(rows, cols int, c []float64, ldc int, x, sums []float64) {
	whole := 0
	if quads := cols / 4; kernel.signed != nil && quads > 0 {
		_, _, _ = c[(rows-1)*ldc+4*quads-1], x[16*quads-1], sums[32*rows-1]
		whole = 4 * quads
		r := 0
		if kernel.signedFour != nil {
			for ; r+4 <= rows; r += 4 {
				kernel.signedFour(quads, noescape(&c[r*ldc]), ldc, noescape(&x[0]), noescape(&sums[32*r]))
			}
		}
		if r < rows {
			kernel.signed(rows-r, quads, noescape(&c[r*ldc]), ldc, noescape(&x[0]), noescape(&sums[32*r]))
		}
	}
	for r := range rows {
		row, s := c[r*ldc:r*ldc+cols], sums[32*r:32*(r+1)]
		for j := whole; j < cols; j++ {
			// As the instructions order it: NaN stays NaN.
			positive, negative := row[j], row[j]
			if positive < 0 {
				positive = 0
			}
			if negative > 0 {
				negative = 0
			}
			for q := range 4 {
				v := x[j/4*16+4*q+j%4]
				s[4*q+j%4] = fma(positive, v, s[4*q+j%4])
				s[16+4*q+j%4] = fma(-negative, v, s[16+4*q+j%4])
			}
		}
	}
}
