package engine

import (
	"encoding/json"
	"math"
)

// MarshalJSON writes the fields in lower case with underscores, and sound, which is null where the
// result is not judged; numbers that were not measured are null.
func (v Verdict) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"verdict": v.Verdict, "sound": v.Verdict.sound(), "sentence": v.Sentence, "not_judged": listed(v.NotJudged), "improvement": orNull(v.Improvement), "graph_share": orNull(v.GraphShare)})
}

// MarshalJSON writes what that of [Verdict] does.
func (q Quality) MarshalJSON() ([]byte, error) {
	list := func(values []float64) []any {
		all := make([]any, len(values))
		for i, v := range values {
			all[i] = orNull(v)
		}
		return all
	}
	rows := func(values []int) []int { return append([]int{}, values...) }
	remedies := make([]map[string]any, len(q.Remedies))
	for i, r := range q.Remedies {
		remedies[i] = map[string]any{"setting": r.Setting, "tried": r.Tried, "offered": r.Offered}
		if r.Tried {
			remedies[i]["sound"], remedies[i]["even"], remedies[i]["neighbors_kept"] = r.Sound, orNull(r.Even), orNull(r.NeighborsKept)
		}
	}
	return json.Marshal(map[string]any{"verdict": q.Verdict, "sound": q.Verdict.sound(), "sentence": q.Sentence, "not_judged": listed(q.NotJudged), "remedies": remedies, "gap": orNull(q.Gap), "weights_bias": orNull(q.WeightsBias),
		"participation": list(q.Participation), "charts": q.Charts, "sizes": rows(q.Sizes), "off_tangent": list(q.OffTangent),
		"nonlinearity": list(q.Nonlinearity), "unevenness": list(q.Unevenness), "even": orNull(q.Even), "least_stretch": orNull(q.LeastStretch),
		"thin": orNull(q.Thin), "instability": orNull(q.Instability), "neighbors_kept": orNull(q.NeighborsKept),
		"kept_by": list(q.KeptBy), "torn": orNull(q.Torn), "invented": orNull(q.Invented), "dimension_shown": orNull(q.DimensionShown), "variance_kept": orNull(q.VarianceKept), "places": orNull(q.Places), "worst": rows(q.Worst)})
}

// orNull is a number as JSON can hold it.
func orNull(v float64) any {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return v
}
