package solvers

import "math"

// leastOwn: where AU is smaller than this times the norms of A and of U, the
// residual is measured against that. Below it U is in the null space of A, as far as
// data tell.
const leastOwn = 1e-3

// ownTerm is ‖AUS‖_F or its floor, for the squares of ‖AUS‖_F and ‖US‖_F, and ‖A‖₂.
func ownTerm(product, size, norm float64) float64 {
	if t := max(math.Sqrt(product), leastOwn*norm*math.Sqrt(size)); t > 0 {
		return t
	}
	return 1
}

// kkt is the scaled residual of the conditions of Karush, Kuhn and Tucker at the
// panel as it stands: for A = ∓M and half of the gradient of the Lagrangian, H = AUS + UΛ,
//
//	‖min(τU, H)‖_F / T,   T = max(‖AUS‖_F, 10⁻³‖A‖₂‖US‖_F),   τ = T/‖U‖_F.
//
// Λ is that of the penalty, or −UᵀAUS where the multipliers stand for themselves. S is I
// but in multidimensional scaling, where A = −2K.
func (it *iteration) kkt(factor, kappa, alpha float64, multipliers bool) float64 {
	sign, sigma := it.c.terms()
	if multipliers {
		alpha = 0
	}
	lambda := make([]float64, it.p*it.p)
	for q := range it.p {
		for r := range it.p {
			at := q*it.w + r
			g := it.gram(0)[at]
			if multipliers {
				// From the left, so that column q of UΛ balances s_q·AU_q.
				lambda[q*it.p+r] = -factor * it.scale[r] * (it.gram(1)[at] - it.gram(2)[at])
				continue
			}
			lambda[q*it.p+r] = (2*kappa*it.scale[q]*it.scale[r] + alpha) * g
			if q == r {
				lambda[q*it.p+r] -= alpha
			}
		}
	}
	var product, size, norm float64
	each := func(visit func(u, own, half float64)) {
		for i := range it.n {
			u := it.u[i*it.w : i*it.w+it.p]
			for r, s := range it.scale[:it.p] {
				cu := it.a[i*it.w+r]
				if it.b != nil {
					cu -= it.b[i*it.w+r]
				}
				half := factor * s * cu
				for q, v := range u {
					half += v * lambda[q*it.p+r]
				}
				visit(u[r], factor*s*sign*(cu-sigma*u[r]), half)
				size += s * s * u[r] * u[r]
				norm += u[r] * u[r]
			}
		}
	}
	each(func(_, own, _ float64) { product += own * own })
	term := ownTerm(product, size, math.Abs(factor)*it.Spectral)
	var weight float64
	if norm > 0 { // a panel that has vanished is multiplied by it
		weight = term / math.Sqrt(norm)
	}
	var residual float64
	each(func(u, _, half float64) {
		e := min(weight*u, half)
		residual += e * e
	})
	return math.Sqrt(residual) / term
}
