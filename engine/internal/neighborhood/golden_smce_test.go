package neighborhood

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
)

func TestGoldenSMCE(t *testing.T) {
	golden.Cases(t, "local-smce", func(t *testing.T, raw json.RawMessage) {
		var c struct {
			Directions [][]float64 `json:"unit_directions"`
			Distances  []float64
			Lambda     float64 `json:"lam"`
			Tol        float64
			Expect     struct {
				C          []float64
				Objective  float64
				Normalised []float64
			}
		}
		golden.Decode(t, raw, &c)
		m := len(c.Directions[0])
		for _, admm := range []bool{false, true} {
			w := NewSparseCoder(blas.MustSelect("auto"), SparseAffine{Lambda: c.Lambda, Keep: 1, ADMM: admm})
			set := Candidates{Width: m}
			for j, d := range c.Distances {
				set.Squares = append(set.Squares, d*d)
				for _, v := range c.Directions[j] {
					set.Differences = append(set.Differences, v*d)
				}
			}
			w.Solve(&set)
			golden.Expect(t, "normalised weights", w.Weights, c.Expect.Normalised, c.Tol)
			coefficients := w.solve(set.Differences, len(c.Distances), m)
			golden.Expect(t, "c", coefficients, c.Expect.C, c.Tol)
			r, objective := make([]float64, m), 0.0
			for j, v := range coefficients {
				blas.Axpy(v, c.Directions[j], r)
				objective += w.omega[j] * math.Abs(v)
			}
			golden.Expect(t, "objective", []float64{objective + blas.Dot(r, r)/2}, []float64{c.Expect.Objective}, c.Tol)
		}
	})
}
