package lasso

import (
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

const (
	// coderShift breaks ties among terms, as a share of the largest entry.
	coderShift = 1e-12
	// coderLastShift is the most that is tried, a hundred times more each time, where
	// rounding hides smaller shifts.
	coderLastShift = 1e-7
	// coderSlope: an edge of less slope does not lead down. A term of its own has
	// the slope 1.
	coderSlope = 1e-10
	// coderRefresh is the number of edges after which the vertex is computed anew.
	coderRefresh = 25
)

// AffineCoder reconstructs a sample from others with weights that sum to 1, by the linear
// programme
//
//	min ‖s‖₁ + ‖x − Bs‖₁   under 1ᵀs = 1
//
// (You et al. 2015, eq. 21, with e eliminated). The cost is a sum of m + k absolute
// values of linear functions of s, the terms; at a vertex k − 1 of them vanish, its
// basis. [AffineCoder.Solve] goes from vertex to vertex along the edge of steepest
// descent, past all the zeros of other terms at which the cost still falls
// (Barrodale and Roberts 1973), and ends where no edge leads down: the
// multipliers then prove the vertex optimal, and the report gives the gap.
//
// Ties among terms, as exact zeros in the data bring, could make it walk in circles.
// They are broken by shifting the terms by 1e-12 of the data (more where rounding
// hides that), at random by a fixed seed; the basis that this leads to is evaluated
// without the shifts. O(mk) for each of
// some 2k edges. An AffineCoder keeps scratch between calls and is to be
// used by one goroutine at a time.
type AffineCoder struct {
	x       []float64
	rows    [][]float64 // the k samples
	m, k    int
	largest float64   // entry of x and the rows
	shifts  []float64 // of terms; m of the data first, then k of s, as in all that follows

	target  []float64 // shifted; term i is target[i] − ρᵢᵀs
	basis   []int
	inverse []float64 // k × k: row q is the direction that moves basis[q] alone, row k − 1 the sum alone
	square  []float64 // k × 2k scratch of the inversion
	s       []float64
	term    []float64
	sign    []float64
	along   []float64
	y, rho  []float64 // k
	zeros   []zero
	order   []int
}

// AffineReport says how exact a code is.
type AffineReport struct {
	Steps     int // edges
	Objective float64
	Gap       float64 // the objective less its proven lower bound
	Converged bool
}

// Solve returns the code of x by the rows of data (each as long as x) at the
// places of list, at least one. start is a first guess, whose smallest terms make
// the first vertex; nil: the first of the list alone. The code is valid until the
// next call.
func (l *AffineCoder) Solve(x, data []float64, list []int32, start []float64) ([]float64, AffineReport) {
	l.begin(x, data, list)
	if start == nil || !l.vertexNear(start) {
		l.firstVertex()
	}
	var r AffineReport
	for shift := coderShift; shift <= coderLastShift && !r.Converged; shift *= 100 {
		l.shift(shift)
		l.descend(&r)
	}
	l.evaluate(&r)
	return l.s, r
}

// descend goes from vertex to vertex until none is lower.
func (l *AffineCoder) descend(r *AffineReport) {
	l.settle(true)
	fresh := 0
	for limit := r.Steps + 20*l.k + 200; r.Steps < limit; r.Steps++ {
		q, slope := l.steepest()
		if fresh > 0 && (q < 0 || fresh == coderRefresh) {
			if !l.invert() {
				return
			}
			l.settle(true)
			fresh = 0
			q, slope = l.steepest()
		}
		if r.Converged = q < 0; r.Converged || !l.follow(q, slope) {
			return
		}
		fresh++
	}
}

func (l *AffineCoder) begin(x, data []float64, list []int32) {
	l.x, l.m, l.k = x, len(x), len(list)
	l.rows = grownTo(l.rows, l.k)
	for j, i := range list {
		l.rows[j] = data[int(i)*l.m : (int(i)+1)*l.m]
	}
	terms := l.m + l.k
	if len(l.shifts) < terms {
		l.shifts = make([]float64, terms)
		blas.NewStream(1).Uniforms(l.shifts)
	}
	l.target, l.term, l.sign, l.along = grownTo(l.target, terms), grownTo(l.term, terms), grownTo(l.sign, terms), grownTo(l.along, terms)
	l.basis = grownTo(l.basis, l.k-1)
	l.inverse, l.square = grownTo(l.inverse, l.k*l.k), grownTo(l.square, 2*l.k*l.k)
	l.s, l.y, l.rho = grownTo(l.s, l.k), grownTo(l.y, l.k), grownTo(l.rho, l.k)
	l.largest = 0
	for i, v := range x {
		l.largest = max(l.largest, math.Abs(v))
		for _, row := range l.rows {
			l.largest = max(l.largest, math.Abs(row[i]))
		}
	}
}

// shift sets the terms, shifted by up to so much of the largest entry.
func (l *AffineCoder) shift(share float64) {
	for i, v := range l.x {
		l.target[i] = v + share*l.largest*(l.shifts[i]-0.5)
	}
	for j := range l.k {
		l.target[l.m+j] = share * (l.shifts[l.m+j] - 0.5)
	}
}

// product computes ρᵢᵀd of all terms.
func (l *AffineCoder) product(d, dst []float64) {
	clear(dst[:l.m])
	for j, b := range l.rows {
		blas.Axpy(d[j], b, dst[:l.m])
	}
	copy(dst[l.m:], d)
}

// settle computes s and the terms at the vertex, shifted or as they are.
func (l *AffineCoder) settle(shifted bool) {
	copy(l.s, l.inverse[(l.k-1)*l.k:l.k*l.k])
	for q, i := range l.basis {
		blas.Axpy(l.offset(i, shifted), l.inverse[q*l.k:(q+1)*l.k], l.s)
	}
	l.product(l.s, l.along)
	for i, v := range l.along {
		l.term[i] = l.offset(i, shifted) - v
	}
	for _, i := range l.basis {
		if l.term[i] = 0; i >= l.m && !shifted {
			l.s[i-l.m] = 0
		}
	}
}

// offset is the value of a term at s = 0.
func (l *AffineCoder) offset(i int, shifted bool) float64 {
	switch {
	case shifted:
		return l.target[i]
	case i < l.m:
		return l.x[i]
	}
	return 0
}

// steepest returns the edge along which the cost falls most for its length, as the
// place in the basis of the term that grows, and the slope along the edge.
func (l *AffineCoder) steepest() (at int, slope float64) {
	for i, v := range l.term {
		switch {
		case v > 0:
			l.sign[i] = 1
		case v < 0:
			l.sign[i] = -1
		default:
			l.sign[i] = 0
		}
	}
	for _, i := range l.basis {
		l.sign[i] = 0
	}
	for j, b := range l.rows {
		l.y[j] = blas.Dot(l.sign[:l.m], b) + l.sign[l.m+j]
	}
	at, best := -1, 0.0
	for q := range l.basis {
		d := l.inverse[q*l.k : (q+1)*l.k]
		own := 1 - math.Abs(blas.Dot(l.y, d))
		if rate := own / math.Sqrt(blas.Dot(d, d)); own < -coderSlope && rate < best {
			at, slope, best = q, own, rate
		}
	}
	return at, slope
}

// follow moves along an edge to the lowest point on it, and takes the term that
// vanishes there into the basis. It reports false where there is none, which only
// rounding brings about.
func (l *AffineCoder) follow(q int, slope float64) bool {
	d := l.inverse[q*l.k : (q+1)*l.k]
	if blas.Dot(l.y, d) < 0 {
		blas.Scale(-1, d) // restored by the division below
	}
	l.product(d, l.along)
	for _, i := range l.basis {
		l.along[i] = 0
	}
	leaves := l.basis[q]
	l.zeros = l.zeros[:0]
	for i, v := range l.along {
		if v*l.term[i] > 0 {
			l.zeros = append(l.zeros, zero{l.term[i] / v, 2 * math.Abs(v), i})
		}
	}
	last, found := lowest(l.zeros, slope)
	if !found {
		return false
	}
	for i, v := range l.along {
		l.term[i] -= last.at * v
	}
	l.along[leaves] = blas.Dot(d, l.rowOf(leaves))
	l.term[leaves] -= last.at * l.along[leaves]
	l.term[last.term] = 0
	l.basis[q] = last.term
	l.exchange(q, l.rowOf(last.term))
	return true
}

// evaluate computes the code without the shifts and what is known of it.
func (l *AffineCoder) evaluate(r *AffineReport) {
	l.steepest() // for the signs and y of the shifted terms
	bound, largest := -blas.Dot(l.y, l.inverse[(l.k-1)*l.k:l.k*l.k]), 1.0
	for i, s := range l.sign {
		bound += s * l.offset(i, false)
	}
	for q, i := range l.basis {
		multiplier := -blas.Dot(l.y, l.inverse[q*l.k:(q+1)*l.k])
		bound += multiplier * l.offset(i, false)
		largest = max(largest, math.Abs(multiplier))
	}
	l.settle(false)
	for _, v := range l.term {
		r.Objective += math.Abs(v)
	}
	r.Gap = r.Objective - bound/largest // multipliers have to lie in ±1
}

// firstVertex is the first sample alone: the other weights vanish.
func (l *AffineCoder) firstVertex() {
	clear(l.inverse)
	for q := range l.k - 1 {
		l.basis[q] = l.m + q + 1
		l.inverse[q*l.k+q+1], l.inverse[q*l.k] = 1, -1
	}
	l.inverse[(l.k-1)*l.k] = 1
}

// row copies ρᵢ of a term.
func (l *AffineCoder) row(i int, dst []float64) {
	if i >= l.m {
		clear(dst)
		dst[i-l.m] = 1
		return
	}
	for j, b := range l.rows {
		dst[j] = b[i]
	}
}

func (l *AffineCoder) rowOf(i int) []float64 {
	l.row(i, l.rho)
	return l.rho
}

// exchange updates the directions for a basis whose place q has the row rho.
func (l *AffineCoder) exchange(q int, rho []float64) {
	d := l.inverse[q*l.k : (q+1)*l.k]
	blas.Scale(1/blas.Dot(rho, d), d)
	for r := range l.k {
		if r != q {
			w := l.inverse[r*l.k : (r+1)*l.k]
			blas.Axpy(-blas.Dot(rho, w), d, w)
		}
	}
}

// invert computes the directions from the basis by elimination with pivoting; false:
// its rows are dependent to rounding.
func (l *AffineCoder) invert() bool {
	k, w := l.k, 2*l.k
	for q := range k {
		row := l.square[q*w : (q+1)*w]
		if q < k-1 {
			l.row(l.basis[q], row[:k])
		} else {
			for j := range k {
				row[j] = 1
			}
		}
		clear(row[k:])
		row[k+q] = 1
	}
	for c := range k {
		pivot := c
		for r := c + 1; r < k; r++ {
			if math.Abs(l.square[r*w+c]) > math.Abs(l.square[pivot*w+c]) {
				pivot = r
			}
		}
		p := l.square[pivot*w : (pivot+1)*w]
		if p[c] == 0 {
			return false
		}
		if pivot != c {
			for j, v := range l.square[c*w : (c+1)*w] {
				l.square[c*w+j], p[j] = p[j], v
			}
		}
		p = l.square[c*w : (c+1)*w]
		blas.Scale(1/p[c], p)
		for r := range k {
			if v := l.square[r*w+c]; r != c && v != 0 {
				blas.Axpy(-v, p, l.square[r*w:(r+1)*w])
			}
		}
	}
	for q := range k {
		for j := range k {
			l.inverse[q*k+j] = l.square[j*w+k+q]
		}
	}
	return true
}

// vertexNear makes a vertex of the smallest terms at a first guess.
func (l *AffineCoder) vertexNear(start []float64) bool {
	var sum float64
	for _, v := range start {
		sum += v
	}
	if len(start) != l.k || !(math.Abs(sum) > 0) {
		return false
	}
	copy(l.s, start)
	blas.Scale(1/sum, l.s)
	l.product(l.s, l.along)
	l.order = l.order[:0]
	for i, v := range l.along {
		l.term[i] = math.Abs(l.offset(i, false) - v)
		l.order = append(l.order, i)
	}
	slices.SortFunc(l.order, func(a, b int) int {
		switch {
		case l.term[a] < l.term[b]:
			return -1
		case l.term[a] > l.term[b]:
			return 1
		}
		return a - b
	})
	return l.independent(l.order)
}

// independent takes the first k − 1 terms whose rows are independent, of each other
// and of the sum, by orthogonalisation; false: there are not this many.
func (l *AffineCoder) independent(order []int) bool {
	axes := l.square[:0]
	unit := 1 / math.Sqrt(float64(l.k))
	for range l.k {
		axes = append(axes, unit)
	}
	taken := 0
	for _, i := range order {
		if taken == l.k-1 {
			break
		}
		rho := l.rowOf(i)
		whole := blas.Dot(rho, rho)
		blas.OrthogonalizeRows(axes, rho)
		left := blas.Dot(rho, rho)
		if !(left > 1e-12*whole) {
			continue
		}
		blas.Scale(1/math.Sqrt(left), rho)
		axes = append(axes, rho...)
		l.basis[taken] = i
		taken++
	}
	return taken == l.k-1 && l.invert()
}

// zero is a step at which a term vanishes; the slope of the cost grows there.
type zero struct {
	at, growth float64
	term       int
}

// lowest returns the zero at which a slope that is negative becomes none: a
// weighted median, found by partition.
func lowest(zeros []zero, slope float64) (zero, bool) {
	var at zero
	found := false
	for len(zeros) > 0 {
		pivot := medianOf(zeros[0], zeros[len(zeros)/2], zeros[len(zeros)-1])
		below := 0
		var growth float64
		for i, z := range zeros {
			if precedes(z, pivot) {
				growth += z.growth
				zeros[i], zeros[below] = zeros[below], z
				below++
			}
		}
		if slope+growth >= 0 {
			zeros = zeros[:below]
			// The pivot itself is not below; where the rest is used up it was met before.
			continue
		}
		slope += growth
		rest := zeros[below:]
		for i, z := range rest {
			if z.term == pivot.term {
				rest[0], rest[i] = rest[i], rest[0]
				break
			}
		}
		slope += pivot.growth
		at, found = pivot, true
		if slope >= 0 {
			return at, true
		}
		zeros = rest[1:]
	}
	return at, found
}

// precedes orders zeros, ties by the term.
func precedes(a, b zero) bool { return a.at < b.at || a.at == b.at && a.term < b.term }

func medianOf(a, b, c zero) zero {
	if precedes(b, a) {
		a, b = b, a
	}
	if precedes(c, b) {
		b = c
		if precedes(b, a) {
			b = a
		}
	}
	return b
}
