package patch

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
)

// bias estimates what the weights of all samples add to Σ yᵀΦy along the data's own tangents,
//
//	Σᵢ aᵢ² sᵢ ‖Mᵢᵀθᵢᵀwᵢ‖²,
//
// from some of them: for a sample, s is the number of its weight vectors, a the mixing
// scalar of w in them, θ the tangent coordinates of its neighbours about it, and M their
// least-squares map to y. Weights that reproduce linear functions leave nothing.
// O(k²m + k³ + k²d) a sample.
func (r MultipleWeights) bias(in Local, some []int, y *mat.Dense) (float64, error) {
	c, err := r.look(in)
	if err != nil {
		return 0, err
	}
	r.By = c.by
	k := in.Graph.MaxDegree()
	_, p := y.Dims()
	parts := make([]float64, len(some))
	type scratch struct {
		calculator *multipleCalculator
		laid       *samples.Laid
		values     []float64
	}
	workers := make([]*scratch, blas.Threads(in.Threads()))
	err = blas.For(in.Context(), in.Threads(), len(some), blockSome, func(w, lo, hi int) {
		if workers[w] == nil {
			workers[w] = &scratch{r.newCalculator(in.Kernels(), k), samples.NewLaid(in.X), make([]float64, k)}
		}
		s := workers[w]
		for at := lo; at < hi; at++ {
			i := some[at]
			list := in.Graph.Of(i)
			g, m := s.laid.Differences(i, list)
			count := int(c.count[i])
			weights, alone := s.calculator.weigh(g, len(list), m, count)
			if alone {
				continue
			}
			a, _ := s.calculator.mixing(math.Max(s.calculator.alpha, leastAlpha))
			values := s.values[:len(list)]
			var missed float64
			for f := range p {
				for b, j := range list {
					values[b] = y.At(int(j), f) - y.At(i, f)
				}
				var along float64
				for t := range min(r.Dim, len(list)-count) {
					u := s.calculator.spectrum.vectors[t*len(list) : (t+1)*len(list)]
					along += blas.Dot(u, weights) * blas.Dot(u, values)
				}
				missed += along * along
			}
			parts[at] = a * a * float64(count) * missed
		}
	})
	var sum float64
	for _, part := range parts {
		sum += part
	}
	return sum * float64(in.X.N()) / float64(max(len(some), 1)), err
}
