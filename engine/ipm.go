package engine

import (
	"math"

	"github.com/orthant-go/orthant/solvers/exemplars"
)

// IPM chooses exemplars by iterative projection and matching (Zaeemzadeh, Joneidi,
// Rahnavard and Shah 2019): the sample most along the leading singular direction of
// what the samples have off the span of those chosen before. Samples are not centred. Once
// the samples are spanned, those farthest from the chosen ones fill up. O(n m p) and then
// O(n m + p²·products) an exemplar, with p = min(n, m). The objective is the share of the
// data's Frobenius norm off the span.
type IPM struct {
	FeatureScale `scale:"none"`
}

// Name returns "ipm".
func (IPM) Name() string { return "ipm" }

func (m IPM) choose(p *problem, count int) (*choice, error) {
	rows, order := int64(p.x.N)*int64(p.x.M), int64(min(p.x.N, p.x.M))
	if err := p.limit(8*(3*rows+order*order+int64(count)*int64(p.x.M)), "take fewer samples, or raise the limit"); err != nil {
		return nil, err
	}
	p.scaleFeatures(m.Scale)
	defer p.clock.Phase("solve")()
	found, err := exemplars.Projection(p.ctx, p.exemplarPoints(), count, p.exemplarOptions())
	if err != nil {
		return nil, err
	}
	own := count - found.Filled
	if p.details["filled"] = found.Filled; found.Filled > 0 {
		p.warn("%d of the %d exemplars are the samples farthest from the others: %d span all samples", found.Filled, count, own)
	}
	if found.Inexact > 0 {
		p.warn("%d exemplars were chosen by leading directions that missed their residual: others would do nearly as well", found.Inexact)
	}
	c := &choice{indices: found.Indices, first: math.NaN(), last: found.Rest[own], iterations: own, converged: found.Inexact == 0}
	if own > 0 {
		c.first = found.Rest[1]
	}
	return c, nil
}
