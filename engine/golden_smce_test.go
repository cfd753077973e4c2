package engine

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
		decode(t, raw, &c)
		m := len(c.Directions[0])
		for _, admm := range []bool{false, true} {
			w := newSparseCoder(blas.MustSelect("auto"), sparseAffine{lambda: c.Lambda, keep: 1, admm: admm})
			var set candidateSet
			for j, d := range c.Distances {
				set.squares = append(set.squares, d*d)
				for _, v := range c.Directions[j] {
					set.differences = append(set.differences, v*d)
				}
			}
			w.of(&set, m)
			expectClose(t, "normalised weights", w.weights, c.Expect.Normalised, c.Tol)
			coefficients := w.solve(set.differences, len(c.Distances), m)
			expectClose(t, "c", coefficients, c.Expect.C, c.Tol)
			r, objective := make([]float64, m), 0.0
			for j, v := range coefficients {
				blas.Axpy(v, c.Directions[j], r)
				objective += w.omega[j] * math.Abs(v)
			}
			expectClose(t, "objective", []float64{objective + blas.Dot(r, r)/2}, []float64{c.Expect.Objective}, c.Tol)
		}
	})
}
