package nonnegative

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/nonnegative"
)

// What one rule does step by step, which an embedding does not show.

const stepsTaken = 1000

func stepsName(update string) string { return "digits/npca-steps/update=" + update }

// stepsCase runs the solver of NPCA on digits and looks at every step: by how many
// the trace falls, and by how many the penalised objective rises.
func stepsCase(update string) bench.Case {
	return bench.Case{
		Name: stepsName(update), Data: "usps6000, the first 50 of each class, scaled", Method: "npca", Repeats: 1, Needs: bench.SelectionNeeds("usps6000"),
		Params: map[string]any{"dim": digitsDim, "update": update, "iterations": stepsTaken, "tolerance": 0, "seed": 1},
		Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
			s, err := someDigits(digitsEach)(e)
			if err != nil {
				return nil, err
			}
			x := scatter(s.X)
			order := x.SymmetricDim()
			matrix := make([]float64, 0, order*order)
			for i := range order {
				for j := range order {
					matrix = append(matrix, x.At(i, j))
				}
			}
			operator, err := nonnegative.SignedDense(order, matrix, false, 0)
			if err != nil {
				return nil, err
			}
			o := nonnegative.Multiplicative{Update: update, Iterations: stepsTaken, Norm: 1, Threads: c.ThreadCount()}
			found, err := nonnegative.Maximize(ctx, operator, digitsDim, uniformStart(order, digitsDim), o)
			if err != nil {
				return nil, err
			}
			n, m := s.X.Dims()
			out := &bench.Outcome{Samples: n, Features: m, DataHash: bench.HashMatrix(s.X), Quality: map[string]float64{"orthogonality": found.Orthogonality[stepsTaken]}}
			out.Series = map[string][]float64{"trace": found.Objective, "orthogonality": found.Orthogonality}
			out.Quality["falls"] = float64(countSteps(found, func(_ int, trace, _ float64) float64 { return -trace }))
			out.Quality["penalised-rises"] = float64(countSteps(found, func(step int, trace, orthogonality float64) float64 {
				return -trace + penaltyAt(step)/2*orthogonality*orthogonality
			}))
			return out, nil
		},
	}
}

// penaltyAt is the weight of the penalty in a step, counted from 0: 1, 2, 4, … 64
// for a seventh of the steps each, of a matrix of norm 1.
func penaltyAt(step int) float64 {
	const stages = 7
	return math.Ldexp(1, min(step/(stepsTaken/stages), stages-1))
}

// countSteps counts the steps in which a function rises by more than rounding.
func countSteps(found *nonnegative.Nonnegative, of func(step int, trace, orthogonality float64) float64) int {
	count := 0
	for step := range found.Iterations {
		before := of(step, found.Objective[step], found.Orthogonality[step])
		if of(step, found.Objective[step+1], found.Orthogonality[step+1]) > before+1e-12*math.Abs(before) {
			count++
		}
	}
	return count
}

// uniformStart is a start between 0.1 and 1 in columns of unit length.
func uniformStart(n, p int) []float64 {
	u, norms := make([]float64, n*p), make([]float64, p)
	blas.NewStream(1).Uniforms(u)
	for i := range u {
		u[i] = 0.1 + 0.9*u[i]
		norms[i%p] += u[i] * u[i]
	}
	for i := range u {
		u[i] /= math.Sqrt(norms[i%p])
	}
	return u
}
