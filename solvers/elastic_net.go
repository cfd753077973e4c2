package solvers

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

const (
	// elasticTolerance: the conditions of optimality hold to this share of the ℓ1
	// weight.
	elasticTolerance = 1e-9
	elasticSteps     = 200
	// elasticSlope: a step along a line ends where no more of the slope is left, which
	// elasticCuts suffice for.
	elasticSlope = 1e-3
	elasticCuts  = 60
)

// ElasticNet reconstructs one of n samples from the others,
//
//	min ‖xᵢ − Σⱼ aⱼxⱼ‖² + ℓ2‖a‖² + ℓ1‖a‖₁,   aᵢ = 0,
//
// from their Gram matrix alone. With S the soft threshold at ℓ1 its dual is
//
//	min ¼‖θ‖² − θᵀxᵢ + Σⱼ S(xⱼᵀθ)²/4ℓ2,   aⱼ = S(xⱼᵀθ)/2ℓ2,   θ = 2(xᵢ − Σⱼ aⱼxⱼ),
//
// smooth and made of quadratic pieces, one for each choice of the samples with
// |xⱼᵀθ| > ℓ1 and of their signs. Newton steps go to the minimum of a piece, as far
// as the dual falls on the way; the last one ends within its piece and is exact to
// rounding. Some six to fifteen steps suffice, each a system of the order of a piece's support s,
// O(s³) where a factor is computed anew and O(s²) for each sample that enters or leaves
// it, and O(sn) for the products. An ElasticNet keeps scratch between calls, at most
// 10s² bytes and 40n, and is to be used by one goroutine at a time; the Gram
// matrix may be shared.
type ElasticNet struct {
	Ridge  float64 // ℓ2 > 0
	Sparse float64 // ℓ1 > 0

	factor supportFactor
	at, to []float64 // θ = 2(xᵢ − Σ vⱼxⱼ) by its coefficients v, and where a step leads
	q, p   []float64 // xⱼᵀθ at both
	wanted []bool
}

// NewElasticNet returns a solver with the weights ℓ2 and ℓ1 that takes its products
// from the kernels.
func NewElasticNet(kernels *blas.Kernels, ridge, sparse float64) *ElasticNet {
	return &ElasticNet{Ridge: ridge, Sparse: sparse, factor: supportFactor{kernels: kernels}}
}

// Solve reconstructs sample i from the others of an n × n Gram matrix, of which both triangles
// are given. start are n coefficients to begin from, nil for none: rows of
// [LeaveOneOut] save steps. It returns n coefficients, which are valid until the next
// call, and how far the conditions of optimality are missed as a share of ℓ1. ℓ2 below
// the rounding of the Gram matrix may end it early.
func (l *ElasticNet) Solve(gram []float64, n, i int, start []float64) (a []float64, r LassoReport) {
	l.begin(n)
	copy(l.at, start)
	l.at[i] = 0
	l.products(gram, n, i, l.at, l.q)
	for {
		if !l.target(gram, n, i) {
			l.products(gram, n, i, l.at, l.p)
			a, r.Violation = l.at, l.violation(l.p, l.at, i)
			break
		}
		a, r.Violation = l.to, l.violation(l.p, l.to, i)
		if r.Converged = r.Violation <= elasticTolerance; r.Converged || r.Steps == elasticSteps {
			break
		}
		r.Steps++
		if !l.move(l.reach()) { // rounding leaves no way down
			break
		}
	}
	r.Objective = gram[i*n+i]
	for j, v := range a {
		// p = 2(g − Ga), so that the quadratic part is aᵀ(ℓ2a − g − p/2).
		r.Objective += v*(l.Ridge*v-gram[i*n+j]-l.p[j]/2) + l.Sparse*math.Abs(v)
	}
	return a, r
}

func (l *ElasticNet) begin(n int) {
	l.at, l.to, l.q, l.p, l.wanted = grownTo(l.at, n), grownTo(l.to, n), grownTo(l.q, n), grownTo(l.p, n), grownTo(l.wanted, n)
	clear(l.at)
	l.factor.begin(n)
}

// products computes xⱼᵀθ = 2(gᵢ − Gv) for all samples but i itself, which gets 0 and
// so never takes part.
func (l *ElasticNet) products(gram []float64, n, i int, v, q []float64) {
	for j, g := range gram[i*n : i*n+n] {
		q[j] = 2 * g
	}
	for j, c := range v {
		if c != 0 {
			blas.Axpy(-2*c, gram[j*n:(j+1)*n], q)
		}
	}
	q[i] = 0
}

// target computes the minimum of the piece that θ is in; false: its system is
// singular to rounding.
func (l *ElasticNet) target(gram []float64, n, i int) bool {
	for j, q := range l.q {
		l.wanted[j] = math.Abs(q) > l.Sparse
	}
	if !l.factor.follow(gram, n, l.Ridge, l.wanted) {
		return false
	}
	x := l.factor.solution[:len(l.factor.order)]
	for r, j := range l.factor.order {
		x[r] = gram[i*n+j] - math.Copysign(l.Sparse/2, l.q[j])
	}
	l.factor.solve(x)
	clear(l.to)
	for r, j := range l.factor.order {
		l.to[j] = x[r]
	}
	l.products(gram, n, i, l.to, l.p)
	return true
}

// violation is by how much the conditions of optimality are missed by coefficients,
// as a share of ℓ1.
func (l *ElasticNet) violation(q, a []float64, i int) (worst float64) {
	for j, v := range a {
		switch slope := 2*l.Ridge*v - q[j]; {
		case j == i:
		case v == 0:
			worst = max(worst, math.Abs(slope)-l.Sparse)
		default:
			worst = max(worst, math.Abs(slope+math.Copysign(l.Sparse, v)))
		}
	}
	return worst / l.Sparse
}

// slope is that of the dual at the share t of the way.
func (l *ElasticNet) slope(t float64) (sum float64) {
	for j, q := range l.q {
		d := l.p[j] - q
		v := l.at[j] + t*(l.to[j]-l.at[j])
		sum += d * (shrunk(q+t*d, l.Sparse)/(2*l.Ridge) - v)
	}
	return sum
}

// reach finds how much of the way the dual falls: all of it, or up to where its slope,
// which grows in pieces of lines, is nearly zero and not above. Regula falsi, with the
// end that stays halved (Illinois).
func (l *ElasticNet) reach() float64 {
	low, high := l.slope(0), l.slope(1)
	if high <= 0 {
		return 1
	}
	from, to, enough := 0.0, 1.0, elasticSlope*low
	stayed := 0
	for range elasticCuts {
		t := (from*high - to*low) / (high - low)
		s := l.slope(t)
		if s <= 0 {
			if from, low = t, s; s >= enough {
				break
			}
			if stayed > 0 {
				high /= 2
			}
			stayed = 1
		} else {
			if to, high = t, s; stayed < 0 {
				low /= 2
			}
			stayed = -1
		}
	}
	return from
}

// move goes so much of the way; false: nowhere.
func (l *ElasticNet) move(t float64) bool {
	if !(t > 0) {
		return false
	}
	for j := range l.at {
		l.at[j] += t * (l.to[j] - l.at[j])
		l.q[j] += t * (l.p[j] - l.q[j])
	}
	return true
}
