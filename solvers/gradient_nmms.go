package solvers

import (
	"context"
	"fmt"
	"math"
)

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
