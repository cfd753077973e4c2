// Package quality measures the quality of an embedding without ground truth: from its
// eigenvalues, from the number of samples that determine a coordinate, and from the evenness with
// which the coordinates stretch the data (docs/quality.md). Finding causes is the task of package
// diagnosis.
package quality

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/solve"
	"github.com/orthant-go/orthant/engine/internal/vector"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Scores are the measurements. NaN: not measured.
type Scores struct {
	Gap           float64   // λ_{d+1}/λ_d
	WeightsBias   float64   // share of Σλ due to errors of the weights along the tangents
	Participation []float64 // of each coordinate, (Σy²)²/(nΣy⁴)
	Variance      float64   // share of the data's variance in the coordinates, if they are a projection that maximises it
	Kept          Kept
	Places        Places
	Charts        Charts     // measurements in charts
	NotJudged     []Unjudged // checks that were not made
}

// Measure computes the scores of a solution that apply to its aim. Charts are made if
// the coordinates should be an affine image of isometric coordinates. O(Nd); the memory is at most
// that of the graph once more, and that of 64 to 200 charts and 32 to 128 searches. Nothing more is measured if less than
// the least share of the neighbours is kept.
func Measure(in patch.Local, rule patch.Rule, s *solve.Solution, aim Aim, least float64) (*Scores, error) {
	n, _ := s.Y.Dims()
	q := &Scores{Gap: math.NaN(), WeightsBias: math.NaN(), Variance: math.NaN(), Participation: participations(s.Y), Places: placesOf(s.Y), Charts: noCharts()}
	if d := len(s.Values); d > 0 && s.Values[d-1] > 0 {
		q.Gap = s.Next / s.Values[d-1]
	}
	if n < MinParticipants {
		q.notJudged("coordinates of few samples", fmt.Sprintf("there are fewer than %d samples", MinParticipants))
	}
	var err error
	if q.Kept, err = CompareNeighbors(in, s.Y); err != nil {
		return nil, err
	}
	if q.Kept.Score() < least {
		return q, nil
	}
	if q.Kept.why != "" {
		q.notJudged("neighbours kept", q.Kept.why)
	}
	switch {
	case (aim == Variance || aim == Whitened) && in.X.Absent():
		q.notJudged("variance kept", "only the distances of the samples are known")
	case aim == Variance:
		mean := in.X.Mean()
		if spread := in.X.Spread(mean); spread > 0 {
			q.Variance = min(varianceOf(s.Y)/(spread*spread), 1)
		}
	case aim == Whitened && len(s.Values) > 0: // the coordinates no longer have their variances
		spread := in.X.Spread(in.X.Mean())
		if total := spread * spread * float64(n) / float64(n-1); total > 0 {
			q.Variance = min(vector.Sum(s.Values)/total, 1)
		}
	case aim == Lengths:
		if err := q.lay(in, rule, s); err != nil {
			return nil, err
		}
	}
	return q, nil
}

func (q *Scores) notJudged(what, why string) {
	q.NotJudged = append(q.NotJudged, Unjudged{what, why})
}

// lay measures the errors of the weights, and makes charts if memory allows.
func (q *Scores) lay(in patch.Local, rule patch.Rule, s *solve.Solution) error {
	const what = "lengths along the data"
	if in.Graph == nil || in.X.Absent() {
		q.notJudged(what, unknown(in, "the samples themselves are not known"))
		return nil
	}
	n, dim := s.Y.Dims()
	some := Spread(n, chartsOf(n))
	if rule.Bias != nil {
		bias, err := rule.Bias(in, some, s.Y)
		if err != nil {
			return err
		}
		var sum float64
		for _, v := range s.Values {
			sum += v
		}
		q.WeightsBias = bias / sum
	}
	sizes, why := sizesOf(in, dim)
	if why == "" && in.Exceeds(chartsBytes(in, len(some), sizes, dim)) {
		why = "the limit of memory leaves no room for charts"
	}
	if why != "" {
		q.notJudged(what, why)
		return nil
	}
	var err error
	q.Charts, err = lay(in, s.Y, some, sizes)
	return err
}

// unknown returns the reason for not examining the samples: the metric of the neighbours, which gives
// the samples no lengths, or otherwise another reason.
func unknown(in patch.Local, otherwise string) string {
	if m := in.Metric(); m != neighbors.Euclidean {
		return "the neighbours are those by " + string(m)
	}
	return otherwise
}

// varianceOf returns the mean squared distance of the rows from their mean.
func varianceOf(y *mat.Dense) float64 {
	n, dim := y.Dims()
	var sum float64
	for j := range dim {
		var mean float64
		for i := range n {
			mean += y.At(i, j) / float64(n)
		}
		for i := range n {
			sum += (y.At(i, j) - mean) * (y.At(i, j) - mean) / float64(n)
		}
	}
	return sum
}

// Aim is the property of the data that the coordinates of a method should preserve, by which they are judged.
type Aim int

const (
	Neighborhoods Aim = iota // near samples stay near
	Lengths                  // the coordinates are an affine image of lengths along the data
	Variance                 // the coordinates are the projection with the largest variance
	Whitened                 // they are that projection, each divided by its standard deviation
	Picture                  // a map for the eye: its neighbourhoods and groups are those of the data
)

// AimOfMap returns the aim of a map with some coordinates: more than three are not for the eye.
func AimOfMap(dim int) Aim {
	if dim > 3 {
		return Neighborhoods
	}
	return Picture
}

// Unjudged is a check that was not made or was inconclusive.
type Unjudged struct {
	What string `json:"what"` // what the check is about
	Why  string `json:"why"`
}
