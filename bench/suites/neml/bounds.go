package neml

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// The paper's inequalities, measured on every sample of several surfaces, with noise and
// without, for every γ: how large the left side is beside the right one.

var (
	boundSurfaces = []struct {
		name string
		d    int
	}{{"swiss-roll", 2}, {"swiss-roll-hole", 2}, {"s-curve", 2}, {"triple-peak", 2}, {"trefoil", 1}}
	boundNoises = []float64{0, 0.01, 0.1, 0.5} // half widths over the median distance to the k-th neighbour
	boundGammas = []float64{1e-10, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1}
)

const boundNeighbors = 10

// rounded is what rounding may add to a ratio.
const rounded = 1e-6

func boundName(surface string) string { return "bounds/" + surface }

// boundKey names a series of the largest ratios by γ.
func boundKey(bound string, noise float64) string { return fmt.Sprintf("%s/noise=%v", bound, noise) }

func boundCases(e *bench.Env) []bench.Case {
	n := 400
	if e.Quick {
		n = 100
	}
	var cases []bench.Case
	for _, surface := range boundSurfaces {
		cases = append(cases, bench.Case{
			Name: boundName(surface.name), Data: surface.name, N: n, Method: "neml", Repeats: 1,
			Params: map[string]any{"neighbors": boundNeighbors, "dim": surface.d, "seed": 1, "noise": boundNoises, "gamma": boundGammas},
			Run: func(ctx context.Context, _ *bench.Env, c *bench.Case) (*bench.Outcome, error) {
				return runBounds(ctx, surface.name, c.N, surface.d)
			},
		})
	}
	return cases
}

func runBounds(ctx context.Context, surface string, n, d int) (*bench.Outcome, error) {
	s, err := datasets.Generate(surface, n, 1, nil)
	if err != nil {
		return nil, err
	}
	clean, err := bench.NearestNeighbors(ctx, s.X, boundNeighbors)
	if err != nil {
		return nil, err
	}
	_, m := s.X.Dims()
	out := &bench.Outcome{Samples: n, Features: m, Quality: map[string]float64{}, Series: map[string][]float64{"gamma": boundGammas}}
	radius := medianRadius(clean)
	for _, level := range boundNoises {
		x := noisy(s.X, level*radius)
		g, err := bench.NearestNeighbors(ctx, x, boundNeighbors)
		if err != nil {
			return nil, err
		}
		patches, eta := localsOf(x, g, d)
		for _, gamma := range boundGammas {
			w, err := lleWeights(ctx, x, g, gamma)
			if err != nil {
				return nil, err
			}
			worst := ratios{}
			for i, l := range patches {
				if l != nil {
					worst.measure(l, w.RawRowView(i), gamma, eta)
				}
			}
			for _, b := range bounds {
				key := boundKey(b.name, level)
				out.Series[key] = append(out.Series[key], worst[b.name])
				out.Quality[b.name] = math.Max(out.Quality[b.name], worst[b.name])
			}
		}
	}
	return out, nil
}

// localsOf returns every neighbourhood, nil where there is none to speak of, and η.
func localsOf(x *mat.Dense, g *neighbors.Graph, d int) ([]*local, float64) {
	patches := make([]*local, g.Len())
	var rho []float64
	for i := range patches {
		if l, sound := newLocal(x, i, g.Of(i), d); sound {
			patches[i], rho = l, append(rho, l.tailShare())
		}
	}
	return patches, math.Max(median(rho), 1e-14)
}

// ratios are the largest ones of the left side of each inequality to its right one.
type ratios map[string]float64

// note keeps a ratio. What is below the rounding of both sides says nothing.
func (r ratios) note(bound string, left, right, rounding float64) {
	if left > rounding {
		r[bound] = math.Max(r[bound], (left-rounding)/right)
	} else {
		r[bound] = math.Max(r[bound], 0)
	}
}

// measure takes the sides of every inequality at one sample.
func (r ratios) measure(l *local, w []float64, gamma, eta float64) {
	r.limits(l, w, gamma)
	full := l.k - l.d
	for _, s := range []int{l.vectors(eta), full} {
		family, alpha := l.family(w, s)
		r.residuals(l, w, family, alpha, s)
		r.condition(l, w, family, alpha)
		if s == full {
			r.angles(l, family)
		}
	}
}
