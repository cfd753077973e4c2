package engine

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/extend"
)

// kktOfCode is the residual of coordinates w of a sample under fixed components, by the definition of
// the pages: of the weighted least squares, or of the divergence. numbers are those of the
// model.
func kktOfCode(x, w []float64, h *mat.Dense, numbers map[string]float64) float64 {
	r, m := h.Dims()
	if numbers["loss"] == 3 {
		return kktOfBeta(x, w, h, numbers["beta"])
	}
	divergence, weighted := numbers["loss"] == 1, numbers["loss"] == 2
	model, weight := make([]float64, m), make([]float64, m)
	var squares, size, most float64
	for j := range m {
		for k := range r {
			model[j] += w[k] * h.At(k, j)
		}
		squares += (x[j] - model[j]) * (x[j] - model[j])
	}
	sigma2 := numbers["sigma2"]
	switch share := numbers["share"]; {
	case sigma2 > 0:
	case share > 0: // that of the fit, in proportion to the mean square of the sample
		sigma2 = share * blas.Dot(x, x) / float64(m)
	default:
		sigma2 = numbers["theta"] * squares / float64(m)
	}
	for j := range m {
		weight[j] = 1
		if weighted {
			weight[j] = math.Exp(-(x[j] - model[j]) * (x[j] - model[j]) / (2 * sigma2))
		}
		if divergence {
			size += x[j]
		} else {
			size += weight[j] * x[j] * x[j]
		}
	}
	if !divergence {
		size = math.Sqrt(size)
	}
	for k := range r {
		var length, gradient float64
		for j := range m {
			v := h.At(k, j)
			switch {
			case divergence:
				length += v
				gradient += v
				if x[j] > 0 {
					gradient -= v * x[j] / model[j]
				}
			default:
				length += weight[j] * v * v
				gradient += weight[j] * (model[j] - x[j]) * v
			}
		}
		if !divergence {
			length = math.Sqrt(length)
			most = max(most, math.Abs(min(w[k]*length/size, gradient/(length*size))))
		} else {
			most = max(most, math.Abs(min(w[k]*length/size, gradient/length)))
		}
	}
	return most
}

// Held-out samples of a real set are encoded to the end by the models of all methods:
// the conditions of Karush, Kuhn and Tucker hold for each.
func TestFactorModelsSolve(t *testing.T) {
	all := dataset(t, "sonar.X.npy")
	_, m := all.Dims()
	labels := make([]int64, 150)
	for i := range labels {
		labels[i] = int64(i % 2)
	}
	fit, rest := mat.DenseCopyOf(all.Slice(0, 150, 0, m)), mat.DenseCopyOf(all.Slice(150, 208, 0, m))
	each(t, factorizers(t), nil, func(t *testing.T, method Method) {
		r := factorized(t, fit, method, FactorizeOptions{Rank: 6, Options: Options{Labels: labels, Model: true}})
		model := must(r.Model())(t)
		if r.Params["shift"] != "none" {
			return // other samples are encoded then
		}
		y := transformed(t, model, rest, Options{})
		var worst float64
		for i := range 58 {
			worst = max(worst, kktOfCode(rest.RawRowView(i), y.RawRowView(i), r.H, model.extension.Numbers))
		}
		if worst > extend.EncodeTolerance*(1+1e-6) {
			t.Errorf("the residual of a new sample is %g", worst)
		}
		// A model of an earlier version takes its 200 steps.
		old := *model
		old.extension = &extend.Extension{Kind: model.extension.Kind, Arrays: model.extension.Arrays, Numbers: map[string]float64{}}
		for key, v := range model.extension.Numbers {
			if key != "tolerance" {
				old.extension.Numbers[key] = v
			}
		}
		z := transformed(t, loaded(t, saved(t, &old)), rest, Options{})
		if mat.Min(z) < 0 || mat.Equal(z, y) {
			t.Error("a model without a tolerance maps as one with it")
		}
	})
}
