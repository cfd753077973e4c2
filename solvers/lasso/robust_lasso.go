package lasso

import (
	"cmp"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

const (
	// robustTolerance: the conditions of optimality hold to this share of ξ2.
	robustTolerance = 1e-9
	// robustSteps bounds the Newton steps of one sample; five are usual.
	robustSteps = 300
	// robustPatience is the number of steps in a row that may bring neither a clear fall of
	// the violation nor one of the cost by more than the share robustFall.
	robustPatience = 20
	robustFall     = 1e-13
	// robustBatch is the least number of samples that may join the model at once.
	robustBatch = 8
	// robustRidge is the ridge of the model far from the minimum, robustFloor the one at
	// it, as shares of the mean squared length of a row.
	robustRidge = 1e-4
	robustFloor = 1e-12
)

// RobustLasso reconstructs a sample from others, sparsely and smoothly along their order,
// and forgives single coordinates that do not fit (You et al. 2015, eqs 17–19):
//
//	min ‖x − Ba − e‖² + ξ1 Σⱼ (aⱼ − aⱼ₊₁)² + ξ2(‖a‖₁ + ‖e‖₁)   over a ∈ Rᵖ, e ∈ Rᵐ.
//
// The block of e is never formed: e = soft(x − Ba, ξ2/2) leaves the Huber loss
//
//	h(r) = r² for |r| ≤ ξ2/2, ξ2|r| − ξ2²/4 beyond,
//
// of the residual. [RobustLasso.Solve] takes Newton steps on this piecewise
// quadratic function: the Hessian is the Gram matrix of the coordinates that are
// not clipped, of which a step changes few, so that it is brought up to date
// by products of low rank; over it a [gramLasso] of order |support| is solved
// exactly, and an exact search along the way there ends at the lowest point of
// the true function, which therefore falls in every step. There are finitely many
// pieces; the piece of the minimum, once met, is solved in one step.
//
// Some five steps are usual for rows of unit length and ξ2 = 0.01, each of
// O(mp + m·s² + s³) for a support of s or less, where FISTA ([RobustLasso.FISTA]) takes
// hundreds of 4mp. Where ξ2 is far below the residuals the problem is nearly one of least
// absolute deviations and takes many more; what is not solved after 300, or once twenty have
// brought nothing, is reported.
// A RobustLasso keeps scratch between calls and is to be used by one goroutine at a time.
type RobustLasso struct {
	Smooth float64 // ξ1 ≥ 0
	Sparse float64 // ξ2 > 0

	kernels *blas.Kernels
	rows    [][]float64 // the p samples
	x       []float64
	scale   float64 // the mean squared length of the rows

	a, g     []float64 // p: the code and the gradient of the smooth part
	residual []float64 // m
	clipped  []float64 // m: the residual cut to ±ξ2/2
	step     []float64 // m: B·(step in a)
	d        []float64 // p: the step in a
	kinks    []kink
	model    robustModel
	fista    fistaScratch
}

// LassoReport says how a code was found, by [RobustLasso] or [ElasticNet].
type LassoReport struct {
	Steps     int
	Violation float64 // of the conditions of optimality, as a share of the ℓ1 weight
	Objective float64
	Converged bool
}

// NewRobustLasso returns a solver with the parameters ξ1 and ξ2 that takes its
// products from the kernels.
func NewRobustLasso(kernels *blas.Kernels, smooth, sparse float64) *RobustLasso {
	return &RobustLasso{Smooth: smooth, Sparse: sparse, kernels: kernels, model: robustModel{kernels: kernels, lasso: gramLasso{kernels: kernels}}}
}

// Solve returns the code of x by the rows of data (each as long as x) at the
// places of list, in whose order the code is smooth. start is a first guess, nil
// for none. The code is valid until the next call.
func (l *RobustLasso) Solve(x, data []float64, list []int32, start []float64) ([]float64, LassoReport) {
	l.begin(x, data, list)
	if start != nil {
		copy(l.a, start)
	}
	l.model.begin(len(list), len(x))
	var r LassoReport
	tol := robustTolerance * l.Sparse
	still, lowest := patience{rounds: robustPatience}, math.Inf(1)
	l.takeResidual()
	for {
		l.gradient()
		violation := lassoViolation(l.g, l.a, l.Sparse)
		r.Violation = violation / l.Sparse
		if r.Converged = violation <= tol; r.Converged || r.Steps == robustSteps {
			break
		}
		if cost := l.objective(); cost < lowest*(1-robustFall) {
			lowest, still = cost, patience{rounds: robustPatience}
		} else if still.lost(violation) {
			break // the steps are too short, where one weight drowns all else
		}
		r.Steps++
		if !l.newton(tol, r.Violation) {
			break // rounding keeps it from getting any better
		}
	}
	r.Objective = l.objective()
	return l.a, r
}

func (l *RobustLasso) begin(x, data []float64, list []int32) {
	m, p := len(x), len(list)
	l.x = x
	l.rows = grownTo(l.rows, p)
	for j, i := range list {
		l.rows[j] = data[int(i)*m : int(i)*m+m]
	}
	l.a, l.g, l.d = grownTo(l.a, p), grownTo(l.g, p), grownTo(l.d, p)
	clear(l.a)
	l.scale = 0
	for _, row := range l.rows {
		l.scale += blas.Dot(row, row) / float64(p)
	}
	l.residual, l.clipped, l.step = grownTo(l.residual, m), grownTo(l.clipped, m), grownTo(l.step, m)
}

// takeResidual computes x − Ba.
func (l *RobustLasso) takeResidual() {
	copy(l.residual, l.x)
	for j, v := range l.a {
		if v != 0 {
			blas.Axpy(-v, l.rows[j], l.residual)
		}
	}
}

// gradient computes the gradient of the smooth part, −2Bᵀclip(x − Ba) + 2ξ1 RᵀRa.
func (l *RobustLasso) gradient() {
	clip(l.clipped, l.residual, l.Sparse/2)
	for j, row := range l.rows {
		l.g[j] = 2 * (l.Smooth*roughness(l.a, j) - blas.Dot(row, l.clipped))
	}
}

// roughness is entry j of RᵀRa, for the differences R of consecutive entries.
func roughness(a []float64, j int) float64 {
	var sum float64
	if j > 0 {
		sum += a[j] - a[j-1]
	}
	if j+1 < len(a) {
		sum += a[j] - a[j+1]
	}
	return sum
}

// clip writes r cut to ±c.
func clip(dst, r []float64, c float64) {
	dst = dst[:len(r)]
	for i, v := range r {
		if v > c {
			v = c
		} else if v < -c {
			v = -c
		}
		dst[i] = v
	}
}

// newton takes one step, and reports whether it led downhill.
func (l *RobustLasso) newton(tol, violation float64) bool {
	l.model.admit(l.rows, l.a, l.g, l.Sparse)
	l.model.update(l.rows, l.residual, l.Sparse/2)
	// Clipped coordinates have no curvature although they cannot be moved
	// freely; far from the minimum a ridge replaces it.
	clipped := 1 - float64(l.model.count)/float64(len(l.x))
	ridge := 2 * l.scale * (robustFloor + robustRidge*clipped*min(1, violation))
	z := l.model.minimum(l.a, l.g, l.Smooth, l.Sparse, ridge, tol/4)
	clear(l.d)
	clear(l.step)
	var moved bool
	for q, j := range l.model.members {
		if l.d[j] = z[q] - l.a[j]; l.d[j] != 0 {
			blas.Axpy(l.d[j], l.rows[j], l.step)
			moved = true
		}
	}
	if !moved {
		return false
	}
	t, zeroed := l.search()
	if !(t > 0) {
		return false
	}
	for q, j := range l.model.members {
		if t == 1 {
			l.a[j] = z[q]
		} else {
			l.a[j] += t * l.d[j]
		}
	}
	if zeroed >= 0 {
		l.a[zeroed] = 0
	}
	l.takeResidual()
	return true
}

// objective is the cost of the code, with e at its best.
func (l *RobustLasso) objective() float64 {
	var loss, smooth, sparse float64
	c := l.Sparse / 2
	for _, v := range l.residual {
		if v = math.Abs(v); v <= c {
			loss += v * v
		} else {
			loss += c * (2*v - c)
		}
	}
	for j, v := range l.a {
		sparse += math.Abs(v)
		if j > 0 {
			smooth += (v - l.a[j-1]) * (v - l.a[j-1])
		}
	}
	return loss + l.Smooth*smooth + l.Sparse*sparse
}

// kink is a step length at which an entry passes zero, and by how much the slope of
// the cost jumps there.
type kink struct {
	at    float64
	entry int
	jump  float64
}

func sortKinks(kinks []kink) {
	slices.SortFunc(kinks, func(p, q kink) int {
		return cmp.Or(cmp.Compare(p.at, q.at), cmp.Compare(p.entry, q.entry))
	})
}

// search finds the step 0 < t ≤ 1 along l.d at which the cost is lowest. Where that
// is the zero of an entry, it is returned, too, else −1. t = 0: not downhill.
//
// The slope along the way grows piecewise linearly and jumps where entries pass
// zero: a search among these, then one by secants within the piece.
func (l *RobustLasso) search() (t float64, zeroed int) {
	if before, _ := l.slope(0, 1); before >= 0 {
		return 0, -1
	}
	l.kinks = l.kinks[:0]
	for j, v := range l.a {
		if d := l.d[j]; v*d < 0 && -v/d < 1 {
			l.kinks = append(l.kinks, kink{-v / d, j, 2 * l.Sparse * math.Abs(d)})
		}
	}
	sortKinks(l.kinks)
	low, high := 0.0, 1.0
	from, to := 0, len(l.kinks)
	for from < to {
		mid := (from + to) / 2
		at := l.kinks[mid].at
		left, _ := l.slope(at, -1)
		if left > 0 {
			to, high = mid, at
			continue
		}
		if right, _ := l.slope(at, 1); right >= 0 {
			return at, l.kinks[mid].entry
		}
		from, low = mid+1, at
	}
	return l.root(low, high), -1
}

// root finds the zero of the slope in a piece without kinks, where it is negative
// at low and, unless high is 1, positive at high.
func (l *RobustLasso) root(low, high float64) float64 {
	t := high
	for range 100 {
		slope, curvature := l.slope(t, -1)
		if t == 1 && slope <= 0 {
			return 1
		}
		if slope > 0 {
			high = t
		} else {
			low = t
		}
		// From within its piece a Newton step meets the zero exactly.
		next := t - slope/curvature
		if next == t || math.Abs(next-t) <= 0x1p-50*t {
			return t
		}
		if !(next > low && next < high) {
			if next = low + (high-low)/2; next <= low || next >= high {
				return t
			}
		}
		t = next
	}
	return t
}

// slope returns the derivative of the cost along l.d at step t, that from the left
// for side −1, from the right for 1, and how fast it grows there.
func (l *RobustLasso) slope(t, side float64) (slope, curvature float64) {
	c := l.Sparse / 2
	var sum, square float64
	step := l.step[:len(l.residual)]
	for i, r := range l.residual {
		v := step[i]
		if r -= t * v; r > c {
			sum += c * v
		} else if r < -c {
			sum -= c * v
		} else {
			sum += r * v
			square += v * v
		}
	}
	slope, curvature = -2*sum, 2*square
	var before, dBefore float64
	for j, v := range l.a {
		d := l.d[j]
		at := v + t*d
		if j > 0 {
			slope += 2 * l.Smooth * (at - before) * (d - dBefore)
			curvature += 2 * l.Smooth * (d - dBefore) * (d - dBefore)
		}
		before, dBefore = at, d
		if d == 0 {
			continue
		}
		// The sign at and next to a zero is the sign of the side.
		switch zero := -v / d; {
		case v != 0 && (t < zero || t == zero && side < 0) && zero > 0:
			slope += math.Copysign(l.Sparse, v) * d
		case v == 0 || zero > 0:
			slope += l.Sparse * math.Abs(d)
		default:
			slope += math.Copysign(l.Sparse, v) * d
		}
	}
	return slope, curvature
}

const (
	fistaIterations = 500
	fistaTolerance  = 1e-6
)

// fistaScratch is the memory of [RobustLasso.FISTA].
type fistaScratch struct {
	dense, z, next, gradient []float64
}

// FISTA is Solve by the accelerated proximal gradient of the authors' choice
// (Beck and Teboulle 2009), restarted where it overshoots (O'Donoghue and Candès
// 2015): at most 500 iterations, or until the code changes by less than 1e-6 of
// itself. It is there to be compared with. 4mp operations an iteration.
func (l *RobustLasso) FISTA(x, data []float64, list []int32) ([]float64, LassoReport) {
	l.begin(x, data, list)
	m, p := len(x), len(list)
	s := &l.fista
	s.dense, s.z, s.next, s.gradient = grownTo(s.dense, p*m), grownTo(s.z, p), grownTo(s.next, p), grownTo(s.gradient, p)
	for j, row := range l.rows {
		copy(s.dense[j*m:], row)
	}
	clear(s.z)
	bound := 2*l.largestSquare() + 8*l.Smooth
	var r LassoReport
	inertia := 1.0
	for r.Steps < fistaIterations && !r.Converged {
		r.Steps++
		copy(l.residual, x)
		l.kernels.Gemv(true, p, m, -1, s.dense, m, s.z, 1, l.residual)
		clip(l.clipped, l.residual, l.Sparse/2)
		l.kernels.Gemv(false, p, m, -2, s.dense, m, l.clipped, 0, s.gradient)
		for j := range p {
			s.gradient[j] += 2 * l.Smooth * roughness(s.z, j)
			s.next[j] = shrunk(s.z[j]-s.gradient[j]/bound, l.Sparse/bound)
		}
		var against, change, size float64
		for j, v := range s.next {
			d := v - l.a[j]
			against += (s.z[j] - v) * d
			change += d * d
			size += v * v
		}
		if against > 0 {
			inertia = 1
		}
		grown := (1 + math.Sqrt(1+4*inertia*inertia)) / 2
		for j, v := range s.next {
			s.z[j] = v + (inertia-1)/grown*(v-l.a[j])
		}
		inertia = grown
		copy(l.a, s.next)
		r.Converged = change <= fistaTolerance*fistaTolerance*size
	}
	l.takeResidual()
	l.gradient()
	r.Violation = lassoViolation(l.g, l.a, l.Sparse) / l.Sparse
	r.Objective = l.objective()
	return l.a, r
}

// largestSquare bounds ‖B‖₂² from above a little, by power iteration.
func (l *RobustLasso) largestSquare() float64 {
	m, p := len(l.x), len(l.rows)
	v, u := l.fista.next, l.clipped
	for j := range v {
		v[j] = 1 / math.Sqrt(float64(p))
	}
	var square float64
	for range 30 {
		l.kernels.Gemv(true, p, m, 1, l.fista.dense, m, v, 0, u)
		l.kernels.Gemv(false, p, m, 1, l.fista.dense, m, u, 0, v)
		norm := math.Sqrt(blas.Dot(v, v))
		if norm == 0 {
			return 0
		}
		done := math.Abs(norm-square) <= 1e-3*norm
		square = norm
		blas.Scale(1/norm, v)
		if done {
			break
		}
	}
	return 1.01 * square
}
