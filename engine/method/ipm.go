package method

import "github.com/orthant-go/orthant/engine/internal/choose"

// IPM chooses exemplars by iterative projection and matching (Zaeemzadeh, Joneidi,
// Rahnavard and Shah 2019): the next exemplar is the sample closest to the leading singular direction
// of the components of the samples orthogonal to the exemplars so far. Samples are not centred. When
// the exemplars span all samples, the samples farthest from them follow. O(n m p), then O(n m +
// p²·products) for each exemplar, with p = min(n, m). The objective is the share of the data's Frobenius
// norm outside the span.
type IPM struct {
	FeatureScale `scale:"none"`
}

// Name returns "ipm".
func (IPM) Name() string { return "ipm" }

func (m IPM) row() Row {
	return Row{Choose: m.rule}
}

func (m IPM) rule() choose.Rule { return choose.IPM{Scale: m.Scale}.Choose }
