package blas

// The functions of this file treat rows of a single-precision matrix at scattered
// places: row r is rows[r·width : (r+1)·width] with width = len(x), a multiple of
// 8. Places are not checked against the matrix.

// gatheredGroup is the number of rows that the assembly treats at a time.
const gatheredGroup = 4

// GatheredSquares32 writes the squared distances of x to the rows at the given
// places, whose number is a multiple of 4. Swapping x and a row changes no bit.
func GatheredSquares32(x, rows []float32, at []int32, out []float32) {
	if len(at) == 0 {
		return
	}
	width := len(x)
	out = out[:len(at)]
	if kernel.gatheredSquares != nil {
		kernel.gatheredSquares(noescape(&x[0]), noescape(&rows[0]), noescape(&at[0]), width, len(at), noescape(&out[0]))
		return
	}
	for p := range out {
		y := rows[int(at[p])*width : (int(at[p])+1)*width]
		var s0, s1, s2, s3 float32
		for i := 0; i+4 <= len(x); i += 4 {
			d0, d1, d2, d3 := x[i]-y[i], x[i+1]-y[i+1], x[i+2]-y[i+2], x[i+3]-y[i+3]
			s0 += d0 * d0
			s1 += d1 * d1
			s2 += d2 * d2
			s3 += d3 * d3
		}
		out[p] = (s0 + s1) + (s2 + s3)
	}
}

// GatheredDots32 writes the products of x with the rows at the given places.
func GatheredDots32(x, rows []float32, at []int32, out []float32) {
	width, done := len(x), 0
	if kernel.gatheredDots != nil && len(at) >= gatheredGroup {
		done = len(at) &^ (gatheredGroup - 1)
		kernel.gatheredDots(noescape(&x[0]), noescape(&rows[0]), noescape(&at[0]), width, done, noescape(&out[0]))
	}
	for p := done; p < len(at); p++ {
		y := rows[int(at[p])*width : (int(at[p])+1)*width]
		var s0, s1, s2, s3 float32
		for i := 0; i+4 <= len(x); i += 4 {
			s0 += x[i] * y[i]
			s1 += x[i+1] * y[i+1]
			s2 += x[i+2] * y[i+2]
			s3 += x[i+3] * y[i+3]
		}
		out[p] = (s0 + s1) + (s2 + s3)
	}
}
