package lasso

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

const (
	// lassoTolerance: the optimality conditions of an affine lasso hold to this
	// share of the largest ℓ1 weight.
	lassoTolerance = 1e-10
	// affineShare: a row whose squared distance from the affine hull of others is
	// below this share of its squared length lies in it.
	affineShare = 1e-12
)

// AffineLasso solves the affine-constrained weighted lasso
//
//	min ½‖Σⱼ cⱼuⱼ‖² + Σⱼ ωⱼ|cⱼ|   under Σⱼ cⱼ = 1
//
// for points uⱼ ∈ Rᵐ and ω > 0: with uⱼ = xⱼ − x, the sparse affine representation of
// x by the xⱼ; with unit directions, the programme of sparse manifold clustering
// (Elhamifar and Vidal 2011, eq. 5). It keeps scratch between calls, and
// is to be used by one goroutine at a time.
//
// [AffineLasso.Solve] is exact, by an active set on the support: it goes from
// optimum to optimum over a growing and shrinking set of entries with fixed signs
// (as the feature-sign search of Lee et al. 2007, here on the plane Σc = 1),
// and stops when the conditions of optimality hold:
//
//	gⱼ + ωⱼ sign cⱼ = ν where cⱼ ≠ 0,   |ν − gⱼ| ≤ ωⱼ elsewhere,   g = UᵀUc.
//
// Products with points are taken for entries of the support alone: O(s K m + s⁴)
// for a support that reaches s of K.
type AffineLasso struct {
	stop    func() bool // nil: never
	kernels *blas.Kernels

	u     []float64 // k × m, the points as rows
	k, m  int
	omega []float64

	rows   [][]float64 // rows[q][j] = ⟨u_at(q), u_j⟩
	row    []int       // of each point, −1: not computed
	used   int         // rows
	c      []float64
	sign   []float64 // of the entries of the support
	active []int
	g      []float64 // UᵀUc
	nu     float64

	h, d, v, aim []float64 // the reduced system and the step
}

// NewAffineLasso returns a solver that takes its products from the kernels.
func NewAffineLasso(kernels *blas.Kernels) *AffineLasso { return &AffineLasso{kernels: kernels} }

// Until makes the solver give up once stop says so: what it returns is not a solution then.
func (l *AffineLasso) Until(stop func() bool) *AffineLasso {
	l.stop = stop
	return l
}

// Solve returns the solution for the k rows of u, of m columns each, and the
// violation of the optimality conditions that is left, relative to the largest
// weight: below 1e-9, or else the iteration was ended because rounding kept it
// from getting any better. The solution is valid until the next call.
func (l *AffineLasso) Solve(u []float64, k, m int, omega []float64) (c []float64, violation float64) {
	l.begin(u, k, m, omega)
	start := 0
	for j := range k {
		// Alone, entry j costs ½‖uⱼ‖² + ωⱼ.
		if l.cost(j) < l.cost(start) {
			start = j
		}
	}
	l.c[start], l.sign[start] = 1, 1
	l.active = append(l.active, start)
	return l.c, l.descend()
}

// Polish is Solve from the support and the signs of a near-solution, such as that
// of [AffineLasso.ADMM].
func (l *AffineLasso) Polish(u []float64, k, m int, omega, near []float64) (c []float64, violation float64) {
	start := append([]float64(nil), near...) // may be the solution of this solver
	l.begin(u, k, m, omega)
	var sum float64
	for _, v := range start {
		sum += v
	}
	for j, v := range start {
		if v != 0 && sum > 0 {
			l.c[j], l.sign[j] = v/sum, math.Copysign(1, v)
			l.active = append(l.active, j)
		}
	}
	if !(sum > 0) || !l.settle() {
		return l.Solve(u, k, m, omega)
	}
	return l.c, l.descend()
}

func (l *AffineLasso) begin(u []float64, k, m int, omega []float64) {
	l.u, l.k, l.m, l.omega = u, k, m, omega
	if cap(l.c) < k {
		l.c, l.sign, l.g, l.row = make([]float64, k), make([]float64, k), make([]float64, k), make([]int, k)
		l.rows = nil
	}
	l.c, l.sign, l.g, l.row = l.c[:k], l.sign[:k], l.g[:k], l.row[:k]
	clear(l.c)
	for j := range l.row {
		l.row[j] = -1
	}
	l.used, l.active = 0, l.active[:0]
}

// products returns the products of point j with all points.
func (l *AffineLasso) products(j int) []float64 {
	if l.row[j] < 0 {
		if l.used == len(l.rows) {
			l.rows = append(l.rows, make([]float64, cap(l.c)))
		}
		l.kernels.Gemv(false, l.k, l.m, 1, l.u, l.m, l.u[j*l.m:(j+1)*l.m], 0, l.rows[l.used][:l.k])
		l.row[j] = l.used
		l.used++
	}
	return l.rows[l.row[j]][:l.k]
}

func (l *AffineLasso) cost(j int) float64 {
	u := l.u[j*l.m : (j+1)*l.m]
	return blas.Dot(u, u)/2 + l.omega[j]
}

// descend lets entries join as long as one of them lowers the cost.
func (l *AffineLasso) descend() (violation float64) {
	var largest float64
	for _, w := range l.omega {
		largest = max(largest, w)
	}
	last, lastExcess := -1, 0.0
	for range 20*l.k + 100 {
		if l.stopped() {
			break
		}
		j, excess := l.worst()
		if excess <= max(lassoTolerance*largest, 0x1p-50*math.Abs(l.nu)) || j == last && excess >= lastExcess {
			break
		}
		last, lastExcess = j, excess
		l.sign[j] = math.Copysign(1, l.nu-l.g[j])
		l.active = append(l.active, j)
		if !l.settle() {
			break
		}
	}
	_, excess := l.worst()
	return max(excess, 0) / largest
}

func (l *AffineLasso) stopped() bool { return l.stop != nil && l.stop() }

// worst returns the entry off the support that violates its condition most, and
// by how much. It brings g and ν up to date.
func (l *AffineLasso) worst() (at int, excess float64) {
	l.gradient()
	at, excess = -1, math.Inf(-1)
	for j, g := range l.g {
		if l.c[j] == 0 {
			if e := math.Abs(l.nu-g) - l.omega[j]; e > excess {
				at, excess = j, e
			}
		}
	}
	return at, excess
}

// gradient computes g = UᵀUc and ν, as the mean over the support.
func (l *AffineLasso) gradient() {
	clear(l.g)
	for _, j := range l.active {
		if l.c[j] != 0 {
			blas.Axpy(l.c[j], l.products(j), l.g)
		}
	}
	l.nu = 0
	for _, j := range l.active {
		l.nu += (l.g[j] + l.omega[j]*l.sign[j]) / float64(len(l.active))
	}
}

// settle moves to the optimum over the entries of the support with their signs,
// dropping those that reach zero on the way. It reports false where it would not
// come to an end.
func (l *AffineLasso) settle() bool {
	for range 4*len(l.active) + 4 {
		full := l.direction()
		if l.stopped() {
			return false
		}
		step, leaves := math.Inf(1), -1
		if full {
			step = 1
		}
		for q, j := range l.active {
			if l.aim[q]*l.sign[j] >= 0 {
				continue
			}
			if reach := -l.c[j] / l.aim[q]; reach < step {
				step, leaves = max(reach, 0), q
			}
		}
		if math.IsInf(step, 1) {
			return false // the cost does not fall without end: this is rounding
		}
		for q, j := range l.active {
			l.c[j] += step * l.aim[q]
		}
		if leaves < 0 {
			return true
		}
		j := l.active[leaves]
		l.c[j] = 0
		l.active = append(l.active[:leaves], l.active[leaves+1:]...)
	}
	return false
}

// direction computes the step to the optimum over the support with fixed signs on
// the plane Σc = const, that is along the differences to the first entry. Where a
// point lies in the affine hull of the ones before it, the step is along their
// affine dependence, downhill, and of any length: full is false.
func (l *AffineLasso) direction() (full bool) {
	s := len(l.active) - 1
	if cap(l.h) < s*s || cap(l.d) < s+1 {
		l.h, l.d, l.v, l.aim = make([]float64, 2*s*s), make([]float64, 2*s+1), make([]float64, 2*s+1), make([]float64, 2*s+1)
	}
	l.aim = l.aim[:s+1]
	h, d := l.h[:s*s], l.d[:s]
	first := l.active[0]
	base := l.products(first)
	l.gradient()
	downhill := func(j int) float64 { // minus the slope of the cost
		return l.g[first] + l.omega[first]*l.sign[first] - l.g[j] - l.omega[j]*l.sign[j]
	}
	full = true
	for a := 1; full && a <= s && !l.stopped(); a++ {
		row := l.products(l.active[a])
		for b := 1; b <= a; b++ {
			j := l.active[b]
			h[(a-1)*s+b-1] = row[j] - base[j] - row[first] + base[first]
		}
		full = l.choleskyRow(h, s, a-1)
		d[a-1] = downhill(l.active[a])
		if !full {
			l.dependence(h, s, a-1, d)
		}
	}
	if full {
		for a := range s {
			for b := range a {
				d[a] -= h[a*s+b] * d[b]
			}
			d[a] /= h[a*s+a]
		}
		backSubstitute(h, s, s, d)
	}
	l.aim[0] = 0
	for a := range s {
		l.aim[a+1] = d[a]
		l.aim[0] -= d[a]
	}
	return full
}

// choleskyRow replaces row a of the lower triangle by the row of its Cholesky factor,
// and reports false where the pivot shows a dependent point.
func (l *AffineLasso) choleskyRow(h []float64, s, a int) bool {
	row := h[a*s : a*s+a+1]
	length := row[a]
	for b := range a {
		for q := range b {
			row[b] -= row[q] * h[b*s+q]
		}
		row[b] /= h[b*s+b]
		row[a] -= row[b] * row[b]
	}
	if !(row[a] > affineShare*length) {
		return false
	}
	row[a] = math.Sqrt(row[a])
	return true
}

// dependence overwrites d with the affine dependence of point a on those before
// it, turned downhill.
func (l *AffineLasso) dependence(h []float64, s, a int, d []float64) {
	v := l.v[:s]
	clear(v)
	for b := range a {
		v[b] = -h[a*s+b]
	}
	backSubstitute(h, s, a, v)
	v[a] = 1
	var slope float64
	for b := range a + 1 {
		slope += d[b] * v[b]
	}
	copy(d, v)
	if slope < 0 {
		blas.Scale(-1, d)
	}
}

// backSubstitute solves Lᵀx = x for the leading n rows of a factor.
func backSubstitute(h []float64, s, n int, x []float64) {
	for a := n - 1; a >= 0; a-- {
		for b := a + 1; b < n; b++ {
			x[a] -= h[b*s+a] * x[b]
		}
		x[a] /= h[a*s+a]
	}
}

const (
	admmPenalty    = 10.0  // μ
	admmFeasible   = 1e-6  // on |z − c| and |Σz − 1|
	admmStationary = 1e-5  // on the change of z
	admmIterations = 10000 // at most
)

// ADMM solves the problem of [AffineLasso.Solve] by the alternating direction
// method of multipliers, as published for sparse manifold clustering, and returns
// the near-solution with the iterations it took, at most 10000. It is here to
// compare with: it takes hundreds of iterations of O(K²) behind one O(K³), and
// more the smaller ω is. [AffineLasso.Polish] makes the result exact.
//
//	z = (UᵀU + μI + μ11ᵀ)⁻¹(μc − ℓ + (h + μ)1),   c = soft(μz + ℓ, ω)/μ,
//	ℓ ← ℓ + μ(z − c),   h ← h + μ(1 − 1ᵀz).
func (l *AffineLasso) ADMM(u []float64, k, m int, omega []float64) (c []float64, iterations int) {
	a := make([]float64, k*k)
	l.kernels.Gemm(false, true, k, k, m, 1, u, m, u, m, 0, a, k)
	for i := range k {
		for j := range k {
			a[i*k+j] += admmPenalty
		}
		a[i*k+i] += admmPenalty
	}
	blas.CholeskySmall(k, a) // definite: every term is semidefinite and μI is not small
	inverse := make([]float64, k*k)
	for i := range k {
		inverse[i*k+i] = 1
		blas.CholeskySolveSmall(k, a, inverse[i*k:i*k+k])
	}
	c = make([]float64, k)
	z, before, dual, right := make([]float64, k), make([]float64, k), make([]float64, k), make([]float64, k)
	var h float64
	for iterations = 1; iterations <= admmIterations; iterations++ {
		z, before = before, z
		for j := range k {
			right[j] = admmPenalty*c[j] - dual[j] + h + admmPenalty
		}
		l.kernels.Gemv(false, k, k, 1, inverse, k, right, 0, z)
		var apart, change, sum float64
		for j, zj := range z {
			v := admmPenalty*zj + dual[j]
			c[j] = math.Copysign(max(math.Abs(v)-omega[j], 0), v) / admmPenalty
			dual[j] += admmPenalty * (zj - c[j])
			sum += zj
			apart = max(apart, math.Abs(zj-c[j]))
			change = max(change, math.Abs(zj-before[j]))
		}
		h += admmPenalty * (1 - sum)
		if max(apart, math.Abs(sum-1)) <= admmFeasible && change <= admmStationary {
			break
		}
	}
	return c, min(iterations, admmIterations)
}
