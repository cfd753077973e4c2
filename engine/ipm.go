package engine

import "github.com/orthant-go/orthant/engine/internal/choose"

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

func (m IPM) row() row {
	return row{choose: m.rule}
}

func (m IPM) rule() choose.Rule { return choose.IPM{Scale: m.Scale}.Choose }
