package blas

import "math"

// choleskyCorner is the order of the blocks on the diagonal that are not halved.
const choleskyCorner = 32

// smallCholesky is the order up to which gonum's loops are faster; without vectors they are at every order.
const smallCholesky = 64

// Cholesky implements [Dense]: halves of a large matrix in turn, so that nearly all of the n³/3 operations
// are in native's products. Their bits, and with them the factor's, do not depend on the
// instruction level where there are vectors, nor on the backend of the products.
func (nativeDense) Cholesky(n int, a []float64, lda int) bool {
	if n <= smallCholesky || !kernel.vectorized {
		return gonumBackend{}.Cholesky(n, a, lda)
	}
	checkMatrix(n, n, a, lda)
	return factorLower(n, a, lda)
}

// firstHalf is about half of n: a multiple of the corner.
func firstHalf(n int) int {
	return (n/2 + choleskyCorner - 1) / choleskyCorner * choleskyCorner
}

func factorLower(n int, a []float64, lda int) bool {
	s := scratch64.Get().(*scratch[float64])
	defer scratch64.Put(s)
	return factorHalves(n, a, lda, (*corner)(s.tile[:]))
}

// corner is room for the rows of a corner side by side, and for a block on its diagonal.
type corner [(choleskyCorner + cornerRows) * cornerRows]float64

func factorHalves(n int, a []float64, lda int, s *corner) bool {
	if n <= choleskyCorner {
		return factorCorner(n, a, lda, s)
	}
	half := firstHalf(n)
	if !factorHalves(half, a, lda, s) {
		return false
	}
	below, rest := a[half*lda:], a[half*lda+half:]
	solveLower(half, n-half, a, lda, below, s)
	update := symmetricUpdate(false, n-half, half, -1, below, lda, 1, rest, lda)
	update.part = lowerPart
	update.run()
	return factorHalves(n-half, rest, lda, s)
}

// cornerRows is the number of rows that lie side by side, as [SubtractRows] wants them.
const cornerRows = 8

// factorCorner factorises eight rows at a time.
func factorCorner(n int, a []float64, lda int, s *corner) bool {
	sides, block := s[:choleskyCorner*cornerRows], (*[cornerRows * cornerRows]float64)(s[choleskyCorner*cornerRows:])
	for at := 0; at < n; at += cornerRows {
		rows, these := min(cornerRows, n-at), a[at*lda:]
		if at > 0 {
			solveCorner(at, rows, a, lda, these, s) // leaves them in sides
		}
		for c := range rows { // the lower triangle, transposed
			for i := c; i < rows; i++ {
				block[c*cornerRows+i] = these[i*lda+at+c]
			}
		}
		SubtractRows(cornerRows, at, rows, these, lda, sides, block[:], nil)
		if !factorBlock(rows, block) {
			return false
		}
		for c := range rows {
			for i := c; i < rows; i++ {
				these[i*lda+at+c] = block[c*cornerRows+i]
			}
		}
	}
	return true
}

// factorBlock turns the upper triangle of n rows of a block into Lᵀ. What is left of the diagonal is arbitrary.
func factorBlock(n int, block *[cornerRows * cornerRows]float64) bool {
	for c := range n {
		row := (*[cornerRows]float64)(block[c*cornerRows:])
		square := row[c]
		if !(square > 0) {
			return false
		}
		row[c] = math.Sqrt(square)
		reciprocal := 1 / row[c]
		for i := c + 1; i < cornerRows; i++ {
			row[i] *= reciprocal
		}
		for below := c + 1; below < n; below++ {
			to, factor := (*[cornerRows]float64)(block[below*cornerRows:]), -row[below]
			for i := below; i < cornerRows; i++ {
				to[i] = fma(factor, row[i], to[i])
			}
		}
	}
	return true
}

// solveLower overwrites the m rows of X, of n numbers each, with the solution Y of YLᵀ = X. The rows of L are as
// far apart as X's.
func solveLower(n, m int, l []float64, ld int, x []float64, s *corner) {
	if n <= choleskyCorner {
		solveCorner(n, m, l, ld, x, s)
		return
	}
	half := firstHalf(n)
	solveLower(half, m, l, ld, x, s)
	update := general(false, true, m, n-half, half, -1, x, ld, l[half*ld:], ld, 1, x[half:], ld)
	update.run()
	solveLower(n-half, m, l[half*ld+half:], ld, x[half:], s)
}

// solveCorner is solveLower for eight rows at a time.
func solveCorner(n, m int, l []float64, ld int, x []float64, s *corner) {
	const lanes, group = cornerRows, 4
	var reciprocal [choleskyCorner]float64
	for c := range n {
		reciprocal[c] = 1 / l[c*ld+c]
	}
	sides := s[:choleskyCorner*lanes]
	pack := kernel.family64.pack
	for ; m > 0; m -= lanes {
		rows := min(m, lanes)
		pack(rows, n, x, ld, sides, lanes)
		for at := 0; at < n; at += group {
			count := min(group, n-at)
			SubtractRows(lanes, at, count, l[at*ld:], ld, sides, sides[at*lanes:], nil)
			for c := at; c < at+count; c++ {
				side := (*[lanes]float64)(sides[c*lanes:])
				for before := at; before < c; before++ {
					factor, solved := l[c*ld+before], (*[lanes]float64)(sides[before*lanes:])
					for q := range side {
						side[q] = fma(-factor, solved[q], side[q])
					}
				}
				for q := range side {
					side[q] *= reciprocal[c]
				}
			}
		}
		pack(n, rows, sides, lanes, x, ld)
		x = x[min(lanes*ld, len(x)):]
	}
}
