package solvers

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

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
