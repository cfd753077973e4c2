package blas

import (
	"cmp"
	"math"
	"slices"
)

// leafOrder is the order up to which QL steps beat dividing.
const leafOrder = 24

// divide computes eigenpairs of a symmetric tridiagonal matrix by divide and
// conquer (Cuppen 1981; deflation after Dongarra and Sorensen 1987; orthogonal
// vectors after Gu and Eisenstat 1995). Off-diagonals are taken out until small
// blocks are left; each is put back as a change of rank one, whose eigenvectors
// are a matrix product. At most 4n³/3 operations, nearly all of them in Gemm.
type divide struct {
	level3 Backend
	n      int
	d, e   []float64 // e[j] couples j and j+1; both are destroyed
	q      []float64 // n×n: the vectors found, in rows, blocks on the diagonal
	order  []int32   // by block: its rows in ascending order of d
	s      []float64 // n×n: differences, then vectors, of the rank-one problem
	old    []float64 // the rows that a product reads
	poles  []float64 // of the rank-one problem,
	z      []float64 // its vector,
	weight []float64 // and the vector its computed roots belong to
	roots  []float64
	tail   []float64
	gaps   []float64 // from a pole to the others
	kind   []int32   // of each row
	list   []int32   // the rows kept
	place  []int32   // of each, in old
	// squared: the rank-one problem has the squares of poles and roots in their place.
	squared bool
}

const (
	leftSide  = iota // a row that is zero right of the cut
	bothSides        // a combination of two sides
	rightSide        // zero left of the cut
	deflated         // an eigenvector already
)

// divideScratch is the scratch of a divide of order n: numbers and integers.
func divideScratch(n int) (floats, ints int) {
	half := n/2 + 1
	return 2*n*n + 2*half*half + 6*n + leafOrder, 4 * n
}

// take hands out the next n numbers of a scratch slice.
func take[T any](from *[]T, n int) []T {
	s := (*from)[:n:n]
	*from = (*from)[n:]
	return s
}

// newDivide lays a divide out in scratch.
func newDivide(level3 Backend, d, e []float64, floats []float64, ints []int32) divide {
	n := len(d)
	half := n/2 + 1
	return divide{
		level3: level3, n: n, d: d, e: e,
		q: take(&floats, n*n), s: take(&floats, n*n), old: take(&floats, 2*half*half),
		poles: take(&floats, n), z: take(&floats, n), weight: take(&floats, n), roots: take(&floats, n), tail: take(&floats, n), gaps: take(&floats, n),
		order: take(&ints, n), kind: take(&ints, n), list: take(&ints, n), place: take(&ints, n),
	}
}

// run finds the pairs lo ≤ j < hi: afterwards the one of rank j has value
// d[order[j]] and is row order[j] of q.
func (t *divide) run(lo, hi int) bool {
	clear(t.q)
	return t.solve(0, t.n, lo, hi)
}

// solve treats rows off … off+n−1. Vectors of ranks outside lo ≤ j < hi need not
// be formed.
func (t *divide) solve(off, n, lo, hi int) bool {
	if n <= leafOrder {
		return t.leaf(off, n)
	}
	left := n / 2
	cut := off + left
	rho := t.e[cut-1]
	t.d[cut-1] -= math.Abs(rho)
	t.d[cut] -= math.Abs(rho)
	if !t.solve(off, left, 0, left) || !t.solve(cut, n-left, 0, n-left) {
		return false
	}
	t.merge(off, left, n, rho, lo, hi)
	return true
}

func (t *divide) leaf(off, n int) bool {
	z, d, e := t.s[:n*n], t.d[off:off+n], t.poles[:n]
	copy(e, t.e[off:off+n])
	e[n-1] = 0
	clear(z)
	for i := range n {
		z[i*n+i] = 1
	}
	if !implicitQL(nil, n, z, d, e, true) {
		return false
	}
	sortEigenpairs(n, z, d, true)
	for i := range n {
		copy(t.q[(off+i)*t.n+off:], z[i*n:i*n+n])
		t.order[off+i] = int32(i)
	}
	return true
}

// merge turns the eigenpairs of two neighbouring blocks into the eigenpairs of diag(D₁, D₂) +
// rho·u·uᵀ, where u has ±1 on both sides of the cut.
func (t *divide) merge(off, left, n int, rho float64, lo, hi int) {
	q := halves{rows: t.q[off*t.n+off:], ld: t.n, left: left, from: left, right: n - left}
	kept := t.deflate(off, left, n, rho, &q)
	counts := t.arrange(kept)
	t.gather(&q, kept, &counts)
	d := t.d[off : off+n]
	t.sink(n, kept, &q, values(d))
	k := kept
	if k > 0 {
		t.rankOne(k, 2*math.Abs(rho))
		copy(d, t.roots[:k])
	}
	t.sortRows(off, n, k)
	if k == 0 {
		return
	}
	// Roots are ascending: those wanted are consecutive rows.
	first, last := k, 0
	for j := lo; j < hi; j++ {
		if row := int(t.order[off+j]); row < k {
			first, last = min(first, row), max(last, row+1)
		}
	}
	if first >= last {
		return
	}
	t.rankOneVectors(k, first, last)
	t.multiply(&q, first, last, k, &counts)
}

// deflate finds the rows that are eigenvectors of the coupled matrix already. It returns the number of the others.
func (t *divide) deflate(off, left, n int, rho float64, q *halves) int {
	d, z := t.d[off:off+n], t.weight[:n]
	norm, sign := 2*math.Abs(rho), math.Copysign(1, rho)
	var largest float64
	for j := range n {
		at, s := left-1, math.Sqrt2/2
		t.kind[j] = leftSide
		if j >= left {
			at, s = left, s*sign
			t.kind[j] = rightSide
		}
		z[j] = s * q.rows[j*q.ld+at]
		largest = max(largest, math.Abs(d[j]))
	}
	rows := t.ascending(d, t.order[off:off+left], t.order[off+left:off+n], left)
	return t.deflateRows(0, rows, d, norm, 4*ulp*max(largest, norm), q)
}

// ascending merges the rows of two blocks, the second of which begins at a row.
func (t *divide) ascending(d []float64, first, second []int32, begin int) []int32 {
	rows := t.place[:0]
	for len(first)+len(second) > 0 {
		if len(second) == 0 || len(first) > 0 && d[first[0]] <= d[begin+int(second[0])] {
			rows, first = append(rows, first[0]), first[1:]
		} else {
			rows, second = append(rows, int32(begin)+second[0]), second[1:]
		}
	}
	return rows
}

// deflateRows finds the rows that have no part in the rank-one problem diag(d) + norm·z·zᵀ, z in weight, or that have
// none after a rotation of two rows with nearly equal values, both up to rounding. The remaining values go
// to poles and z, ascending, with the rows in list, behind the kept ones that are there already. It returns their number.
func (t *divide) deflateRows(kept int, rows []int32, d []float64, norm, tolerance float64, vectors ...*halves) int {
	z, candidate := t.weight, -1
	keep := func(j int) {
		t.poles[kept], t.z[kept], t.list[kept] = d[j], z[j], int32(j)
		kept++
	}
	for _, row := range rows {
		j := int(row)
		if norm*math.Abs(z[j]) <= tolerance {
			t.kind[j] = deflated
			continue
		}
		if i := candidate; i >= 0 {
			s, c := z[i], z[j]
			r := math.Hypot(s, c)
			s, c = -s/r, c/r
			if math.Abs((d[j]-d[i])*c*s) > tolerance {
				keep(i)
			} else {
				z[i], z[j] = 0, r
				rotateHalves(vectors, j, i, c, s)
				d[i], d[j] = d[i]*c*c+d[j]*s*s, d[i]*s*s+d[j]*c*c
				if t.kind[i] != t.kind[j] {
					t.kind[j] = bothSides
				}
				t.kind[i] = deflated
			}
		}
		candidate = j
	}
	if candidate >= 0 {
		keep(candidate)
	}
	return kept
}

func rotateHalves(vectors []*halves, i, j int, c, s float64) {
	for _, h := range vectors {
		width := h.from + h.right
		rotateRows(h.rows[i*h.ld:][:width], h.rows[j*h.ld:][:width], c, s)
	}
}

// halves are the vectors of two neighbouring blocks, in rows: left columns belong to the first block, right columns
// from column from on to the second.
type halves struct {
	rows              []float64
	ld                int
	left, from, right int
}

// values are numbers that move with the rows.
func values(d []float64) *halves { return &halves{rows: d, ld: 1, right: 1} }

// arrange gives each kept row its place, rows of a kind together. It returns the number of
// rows of each kind.
func (t *divide) arrange(kept int) (counts [4]int) {
	for _, j := range t.list[:kept] {
		counts[t.kind[j]]++
	}
	next := [3]int{0, counts[leftSide], counts[leftSide] + counts[bothSides]}
	for i, j := range t.list[:kept] {
		kind := t.kind[j]
		t.place[i] = int32(next[kind])
		next[kind]++
	}
	return counts
}

// gather copies the halves of the kept rows that are not zero to old, in their places. The
// product then skips the zeros.
func (t *divide) gather(h *halves, kept int, counts *[4]int) {
	second := h.left * (counts[leftSide] + counts[bothSides])
	for i, j := range t.list[:kept] {
		kind, place := t.kind[j], int(t.place[i])
		row := h.rows[int(j)*h.ld:]
		if kind != rightSide {
			copy(t.old[place*h.left:(place+1)*h.left], row)
		}
		if kind != leftSide {
			at := second + (place-counts[leftSide])*h.right
			copy(t.old[at:at+h.right], row[h.from:])
		}
	}
}

// multiply replaces rows first … last−1 by the combinations of the gathered rows with the
// coefficients in rows first … last−1 of s, of k numbers each.
func (t *divide) multiply(h *halves, first, last, k int, counts *[4]int) {
	m, s := last-first, t.s[first*k:]
	leftRows := counts[leftSide] + counts[bothSides]
	sides := [2]struct{ at, rows, columns, old, to int }{
		{0, leftRows, h.left, 0, 0},
		{counts[leftSide], counts[bothSides] + counts[rightSide], h.right, h.left * leftRows, h.from},
	}
	for _, c := range sides {
		if c.columns == 0 {
			continue
		}
		to := h.rows[first*h.ld+c.to:]
		if c.rows == 0 {
			for i := range m {
				clear(to[i*h.ld : i*h.ld+c.columns])
			}
			continue
		}
		t.level3.Gemm(false, false, m, c.columns, c.rows, 1, s[c.at:], k, t.old[c.old:], c.columns, 0, to, h.ld)
	}
}

// sink moves the deflated rows behind the first kept ones.
func (t *divide) sink(n, kept int, vectors ...*halves) {
	free := kept
	for j := range kept {
		if t.kind[j] != deflated {
			continue
		}
		for t.kind[free] == deflated {
			free++
		}
		for _, h := range vectors {
			copy(h.rows[free*h.ld:][:h.from+h.right], h.rows[j*h.ld:])
		}
		free++
	}
}

// sortRows sets the order of a block from its ascending first k values and the
// others.
func (t *divide) sortRows(off, n, k int) {
	d, order := t.d[off:off+n], t.order[off:off+n]
	rest := t.kind[:n-k]
	for i := range rest {
		rest[i] = int32(k + i)
	}
	slices.SortFunc(rest, func(x, y int32) int { return cmp.Or(cmp.Compare(d[x], d[y]), cmp.Compare(x, y)) })
	next := 0
	for i := range order {
		if next < k && (len(rest) == 0 || d[next] <= d[rest[0]]) {
			order[i] = int32(next)
			next++
		} else {
			order[i], rest = rest[0], rest[1:]
		}
	}
}

// poleGap is the difference of two poles, or of their squares.
func poleGap(x, y float64, squared bool) float64 {
	if squared {
		return (x - y) * (x + y)
	}
	return x - y
}

// rankOne finds the eigenvalues of diag(poles) + rho·z·zᵀ into roots, the
// differences poleⱼ − rootᵢ into row i of s, and into weight the vector for which
// the roots are exact (Löwner's formula).
func (t *divide) rankOne(k int, rho float64) {
	poles, z, weight, gaps := t.poles[:k], t.z[:k], t.weight[:k], t.gaps[:k]
	square := Dot(z, z) // 1 minus the deflated part
	Scale(1/math.Sqrt(square), z)
	rho *= square
	for i := range weight {
		weight[i] = 1
	}
	for i := range k {
		delta := t.s[i*k : i*k+k]
		t.roots[i] = secularRoot(i, poles, z, rho, delta, gaps, t.squared)
		for j, p := range poles {
			gaps[j] = poleGap(p, poles[i], t.squared)
		}
		for j, v := range delta[:i] {
			weight[j] *= v / gaps[j]
		}
		weight[i] *= -delta[i]
		for j := i + 1; j < k; j++ {
			weight[j] *= delta[j] / gaps[j]
		}
	}
	for j, v := range weight {
		weight[j] = math.Copysign(math.Sqrt(math.Abs(v)), z[j])
	}
}

// rankOneVectors turns rows first ≤ i < last of s into the unit eigenvectors of
// the rank-one problem, components in the order of place, and z into their factors.
func (t *divide) rankOneVectors(k, first, last int) {
	tail, weight := t.tail[:k], t.weight[:k]
	for i := first; i < last; i++ {
		row := t.s[i*k : i*k+k]
		var sum float64
		for j, w := range weight {
			x := w / row[j]
			tail[j] = x
			sum += x * x
		}
		scale := 1 / math.Sqrt(sum)
		t.z[i] = scale
		for j, place := range t.place[:k] {
			row[place] = scale * tail[j]
		}
	}
}

// secularLimit bounds the steps for one root. A handful is usual; every other
// step after the ninth halves the interval.
const secularLimit = 150

// secularRoot finds root i, counted from 0, of
//
//	1/rho + Σⱼ zⱼ²/(dⱼ − λ) = 0,
//
// d ascending, rho > 0 and ‖z‖ = 1, and writes all dⱼ − λ to delta with full
// relative accuracy, by taking the nearest pole as the origin. It returns λ.
// The step is the zero of a rational function with the two neighbouring poles
// that agrees in value and slopes (Li 1993, "middle way"), inside an interval
// that always holds the root. If squared is set, the squares of dⱼ ≥ 0 and of λ take the place
// of both everywhere, and λ ≥ 0. gaps is scratch.
func secularRoot(i int, d, z []float64, rho float64, delta, gaps []float64, squared bool) float64 {
	k := len(d)
	if k == 1 {
		delta[0] = -rho * z[0] * z[0]
		return fromPole(d[0], -delta[0], squared)
	}
	last := i == k-1
	r := secular{d: d, z: z, delta: delta, gaps: gaps, inverse: 1 / rho, split: i, squared: squared}
	var width float64
	if last {
		// The root is in (d_{k−1}, d_{k−1} + rho]; the poles at its left lead.
		r.split, width = k-2, rho
		r.measureFrom(i)
		r.lo, r.hi = 0, rho*(1+8*ulp) // ‖z‖ is 1 up to rounding
	} else {
		width = poleGap(d[i+1], d[i], squared)
		r.measureFrom(i)
		r.evaluate(width / 2)
		if r.f < 0 { // the root is in the right half
			r.measureFrom(i + 1)
			r.lo, r.hi = -width/2, 0
		} else {
			r.lo, r.hi = 0, width/2
		}
	}
	tau := r.start(i, last, width)
	for trial := range secularLimit {
		r.evaluate(tau)
		if math.Abs(r.f) <= r.bound {
			break
		}
		if r.f < 0 {
			r.lo = tau
		} else {
			r.hi = tau
		}
		next := tau + r.step(last)
		if !(next > r.lo && next < r.hi) || trial > 8 && trial%2 == 0 {
			next = r.halve()
		}
		if math.Abs(next-tau) <= ulp/2*math.Abs(next) {
			tau = next
			break
		}
		tau = next
	}
	if tau != r.tau {
		r.shift(tau)
	}
	return fromPole(d[r.pole], tau, squared)
}

// fromPole is the root at distance tau from a pole.
func fromPole(pole, tau float64, squared bool) float64 {
	if squared {
		if pole == 0 {
			return math.Sqrt(tau)
		}
		return pole + tau/(pole+math.Sqrt(max(0, pole*pole+tau)))
	}
	return pole + tau
}

// secular is the search for one root: λ = d[pole] + tau.
type secular struct {
	d, z, delta []float64
	gaps        []float64 // from d[pole] to all d
	squared     bool
	inverse     float64 // 1/rho
	split       int     // poles up to this one belong to psi, the others to phi
	pole        int
	lo, hi      float64 // tau's interval: f < 0 at lo, f > 0 at hi
	tau         float64
	f, bound    float64 // value and its rounding
	dpsi, dphi  float64
}

// shift fills delta for a given tau.
func (r *secular) shift(tau float64) {
	for j, v := range r.gaps {
		r.delta[j] = v - tau
	}
	r.tau = tau
}

// measureFrom makes a pole the origin.
func (r *secular) measureFrom(pole int) {
	r.pole = pole
	for j, v := range r.d {
		r.gaps[j] = poleGap(v, r.d[pole], r.squared)
	}
}

// evaluate computes f and its slopes at tau.
func (r *secular) evaluate(tau float64) {
	r.tau = tau
	sum := func(from, to int) (value, slope float64) {
		gaps, z, delta := r.gaps[from:to], r.z[from:to], r.delta[from:to]
		for j, v := range gaps {
			x := v - tau
			delta[j] = x
			t := z[j] / x
			value += z[j] * t
			slope += t * t
		}
		return
	}
	psi, dpsi := sum(0, r.split+1)
	phi, dphi := sum(r.split+1, len(r.d))
	r.f, r.dpsi, r.dphi = r.inverse+psi+phi, dpsi, dphi
	r.bound = ulp * (2*(r.inverse+math.Abs(psi)+math.Abs(phi)) + math.Abs(tau)*(dpsi+dphi)/2)
}

// start is the first guess: poles i and i+1 kept, the others' sum taken from
// the middle of the interval.
func (r *secular) start(i int, last bool, width float64) float64 {
	if last {
		return r.halve()
	}
	// evaluate has been called at the middle, with whichever pole as origin.
	left, right := r.z[i]*r.z[i], r.z[i+1]*r.z[i+1]
	c := r.f + 2*left/width - 2*right/width
	// c + left/(−x) + right/(width−x) = 0 with x measured from d[i], or, from
	// d[i+1], c + left/(−width−x) + right/(−x) = 0.
	var a, b float64
	if r.pole == i {
		a, b = c*width+left+right, left*width
	} else {
		a, b = -c*width+left+right, -right*width
	}
	var x float64
	root := math.Sqrt(math.Abs(a*a - 4*b*c))
	if a <= 0 {
		x = (a - root) / (2 * c)
	} else {
		x = 2 * b / (a + root)
	}
	if !(x > r.lo && x < r.hi) {
		x = r.halve()
	}
	return x
}

// step is the way to the zero of the rational model.
func (r *secular) step(last bool) float64 {
	left, right := r.delta[r.split], r.delta[r.split+1]
	slope := r.dpsi + r.dphi
	c := r.f - left*r.dpsi - right*r.dphi
	a := (left+right)*r.f - left*right*slope
	b := left * right * r.f
	root := math.Sqrt(math.Abs(a*a - 4*b*c))
	var x float64
	switch {
	case last && a >= 0:
		x = (a + root) / (2 * math.Abs(c))
	case last:
		x = 2 * b / (a - root)
	case a <= 0:
		x = (a - root) / (2 * c)
	default:
		x = 2 * b / (a + root)
	}
	if !(x*r.f < 0) {
		x = -r.f / slope
	}
	return x
}

// halve cuts the interval in the middle, on a logarithmic scale where it spans orders of magnitude
// next to the pole.
func (r *secular) halve() float64 {
	lo, hi := r.lo, r.hi
	switch {
	case lo > 0 && hi > 16*lo:
		return math.Sqrt(lo) * math.Sqrt(hi)
	case hi < 0 && lo < 16*hi:
		return -math.Sqrt(-lo) * math.Sqrt(-hi)
	case lo == 0 && hi > 0:
		return hi / 16
	case hi == 0 && lo < 0:
		return lo / 16
	}
	return lo + (hi-lo)/2
}
