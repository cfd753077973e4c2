package engine

import (
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// Numbers that have the data's unit are taken in it, as they are given.
func TestMagnitudesOfParameters(t *testing.T) {
	x, _ := ordinaryData()
	edges := func(m func(weights string, t *float64) Method, weights string, power int) func(e int) Method {
		return func(e int) Method {
			width := math.Ldexp(0.11, power*e)
			return m(weights, &width)
		}
	}
	number := func(v float64, e int) *float64 { v = math.Ldexp(v, e); return &v }
	for name, make := range map[string]func(e int) Method{
		"le heat":        edges(func(w string, t *float64) Method { return LE{Weights: w, T: t} }, "heat", 2),
		"le heat_norm":   edges(func(w string, t *float64) Method { return &LE{Weights: w, T: t} }, "heat_norm", 1),
		"lpp":            edges(func(w string, t *float64) Method { return LPP{Weights: w, T: t} }, "heat", 2),
		"olpp":           edges(func(w string, t *float64) Method { return OLPP{Weights: w, T: t} }, "heat_norm", 1),
		"olpp-cai":       edges(func(w string, t *float64) Method { return OLPPCai{Weights: w, T: t} }, "heat", 2),
		"nle":            edges(func(w string, t *float64) Method { return NLE{Weights: w, T: t} }, "heat", 2),
		"nolpp":          edges(func(w string, t *float64) Method { return NOLPP{Weights: w, T: t} }, "heat", 2),
		"diffusion-maps": func(e int) Method { return DiffusionMaps{Epsilon: number(0.1, 2*e)} },
		"nonpp":          func(e int) Method { return NONPP{Sigma: number(3, 2*e)} },
		"npca":           func(e int) Method { return NPCA{Alpha: number(2, 2*e)} },
		"nmms":           func(e int) Method { return NMMS{Alpha: number(2, 4*e)} },
	} {
		t.Run(name, func(t *testing.T) {
			want := embed(t, x, make(0), Options{Components: "largest"})
			p := embeddingPowers[want.Method]
			power := 2
			if want.Params["weights"] == "heat_norm" {
				power = 1
			}
			for _, e := range []int{-200, 200} {
				got := embed(t, timesPower(e, x), make(e), Options{Components: "largest"})
				expectMatrix(t, "coordinate", e, p.y, got.Y, want.Y)
				expectScaled(t, "eigenvalue", e, p.values, got.Values, want.Values)
				for _, key := range []string{"t", "epsilon"} {
					if w, there := want.Details[key]; there {
						expectScaled(t, key, e, float64(power), []float64{got.Details[key].(float64)}, []float64{w.(float64)})
					}
				}
			}
		})
	}
}

// The start, the split of the unit between the factors and a given σ² are those of
// the data's unit.
func TestMagnitudesOfFactors(t *testing.T) {
	x, _ := ordinaryData()
	w, h := mat.NewDense(40, 2, nil), mat.NewDense(2, 5, nil)
	s := blas.NewStream(8)
	s.Uniforms(w.RawMatrix().Data)
	s.Uniforms(h.RawMatrix().Data)
	paper := Protocol{Protocol: "paper"}
	lambda := func(e float64) *float64 { v := math.Ldexp(3, int(e)); return &v }
	for name, c := range map[string]struct {
		m     func(e float64) Method
		w, h  float64
		given bool
	}{
		"never": {func(float64) Method { return NMF{Updates: Updates{Normalize: "none"}} }, 0.5, 0.5, false},
		"given": {func(float64) Method { return NMF{Updates: Updates{Normalize: "none"}} }, 0.5, 0.5, true},
		"squares": {func(e float64) Method {
			return NMF{Penalties: Penalties{AlphaW: math.Ldexp(0.02, int(e))}}
		}, 0.5, 0.5, true},
		"sums": {func(e float64) Method {
			return NMF{Penalties: Penalties{AlphaW: math.Ldexp(0.02, int(1.5*e)), AlphaH: lambda(1.5*e - 6), L1Ratio: 1}}
		}, 0.5, 0.5, true},
		"squares beside the divergence": {func(float64) Method { return NMFKL{Penalties: Penalties{AlphaW: 0.02}} }, 0.5, 0.5, false},
		"sums beside the divergence": {func(e float64) Method {
			return NMFKL{Penalties: Penalties{AlphaW: math.Ldexp(0.02, int(0.5*e)), L1Ratio: 1}}
		}, 0.5, 0.5, false},
		"descent":     {func(float64) Method { return NMF{LeastSquares: LeastSquares{Solver: "hals"}} }, 1, 0, true},
		"codes first": {func(float64) Method { return GNMF{Order: "codes-first", Lambda: lambda(0)} }, 1, 0, false},
		"λ": {func(e float64) Method {
			return GNMF{Protocol: paper, Lambda: lambda(e), Updates: Updates{Normalize: "none"}}
		}, 0.5, 0.5, true},
		"balanced λ": {func(float64) Method { return GNMF{Lambda: lambda(0), Updates: Updates{Normalize: "none"}} }, 0.5, 0.5, true},
		"divergence": {func(float64) Method {
			return NPAF{Protocol: paper, Loss: "kl", Lambda: lambda(0), Updates: Updates{Normalize: "none"}}
		}, 0.5, 0.5, false},
		"balanced divergence": {func(float64) Method { return NPAF{Loss: "kl", Lambda: lambda(0), Updates: Updates{Normalize: "none"}} }, 0.5, 0.5, false},
		"σ²":                  {func(e float64) Method { return CIMNMF{Correntropy: Correntropy{Sigma2: lambda(2*e - 8)}} }, 1, 0, false},
		"the constant": {func(e float64) Method {
			return CIMGNMF{Protocol: paper, Lambda: lambda(0), CorrentropyTerm: CorrentropyTerm{KernelConstant: true}}
		}, 1, 0, false},
		"the constant of a balanced term": {func(e float64) Method {
			return CIMGNMF{Lambda: lambda(-e), CorrentropyTerm: CorrentropyTerm{KernelConstant: true}}
		}, 1, 0, false},
		"warm": {func(e float64) Method {
			return CIMGNMF{Protocol: paper, Lambda: lambda(e), CorrentropyTerm: CorrentropyTerm{Correntropy: Correntropy{Warm: 50}}}
		}, 1, 0, false},
		"warm and balanced": {func(e float64) Method {
			return CIMGNMF{Lambda: lambda(0), CorrentropyTerm: CorrentropyTerm{Correntropy: Correntropy{Warm: 50}}}
		}, 1, 0, false},
		"features": {func(float64) Method { return RMNMF{FeatureScale: FeatureScale{Scale: "none"}} }, 0, 1, true},
		"subspace": {func(float64) Method { return APMF{FeatureScale: FeatureScale{Scale: "shift"}} }, 0, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			run := func(e int) *Factorization {
				o := FactorizeOptions{Rank: 2}
				if c.given {
					o.InitW, o.InitH = timesPower(e/2, w), timesPower(e/2, h)
					if c.h == 1 {
						o.InitW, o.InitH = w, timesPower(e, h)
					}
				}
				f := factorized(t, timesPower(e, x), c.m(float64(e)), o)
				return f
			}
			want := run(0)
			for _, e := range []int{-200, 200} {
				got := run(e)
				expectMatrix(t, "coordinate", e, c.w, got.W, want.W)
				expectMatrix(t, "component", e, c.h, got.H, want.H)
				for i, p := range want.Trace {
					expectScaled(t, "σ²", e, 2, []float64{got.Trace[i].Sigma2}, []float64{p.Sigma2})
					if now := got.Trace[i]; now.Residual != p.Residual || p.Regularizer > 0 && !(now.Regularizer > 0) {
						t.Errorf("2^%d: %+v, was %+v", e, now, p)
					}
				}
			}
		})
	}
}

// A parameter that is out of all proportion to the data is refused by the entry.
func TestParametersBeyondTheData(t *testing.T) {
	x, _ := ordinaryData()
	width := 0.5
	for _, m := range []Method{LE{Weights: "heat", T: &width}, NMMS{Alpha: &width}, DiffusionMaps{Epsilon: &width}} {
		if _, err := Embed(context.Background(), timesPower(664, x), m, Options{Components: "largest"}); err == nil || !refusal.MatchString(err.Error()) {
			t.Errorf("%s: got %v", m.Name(), err)
		}
	}
}

// Penalties of both kinds have two units, so that data of no ordinary size are refused
// with the remedy.
func TestMixedPenaltiesOfLargeData(t *testing.T) {
	x, _ := ordinaryData()
	m := NMF{Penalties: Penalties{AlphaW: 0.1, L1Ratio: 0.5}}
	_, err := Factorize(context.Background(), timesPower(200, x), m, FactorizeOptions{Rank: 2})
	if err == nil || !strings.Contains(err.Error(), "l1_ratio between its ends adds penalties of different units; divide the data by") {
		t.Errorf("got %v", err)
	}
	if _, err := Factorize(context.Background(), x, m, FactorizeOptions{Rank: 2}); err != nil {
		t.Error(err)
	}
}
