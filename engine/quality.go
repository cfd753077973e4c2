package engine

import (
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/engine/internal/diagnosis"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// Quality is what was measured of an embedding without its truth, and what that says of it
// (docs/quality.md). Numbers that were not measured are NaN, or the lists empty: charts are
// laid by methods that unroll a sheet (lle, mlle, neml, ltsa, ltsa-curvature, hlle, isomap), of
// at least 128 samples and at most 20 coordinates.
type Quality struct {
	Verdict   Judgement
	Sentence  string     // what speaks against the embedding, with its cause and a remedy, or why it cannot be judged; empty where all is well
	NotJudged []Unjudged // checks that were not made
	Remedies  []Remedy   // that were tried, or named untried, against the doubts

	Gap           float64   // λ_{d+1}/λ_d
	WeightsBias   float64   // of neml and mlle: the share of Σλ that the weights' own errors along the tangents make
	Participation []float64 // of each coordinate, the share of the samples that its squares are spread over

	NeighborsKept  float64   // the share of a sample's nearest that are its nearest in the embedding: the mean of the next, by which methods can be compared
	KeptBy         []float64 // of the nearest 4, 8, 16 and 32
	Torn           float64   // the share of the nearest 4 that are not among the nearest 32 in the embedding
	Invented       float64   // the share of the nearest 4 in the embedding that are not among the nearest 32
	DimensionShown float64   // the dimension that the distances to the nearest show
	VarianceKept   float64   // of pca and mds: the share of the variance that the coordinates hold
	Places         float64   // over how many places of a picture the samples are as if spread evenly

	Charts       int       // sets of samples near each other along the graph that were looked at
	Sizes        []int     // samples of a chart, ascending; the scores below are by size
	OffTangent   []float64 // the share of a chart's variance off its d tangents (median)
	Nonlinearity []float64 // the share of the coordinates' variance in a chart that is no linear function of its tangent coordinates
	Unevenness   []float64 // how far the stretch of the data is from the mean one, at most, in seven of ten charts
	// Even is the least unevenness over the sizes: above 0.26 the embedding is called uneven.
	Even         float64
	LeastStretch float64 // the least stretch of a chart over the mean (median), at the size where Even is taken
	Thin         float64 // the share of a neighbourhood's variance that d − 1 directions miss (median); d is called too large under a fifth of what chance gives
	// Instability is how far the coordinates are from an affine image of those that every eighth
	// sample gets when these are embedded alone: √(1 − R²). NaN but with Options.Stability.
	Instability float64
	Worst       []int // the rows, from 0, around which the stretch is farthest from the mean, the worst first
}

// join takes in the verdict on another component of n samples that was embedded on its own.
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

// qualityOf is what a diagnosis found of a solution for samples.
func qualityOf(f *diagnosis.Findings, s *solve.Solution) *Quality {
	charts := &f.Charts
	q := &Quality{Sentence: f.Sentence, NotJudged: f.NotJudged, Gap: f.Gap, WeightsBias: f.WeightsBias, Participation: f.Participation,
		Charts: len(charts.Centers), Sizes: charts.Sizes, OffTangent: charts.Off, Nonlinearity: charts.Bent, Unevenness: charts.Unevenness,
		Even: charts.Even(), LeastStretch: charts.LeastStretch, Thin: charts.Thin, Instability: math.NaN(),
		NeighborsKept: f.Kept.Score(), KeptBy: f.Kept.Share, Torn: f.Kept.Torn, Invented: f.Kept.Invented, DimensionShown: f.Kept.Dimension,
		VarianceKept: f.Variance, Places: f.Places.Effective, Remedies: remediesOf(f.Offers)}
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
