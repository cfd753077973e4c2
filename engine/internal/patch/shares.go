package patch

import (
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/vector"
)

// TailShares are 1 − Σ_{l≤j} λ_l / Σ λ of some neighbourhoods: what a flat piece of j
// dimensions leaves of each, row j for j from 0 to most. λ are the eigenvalues of the
// scatter of a list and its sample about their mean. O(k²m + k³) a neighbourhood.
func TailShares(in Local, some []int, lists [][]int32, most int) ([][]float64, error) {
	shares := make([][]float64, most+1)
	for j := range shares {
		shares[j] = make([]float64, len(some))
	}
	type scratch struct {
		set     []int32
		spectra *nestedSpectra
	}
	workers := make([]*scratch, blas.Threads(in.Threads()))
	err := blas.For(in.Context(), in.Threads(), len(some), blockSome, func(w, lo, hi int) {
		if workers[w] == nil {
			workers[w] = &scratch{nil, newNestedSpectra(in)}
		}
		s := workers[w]
		for at := lo; at < hi; at++ {
			s.set = append(append(s.set[:0], lists[at]...), int32(some[at]))
			s.spectra.begin(s.set, nil)
			values, _, _ := s.spectra.leading(len(s.set), len(s.set), false)
			whole := vector.Sum(values)
			for j := range shares {
				if whole > 0 && j < len(values) {
					shares[j][at] = vector.Sum(values[j:]) / whole
				}
			}
		}
	})
	return shares, err
}
