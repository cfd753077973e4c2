package engine

import (
	"encoding/json"
	"math"
)

// MarshalJSON writes the keys sound, verdict, improvement and graph_share, with null for what
// was not measured.
func (v Verdict) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"sound": v.Sound, "verdict": v.Verdict, "improvement": orNull(v.Improvement), "graph_share": orNull(v.GraphShare)})
}

// MarshalJSON writes the fields in lower case with underscores, and null for what was not
// measured.
func (q Quality) MarshalJSON() ([]byte, error) {
	list := func(values []float64) []any {
		all := make([]any, len(values))
		for i, v := range values {
			all[i] = orNull(v)
		}
		return all
	}
	rows := func(values []int) []int { return append([]int{}, values...) }
	return json.Marshal(map[string]any{"sound": q.Sound, "verdict": q.Verdict, "gap": orNull(q.Gap), "weights_bias": orNull(q.WeightsBias),
		"participation": list(q.Participation), "charts": q.Charts, "sizes": rows(q.Sizes), "off_tangent": list(q.OffTangent),
		"nonlinearity": list(q.Nonlinearity), "unevenness": list(q.Unevenness), "even": orNull(q.Even), "least_stretch": orNull(q.LeastStretch),
		"thin": orNull(q.Thin), "instability": orNull(q.Instability), "worst": rows(q.Worst)})
}

// orNull is a number as JSON can hold it.
func orNull(v float64) any {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return v
}
