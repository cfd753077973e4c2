package engine

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/extend"
)

// kktOfBeta is the residual of a code under a β-divergence, by its definition.
func kktOfBeta(x, w []float64, h *mat.Dense, beta float64) float64 {
	slope, gradient := make([]float64, len(w)), make([]float64, len(w))
	var whole, most float64
	for j, v := range x {
		var y float64
		for k, c := range w {
			y += c * h.At(k, j)
		}
		if y == 0 {
			continue
		}
		for k := range w {
			slope[k] += h.At(k, j) * math.Pow(y, beta-1)
			gradient[k] += h.At(k, j) * math.Pow(y, beta-2) * (y - v)
		}
	}
	for k, c := range w {
		whole += c * slope[k]
	}
	for k, c := range w {
		if slope[k] > 0 {
			most = max(most, math.Abs(min(c*slope[k]/whole, gradient[k]/slope[k])))
		}
	}
	return most
}

// On real data: faces, without zeros and with. The divergence falls, a model keeps β through
// its file, and new samples come to its minimum.
func TestBetaOfFaces(t *testing.T) {
	all := dataset(t, "orl32.X.npy")
	_, m := all.Dims()
	fit, news := mat.DenseCopyOf(all.Slice(0, 120, 0, m)), mat.DenseCopyOf(all.Slice(200, 212, 0, m))
	for _, beta := range []float64{-0.5, 0, 0.5, 1.3, 3} {
		t.Run(fmt.Sprint(beta), func(t *testing.T) {
			x, y := mat.DenseCopyOf(fit), mat.DenseCopyOf(news)
			if beta <= 0 {
				x.Apply(func(_, _ int, v float64) float64 { return v + 1 }, x)
				y.Apply(func(_, _ int, v float64) float64 { return v + 1 }, y)
			}
			r := factorized(t, x, NMFBeta{Beta: &beta, Updates: Updates{Iterations: 60}}, FactorizeOptions{Rank: 8, TraceEvery: 1, Options: Options{Seed: 3, Model: true}})
			for i, p := range r.Trace[1:] {
				if !(p.Objective <= r.Trace[i].Objective*(1+1e-12)) {
					t.Fatalf("iteration %d rises from %v to %v", i+1, r.Trace[i].Objective, p.Objective)
				}
			}
			if !(r.RelativeError < 0.35) || r.Quality.Verdict == Doubtful {
				t.Errorf("relative error %v, %+v", r.RelativeError, r.Quality)
			}
			model := must(r.Model())(t)
			loaded := loaded(t, saved(t, model))
			codes := transformed(t, loaded, y, Options{})
			for i := range 12 {
				if got := kktOfBeta(y.RawRowView(i), codes.RawRowView(i), r.H, beta); !(got <= extend.EncodeTolerance*1.001) {
					t.Errorf("the residual of new sample %d is %g", i, got)
				}
			}
		})
	}
}

// Many runs are those made one by one, and a zero is refused by both.
func TestBetaManyRuns(t *testing.T) {
	x, _ := groups(60, 20)
	beta, zero := 0.5, 0.0
	m := NMFBeta{Beta: &beta, Updates: Updates{Iterations: 30}}
	runs := must(FactorizeRuns(context.Background(), x, m, RunsOptions{Ranks: []int{2, 3}, Runs: 2, Options: Options{Seed: 5}}))(t)
	for _, run := range runs.Runs {
		one := factorized(t, x, m, FactorizeOptions{Rank: run.Rank, Options: Options{Seed: run.Seed}})
		if got, want := run.Objective, one.Trace[len(one.Trace)-1].Objective; got != want {
			t.Errorf("rank %d, run %d: %v, want %v", run.Rank, run.Run, got, want)
		}
	}
	x.Set(0, 3, 0)
	want := "nmf-beta: row 1, column 4 (counting from 1) is 0, where the divergence with Beta: 0 is infinite; choose a Beta above 0, or add a small number to all entries"
	_, err := FactorizeRuns(context.Background(), x, NMFBeta{Beta: &zero}, RunsOptions{Ranks: []int{2}, Runs: 1})
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if _, err = Factorize(context.Background(), x, NMFBeta{Beta: &zero}, FactorizeOptions{Rank: 2}); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	nan := math.NaN()
	if _, err = Factorize(context.Background(), x, NMFBeta{Beta: &nan}, FactorizeOptions{Rank: 2}); err == nil || !strings.Contains(err.Error(), "nmf-beta: ") {
		t.Errorf("β that is not a number: %v", err)
	}
}

// Data in another unit, so small that they are divided, give the same factors in that unit,
// for any β and with penalties of one kind.
func TestBetaOfSmallData(t *testing.T) {
	const c = 0x1p-120
	x, _ := groups(60, 20)
	x.Apply(func(_, _ int, v float64) float64 { return v + 0.1 }, x)
	small := mat.DenseCopyOf(x)
	small.Scale(c, small)
	for _, beta := range []float64{-0.7, 0, 0.3, 1.5, 2.6, 3} {
		for _, ratio := range []float64{0, 1} {
			run := func(x *mat.Dense, alpha float64) *Factorization {
				m := NMFBeta{Beta: &beta, Penalties: Penalties{AlphaW: alpha, L1Ratio: ratio}, Updates: Updates{Iterations: 40}}
				return factorized(t, x, m, FactorizeOptions{Options: Options{Seed: 4}})
			}
			want := run(x, 0.01)
			got := run(small, 0.01*math.Pow(c, beta-1+0.5*ratio))
			if d := relativeDistance(got.W, want.W, math.Sqrt(c)); d > 1e-9 {
				t.Errorf("β = %v, ρ = %v: W is off by %.2g", beta, ratio, d)
			}
			a, b := got.Trace[len(got.Trace)-1].Objective, math.Pow(c, beta)*want.Trace[len(want.Trace)-1].Objective
			if !(math.Abs(a-b) <= 1e-9*b) {
				t.Errorf("β = %v, ρ = %v: the objective is %v, want %v", beta, ratio, a, b)
			}
		}
	}
}

// plainCounts are n × m counts in two groups, most of them small.
func plainCounts(n, m int) *mat.Dense {
	x := mat.NewDense(n, m, nil)
	for i := range n {
		for j := range m {
			v := (i*7919 + j*104729 + i*j*31) % 97
			x.Set(i, j, math.Floor(float64(v*v)/1500*float64(1+4*((i+j)%2))))
		}
	}
	return x
}

// The losses of counts and of outliers fall, report what they learned, keep it in a model through its file,
// and new samples come to a minimum.
func TestLossesOfBeta(t *testing.T) {
	const n, m = 80, 24
	x := plainCounts(n, m)
	given, delta := 0.3, 2.0
	for name, c := range map[string]struct {
		method  NMFBeta
		detail  string
		numbers int // of the detail; 0: one number
		of      func(j int, details map[string]any, x, y float64) float64
	}{
		"negative binomial": {NMFBeta{Loss: "negative-binomial"}, "dispersion", m, func(j int, details map[string]any, x, y float64) float64 {
			phi := details["dispersion"].([]float64)[j]
			return plainSlope(x, y, phi)
		}},
		"with a given φ": {NMFBeta{Loss: "negative-binomial", Dispersion: &given}, "dispersion", m, func(_ int, _ map[string]any, x, y float64) float64 { return plainSlope(x, y, given) }},
		"huber": {NMFBeta{Loss: "huber"}, "threshold", 0, func(_ int, details map[string]any, x, y float64) float64 {
			delta := details["threshold"].(float64)
			return max(-delta, min(delta, y-x))
		}},
		"with a given δ": {NMFBeta{Loss: "huber", Threshold: &delta}, "threshold", 0, func(_ int, _ map[string]any, x, y float64) float64 { return max(-delta, min(delta, y-x)) }},
	} {
		t.Run(name, func(t *testing.T) {
			c.method.Iterations = 60
			r := factorized(t, x, c.method, FactorizeOptions{Rank: 3, TraceEvery: 1, Options: Options{Seed: 3, Model: true}})
			for i, p := range r.Trace[1:] {
				if before := r.Trace[i].Objective; !(p.Objective <= before+1e-12*math.Abs(before)) {
					t.Fatalf("iteration %d rises from %v to %v", i+1, before, p.Objective)
				}
			}
			if list, is := r.Details[c.detail].([]float64); c.numbers > 0 && (!is || len(list) != c.numbers) {
				t.Errorf("%s is %v", c.detail, r.Details[c.detail])
			}
			codes := transformed(t, loaded(t, saved(t, must(r.Model())(t))), x, Options{})
			for i := range n { // the conditions of a minimum, by the slopes as they are defined
				slopes, sizes := make([]float64, 3), make([]float64, 3)
				for j := range m {
					var y float64
					for k := range 3 {
						y += codes.At(i, k) * r.H.At(k, j)
					}
					for k := range slopes {
						slope := c.of(j, r.Details, x.At(i, j), max(y, 1e-16))
						slopes[k] += slope * r.H.At(k, j)
						sizes[k] += math.Abs(slope) * r.H.At(k, j)
					}
				}
				for k, slope := range slopes {
					if codes.At(i, k) > 1e-4 && math.Abs(slope) > 1e-3*sizes[k] || slope < -1e-3*sizes[k] {
						t.Errorf("sample %d: the slope of coordinate %d, %v, is %v of %v", i, k, codes.At(i, k), slope, sizes[k])
					}
				}
			}
		})
	}
}

// plainSlope is the slope of the negative binomial's loss in y.
func plainSlope(x, y, phi float64) float64 { return (1+phi*x)/(1+phi*y) - x/y }

func TestLossesOfBetaRefuse(t *testing.T) {
	x := plainCounts(20, 6)
	small := mat.DenseCopyOf(x)
	small.Scale(1e-30, small)
	for says, c := range map[string]struct {
		x *mat.Dense
		m NMFBeta
	}{
		`is for Loss: "beta"; choose`: {x, NMFBeta{Loss: "huber", Order: "w-first"}},
		"may be below zero; choose":   {x, NMFBeta{Loss: "negative-binomial", Stopping: Stopping{Stop: "relative-decrease"}}},
		"is for counts; give":         {small, NMFBeta{Loss: "negative-binomial"}},
	} {
		if _, err := Factorize(context.Background(), c.x, c.m, FactorizeOptions{Rank: 2}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
}
