package neml

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// limits are the sides of two inequalities for w(γ). With C = GᵀG, τ = trace C, λⱼ its
// eigenvalues, and P the projector on the right singular vectors from a number r on,
// y = P1 and u = y/‖y‖², the vector γτ(C + γτI)⁻¹1 is y + e, and so
//
//	‖w(γ) − u‖ ≤ (‖e‖ + |1ᵀe|/‖y‖)/(1ᵀy + 1ᵀe).
//
// For r the rank of G, u = w*, 1ᵀe ≥ 0 and e is at most δ = γτ/(λ_r + γτ) of what y
// leaves of 1, which gives
//
//	‖w(γ) − w*‖ ≤ δ·√k·‖1 − y‖/‖y‖³.
//
// For r = d, u = w₁; e has a part along the tangents, at most δ = γτ/(λ_d + γτ) of 1 − y,
// and one off them, at most ε = λ_{d+1}/(λ_{d+1} + γτ) of y, which gives
//
//	‖w(γ) − w₁‖ ≤ √(δ²‖1 − y‖² + ε²‖y‖²)·(1 + √k/‖y‖)/((1 − ε)‖y‖²).
//
// The engine's w is solved by Cholesky's factors of C + γτI, of condition 1/γ.
func (r ratios) limits(l *local, w []float64, gamma float64) {
	rounding := 1e-14 / gamma * norm(w)
	shift, ones := gamma*l.squares, math.Sqrt(float64(l.k))
	if rank := l.rank(); rank < l.k {
		y := l.projected(rank)
		long, rest := norm(y), math.Sqrt(math.Max(0, float64(l.k)-total(y)))
		delta := shift / (l.lambda[rank-1] + shift)
		r.note("w*", distance(w, l.limitWeights(rank)), delta*ones*rest/(long*long*long), rounding)
	}
	y := l.projected(l.d)
	long, rest := norm(y), math.Sqrt(math.Max(0, float64(l.k)-total(y)))
	delta, epsilon := shift/(l.lambda[l.d-1]+shift), l.lambda[l.d]/(l.lambda[l.d]+shift)
	r.note("w₁", distance(w, l.limitWeights(l.d)), math.Hypot(delta*rest, epsilon*long)*(1+ones/long)/((1-epsilon)*long*long), rounding)
}

// residuals: every weight vector is nearly optimal,
//
//	‖Gw_ℓ‖ ≤ (1−α)²‖Gw‖ + |2−α|·σ_{k−s+1}(G).
func (r ratios) residuals(l *local, w []float64, family *mat.Dense, alpha float64, s int) {
	var gw mat.VecDense
	gw.MulVec(l.g, mat.NewVecDense(l.k, w))
	right := (1-alpha)*(1-alpha)*mat.Norm(&gw, 2) + math.Abs(2-alpha)*math.Sqrt(l.lambda[l.k-s])
	rounding := 1e-13 * math.Sqrt(l.squares) * mat.Norm(family, 2)
	for j := range s {
		var left mat.VecDense
		left.MulVec(l.g, family.ColView(j))
		r.note("residual", mat.Norm(&left, 2), right, rounding)
	}
}

// condition: the weight vectors are independent. With c = max(|2−α|, 1),
//
//	cond(W) ≤ (c + (1−α)²·√k·‖w‖)²/|2−α|.
func (r ratios) condition(l *local, w []float64, family *mat.Dense, alpha float64) {
	sigma := singularValues(family)
	b := math.Abs(2 - alpha)
	right := math.Pow(math.Max(b, 1)+(1-alpha)*(1-alpha)*math.Sqrt(float64(l.k))*norm(w), 2) / b
	r.note("condition", sigma[0]/sigma[len(sigma)-1], right, 1e-12)
}

// angles: span[W; −1ᵀ] is near the complement that LTSA minimises on, of the centred
// patch X̄ (with the sample, n = k + 1 rows),
//
//	sin∠ ≤ ‖GW‖/(σ·σ_d(X̄)),
//
// where σ is the smallest singular value of [W; −1ᵀ] in the proof, and the d-th in print.
func (r ratios) angles(l *local, family *mat.Dense) {
	m, _ := l.g.Dims()
	_, s := family.Dims()
	n := l.k + 1
	x := mat.NewDense(n, m, nil) // the sample is at the origin
	x.Slice(0, l.k, 0, m).(*mat.Dense).Copy(l.g.T())
	for c := range m {
		mean := total(mat.Col(nil, c, x)) / float64(n)
		for i := range n {
			x.Set(i, c, x.At(i, c)-mean)
		}
	}
	stacked := mat.NewDense(n, s, nil)
	stacked.Slice(0, l.k, 0, s).(*mat.Dense).Copy(family)
	for j := range s {
		stacked.Set(l.k, j, -1)
	}
	var of, tangents mat.SVD
	of.Factorize(stacked, mat.SVDThin)
	tangents.Factorize(x, mat.SVDThin)
	var span, left, both mat.Dense
	of.UTo(&span)
	tangents.UTo(&left)
	kept := mat.NewDense(n, l.d+1, nil) // LTSA's null space: constants and tangents
	for i := range n {
		kept.Set(i, 0, 1/math.Sqrt(float64(n)))
	}
	kept.Slice(0, n, 1, l.d+1).(*mat.Dense).Copy(left.Slice(0, n, 0, l.d))
	both.Mul(kept.T(), &span)
	var gw mat.Dense
	gw.Mul(l.g, family)
	sine, above := singularValues(&both)[0], singularValues(&gw)[0]
	sigma, spread := of.Values(nil), tangents.Values(nil)[l.d-1]
	r.note("angle", sine, above/(sigma[s-1]*spread), 1e-12)
	r.note("angle, as printed", sine, above/(sigma[l.d-1]*spread), 1e-12)
}
