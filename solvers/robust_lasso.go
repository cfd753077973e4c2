package solvers

import (
	"math"

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
	// robustRidge is that of the model far from the minimum, robustFloor the one at
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

// gradient computes that of the smooth part, −2Bᵀclip(x − Ba) + 2ξ1 RᵀRa.
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
	// Clipped coordinates have no curvature although they cannot be moved about at
	// will; far from the minimum a ridge stands in for theirs.
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
