package lnp

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Theorem 3: what a representation leaves of its sample falls with each neighbour that is
// selected. A cap of c keeps the first c of the selection, with the weights of that step.

// residualSize is K, at which the sets of the counts have samples enough.
const residualSize = 64

func (q countedSet) residualName() string { return "residuals/" + q.key }

func residualCases() []bench.Case {
	var cases []bench.Case
	for _, q := range countedSets {
		cases = append(cases, bench.Case{
			Name: q.residualName(), Data: q.data, N: q.n, Method: "lnp", Repeats: 1, Needs: append(q.needs, "method:lnp"),
			Params: map[string]any{"K": residualSize, "cap": "1, 2, …"},
			Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
				s, err := q.load(e)
				if err != nil {
					return nil, err
				}
				n, m := s.X.Dims()
				out := &bench.Outcome{Samples: n, Features: m, DataHash: bench.HashMatrix(s.X)}
				steps, rises, worst, err := residualSteps(ctx, s.X, engine.Options{Threads: max(c.Threads, 1), Backend: c.Backend})
				out.Quality = map[string]float64{"steps": float64(steps), "rises": float64(rises), "worst-ratio": worst}
				return out, err
			},
		})
	}
	return cases
}

// residualSteps counts the neighbours that were selected after the first ones, and those
// with which the residual did not fall; worst is the largest ratio of a residual to the one
// before.
func residualSteps(ctx context.Context, x *mat.Dense, o engine.Options) (steps, rises int, worst float64, err error) {
	var before *neighbors.Graph
	var norms []float64
	for most := 1; ; most++ {
		m, err := bench.NewMethod("lnp", map[string]string{"neighbors": strconv.Itoa(residualSize), "cap": strconv.Itoa(most)})
		if err != nil {
			return 0, 0, 0, err
		}
		g, err := engine.Represent(ctx, x, m, o)
		if err != nil {
			return 0, 0, 0, err
		}
		if before != nil && len(g.Index) == len(before.Index) {
			return steps, rises, worst, nil
		}
		now := residualsOf(x, g)
		for i := range now {
			if before == nil || len(g.Of(i)) == len(before.Of(i)) {
				continue
			}
			steps++
			if !(now[i] < norms[i]*(1+1e-12)) { // but for rounding
				rises++
			}
			worst = max(worst, now[i]/norms[i])
		}
		before, norms = g, now
	}
}

// residualsOf are the distances of the samples from what their neighbours make of them.
func residualsOf(x *mat.Dense, g *neighbors.Graph) []float64 {
	_, m := x.Dims()
	norms, rest := make([]float64, g.Len()), make([]float64, m)
	for i := range norms {
		copy(rest, x.RawRowView(i))
		for a, j := range g.Of(i) {
			blas.Axpy(-g.Weights(i)[a], x.RawRowView(int(j)), rest)
		}
		norms[i] = math.Sqrt(blas.Dot(rest, rest))
	}
	return norms
}

var residualClaims = []bench.Claim{{
	Name: "residuals", Source: papers.LNP + ", Theorem 3",
	Statement: fmt.Sprintf("With each neighbour that LNP selects the residual of the sample falls (K = %d).", residualSize),
	Paper:     "a theorem",
	Check: func(r *bench.Records) bench.Finding {
		return overSets(r, countedSet.residualName, func(q countedSet) (string, bool) {
			steps, _ := r.Quality(q.residualName(), "steps")
			rises, _ := r.Quality(q.residualName(), "rises")
			worst, _ := r.Quality(q.residualName(), "worst-ratio")
			return fmt.Sprintf("%s: falls at %.0f of %.0f steps, each by at least %.1g of it", q.key, steps-rises, steps, 1-worst), rises == 0 && steps > 0
		})
	},
}}
