package blas

import "math"

// choleskyCorner is the order of the blocks on the diagonal that are factorised entry by entry.
const choleskyCorner = 32

// smallCholesky is the order up to which gonum's loops are faster.
const smallCholesky = 96

// Cholesky implements [Dense]: halves of a large matrix in turn, so that nearly all of the n³/3 operations
// are in native's products. Their bits, and with them the factor's, depend neither on the
// instruction level nor on the backend of the products.
func (nativeDense) Cholesky(n int, a []float64, lda int) bool {
	if n <= smallCholesky {
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
	if n <= choleskyCorner {
		return factorCorner(n, a, lda)
	}
	half := firstHalf(n)
	if !factorLower(half, a, lda) {
		return false
	}
	below, rest := a[half*lda:], a[half*lda+half:]
	solveLower(half, n-half, a, lda, below)
	update := symmetricUpdate(false, n-half, half, -1, below, lda, 1, rest, lda)
	update.part = lowerPart
	update.run()
	return factorLower(n-half, rest, lda)
}

// factorCorner is the definition, row by row.
func factorCorner(n int, a []float64, lda int) bool {
	for i := range n {
		row := a[i*lda : i*lda+i+1]
		for c := range i {
			pivot := a[c*lda : c*lda+c+1]
			row[c] = (row[c] - Dot(pivot[:c], row[:c])) / pivot[c]
		}
		square := row[i] - Dot(row[:i], row[:i])
		if !(square > 0) {
			return false
		}
		row[i] = math.Sqrt(square)
	}
	return true
}

// solveLower overwrites the m rows of X, of n numbers each, with the solution Y of YLᵀ = X. The rows of L are as
// far apart as X's.
func solveLower(n, m int, l []float64, ld int, x []float64) {
	if n <= choleskyCorner {
		solveCorner(n, m, l, ld, x)
		return
	}
	half := firstHalf(n)
	solveLower(half, m, l, ld, x)
	update := general(false, true, m, n-half, half, -1, x, ld, l[half*ld:], ld, 1, x[half:], ld)
	update.run()
	solveLower(n-half, m, l[half*ld+half:], ld, x[half:])
}

// solveCorner is solveLower for eight rows at a time, which lie side by side as [SubtractRows] wants them.
func solveCorner(n, m int, l []float64, ld int, x []float64) {
	const lanes, group = 8, 4
	var reciprocal [choleskyCorner]float64
	for c := range n {
		reciprocal[c] = 1 / l[c*ld+c]
	}
	var sides [choleskyCorner * lanes]float64
	pack := kernel.family64.pack
	for ; m > 0; m -= lanes {
		rows := min(m, lanes)
		pack(rows, n, x, ld, sides[:], lanes)
		for at := 0; at < n; at += group {
			count := min(group, n-at)
			SubtractRows(lanes, at, count, l[at*ld:], ld, sides[:], sides[at*lanes:], nil)
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
		pack(n, rows, sides[:], lanes, x, ld)
		x = x[min(lanes*ld, len(x)):]
	}
}
