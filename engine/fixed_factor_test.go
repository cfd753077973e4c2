package engine

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// A fixed factor comes back to the bit, also of data that are divided for their size; the
// other follows the data, and starts of its own lead to the same place.
func TestFixedFactorStays(t *testing.T) {
	const n, m, r = 60, 20, 3
	x, _ := groups(n, m)
	random := blas.NewStream(3)
	of := func(rows, cols int) *mat.Dense {
		a := mat.NewDense(rows, cols, nil)
		random.Uniforms(a.RawMatrix().Data)
		return a
	}
	w, h := of(n, r), of(r, m)
	for name, with := range map[string]func(FixedFactor) Method{
		"hals": func(f FixedFactor) Method { return NMF{FixedFactor: f} },
		"mu":   func(f FixedFactor) Method { return NMF{FixedFactor: f, LeastSquares: LeastSquares{Solver: "mu"}} },
		"kl":   func(f FixedFactor) Method { return NMFKL{FixedFactor: f} },
	} {
		t.Run(name, func(t *testing.T) {
			for _, scale := range []float64{1, 1e-30, 1e60} {
				y := mat.DenseCopyOf(x)
				y.Scale(scale, y)
				one := factorized(t, y, with(FixedFactor{Fixed: "h"}), FactorizeOptions{Options: Options{Seed: 4}, InitH: h})
				two := factorized(t, y, with(FixedFactor{Fixed: "w"}), FactorizeOptions{Options: Options{Seed: 4}, InitW: w})
				if !slices.Equal(one.H.RawMatrix().Data, h.RawMatrix().Data) || !slices.Equal(two.W.RawMatrix().Data, w.RawMatrix().Data) {
					t.Errorf("times %g: a fixed factor moved", scale)
				}
				if one.Quality.Verdict == Doubtful || two.Quality.Verdict == Doubtful {
					t.Errorf("times %g: %+v, %+v", scale, one.Quality, two.Quality)
				}
				given := factorized(t, y, with(FixedFactor{Fixed: "h"}), FactorizeOptions{Options: Options{Seed: 4}, InitW: scaledBy(w, scale), InitH: h})
				if d := relativeDistance(given.W, one.W, 1); d > 1e-3 {
					t.Errorf("times %g: from another start W is off by %.2g", scale, d)
				}
			}
		})
	}
}

func scaledBy(a *mat.Dense, c float64) *mat.Dense {
	b := mat.DenseCopyOf(a)
	b.Scale(c, b)
	return b
}
