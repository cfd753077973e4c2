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
	fit, news := mat.DenseCopyOf(all.Slice(0, 200, 0, m)), mat.DenseCopyOf(all.Slice(200, 230, 0, m))
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
			for i := range 30 {
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
