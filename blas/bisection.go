package blas

import "math"

// bisection finds eigenvalues of a symmetric tridiagonal matrix by counting
// (Givens 1954; Barth, Martin and Wilkinson 1967). Its entries must be of
// magnitude 2 at most.
type bisection struct {
	d, e2  []float64 // diagonal; squares of the off-diagonal
	lo, hi []float64 // the interval of each eigenvalue asked for
}

// leastPivot replaces a pivot that has vanished: e²/leastPivot is finite, and a
// change of the diagonal by so little moves no eigenvalue by more than that.
const leastPivot = 0x1p-500

// count4 returns how many eigenvalues lie below each of four numbers. The four
// recurrences are independent, so that their divisions overlap.
func count4(d, e2 []float64, x *[4]float64) (c [4]int) {
	q0, q1, q2, q3 := 1.0, 1.0, 1.0, 1.0
	x0, x1, x2, x3 := x[0], x[1], x[2], x[3]
	var c0, c1, c2, c3 uint64
	var square float64
	e2 = e2[:len(d)]
	for i, v := range d {
		q0 = (v - x0) - square/q0
		q1 = (v - x1) - square/q1
		q2 = (v - x2) - square/q2
		q3 = (v - x3) - square/q3
		if math.Abs(q0) < leastPivot {
			q0 = -leastPivot
		}
		if math.Abs(q1) < leastPivot {
			q1 = -leastPivot
		}
		if math.Abs(q2) < leastPivot {
			q2 = -leastPivot
		}
		if math.Abs(q3) < leastPivot {
			q3 = -leastPivot
		}
		c0 += math.Float64bits(q0) >> 63
		c1 += math.Float64bits(q1) >> 63
		c2 += math.Float64bits(q2) >> 63
		c3 += math.Float64bits(q3) >> 63
		square = e2[i]
	}
	return [4]int{int(c0), int(c1), int(c2), int(c3)}
}

// find narrows the intervals of the eigenvalues first ≤ j < first+len(lo), all
// of them [from, to] at the start, until none is wider than tolerance.
func (b *bisection) find(first int, from, to, tolerance float64) {
	for j := range b.lo {
		b.lo[j], b.hi[j] = from, to
	}
	for b.round(first, tolerance) {
	}
}

// round halves every interval that is too wide, four at a time; where fewer
// than four different ones are left, it cuts them into more parts. It reports
// whether there was anything to do.
func (b *bisection) round(first int, tolerance float64) bool {
	var at [4]int
	held, any := 0, false
	for j := range b.lo {
		if b.hi[j]-b.lo[j] <= tolerance {
			continue
		}
		if held > 0 && b.lo[at[held-1]] == b.lo[j] && b.hi[at[held-1]] == b.hi[j] {
			continue // shares the interval of the one before
		}
		at[held] = j
		held++
		if held == 4 {
			b.cut(first, at[:])
			held, any = 0, true
		}
	}
	if held > 0 {
		b.cut(first, at[:held])
		any = true
	}
	return any
}

// cut counts at four points of the intervals named.
func (b *bisection) cut(first int, at []int) {
	var x [4]float64
	for p := range x {
		j, share, points := at[p%len(at)], p/len(at)+1, (4-p%len(at)+len(at)-1)/len(at)
		x[p] = b.lo[j] + (b.hi[j]-b.lo[j])*float64(share)/float64(points+1)
	}
	count := count4(b.d, b.e2, &x)
	for p, v := range x {
		for j := range b.lo {
			// Rounding can make counts fall where they should rise; only points inside
			// an interval are let cut it, so that it stays one.
			if v > b.lo[j] && v < b.hi[j] {
				if count[p] > first+j {
					b.hi[j] = v
				} else {
					b.lo[j] = v
				}
			}
		}
	}
}
