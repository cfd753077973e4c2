// Package quality measures what can be known of an embedding without its truth: what its
// eigenvalues say, how many samples a coordinate is made of, and how evenly the coordinates
// stretch the data from place to place (docs/quality.md). It names no cause: a diagnosis looks
// for that.
package quality

import (
	"math"

	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// Scores are what was measured. NaN: it was not.
type Scores struct {
	Gap           float64   // λ_{d+1}/λ_d
	WeightsBias   float64   // the share of Σλ that the weights' errors along the tangents make
	Participation []float64 // of each coordinate, (Σy²)²/(nΣy⁴)
	Charts        Charts    // what is seen in charts
}

// Measure takes the scores of a solution. Charts are laid where the coordinates are to be an
// affine image of lengths along the data. O(Nd), the graph's memory at most once more, and
// what 64 to 200 charts take.
func Measure(in patch.Local, rule patch.Rule, s *solve.Solution, unrolls bool) (*Scores, error) {
	n, dim := s.Y.Dims()
	q := &Scores{Gap: math.NaN(), WeightsBias: math.NaN(), Participation: participations(s.Y), Charts: unlaid()}
	if d := len(s.Values); d > 0 && s.Values[d-1] > 0 {
		q.Gap = s.Next / s.Values[d-1]
	}
	if in.Graph == nil || in.X.Absent() || !unrolls {
		return q, nil
	}
	some := Spread(n, chartsOf(n))
	if rule.Bias != nil {
		bias, err := rule.Bias(in, some, s.Y)
		if err != nil {
			return nil, err
		}
		var sum float64
		for _, v := range s.Values {
			sum += v
		}
		q.WeightsBias = bias / sum
	}
	sizes := sizesOf(in)
	if len(sizes) == 0 || dim > mostDim || in.Exceeds(chartsBytes(in, len(some), sizes, dim)) {
		return q, nil
	}
	var err error
	q.Charts, err = lay(in, s.Y, some, sizes)
	return q, err
}
