package patch

import (
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
)

// GivenGamma are weights of which the caller gave the γ. A diagnosis asks for them.
type GivenGamma struct {
	Gamma float64
	// Share is the part of η, the median of what a sample's d leading directions leave of its
	// neighbourhood over what they hold, that γ would be without one given.
	Share float64
	// Begin is [Rule.Begin] for the patches of a few samples: what it learns from all
	// samples there it learns from those.
	Begin func(in Local, some []int) (func() Func, error)
}

// Tangential is the energy, in each column y of a matrix with a row a sample, of what is
// linear in the tangent coordinates of a neighbourhood: the sum of gᵀLᵢg over the samples
// given, where g is the best fit to y − yᵢ by as many tangent coordinates as there are columns.
// Weights that reproduce linear functions leave none; γ does. The patches must be on the
// neighbours and the sample itself. O(k²m + k³ + kd²) a sample.
func (r GivenGamma) Tangential(in Local, some []int, y *mat.Dense) ([]float64, error) {
	_, dim := y.Dims()
	worker, err := r.Begin(in, some)
	if err != nil {
		return nil, err
	}
	most := in.Graph.MaxDegree()
	parts := make([][]float64, len(some))
	type scratch struct {
		patch     Func
		gathered  *samples.Gathered
		lower     []float64
		g, values []float64
		spectrum  *leftSpectrum
	}
	workers := make([]*scratch, blas.Threads(in.Threads()))
	err = blas.For(in.Context(), in.Threads(), len(some), blockPatches, func(w, lo, hi int) {
		if workers[w] == nil {
			workers[w] = &scratch{worker(), samples.NewGathered(in.X), make([]float64, (most+1)*(most+2)/2), make([]float64, most), make([]float64, most), newLeftSpectrum(in.Kernels(), most)}
		}
		s := workers[w]
		for at := lo; at < hi; at++ {
			i := some[at]
			list := in.Graph.Of(i)
			k := len(list)
			s.patch(i, s.lower)
			z, m := s.gathered.Differences(i, list)
			rank := s.spectrum.rank(z, k, m, dim)
			parts[at] = make([]float64, dim)
			for f := range dim {
				values, g := s.values[:k], s.g[:k]
				for a, j := range list {
					values[a] = y.At(int(j), f) - y.At(i, f)
				}
				clear(g)
				for t := range rank {
					u := s.spectrum.vectors[t*k : t*k+k]
					blas.Axpy(blas.Dot(u, values), u, g)
				}
				parts[at][f] = quadraticForm(s.lower, g)
			}
		}
	})
	total := make([]float64, dim)
	for _, part := range parts {
		blas.Axpy(1, part, total)
	}
	return total, err
}

// quadraticForm is gᵀLg for the leading rows of a lower triangle.
func quadraticForm(lower, g []float64) float64 {
	var sum float64
	at := 0
	for a, ga := range g {
		for _, gb := range g[:a] {
			sum += 2 * lower[at] * ga * gb
			at++
		}
		sum += lower[at] * ga * ga
		at++
	}
	return sum
}
