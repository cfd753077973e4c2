package lasso

import (
	"context"
	"math"
	"slices"

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

// slope is the slope of the dual at the share t of the way.
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

// supportFactor is the Cholesky factor of G + ℓ2I over some of the samples, which
// follows as samples leave and enter.
type supportFactor struct {
	kernels  *blas.Kernels
	order    []int // the samples, in the order of the factor's rows
	ld       int
	factor   []float64 // lower triangle, in rows of ld
	member   []bool
	solution []float64
	panel    []float64
	turns    []rotation
}

// begin forgets the factor, for problems of n samples.
func (f *supportFactor) begin(n int) {
	f.order, f.member, f.solution, f.turns = f.order[:0], grownTo(f.member, n), grownTo(f.solution, n), grownTo(f.turns, n)
	clear(f.member)
}

// follow brings the factor to the wanted samples; false: their matrix is not positive
// definite to rounding.
func (f *supportFactor) follow(gram []float64, n int, ridge float64, wanted []bool) bool {
	leave, enter, size := 0, 0, 0
	for j, w := range wanted {
		switch {
		case w && !f.member[j]:
			enter++
		case !w && f.member[j]:
			leave++
		}
		if w {
			size++
		}
	}
	// A third of a factor's s³/3 operations, at the speed of products, is about what s/8
	// samples cost that enter, or a third as many that leave, in rotations.
	if len(f.order) > 0 && len(f.order)+enter <= f.ld && 3*leave+enter <= size/8 {
		for r := len(f.order) - 1; r >= 0; r-- {
			if j := f.order[r]; !wanted[j] {
				choleskyDelete(len(f.order), f.ld, f.factor, r, f.turns)
				f.order, f.member[j] = slices.Delete(f.order, r, r+1), false
			}
		}
		whole := true
		for j, w := range wanted {
			if w && !f.member[j] {
				whole = whole && f.enter(gram, n, ridge, j)
			}
		}
		if whole {
			return true
		}
	}
	return f.renew(gram, n, ridge, wanted, size)
}

// enter adds a row for one sample; false: what is left of its pivot is rounding.
func (f *supportFactor) enter(gram []float64, n int, ridge float64, j int) bool {
	s := len(f.order)
	row := f.factor[s*f.ld : s*f.ld+s+1]
	for r, k := range f.order {
		above := f.factor[r*f.ld : r*f.ld+r+1]
		row[r] = (gram[j*n+k] - blas.Dot(above[:r], row)) / above[r]
	}
	pivot := gram[j*n+j] + ridge - blas.Dot(row[:s], row)
	if !(pivot > 0) {
		return false
	}
	row[s] = math.Sqrt(pivot)
	f.order, f.member[j] = append(f.order, j), true
	return true
}

// renew factorises from the start.
func (f *supportFactor) renew(gram []float64, n int, ridge float64, wanted []bool, size int) bool {
	f.order = f.order[:0]
	for j, w := range wanted {
		if f.member[j] = w; w {
			f.order = append(f.order, j)
		}
	}
	f.ld = min(size+size/8+8, n)
	f.factor = grownTo(f.factor, f.ld*f.ld)
	for r, j := range f.order {
		row, dst := gram[j*n:(j+1)*n], f.factor[r*f.ld:r*f.ld+r+1]
		for c, k := range f.order[:r+1] {
			dst[c] = row[k]
		}
		dst[r] += ridge
	}
	return choleskyFactor(f.kernels, size, f.ld, f.factor, &f.panel)
}

// solve overwrites x, in the factor's order, with (G + ℓ2I)⁻¹x.
func (f *supportFactor) solve(x []float64) { choleskySubstitute(len(f.order), f.ld, f.factor, x) }

const (
	// startRidge is this many times ℓ2: about that much again is what ℓ1 takes off
	// the coefficients, so that supports begin near their size: for the images of COIL-20
	// six steps, where 3 and 30 take seven.
	startRidge = 10
	startBlock = 64
	startRows  = 32
)

// LeaveOneOut reconstructs each of n samples from all others in ridge regression, from their
// n × n Gram matrix (both triangles): row i has the coefficients that minimise
// ‖xᵢ − Σⱼ aⱼxⱼ‖² + c‖a‖² with aᵢ = 0, for c ten times the ridge given. All come out of
// one inverse, aⱼ = −Pᵢⱼ/Pᵢᵢ with P = (G + cI)⁻¹: 2n³ flops and 8n² bytes. They are where
// [ElasticNet] best begins. Where G + cI is singular to rounding they are zeros.
func LeaveOneOut(ctx context.Context, kernels *blas.Kernels, threads int, gram []float64, n int, ridge float64) ([]float64, error) {
	p := make([]float64, n*n)
	copy(p, gram[:n*n])
	for i := range n {
		p[i*n+i] += startRidge * ridge
	}
	if regular, err := invert(ctx, kernels, threads, n, p); err != nil {
		return nil, err
	} else if !regular {
		clear(p)
		return p, nil
	}
	return p, blas.For(ctx, threads, n, startRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row := p[i*n : (i+1)*n]
			blas.Scale(-1/row[i], row)
			row[i] = 0
		}
	})
}

// invert overwrites a positive definite matrix with its inverse by Gauss–Jordan
// elimination of blocks, without pivoting: 2n³ flops in products. It is not regular
// where a pivot is rounding.
func invert(ctx context.Context, kernels *blas.Kernels, threads, n int, a []float64) (regular bool, err error) {
	panel, rows := make([]float64, n*startBlock), make([]float64, startBlock*n)
	corner := make([]float64, startBlock*startBlock)
	for at := 0; at < n; at += startBlock {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		w := min(startBlock, n-at)
		if !invertCorner(kernels, w, n, a[at*n+at:], corner) {
			return false, nil
		}
		for i := range n { // the block's columns, which make room for the columns of the inverse
			own := a[i*n+at : i*n+at+w]
			copy(panel[i*w:(i+1)*w], own)
			clear(own)
		}
		kernels.GemmParallel(threads, false, false, w, n, w, 1, corner, w, a[at*n:], n, 0, rows, n)
		for r := range w {
			copy(rows[r*n+at:r*n+at+w], corner[r*w:(r+1)*w])
		}
		if at > 0 {
			kernels.GemmParallel(threads, false, false, at, n, w, -1, panel, w, rows, n, 1, a, n)
		}
		if end := at + w; end < n {
			kernels.GemmParallel(threads, false, false, n-end, n, w, -1, panel[end*w:], w, rows, n, 1, a[end*n:], n)
		}
		copy(a[at*n:(at+w)*n], rows[:w*n])
	}
	return true, nil
}

// invertCorner computes the inverse of the leading w × w block of rows of ld.
func invertCorner(kernels *blas.Kernels, w, ld int, a, inverse []float64) bool {
	factor, x := make([]float64, w*w), make([]float64, w)
	for i := range w {
		copy(factor[i*w:i*w+i+1], a[i*ld:i*ld+i+1])
	}
	if !choleskyFactor(kernels, w, w, factor, new([]float64)) {
		return false
	}
	for c := range w {
		clear(x)
		x[c] = 1
		choleskySubstitute(w, w, factor, x)
		for r, v := range x {
			inverse[r*w+c] = v
		}
	}
	return true
}
