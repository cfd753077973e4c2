package lasso

import (
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

const (
	// gramSweeps of coordinate descent come before each exact solve.
	gramSweeps = 8
	// gramRounds bounds the alternation; in practice a handful is enough.
	gramRounds = 200
	// gramPatience is the number of rounds in a row that may pass without a violation
	// clearly below the lowest so far.
	gramPatience = 10
)

// gramLasso solves min ½zᵀHz − bᵀz + λ‖z‖₁ for a positive definite H of some
// dozen or hundred unknowns, of which only products of data are known: H is a
// Gram matrix and data never enter. Coordinate descent finds out which entries
// are zero and which signs the others have; Newton steps over the support, with an
// exact search past the zeros of entries, then end what descent alone would take
// thousands of sweeps for. The cost never rises. It is one worker's scratch.
type gramLasso struct {
	stop     func() bool // which ends the work without a result; nil: nothing does
	kernels  *blas.Kernels
	grad     []float64 // Hz − b
	support  []int
	factor   []float64
	panel    []float64
	solution []float64
	turns    []rotation
	kinks    []kink
}

// solve improves z until the violation of the conditions of optimality is below
// tol or the rounding of the gradient, or falls no further, and returns the violation
// that is left. H is n × n in rows of ld, with both triangles.
func (q *gramLasso) solve(h []float64, ld, n int, b []float64, lambda, tol float64, z []float64) (violation float64) {
	q.grad = grownTo(q.grad, n)
	q.gradient(h, ld, n, b, z)
	still := patience{rounds: gramPatience}
	for range gramRounds {
		for range gramSweeps {
			if q.sweep(h, ld, n, lambda, z) <= tol {
				break
			}
		}
		q.polish(h, ld, n, b, lambda, z)
		violation = lassoViolation(q.grad[:n], z, lambda)
		if violation <= max(tol, gradientRounding(h, ld, n, z)) || still.lost(violation) {
			break
		}
	}
	return violation
}

// gradientRounding is the rounding of Hz − b at the exact solution z over its support:
// the rounding of n products, each no larger than the largest curvature times the largest entry.
func gradientRounding(h []float64, ld, n int, z []float64) float64 {
	var curvature, entry float64
	for j, v := range z[:n] {
		if v != 0 {
			curvature, entry = max(curvature, h[j*ld+j]), max(entry, math.Abs(v))
		}
	}
	return 0x1p-52 * float64(n) * curvature * entry
}

func (q *gramLasso) stopped() bool { return q.stop != nil && q.stop() }

func (q *gramLasso) gradient(h []float64, ld, n int, b, z []float64) {
	for j := range n {
		q.grad[j] = -b[j]
	}
	for j, v := range z[:n] {
		if v != 0 {
			blas.Axpy(v, h[j*ld:j*ld+n], q.grad[:n])
		}
	}
}

// sweep minimises over one entry after the other, and returns the largest change
// of an entry in units of the gradient.
func (q *gramLasso) sweep(h []float64, ld, n int, lambda float64, z []float64) (change float64) {
	grad := q.grad[:n]
	for j := range n {
		curvature := h[j*ld+j]
		if !(curvature > 0) {
			continue
		}
		was := z[j]
		at := curvature*was - grad[j]
		if was == 0 && math.Abs(at) <= lambda {
			continue
		}
		z[j] = shrunk(at, lambda) / curvature
		if step := z[j] - was; step != 0 {
			blas.Axpy(step, h[j*ld:j*ld+n], grad)
			change = max(change, math.Abs(step)*curvature)
		}
	}
	return change
}

// polish goes to the minimum over the support, for the signs that it meets on its
// way; entries that reach zero leave. One factorisation serves, since what leaves is
// taken out of it.
func (q *gramLasso) polish(h []float64, ld, n int, b []float64, lambda float64, z []float64) {
	q.support = q.support[:0]
	for j, v := range z[:n] {
		if v != 0 {
			q.support = append(q.support, j)
		}
	}
	s := len(q.support)
	q.factor, q.solution, q.turns = grownTo(q.factor, s*s), grownTo(q.solution, s), grownTo(q.turns, s)
	for r, i := range q.support {
		row := h[i*ld : i*ld+n]
		for c, j := range q.support[:r+1] {
			q.factor[r*s+c] = row[j]
		}
	}
	if q.stopped() || !choleskyFactor(q.kernels, s, s, q.factor, &q.panel) {
		return
	}
	for range 2*s + 2 {
		if q.stopped() {
			return
		}
		for r, j := range q.support {
			q.solution[r] = b[j] - math.Copysign(lambda, z[j])
		}
		choleskySubstitute(len(q.support), s, q.factor, q.solution)
		step, leaves := q.reach(lambda, z)
		for r, j := range q.support {
			if step == 1 {
				z[j] = q.solution[r]
			} else {
				z[j] += step * (q.solution[r] - z[j])
			}
		}
		if leaves >= 0 {
			z[q.support[leaves]] = 0
			choleskyDelete(len(q.support), s, q.factor, leaves, q.turns)
			q.support = slices.Delete(q.support, leaves, leaves+1)
		}
		q.gradient(h, ld, n, b, z)
		if step == 1 || step == 0 && leaves < 0 {
			break
		}
	}
}

// reach finds the lowest point of the cost on the way to the solution for fixed
// signs, at most 1 of it, and the place in the support of the entry that is zero there, else −1. The cost along the
// way is quadratic between the zeros of entries, where its slope jumps.
func (q *gramLasso) reach(lambda float64, z []float64) (step float64, leaves int) {
	var fall float64 // of the slope, from the start to the solution
	q.kinks = q.kinks[:0]
	for r, j := range q.support {
		d := q.solution[r] - z[j]
		fall -= (q.grad[j] + math.Copysign(lambda, z[j])) * d
		if q.solution[r]*z[j] < 0 {
			q.kinks = append(q.kinks, kink{-z[j] / d, r, 2 * lambda * math.Abs(d)})
		}
	}
	if !(fall > 0) { // at the solution already, to rounding
		if len(q.kinks) == 0 {
			return 1, -1
		}
		return 0, -1
	}
	sortKinks(q.kinks)
	var jumps float64
	for _, k := range q.kinks {
		// The slope at t is fall·(t − 1) and the jumps so far.
		if t := 1 - jumps/fall; t <= k.at {
			return max(t, 0), -1
		}
		if jumps += k.jump; fall*(k.at-1)+jumps >= 0 {
			return k.at, k.entry
		}
	}
	return max(1-jumps/fall, 0), -1
}

// lassoViolation is by how much the conditions of optimality of a lasso are
// missed: |gⱼ + λ sign zⱼ| on the support, |gⱼ| − λ off it.
func lassoViolation(grad, z []float64, lambda float64) (worst float64) {
	for j, g := range grad {
		switch v := z[j]; {
		case v > 0:
			worst = max(worst, math.Abs(g+lambda))
		case v < 0:
			worst = max(worst, math.Abs(g-lambda))
		default:
			worst = max(worst, math.Abs(g)-lambda)
		}
	}
	return worst
}

// shrunk is the soft threshold: x brought nearer to zero by t, and no further.
func shrunk(x, t float64) float64 {
	switch {
	case x > t:
		return x - t
	case x < -t:
		return x + t
	}
	return 0
}

// grownTo returns s with room for n numbers, of unspecified content.
func grownTo[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

// patience ends an iteration whose measure of the error falls no further: rounding holds
// it, or its steps are too short for any number of them to matter.
type patience struct {
	rounds int // that may pass without a fall, > 0

	begun  bool
	lowest float64
	since  int
}

// clearFall is the share of the lowest error so far below which an error counts as a
// fall.
const clearFall = 0.99

// lost reports that the last rounds brought no clear fall. An error that is not a number ends
// the patience at once.
func (p *patience) lost(err float64) bool {
	if math.IsNaN(err) {
		return true
	}
	if !p.begun || err < clearFall*p.lowest {
		p.begun, p.lowest, p.since = true, err, 0
		return false
	}
	p.since++
	return p.since >= p.rounds
}
