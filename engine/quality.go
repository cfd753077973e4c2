package engine

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/engine/internal/diagnosis"
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/quality"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// Quality holds the measurements of an embedding that need no ground truth, and the verdict
// (docs/quality.md). Numbers that were not measured are NaN, and lists empty. Charts are
// examined for methods that unroll a sheet (lle, mlle, neml, ltsa, ltsa-curvature, hlle, isomap) with
// at least 128 samples and at most 20 coordinates.
type Quality struct {
	Verdict   Judgement
	Sentence  string     // the problems found, with cause and remedy, or the reason why the embedding cannot be judged; empty: none
	NotJudged []Unjudged // checks that were not made
	Remedies  []Remedy   // remedies that were tried, or suggested without a trial

	Gap           float64   // λ_{d+1}/λ_d
	WeightsBias   float64   // for neml and mlle: the share of Σλ due to the weights' own errors along the tangents
	Participation []float64 // of each coordinate, the share of the samples over which its squares are spread

	NeighborsKept  float64   // mean of KeptBy, for comparing methods
	KeptBy         []float64 // the share of the nearest 4, 8, 16 and 32 samples that are also nearest in the embedding
	Torn           float64   // the share of the nearest 4 that are not among the nearest 32 in the embedding
	Invented       float64   // the share of the nearest 4 in the embedding that are not among the nearest 32
	DimensionShown float64   // dimension estimated from the distances to the nearest samples
	VarianceKept   float64   // for pca and mds: the share of the variance in the coordinates
	Places         float64   // effective number of places in a picture over which the samples are spread

	Charts       int       // number of charts (sets of samples that are near each other in the graph) examined
	Sizes        []int     // numbers of samples in a chart, ascending; the scores below have one entry for each
	OffTangent   []float64 // the share of a chart's variance outside its d tangents (median)
	Nonlinearity []float64 // the share of the coordinates' variance in a chart that is not linear in its tangent coordinates
	Unevenness   []float64 // largest deviation of the stretch from the mean one in seven of ten charts
	// Even is the smallest unevenness over the sizes; above 0.26 the embedding is called uneven.
	Even         float64
	LeastStretch float64 // smallest stretch of a chart divided by the mean (median), at the size of Even
	Thin         float64 // the share of a neighbourhood's variance that d − 1 directions miss (median); d is called too large below a fifth of the value expected by chance
	// Instability is √(1 − R²) of the best affine map between the coordinates and those that every eighth
	// sample gets when embedded without the others. NaN without Options.Stability.
	Instability float64
	Worst       []int // rows, from 0, around which the stretch deviates most from the mean, the worst first

	Map *MapQuality // of a map in up to three coordinates; nil: it is no map, or was not judged as one
}

// join adds the verdict on another component of n samples, which was embedded separately.
func (q *Quality) join(component, samples int, other *Quality) {
	of := fmt.Sprintf("component %d (%d samples): ", component, samples)
	if other.Sentence != "" {
		if q.Sentence != "" {
			q.Sentence += "; "
		}
		q.Sentence += of + other.Sentence
	}
	for _, check := range other.NotJudged {
		q.NotJudged = append(q.NotJudged, Unjudged{What: check.What, Why: of + check.Why})
	}
	q.Remedies = append(q.Remedies, other.Remedies...)
	q.Verdict = judgement(q.Verdict == Doubtful || other.Verdict == Doubtful, q.NotJudged)
}

// worstPlaces is the number of rows in Quality.Worst.
const worstPlaces = 5

// Remedy is a change of one parameter that may improve a doubtful embedding. If Tried, the samples
// were embedded with it, and Sound, Even and NeighborsKept are the results. Numbers that were not
// measured are NaN.
type Remedy struct {
	Setting       string // KEY=VALUE
	Tried         bool
	Offered       bool // the sentence names it; a remedy tried without success is not offered
	Sound         bool
	Even          float64
	NeighborsKept float64
}

func remediesOf(offers []diagnosis.Offer) []Remedy {
	var list []Remedy
	for _, o := range offers {
		list = append(list, Remedy{Setting: o.Taken.Setting(), Tried: o.Tried, Offered: o.Named, Sound: o.Sound, Even: o.Even, NeighborsKept: o.Kept})
	}
	return list
}

// qualityOf converts the findings of a diagnosis.
func qualityOf(f *diagnosis.Findings, s *solve.Solution) *Quality {
	charts := &f.Charts
	q := &Quality{Sentence: f.Sentence, NotJudged: f.NotJudged, Gap: f.Gap, WeightsBias: f.WeightsBias, Participation: f.Participation,
		Charts: len(charts.Centers), Sizes: charts.Sizes, OffTangent: charts.Off, Nonlinearity: charts.Bent, Unevenness: charts.Unevenness,
		Even: charts.MinUnevenness(), LeastStretch: charts.LeastStretch, Thin: charts.Thin, Instability: math.NaN(),
		NeighborsKept: f.Kept.Score(), KeptBy: f.Kept.Share, Torn: f.Kept.Torn, Invented: f.Kept.Invented, DimensionShown: f.Kept.Dimension,
		VarianceKept: f.Variance, Places: f.Places.Effective, Remedies: remediesOf(f.Offers), Map: mapQualityOf(f.Map, s.Objective)}
	for _, i := range charts.Worst(worstPlaces) {
		q.Worst = append(q.Worst, f.X.Number(i)-1)
	}
	doubtful := f.Doubtful
	if !s.Converged && len(s.Residuals) > 0 && !doubtful {
		doubtful, q.Sentence = true, fmt.Sprintf("an eigenpair missed its residual (%.2g is the largest)", slices.Max(s.Residuals))
	}
	q.Verdict = judgement(doubtful, q.NotJudged)
	return q
}

// unmeasured is the quality of coordinates of which nothing was measured, with the reason.
func unmeasured(why string) *Quality {
	none := math.NaN()
	return &Quality{Verdict: NotJudged, NotJudged: []Unjudged{{What: "coordinates of few samples", Why: why}}, Gap: none, WeightsBias: none, NeighborsKept: none, Torn: none, Invented: none,
		DimensionShown: none, VarianceKept: none, Places: none, Even: none, LeastStretch: none, Thin: none, Instability: none}
}

// Judgement is the verdict on a result in one word.
type Judgement string

// The judgements.
const (
	Sound     Judgement = "sound"      // all checks of the method were made, and none failed
	Doubtful  Judgement = "doubtful"   // a check failed
	NotJudged Judgement = "not judged" // no check failed, and at least one could not be made
)

// Unjudged is a check that was not made or was inconclusive, with the reason.
type Unjudged = quality.Unjudged

// judgement returns the verdict, given whether there are doubts and which checks were not made.
func judgement(doubtful bool, unjudged []Unjudged) Judgement {
	switch {
	case doubtful:
		return Doubtful
	case len(unjudged) > 0:
		return NotJudged
	}
	return Sound
}

// sound returns the JSON value of "sound": null if the result was not judged.
func (j Judgement) sound() any {
	if j == NotJudged {
		return nil
	}
	return j == Sound
}

// listed returns the checks that were not made as a list that is not nil, for JSON.
func listed(unjudged []Unjudged) []Unjudged { return append([]Unjudged{}, unjudged...) }

// Verdict holds the measurements of a factorisation or a clustering, and any doubts about it
// (docs/quality.md). Numbers that were not measured are NaN.
type Verdict struct {
	Verdict   Judgement
	Sentence  string     // the doubts, with a remedy; empty: there are none
	NotJudged []Unjudged // checks that were not made

	Improvement float64 // relative decrease of the objective from the start; below 0: it rose
	GraphShare  float64 // of a factorisation with a graph: the share of the term λ tr(WᵀΦW) in the final objective
}

// verdictOn converts the verdict on factors.
func verdictOn(j factor.Judged) *Verdict {
	return &Verdict{Verdict: judgement(j.Verdict != "", nil), Sentence: j.Verdict, Improvement: j.Improvement, GraphShare: j.GraphShare}
}

// MarshalJSON writes the fields in lower case with underscores, and the field sound, which is null if
// the result was not judged. Numbers that were not measured are null.
func (v Verdict) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"verdict": v.Verdict, "sound": v.Verdict.sound(), "sentence": v.Sentence, "not_judged": listed(v.NotJudged), "improvement": orNull(v.Improvement), "graph_share": orNull(v.GraphShare)})
}

// MarshalJSON writes the fields in the form of [Verdict.MarshalJSON].
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
	all := map[string]any{"verdict": q.Verdict, "sound": q.Verdict.sound(), "sentence": q.Sentence, "not_judged": listed(q.NotJudged), "remedies": remedies, "gap": orNull(q.Gap), "weights_bias": orNull(q.WeightsBias),
		"participation": list(q.Participation), "charts": q.Charts, "sizes": rows(q.Sizes), "off_tangent": list(q.OffTangent),
		"nonlinearity": list(q.Nonlinearity), "unevenness": list(q.Unevenness), "even": orNull(q.Even), "least_stretch": orNull(q.LeastStretch),
		"thin": orNull(q.Thin), "instability": orNull(q.Instability), "neighbors_kept": orNull(q.NeighborsKept),
		"kept_by": list(q.KeptBy), "torn": orNull(q.Torn), "invented": orNull(q.Invented), "dimension_shown": orNull(q.DimensionShown), "variance_kept": orNull(q.VarianceKept), "places": orNull(q.Places), "worst": rows(q.Worst)}
	if q.Map != nil {
		all["map"] = q.Map.properties()
	}
	return json.Marshal(all)
}

// orNull returns v, or nil if JSON cannot represent it.
func orNull(v float64) any {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return v
}
