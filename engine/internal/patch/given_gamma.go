package patch

import (
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
)

// GivenGamma describes weights whose γ the caller gave. It serves a diagnosis.
type GivenGamma struct {
	Gamma float64
	// Share returns the part of η that γ would be by default. η is the median ratio of the variance
	// outside a sample's d leading directions to the variance along them.
	Share float64
	// Begin is [Rule.Begin] for the patches of a few samples: what it learns from all
	// samples there, it learns from these.
	Begin func(in Local, some []int) (func() Func, error)
}

// Tangential returns, for each column y of a matrix with one row for each sample, the energy of the part of y that is
// linear in the tangent coordinates of a neighbourhood: the sum of gᵀLᵢg over the given
// samples, where g is the best fit to y − yᵢ by as many tangent coordinates as there are columns.
// It is zero for weights that reproduce linear functions; γ makes it positive. The patches must consist of the
// neighbours and the sample itself. O(k²m + k³ + kd²) for each sample.
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

// quadraticForm returns gᵀLg for the leading rows of a lower triangle.
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
