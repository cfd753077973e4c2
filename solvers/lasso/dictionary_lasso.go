package lasso

import (
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// dependentShare: a row of the support with no more than this share of its squared length
// off the rows before it depends on them, for each row.
const dependentShare = 1e-14

// DictionaryLasso solves min ½zᵀHz − bᵀz + λ‖z‖₁, the lasso of a point x over the rows
// of a dictionary A, by their inner products H = AAᵀ and b = Ax alone. Coordinate
// descent finds the support, and Newton steps end on it. H may be singular, as it is
// with more rows than columns: where the rows of the support depend on each other, moving along
// the dependence changes no more than ‖z‖₁, which falls in one of the two directions until an
// entry is zero and leaves. O(s w) a sweep for w rows and a support of s, and s³ for
// each exact step. A DictionaryLasso keeps scratch between calls and is to be used by
// one goroutine at a time.
type DictionaryLasso struct {
	lasso gramLasso

	support []int
	factor  []float64
	along   []float64
}

// NewDictionaryLasso returns a solver that takes its products from the kernels.
func NewDictionaryLasso(kernels *blas.Kernels) *DictionaryLasso {
	return &DictionaryLasso{lasso: gramLasso{kernels: kernels}}
}

// Until makes the solver give up once stop says so: z is not a solution then.
func (l *DictionaryLasso) Until(stop func() bool) *DictionaryLasso {
	l.lasso.stop = stop
	return l
}

// Solve improves z, n numbers that may start anywhere, until the conditions of
// optimality are missed by no more than tol · λ. H is n × n in rows of ld, both
// triangles. The report's objective is the minimum, its violation a share of λ.
func (l *DictionaryLasso) Solve(h []float64, ld, n int, b []float64, lambda, tol float64, z []float64) (r LassoReport) {
	q := &l.lasso
	b, z = b[:n], z[:n]
	q.grad = grownTo(q.grad, n)
	q.gradient(h, ld, n, b, z)
	still := patience{rounds: gramPatience}
	for r.Steps < gramRounds && !q.stopped() {
		r.Steps++
		for range gramSweeps {
			if q.sweep(h, ld, n, lambda, z) <= tol*lambda || q.stopped() {
				break
			}
		}
		if r.Steps > 1 {
			// Most supports are independent, and one round does for them.
			l.untangle(h, ld, n, b, lambda, z)
		}
		q.polish(h, ld, n, b, lambda, z)
		violation := lassoViolation(q.grad[:n], z, lambda)
		if r.Violation = violation / lambda; r.Violation <= tol {
			r.Converged = true
			break
		}
		if violation <= gradientRounding(h, ld, n, z) || still.lost(violation) {
			break
		}
	}
	for j, v := range z {
		if v != 0 {
			r.Objective += v*(q.grad[j]-b[j])/2 + lambda*math.Abs(v)
		}
	}
	return r
}

// untangle makes entries of the support zero until its rows are independent. The cost
// does not rise.
func (l *DictionaryLasso) untangle(h []float64, ld, n int, b []float64, lambda float64, z []float64) {
	l.support = l.support[:0]
	for j, v := range z {
		if v != 0 {
			l.support = append(l.support, j)
		}
	}
	s := len(l.support)
	l.factor, l.along = grownTo(l.factor, s*s), grownTo(l.along, s)
	for r := 0; r < len(l.support) && !l.lasso.stopped(); {
		own := h[l.support[r]*ld : l.support[r]*ld+n]
		row := l.factor[r*s : r*s+r+1]
		for c, j := range l.support[:r] {
			above := l.factor[c*s : c*s+c+1]
			row[c] = (own[j] - blas.Dot(above[:c], row)) / above[c]
		}
		whole := own[l.support[r]]
		square := whole - blas.Dot(row[:r], row)
		if square > dependentShare*float64(s)*whole {
			row[r] = math.Sqrt(square)
			r++
			continue
		}
		hit := l.slide(r, s, lambda, z)
		if hit < 0 {
			return
		}
		l.lasso.gradient(h, ld, n, b, z)
		l.support = slices.Delete(l.support, hit, hit+1)
		r = min(r, hit) // the rows of the factor before it stay
	}
}

// slide moves along the combination of rows of the support up to r that is zero, the way
// in which the cost falls, to where the first entry is zero, and returns its place in the
// support; −1: it would fall for ever, to rounding.
func (l *DictionaryLasso) slide(r, s int, lambda float64, z []float64) (hit int) {
	d := l.along[:r+1]
	for c, v := range l.factor[r*s : r*s+r] {
		d[c] = -v
	}
	d[r] = 1
	for c := r - 1; c >= 0; c-- { // Lᵀd = −l
		row := l.factor[c*s : c*s+c+1]
		d[c] /= row[c]
		blas.Axpy(-d[c], row[:c], d[:c])
	}
	var slope float64
	for c, j := range l.support[:r+1] {
		slope += (l.lasso.grad[j] + math.Copysign(lambda, z[j])) * d[c]
	}
	if slope > 0 {
		blas.Scale(-1, d)
	}
	hit, step := -1, math.Inf(1)
	for c, j := range l.support[:r+1] {
		if z[j]*d[c] < 0 && -z[j]/d[c] < step {
			hit, step = c, -z[j]/d[c]
		}
	}
	if hit < 0 {
		return hit
	}
	for c, j := range l.support[:r+1] {
		z[j] += step * d[c]
	}
	z[l.support[hit]] = 0
	return hit
}
