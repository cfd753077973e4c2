package nonnegative

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/nonnegative"
)

// What the square root does in the paper's rule, on random steps.

const (
	powersName  = "powers/steps"
	powersSteps = 1000 // on matrices of both signs, and as many on graphs
)

func powerCases() []bench.Case {
	return []bench.Case{{
		Name: powersName, Data: "random symmetric matrices and graphs of order 4 to 12", Method: "step", Repeats: 1,
		Params: map[string]any{"steps": powersSteps, "dim": "1 to 4", "rule": "paper"},
		Run: func(ctx context.Context, _ *bench.Env, _ *bench.Case) (*bench.Outcome, error) {
			return measurePowers(ctx)
		},
	}}
}

// measurePowers counts the steps that make the objective with frozen multipliers worse,
// with the root and without, and those in which the trace itself falls.
func measurePowers(ctx context.Context) (*bench.Outcome, error) {
	q := map[string]float64{"signs": 0, "graphs": 0, "signs-without": 0, "graphs-without": 0, "falls": 0}
	for _, matrices := range []string{"signs", "graphs"} {
		for seed := range uint64(powersSteps) {
			n, p := 4+int(seed%9), 1+int(seed%4)
			c := randomMatrix(n, seed, matrices == "graphs")
			u := unevenStart(n, p, powersSteps+seed)
			operator, err := nonnegative.SignedDense(n, c, false, 0)
			if err != nil {
				return nil, err
			}
			found, err := nonnegative.Maximize(ctx, operator, p, u, nonnegative.Multiplicative{Update: nonnegative.UpdatePaper, Iterations: 1, Threads: 1})
			if err != nil {
				return nil, err
			}
			without := make([]float64, len(u)) // U ∘ (N/D) from U ∘ √(N/D)
			for i, v := range found.U {
				without[i] = v * v / u[i]
			}
			before := frozenAt(n, p, c, u, u)
			trace := traceIn(n, p, c, u)
			count := func(key string, v []float64) {
				if frozenAt(n, p, c, u, v) > before+1e-11*(1+math.Abs(trace)+math.Abs(traceIn(n, p, c, v))) {
					q[key]++
				}
			}
			count(matrices, found.U)
			count(matrices+"-without", without)
			if traceIn(n, p, c, found.U) < trace-1e-11*(1+math.Abs(trace)) {
				q["falls"]++
			}
		}
	}
	return &bench.Outcome{Samples: 2 * powersSteps, Quality: q}, nil
}

// randomMatrix is symmetric with normal entries; a graph's have no sign, and its diagonal is zero.
func randomMatrix(n int, seed uint64, graph bool) []float64 {
	c := make([]float64, n*n)
	blas.NewStream(seed).Normals(c)
	for i := range n {
		for j := range i + 1 {
			v := c[i*n+j]
			if graph {
				v = math.Abs(v)
			}
			if graph && i == j {
				v = 0
			}
			c[i*n+j], c[j*n+i] = v, v
		}
	}
	return c
}

// unevenStart has entries of sizes between 0.001 and 1, in columns of length 1.1.
func unevenStart(n, p int, seed uint64) []float64 {
	u, norms := make([]float64, n*p), make([]float64, p)
	blas.NewStream(seed).Uniforms(u)
	for i := range u {
		u[i] = math.Pow(10, -3*u[i])
		norms[i%p] += u[i] * u[i]
	}
	for i := range u {
		u[i] *= 1.1 / math.Sqrt(norms[i%p])
	}
	return u
}

// traceIn is tr(UᵀCU).
func traceIn(n, p int, c, u []float64) (sum float64) {
	for i := range n {
		for j := range n {
			sum += c[i*n+j] * blas.Dot(u[i*p:i*p+p], u[j*p:j*p+p])
		}
	}
	return sum
}

// frozenAt is −tr(VᵀCV) + tr(ΛVᵀV) with Λ = UᵀCU.
func frozenAt(n, p int, c, u, v []float64) float64 {
	sum := -traceIn(n, p, c, v)
	for i := range n {
		for j := range n {
			for q := range p {
				for r := range p {
					var gram float64
					for k := range n {
						gram += v[k*p+q] * v[k*p+r]
					}
					sum += u[i*p+q] * c[i*n+j] * u[j*p+r] * gram
				}
			}
		}
	}
	return sum
}

var powerClaims = []bench.Claim{
	{
		Name: "root-frozen", Source: "orthant, after " + papers.Nonnegative + ", eq. 12",
		Statement: "With the multipliers frozen no step of the paper's rule makes the objective worse: its square root is the minimum of a majoriser.",
		Paper:     "the rule, without a proof of this",
		Check: func(r *bench.Records) bench.Finding {
			return onPowers(r, func(q func(string) float64) (bool, string) {
				return q("signs")+q("graphs") == 0, fmt.Sprintf("%.0f of %d steps on matrices of both signs and %.0f of %d on graphs raise it; the trace itself falls in %.0f of all. Without the root %.0f and %.0f raise it", q("signs"), powersSteps, q("graphs"), powersSteps, q("falls"), q("signs-without"), q("graphs-without"))
			})
		},
	},
}

func onPowers(r *bench.Records, judge func(quality func(string) float64) (bool, string)) bench.Finding {
	f, ready := r.Unready(powersName)
	if !ready {
		return f
	}
	reached, ours := judge(func(key string) float64 {
		v, _ := r.Quality(powersName, key)
		return v
	})
	return bench.TargetFinding(reached, ours, f.Cases)
}
