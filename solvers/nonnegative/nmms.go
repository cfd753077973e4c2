package nonnegative

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// FitNMMS looks for min ‖K − H·diag(s)·Hᵀ‖²_F under H ≥ 0, s ≥ 0, HᵀH = I, the
// problem of nonnegative multidimensional scaling (Zafeiriou and Laskaris 2010,
// eqs 2 and 3), from the n × p start h and the p weights s. Each iteration updates
// H, then s:
//
//   - "paper": H as in [Maximize] (s cancels in the printed rule);
//
//   - "penalty": H by a majoriser of the objective plus (α/2)‖HᵀH − I‖², which with
//     the step of s never increases. Alpha must be positive;
//
//   - s ← s ∘ √(diag(HᵀK⁺H) / ((HᵀH ∘ HᵀH)s + diag(HᵀK⁻H))), which never increases
//     the objective.
//
//   - "gradient": H by a projected gradient on the objective of "penalty", and s the
//     best for that H, in place of the step above.
//
// square is ‖K‖²_F. The products with the new H serve both the step of s and the
// next step of H: one pass over K an iteration.
func FitNMMS(ctx context.Context, k Signed, square float64, p int, h, s []float64, o Multiplicative) (*Nonnegative, error) {
	if len(s) != p {
		return nil, fmt.Errorf("solvers: %d weights for %d columns", len(s), p)
	}
	for q, v := range s {
		if !(v >= 0) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("solvers: weight %d (counting from 1) is %v; give numbers ≥ 0", q+1, v)
		}
	}
	if o.Update == UpdateGradient {
		return descendNMMS(ctx, k, square, p, h, o)
	}
	it, err := newIteration(k, p, h, o)
	if err != nil {
		return nil, err
	}
	defer it.pool.close()
	for q, v := range s {
		it.scale[q] = max(v, blas.PanelFloor)
	}
	it.residual = func(alpha float64) float64 { return it.kkt(-2, 1, alpha, alpha == 0) }
	it.objective = func() float64 { return it.misfit(square) }
	it.after = func(first bool) {
		if !first {
			it.stepWeights()
		}
	}
	switch {
	case o.Update == UpdatePaper || o.Update == "":
		return it.run(ctx, []stage{{steps: o.Iterations, prepare: it.preparePaper, update: it.updatePaper}})
	case o.Update != UpdatePenalty:
		return nil, unknownUpdate(o.Update)
	case !(o.Alpha > 0):
		return nil, fmt.Errorf("solvers: update %s wants a positive weight", UpdatePenalty)
	}
	return it.run(ctx, []stage{{steps: o.Iterations, alpha: o.Alpha, prepare: func() { it.prepareFactor(o.Alpha) }, update: it.updatePenalty}})
}

// misfit is ‖K − HSHᵀ‖² = ‖K‖² − 2 Σ s_q(HᵀKH)_qq + sᵀ(G ∘ G)s, G = HᵀH.
func (it *iteration) misfit(square float64) float64 {
	total := square
	for q, s := range it.scale[:it.p] {
		at := q*it.w + q
		total += s * (it.squaredGram(q) - 2*(it.gram(1)[at]-it.gram(2)[at]))
	}
	return total
}

// squaredGram is entry q of (G ∘ G)s.
func (it *iteration) squaredGram(q int) float64 {
	var t float64
	for r, v := range it.gram(0)[q*it.w : q*it.w+it.p] {
		t += v * v * it.scale[r]
	}
	return t
}

// stepWeights updates s for the current H, all entries from the old s.
func (it *iteration) stepWeights() {
	next := it.spare[:0]
	for q, s := range it.scale[:it.p] {
		at := q*it.w + q
		ratio := it.gram(1)[at] / max(it.squaredGram(q)+it.gram(2)[at], blas.PanelFloor)
		next = append(next, max(s*math.Sqrt(ratio), blas.PanelFloor))
	}
	copy(it.scale, next)
}

// prepareFactor sets the quartic majoriser of the penalised objective of
// FitNMMS up: its quartic term is H·(SGS + (α/2)G), G = HᵀH.
func (it *iteration) prepareFactor(alpha float64) {
	g := it.gram(0)
	for q := range it.p {
		for r := range it.p {
			at := q*it.w + r
			it.quartic[at] = (it.scale[q]*it.scale[r] + alpha/2) * g[at]
		}
	}
	it.linear = alpha / 2
}

const (
	weightSweeps = 1000
	weightChange = 1e-14 // of the largest weight, below which a sweep has settled them
)

// descendNMMS looks for min ‖K − HSHᵀ‖² + (α/2)‖HᵀH − I‖² over H ≥ 0 and S = diag(s) ≥ 0.
func descendNMMS(ctx context.Context, k Signed, square float64, p int, h []float64, o Multiplicative) (*Nonnegative, error) {
	if !(o.Alpha > 0 && o.Norm > 0) {
		return nil, fmt.Errorf("solvers: update %s of scaling wants a positive weight and norm", UpdateGradient)
	}
	g, err := newGradient(k, -2, p, h, o)
	if err != nil {
		return nil, err
	}
	defer g.pool.close()
	g.kappa, g.constant = 1, square
	g.weigh = g.bestWeights
	g.objective = func() float64 {
		o := g.orthogonality()
		return g.value() - g.alpha/2*o*o
	}
	return g.run(ctx, descent{alpha: o.Alpha, tolerance: o.Tolerance})
}

// bestWeights sets s to the minimum of sᵀ(G ∘ G)s + Σ s_q(HᵀAH)_qq over s ≥ 0, G = HᵀH, by
// coordinates in turn, from s as it is: F never rises.
func (g *gradient) bestWeights() {
	for range weightSweeps {
		var change, largest float64
		for q, s := range g.scale {
			slope := g.own[q] / 2
			for r, v := range g.inner[q*g.w : q*g.w+g.p] {
				if r != q {
					slope += v * v * g.scale[r]
				}
			}
			own := g.inner[q*g.w+q] * g.inner[q*g.w+q]
			if !(own > 0) {
				continue
			}
			g.scale[q] = max(0, -slope/own)
			change, largest = max(change, math.Abs(g.scale[q]-s)), max(largest, g.scale[q])
		}
		if change <= weightChange*largest {
			return
		}
	}
}
