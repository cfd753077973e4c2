package nmf

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

// narrowed are data in float32, and the same numbers in float64.
func narrowed(d Data) (single, same Data) {
	x, y := make([]float32, len(d.Dense)), make([]float64, len(d.Dense))
	for i, v := range d.Dense {
		x[i] = float32(v)
		y[i] = float64(x[i])
	}
	return Single(d.Rows, d.Cols, x), Dense(d.Rows, d.Cols, y)
}

// Data in float32 lead to the bits of the same numbers in float64, by every solver of the squares
// and of the divergence, and are encoded to the same bits.
func TestSingleIsDense(t *testing.T) {
	for _, shape := range [][3]int{{300, 41, 5}, {90, 1500, 7}, {3, 20, 2}} {
		single, same := narrowed(lowRankData(shape[0], shape[1], shape[2], 11))
		for name, set := range map[string]func(*Options){
			"mu":          func(*Options) {},
			"codes-first": func(o *Options) { o.Order = CodesFirst },
			"hals":        func(o *Options) { o.Solver = HALS },
			"momentum":    func(o *Options) { o.Solver, o.Extrapolate = HALS, true },
			"violation":   func(o *Options) { o.Solver, o.Stop, o.Tolerance = HALS, Violation, 1e-9 },
			"penalties":   func(o *Options) { o.Penalties = Penalties{0.01, 0.02, 0.5} },
			"kl":          func(o *Options) { o.Loss = KL },
			"penalties-kl": func(o *Options) {
				o.Loss, o.Penalties = KL, Penalties{0.01, 0.02, 0.5}
			},
			"minibatch":    func(o *Options) { o.Solver, o.Batches.Rows = MiniBatch, 64 },
			"minibatch-kl": func(o *Options) { o.Loss, o.Solver, o.Batches.Rows = KL, MiniBatch, 64 },
		} {
			t.Run(name, func(t *testing.T) {
				o := Options{Rank: shape[2], Iterations: 12, Seed: 3, TraceEvery: 5}
				set(&o)
				a, b := factorize(t, single, o), factorize(t, same, o)
				if !slices.Equal(a.W, b.W) || !slices.Equal(a.H, b.H) {
					t.Error("other factors")
				}
				if !slices.Equal(a.Trace, b.Trace) {
					t.Errorf("another trace: %v, not %v", a.Trace, b.Trace)
				}
				for _, tolerance := range []float64{0, 1e-8} {
					e := must.Get(NewEncoder(b.H, shape[1], Options{Loss: o.Loss, Iterations: 60, Tolerance: tolerance}))(t)
					p := must.Get(e.Encode(context.Background(), single))(t)
					q := must.Get(e.Encode(context.Background(), same))(t)
					if !slices.Equal(p, q) {
						t.Error("other codes")
					}
				}
			})
		}
	}
}

// A learner that is given batches in float32 does not keep the numbers of the one before.
func TestOnlineTakesSingle(t *testing.T) {
	single, same := narrowed(lowRankData(200, 30, 4, 2))
	o := Options{Rank: 4, Batches: Batches{Rows: 50}}
	a := must.Get(NewOnline(200, 30, o))(t)
	b := must.Get(NewOnline(200, 30, o))(t)
	for lo := 0; lo < 200; lo += 50 {
		must.Get(a.Step(context.Background(), Single(50, 30, single.Single[lo*30:(lo+50)*30])))(t)
		must.Get(b.Step(context.Background(), Dense(50, 30, same.Dense[lo*30:(lo+50)*30])))(t)
	}
	if !slices.Equal(a.State().H, b.State().H) {
		t.Error("other components")
	}
}

// What would need all numbers in float64 is refused, as are entries that no data may have.
func TestSingleRefusals(t *testing.T) {
	single, _ := narrowed(lowRankData(60, 20, 4, 2))
	for what, o := range map[string]Options{
		"nndsvd":   {Rank: 2, Solver: HALS, Init: NNDSVD},
		"for loss": {Rank: 2, Loss: L21},
		"graph":    {Rank: 2, Lambda: 1, Graph: Graph{Dense: make([]float64, 3600)}},
	} {
		must.Refuse(t, what)(Factorize(context.Background(), single, o))
	}
	single.Single = slices.Clone(single.Single)
	single.Single[33*20+7] = -1
	_, err := Factorize(context.Background(), single, Options{Rank: 2})
	if bad, is := errors.AsType[*NegativeError](err); !is || bad.Row != 33 || bad.Col != 7 {
		t.Errorf("the error is %v", err)
	}
	if _, err := Factorize(context.Background(), Single(60, 19, single.Single), Options{Rank: 2}); err == nil {
		t.Error("data of another shape are taken")
	}
}
