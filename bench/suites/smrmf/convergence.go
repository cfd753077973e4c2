package smrmf

import (
	"context"
	"fmt"
	"strconv"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
)

// The passes of the augmented Lagrangian: the objective after each, and how far the
// splitting E = X − GFᵀ, H = G, C = Z is open after some. The paper has no such curve.

// convergingPasses are those after which residuals are looked at; the last but one is the
// default.
var convergingPasses = []int{5, 10, 20, 40, 60, 80, 100, 125, defaultPasses, 200}

var (
	convergingMethods = []string{"RMNMF", "SMRMF", "f-SMRMF"}
	residualKeys      = []string{"residual_data", "residual_indicators", "residual_graph"}
)

func convergingSets() []dataSet {
	return append([]dataSet{planeMoons}, claimedSets("sonar", "movement")...)
}

func convergenceName(s dataSet, title string) string {
	return "convergence/" + s.key + "/" + title
}

func convergenceCases(*bench.Env) []bench.Case {
	var cases []bench.Case
	for _, s := range convergingSets() {
		for _, title := range convergingMethods {
			q := selection{s, methodTitled(title)}
			cases = append(cases, bench.Case{
				Name: convergenceName(s, title), Data: s.source.Name(), N: s.n, M: s.m, Method: q.method.method, Repeats: 1, Threads: bench.LongCaseThreads,
				Full: s.key != "sonar", Needs: append(s.needs(), "method:"+q.method.method),
				Params: map[string]any{"rank": s.classes, "lambda": middleLambda, "tolerance": 0, "iterations": fmt.Sprint(convergingPasses), "set": fmt.Sprint(q.settings(""))},
				Run:    q.converge,
			})
		}
	}
	return cases
}

// converge factorises with each number of passes: a run of fewer passes is the beginning
// of a longer one.
func (q selection) converge(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
	d, err := q.set.load(e, 1)
	if err != nil {
		return nil, err
	}
	out := &bench.Outcome{Quality: map[string]float64{}, Series: map[string][]float64{}, DataHash: bench.HashMatrix(d.X)}
	out.Samples, out.Features = d.X.Dims()
	for _, passes := range convergingPasses {
		m, _, err := q.made(middleLambda)
		if err != nil {
			return nil, err
		}
		for key, value := range map[string]string{"iterations": strconv.Itoa(passes), "tolerance": "0"} {
			if err := engine.Set(m, key, value); err != nil {
				return nil, err
			}
		}
		r, err := engine.Factorize(ctx, d.X, m, engine.FactorizeOptions{Options: engine.Options{Threads: c.ThreadCount(), Backend: c.Backend, Seed: 1, Memory: e.Memory}, Rank: q.set.classes, TraceEvery: 1})
		if err != nil {
			return nil, err
		}
		out.Series["pass"] = append(out.Series["pass"], float64(passes))
		largest := 0.0
		for _, key := range residualKeys {
			v, _ := r.Details[key].(float64)
			out.Series[key] = append(out.Series[key], v)
			largest = max(largest, v)
		}
		if passes == defaultPasses {
			out.Quality["residual"] = largest
		}
		out.Seconds, out.CPUSeconds, out.Backend = r.Seconds, r.CPUSeconds, r.Backend
		if passes == convergingPasses[len(convergingPasses)-1] {
			rises := 0
			for i, p := range r.Trace {
				out.Series["objective"] = append(out.Series["objective"], p.Objective)
				if i > 0 && p.Objective > r.Trace[i-1].Objective {
					rises++
				}
			}
			out.Quality["rises"] = float64(rises)
		}
	}
	return out, nil
}

// closesClaim is a target of our own: the tolerance by which the methods stop is reached
// within the default number of passes.
var closesClaim = bench.Claim{
	Name: "splitting-closes", Source: "orthant", Statement: "Within the default passes every residual of the splitting falls to the default tolerance.", Paper: "1e-5 at most",
	Check: func(r *bench.Records) bench.Finding {
		var names []string
		for _, s := range convergingSets() {
			for _, title := range convergingMethods {
				names = append(names, convergenceName(s, title))
			}
		}
		f, ready := r.Unready(names...)
		if !ready {
			return f
		}
		reached, text := true, ""
		for _, s := range convergingSets() {
			for _, title := range convergingMethods {
				v, _ := r.Quality(convergenceName(s, title), "residual")
				rises, _ := r.Quality(convergenceName(s, title), "rises")
				text = join(text, fmt.Sprintf("%s, %s %.1e (the objective rises in %.0f passes)", s.title, title, v, rises))
				reached = reached && v <= 1e-5
			}
		}
		return bench.TargetFinding(reached, text, names)
	},
}

// convergenceSections show the largest residual and the objective of each method and set.
func convergenceSections(r *bench.Records) []bench.Section {
	open := bench.Section{
		Title: "Convergence: the splitting",
		Text:  fmt.Sprintf("The largest of ‖X − FGᵀ − E‖/‖X‖, ‖G − H‖/√c and ‖Z − C‖/√n by the number of passes, at λ = %s, with no tolerance. The default is %d passes and a tolerance of 1e-5. RMNMF and f-SMRMF have no Z − C.", middleLambda, defaultPasses),
		Plot:  &bench.Plot{XLabel: "passes", YLabel: "largest residual", LogY: true},
	}
	objective := bench.Section{
		Title: "Convergence: the objective",
		Text:  "Σ‖xᵢ − Fgᵢ‖ + λ tr(GᵀLG) over its value at the start, after each pass; β⟨D, Z⟩ is left out. The constraints are not met before the splitting has closed, and the graph changes with Z, so that the objective need not fall in every pass.",
		Plot:  &bench.Plot{XLabel: "pass", YLabel: "objective over its first"},
	}
	for _, s := range convergingSets() {
		for _, title := range convergingMethods {
			one := r.Get(convergenceName(s, title))
			if one == nil {
				continue
			}
			name, cases := s.title+", "+title, []string{one.Case}
			var largest []float64
			for i := range one.Series["pass"] {
				v := 0.0
				for _, key := range residualKeys {
					v = max(v, one.Series[key][i])
				}
				largest = append(largest, v)
			}
			open.Plot.Curves = append(open.Plot.Curves, bench.Curve{Name: name, X: one.Series["pass"], Y: largest, Cases: cases})
			var x, y []float64
			for pass, v := range one.Series["objective"] {
				x, y = append(x, float64(pass)), append(y, v/one.Series["objective"][0])
			}
			objective.Plot.Curves = append(objective.Plot.Curves, bench.Curve{Name: name, X: x, Y: y, Cases: cases})
		}
	}
	return []bench.Section{open, objective}
}
