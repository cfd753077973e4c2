package bandwidth

import (
	"math"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/internal/must"
)

// The probabilities have the entropy that was asked for, whatever the unit of the distances.
func TestEntropyIsThePerplexity(t *testing.T) {
	for _, unit := range []float64{1, 1e-150, 1e150} {
		d, p := make([]float64, 40), make([]float64, 40)
		for q := range d {
			d[q] = unit * (1 + math.Sqrt(float64(q)))
		}
		for _, perplexity := range []float64{1.5, 5, 13.3, 39} {
			Probabilities(d, perplexity, p)
			var sum, entropy float64
			for q, v := range p {
				sum += v
				if v > 0 {
					entropy -= v * math.Log(v)
				}
				if q > 0 && v > p[q-1] {
					t.Errorf("unit %g, perplexity %g: neighbour %d has more than the one before", unit, perplexity, q)
				}
			}
			if math.Abs(sum-1) > 1e-12 || math.Abs(entropy-math.Log(perplexity)) > 1e-9 {
				t.Errorf("unit %g, perplexity %g: sum %v, perplexity %v", unit, perplexity, sum, math.Exp(entropy))
			}
		}
		if Probabilities(d, 40, p); p[0] != 1./40 || p[39] != 1./40 {
			t.Errorf("of no more neighbours than the perplexity: %v", p)
		}
	}
}

// All entries of the lists are half of all edges in both directions.
func TestAffinitiesSumToHalf(t *testing.T) {
	x := neighbors.Points{N: 600, M: 3, Data: make([]float64, 1800)}
	blas.NewStream(1).Normals(x.Data)
	g := must.Get(neighbors.Exact(t.Context(), x, 30, neighbors.Options{}))(t)
	e := must.Get(Affinities(t.Context(), 2, g, 10))(t)
	var sum float64
	for _, v := range e.Weight {
		sum += v
	}
	if math.Abs(sum-0.5) > 1e-12 {
		t.Errorf("the entries sum to %v", sum)
	}
}
