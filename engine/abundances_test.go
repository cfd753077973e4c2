package engine

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/solvers/nmf"
)

// abundant are the methods that learn some components beside given ones, and those whose rows of W may sum to one.
func abundant(sum bool) map[string]Method {
	u := Updates{Iterations: 40}
	all := map[string]Method{
		"nmf":    NMF{Updates: u, FixedFactor: FixedFactor{Fixed: "h"}, Abundances: Abundances{SumToOne: sum}},
		"nmf-kl": NMFKL{Updates: u, FixedFactor: FixedFactor{Fixed: "h"}, Abundances: Abundances{SumToOne: sum}},
	}
	if !sum {
		all["nmf-beta"] = NMFBeta{Updates: u, FixedFactor: FixedFactor{Fixed: "h"}}
		all["negative binomial"] = NMFBeta{Loss: "negative-binomial", Updates: u, FixedFactor: FixedFactor{Fixed: "h"}}
		all["huber"] = NMFBeta{Loss: "huber", Updates: u, FixedFactor: FixedFactor{Fixed: "h"}}
	}
	return all
}

// Given components stay to the bit, those after them are learned, and a model encodes by all.
func TestGivenComponentsStay(t *testing.T) {
	x, _ := groups(60, 20)
	known := mat.DenseCopyOf(x.Slice(0, 2, 0, 20))
	for _, sum := range []bool{false, true} {
		for name, m := range abundant(sum) {
			r := factorized(t, x, m, FactorizeOptions{Rank: 4, InitH: known, Options: Options{Seed: 3, Model: true}})
			if !slices.Equal(r.H.RawMatrix().Data[:40], known.RawMatrix().Data) {
				t.Errorf("%s: a given component moved", name)
			}
			if first, last := r.Trace[0].Objective, r.Trace[len(r.Trace)-1].Objective; !(last < first) {
				t.Errorf("%s: the objective comes from %v to %v", name, first, last)
			}
			codes := transformed(t, loaded(t, saved(t, must(r.Model())(t))), x, Options{})
			if d := relativeDistance(mat.DenseCopyOf(prod(codes, r.H)), x, 1); d > 1.1*r.RelativeError+0.02 {
				t.Errorf("%s: new samples are off by %v, those of the fit by %v", name, d, r.RelativeError)
			}
			for i := range 60 {
				if total := mat.Sum(codes.RowView(i)); sum && math.Abs(total-1) > 1e-9 || sum && math.Abs(mat.Sum(r.W.RowView(i))-1) > 1e-9 {
					t.Errorf("%s: coordinates of sample %d sum to %v", name, i, total)
				}
			}
		}
	}
}

func prod(a, b mat.Matrix) *mat.Dense {
	var c mat.Dense
	c.Mul(a, b)
	return &c
}

// Rows of W that sum to one have no unit: data in another unit, so small that they are divided, have the
// same, and components in that unit.
func TestAbundancesHaveNoUnit(t *testing.T) {
	const c = 0x1p-120
	x, _ := groups(60, 20)
	small := mat.DenseCopyOf(x)
	small.Scale(c, small)
	for _, m := range []Method{NMF{Abundances: Abundances{SumToOne: true}}, NMFKL{Abundances: Abundances{SumToOne: true}}} {
		want := factorized(t, x, m, FactorizeOptions{Rank: 3, Options: Options{Seed: 3}})
		got := factorized(t, small, m, FactorizeOptions{Rank: 3, Options: Options{Seed: 3}})
		if d := relativeDistance(got.W, want.W, 1); d > 1e-9 {
			t.Errorf("%s: W is off by %.2g", m.Name(), d)
		}
		if d := relativeDistance(got.H, want.H, c); d > 1e-9 {
			t.Errorf("%s: H is off by %.2g", m.Name(), d)
		}
	}
}

func TestAbundancesRefuse(t *testing.T) {
	x, _ := groups(20, 6)
	one := Abundances{SumToOne: true}
	for says, m := range map[string]Method{
		"is for Solver:":          NMF{Abundances: one, LeastSquares: LeastSquares{Solver: nmf.Multiplicative}},
		"goes with no Solver":     NMFKL{Abundances: one, DivergenceSolver: DivergenceSolver{Solver: nmf.MiniBatch}},
		"goes with no Order":      NMFKL{Abundances: one, Order: nmf.WFirst},
		"goes with no penalty":    NMF{Abundances: one, Penalties: Penalties{AlphaW: 1}},
		"is for SumToOne:":        NMF{Volume: 1},
		"sets the scale":          NMFKL{Abundances: one, Updates: Updates{Normalize: "end"}},
		"leave out Extrapolate":   NMF{Abundances: one, Extrapolate: true},
		"goes with no Stop":       NMF{Abundances: one, Stopping: Stopping{Stop: "violation"}, Updates: Updates{Tolerance: 1e-3}},
		"no weights of the entri": NMFKL{Abundances: one, MissingEntries: MissingEntries{Missing: "weight"}},
	} {
		o := FactorizeOptions{Rank: 2}
		if strings.Contains(says, "weights") {
			o.EntryWeights = mat.NewDense(20, 6, slices.Repeat([]float64{1}, 120))
		}
		if _, err := Factorize(context.Background(), x, m, o); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
	if _, err := Factorize(context.Background(), x, NMF{}, FactorizeOptions{Rank: 3, InitH: mat.NewDense(2, 6, nil)}); err == nil || !strings.Contains(err.Error(), "give 3 × 6") {
		t.Errorf("a start of some components without fixed=h: %v", err)
	}
}

// Smooth components have no unit, come out smoother, lower the objective that has their term, and leave new samples to the loss alone; of a
// given start those that are given stay. Runs are single factorisations.
func TestSmoothComponents(t *testing.T) {
	const c = 0x1p-120
	x, _ := groups(60, 20)
	small := mat.DenseCopyOf(x)
	small.Scale(c, small)
	rough := func(h *mat.Dense) (sum float64) {
		rows, cols := h.Dims()
		for k := range rows {
			for j := 1; j < cols; j++ {
				d := h.At(k, j) - h.At(k, j-1)
				sum += d * d / mat.Dot(h.RowView(k), h.RowView(k))
			}
		}
		return sum
	}
	for what, of := range map[string]func(s Smoothness) Method{
		"hals": func(s Smoothness) Method { return NMF{Smoothness: s, Updates: Updates{Iterations: 40}} },
		"mu": func(s Smoothness) Method {
			return NMF{Smoothness: s, Updates: Updates{Iterations: 40}, LeastSquares: LeastSquares{Solver: nmf.Multiplicative}}
		},
		"kl": func(s Smoothness) Method { return NMFKL{Smoothness: s, Updates: Updates{Iterations: 40}} },
	} {
		m := of(Smoothness{SmoothH: 2})
		o := FactorizeOptions{Rank: 3, Options: Options{Seed: 3, Model: true}}
		got, plain := factorized(t, x, m, o), factorized(t, x, of(Smoothness{}), o)
		if a, b := rough(got.H), rough(plain.H); !(a < 0.7*b) {
			t.Errorf("%s: the components have a roughness of %v, without the term %v", what, a, b)
		}
		last := got.Trace[len(got.Trace)-1]
		if !(last.Penalty > 0 && last.Objective < got.Trace[0].Objective) {
			t.Errorf("%s: the objective comes from %v to %v, of which the term is %v", what, got.Trace[0].Objective, last.Objective, last.Penalty)
		}
		in := factorized(t, small, m, o)
		if d := relativeDistance(in.W, got.W, c) + relativeDistance(in.H, got.H, 1); d > 1e-9 {
			t.Errorf("%s: the factors of data in another unit are off by %.2g", what, d)
		}
		codes := transformed(t, loaded(t, saved(t, must(got.Model())(t))), x, Options{})
		if a, b := relativeDistance(mat.DenseCopyOf(prod(codes, got.H)), x, 1), got.RelativeError; what != "kl" && a > b*(1+1e-9) {
			t.Errorf("%s: new samples are off by %v, those of the fit, with the term, by %v", what, a, b)
		}
	}
	for says, m := range map[string]Method{
		"SmoothH is 1e+13; give":  NMF{Smoothness: Smoothness{SmoothH: 1e13}},
		"goes with no Solver":     NMFKL{Smoothness: Smoothness{SmoothH: 1}, DivergenceSolver: DivergenceSolver{Solver: nmf.MiniBatch}},
		"goes with no Order":      NMFKL{Smoothness: Smoothness{SmoothH: 1}, Order: nmf.WFirst},
		"leave out Extrapolate":   NMF{Smoothness: Smoothness{SmoothH: 1}, Extrapolate: true},
		"goes with no Stop":       NMF{Smoothness: Smoothness{SmoothH: 1}, Stopping: Stopping{Stop: "violation"}, Updates: Updates{Tolerance: 1e-3}},
		"are learned; leave it":   NMF{Smoothness: Smoothness{SmoothH: 1}, FixedFactor: FixedFactor{Fixed: "h"}},
		"goes with no weights of": NMF{Smoothness: Smoothness{SmoothH: 1}},
	} {
		o := FactorizeOptions{Rank: 2}
		if strings.Contains(says, "weights") {
			o.EntryWeights = mat.NewDense(60, 20, slices.Repeat([]float64{1}, 1200))
		}
		if strings.Contains(says, "learned") {
			o.InitH = mat.NewDense(2, 20, slices.Repeat([]float64{1}, 40))
		}
		if _, err := Factorize(context.Background(), x, m, o); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
}
