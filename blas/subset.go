package blas

import (
	"cmp"
	"math"
	"slices"
)

// subset finds the eigenpairs lo ≤ j < hi of a tridiagonal matrix whose entries
// are of magnitude 2 at most: values into w, vectors into the rows of z.
type subset struct {
	level3  Backend
	d, e    []float64
	w, z    []float64
	ldz     int
	floats  []float64 // scratch, from which the rest is taken
	ints    []int32
	bound   float64 // of the eigenvalues
	e2      []float64
	lo, hi  []float64 // intervals under bisection
	values  []float64 // candidates, block by block,
	blockOf []int32   // and the first rows of their blocks
}

// subsetScratch is the scratch of a subset of order n: numbers and integers.
func subsetScratch(n int) (floats, ints int) { return 9 * n, 4 * n }

// run reports false where inverse iteration has failed. d and e are left as
// they were, but for entries of e below rounding, which become 0.
func (s *subset) run(lo, hi int) bool {
	rank := s.choose(lo, hi)
	if rank == nil {
		return false
	}
	for j := range rank {
		clear(s.z[j*s.ldz : j*s.ldz+len(s.d)])
	}
	return s.vectors(rank)
}

// choose finds the values, and returns the candidates that they are; nil: counts are at odds
// with each other by rounding.
func (s *subset) choose(lo, hi int) []int32 {
	n := len(s.d)
	s.e2, s.lo, s.hi, s.values = take(&s.floats, n), take(&s.floats, n), take(&s.floats, n), take(&s.floats, n)
	s.blockOf = take(&s.ints, n)
	s.split()
	found, before := 0, lo
	if s.blockEnd(0) == n {
		found = s.candidates(0, n, lo, hi-lo, -s.bound, s.bound, 0)
	} else {
		var from, to float64
		from, to, before = s.window(lo, hi)
		at := [4]float64{from, to, from, to}
		for b := 0; b < n; {
			end := s.blockEnd(b)
			c := count4(s.d[b:end], s.e2[b:end], &at)
			found = s.candidates(b, end, c[0], c[1]-c[0], from, to, found)
			b = end
		}
	}
	skip := lo - before
	if skip < 0 || skip+hi-lo > found {
		return nil
	}
	rank := take(&s.ints, n)[:found]
	for i := range rank {
		rank[i] = int32(i)
	}
	slices.SortFunc(rank, func(x, y int32) int { return cmp.Or(cmp.Compare(s.values[x], s.values[y]), cmp.Compare(x, y)) })
	rank = rank[skip : skip+hi-lo]
	for j, c := range rank {
		s.w[j] = s.values[c]
	}
	return rank
}

// split sets off-diagonal entries below rounding to 0, and bound to more
// than any eigenvalue's magnitude (Gershgorin).
func (s *subset) split() {
	n := len(s.d)
	var norm, before float64
	for i, v := range s.d {
		next := math.Abs(s.e[i])
		norm = max(norm, math.Abs(v)+before+next)
		before = next
	}
	s.bound = norm*(1+4*ulp*float64(n)) + minPivot
	for i := range n {
		if i+1 == n || math.Abs(s.e[i]) <= ulp/2*norm {
			s.e[i] = 0
		}
		s.e2[i] = s.e[i] * s.e[i]
	}
}

// blockEnd returns where the unreduced block that starts at row b ends.
func (s *subset) blockEnd(b int) int {
	for s.e[b] != 0 {
		b++
	}
	return b + 1
}

// tolerance is the width at which bisection stops: never less than the spacing
// of the numbers it bisects.
func (s *subset) tolerance() float64 { return ulp * s.bound }

// window returns an interval that holds the eigenvalues lo ≤ j < hi and the
// number of eigenvalues below it.
func (s *subset) window(lo, hi int) (from, to float64, before int) {
	b := bisection{d: s.d, e2: s.e2, lo: s.lo[:1], hi: s.hi[:1]}
	b.find(lo, -s.bound, s.bound, s.tolerance())
	from = s.lo[0] - s.tolerance()
	b.find(hi-1, -s.bound, s.bound, s.tolerance())
	to = s.hi[0] + s.tolerance()
	at := [4]float64{from, to, from, to}
	for b := 0; b < len(s.d); {
		end := s.blockEnd(b)
		before += count4(s.d[b:end], s.e2[b:end], &at)[0]
		b = end
	}
	return from, to, before
}

// candidates adds count eigenvalues of the block of rows b ≤ i < end, from its
// own number first on, to the found ones and returns the new number of those.
func (s *subset) candidates(b, end, first, count int, from, to float64, found int) int {
	if count <= 0 {
		return found
	}
	values := s.values[found : found+count]
	if end-b == 1 {
		values[0] = s.d[b]
	} else {
		bisect := bisection{d: s.d[b:end], e2: s.e2[b:end], lo: s.lo[:count], hi: s.hi[:count]}
		bisect.find(first, from, to, s.tolerance())
		for j := range values {
			values[j] = bisect.lo[j] + (bisect.hi[j]-bisect.lo[j])/2
		}
	}
	for j := range values {
		s.blockOf[found+j] = int32(b)
	}
	return found + count
}

// vectors runs inverse iteration, block by block, for the candidates chosen.
func (s *subset) vectors(rank []int32) bool {
	n := len(s.d)
	rowsOfBlock := take(&s.ints, n)
	v := inverseIteration{
		level3: s.level3, norm: s.bound,
		inv: take(&s.floats, n), up1: take(&s.floats, n), up2: take(&s.floats, n), mult: take(&s.floats, n),
		projection: take(&s.floats, n), swap: take(&s.ints, n),
	}
	const done = -1
	for j, c := range rank {
		b := s.blockOf[c]
		if b == done {
			continue
		}
		rows := rowsOfBlock[:0]
		for i, other := range rank[j:] {
			if s.blockOf[other] == b {
				s.blockOf[other] = done
				rows = append(rows, int32(j+i))
			}
		}
		end := s.blockEnd(int(b))
		v.d, v.e = s.d[b:end], s.e[b:end]
		if !v.vectors(rows, s.w, s.z, s.ldz, int(b)) {
			return false
		}
	}
	return true
}

// bisection finds eigenvalues of a symmetric tridiagonal matrix by counting
// (Givens 1954; Barth, Martin and Wilkinson 1967). Its entries must be of
// magnitude 2 at most.
type bisection struct {
	d, e2  []float64 // diagonal; squares of the off-diagonal
	lo, hi []float64 // the interval of each eigenvalue asked for
}

// minPivot replaces a pivot that has vanished: e²/minPivot is finite, and a
// change of the diagonal by so little moves no eigenvalue by more than that.
const minPivot = 0x1p-500

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
		if math.Abs(q0) < minPivot {
			q0 = -minPivot
		}
		if math.Abs(q1) < minPivot {
			q1 = -minPivot
		}
		if math.Abs(q2) < minPivot {
			q2 = -minPivot
		}
		if math.Abs(q3) < minPivot {
			q3 = -minPivot
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
