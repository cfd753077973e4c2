package rnpa

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// Theorem 1 and Fig. 14: the objective (5) at every iteration, and the two surrogates
// that the updates lower.

// theoremLambdas are the λ of the paper's range and two below it.
var theoremLambdas = []string{"1", "10", "100"}

// descent is one run whose every iteration is measured.
type descent struct {
	lambda   string
	constant bool // (5) to the letter: the kernel keeps its factor 1/(√(2π)σ)
}

func (d descent) name() string {
	if d.constant {
		return "orl/objective/kernel-constant/lambda=" + d.lambda
	}
	return "orl/objective/lambda=" + d.lambda
}

func descents(constant bool) (list []descent) {
	for _, lambda := range theoremLambdas {
		list = append(list, descent{lambda, constant})
	}
	return list
}

func (d descent) coder() coder {
	c := localRNA(d.lambda)
	c.every = 1
	if d.constant {
		c.set["kernel_constant"] = "true"
	}
	return c
}

// quickIterations are the iterations with --quick.
const quickIterations = "40"

func descentCases(e *bench.Env) []bench.Case {
	var cases []bench.Case
	for _, constant := range []bool{false, true} {
		for _, d := range descents(constant) {
			cases = append(cases, d.asCase(e))
		}
	}
	return cases
}

func (d descent) asCase(e *bench.Env) bench.Case {
	coder := d.coder()
	if e.Quick {
		coder.set["iterations"] = quickIterations
	}
	return bench.Case{
		Name: d.name(), Data: orlSet.file, Method: "lp-rna", Repeats: 1, Threads: bench.LongCaseThreads, Needs: orlSet.needs("lp-rna"),
		Params: coder.params(orlSet.classes, map[string]any{"noise": cleanImages.key, "seed": 1, "trace_every": 1}),
		Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
			im, err := orlSet.draw(e, cleanImages, 1)
			if err != nil {
				return nil, err
			}
			found, err := coder.fit(ctx, im.x, orlSet.classes, engine.Options{Threads: c.Threads, Backend: c.Backend, Seed: 1})
			if err != nil {
				return nil, err
			}
			out := &bench.Outcome{Quality: map[string]float64{}, Series: map[string][]float64{}}
			seen(out, im.x, found, true)
			n, m := im.x.Dims()
			d.measure(out, found.trace, float64(n)*float64(m))
			return out, nil
		},
	}
}

// measure counts the iterations that raise each of the three functions by more than
// rounding, of this many entries of the data.
func (d descent) measure(out *bench.Outcome, trace []nmf.Point, entries float64) {
	objective := make([]float64, len(trace))
	for i, p := range trace {
		objective[i] = p.Objective
		if d.constant { // the engine has cΣ(1 − exp), the paper Σ(1 − c·exp)
			objective[i] += entries * (1 - 1/math.Sqrt(2*math.Pi*p.Sigma2))
		}
	}
	out.Series["objective"] = objective
	for key, rise := range map[string]func(i int) (before, after float64){
		"objective": func(i int) (float64, float64) { return objective[i-1], objective[i] },
		"surrogate": func(i int) (float64, float64) { return trace[i-1].Surrogate, trace[i].Surrogate },
		"held":      func(i int) (float64, float64) { return trace[i].HeldBefore, trace[i].Held },
	} {
		count, largest := 0, 0.0
		for i := 1; i < len(trace); i++ {
			before, after := rise(i)
			if by := (after - before) / math.Abs(before); by > riseOf(entries) {
				count, largest = count+1, max(largest, by)
			}
			if key == "held" {
				out.Series["held"] = append(out.Series["held"], after/before-1)
			}
		}
		out.Quality["rises-"+key], out.Quality["largest-"+key] = float64(count), largest
	}
	out.Quality["iterations"] = float64(len(trace) - 1)
	// Of W/2 and 2H, whose product is the same, the graph term is a quarter.
	last := len(trace) - 1
	out.Quality["scaling-lowers"] = 0.75 * trace[last].Regularizer / math.Abs(objective[last])
	out.Quality["rounding"] = riseOf(entries)
}

// riseOf is the relative change from which on a sum over this many entries has risen:
// twice the bound on the rounding of the sum, entries·2⁻⁵³, once for either value.
func riseOf(entries float64) float64 { return 2 * entries * 0x1p-53 }

var descentClaims = []bench.Claim{
	{
		Name: "theorem-1", Source: papers.RNPA + ", Theorem 1 and Fig. 14",
		Statement: "The objective (5) never increases in Algorithm 1 (ORL, unit rows, r = 40, λ = 1, 10 and 100, 200 iterations; with the factor of the kernel and without).",
		Paper:     "nonincreasing, by Theorem 1; curves that fall",
		Check:     checkTheorem,
	},
	{
		Name: "theorem-1-weights", Source: papers.RNPA + ", Theorem 1, its proof in the appendix",
		Statement: "Under the weights of its iteration, the weighted squares with the graph term never increase (the same runs).",
		Paper:     "an auxiliary function, which shows as much",
		Check: func(r *bench.Records) bench.Finding {
			f, texts, rises := risesOf(r, "held", "surrogate")
			if texts == nil {
				return f
			}
			f.Verdict = bench.ReproducesIf(rises[false]+rises[true] == 0)
			f.Ours = "iterations that raise them (and F = 2σ²Σ(1 − exp) with the graph term, whose σ² moves): " + strings.Join(texts, "; ")
			return f
		},
	},
}

// localOptimum judges where the runs end.
var localOptimum = bench.Claim{
	Name: "local-optimum", Source: papers.RNPA + ", abstract and Theorem 1",
	Statement: "The updates lead to a local optimum of (5) (the same runs, at their end).",
	Paper:     "convergence to a local optimum",
	Check: func(r *bench.Records) bench.Finding {
		f := bench.Finding{Verdict: bench.Reproduces}
		var ours []string
		for _, d := range descents(false) {
			if missing, ready := r.Unready(d.name()); !ready {
				return missing
			}
			f.Cases = append(f.Cases, d.name())
			by, measured := r.Quality(d.name(), "scaling-lowers")
			if !measured {
				return bench.Finding{Verdict: bench.NotRun, Why: d.name() + " was run before its end was measured", Cases: f.Cases}
			}
			ours = append(ours, fmt.Sprintf("λ = %s: %.2g", d.lambda, by))
			if rounding, _ := r.Quality(d.name(), "rounding"); by > rounding {
				f.Verdict = bench.DoesNot
				f.Why = "Where λ > 0 and the graph term is not 0, no factors are a local optimum: (W/c, cH) has the same WH for every c > 1 and a smaller term. The number of iterations is part of the method."
			}
		}
		f.Ours = "share of (5) by which half of W and twice H lower it: " + strings.Join(ours, ", ")
		return f
	},
}

// risesOf words how often a function rises in all runs, and another one in brackets, and
// adds the first up by whether the kernel has its factor.
func risesOf(r *bench.Records, key, reference string) (f bench.Finding, texts []string, rises map[bool]float64) {
	rises = map[bool]float64{}
	for _, constant := range []bool{false, true} {
		for _, d := range descents(constant) {
			missing, ready := r.Unready(d.name())
			if !ready {
				return missing, nil, nil
			}
			f.Cases = append(f.Cases, d.name())
			of := func(key string) float64 { v, _ := r.Quality(d.name(), key); return v }
			text := fmt.Sprintf("λ = %s: %.0f (%.0f) of %.0f", d.lambda, of("rises-"+key), of("rises-"+reference), of("iterations"))
			if constant {
				text = "with the factor, " + text
			}
			if by := of("largest-" + key); by > 0 {
				text += fmt.Sprintf(", by %.2g at most", by)
			}
			texts, rises[constant] = append(texts, text), rises[constant]+of("rises-"+key)
		}
	}
	return f, texts, rises
}

func checkTheorem(r *bench.Records) bench.Finding {
	f, texts, rises := risesOf(r, "objective", "held")
	if texts == nil {
		return f
	}
	f.Ours = "iterations that raise (5) (that raise the objective of the weights held, which the proof is about): " + strings.Join(texts, "; ")
	switch {
	case rises[false]+rises[true] == 0:
		f.Verdict = bench.Reproduces
	case rises[false] == 0 || rises[true] == 0:
		f.Verdict = bench.PartlyHolds
	default:
		f.Verdict = bench.DoesNot
	}
	if rises[false] > 0 && rises[true] == 0 {
		f.Why = "With its factor (5) is nm − Σ exp(−e²/2σ²)/(√(2π)σ) and the graph term, and it falls because σ does, which the factor follows; without it, it rises. "
	}
	if f.Verdict != bench.Reproduces {
		f.Why += "The proof is for fixed weights, where the graph term is added to weighted squares; in (5) it is added to these over 2σ², and σ² changes with every iteration. A relative change of more than 2nm·2⁻⁵³, what rounding can do to the sums, counts as a rise."
	}
	return f
}

// descentSections has the counts of Theorem 1 and its curves.
func descentSections(r *bench.Records) []bench.Section {
	s := bench.Section{
		Title: "Theorem 1: the objective at every iteration",
		Text:  "LP-RNA on ORL, unit rows, 40 components, 200 iterations. (5) is Σ(1 − exp(−e²/2σ²)) + λ tr(WᵀΦW) with the σ² of the iteration; to the letter its kernel has the factor 1/(√(2π)σ), which changes with σ too. F is 2σ²Σ(1 − exp(−e²/2σ²)) + λ tr(WᵀΦW), which the updates lower while σ² is fixed. The weighted squares, Σ p·e² + λ tr(WᵀΦW) under the weights p of an iteration, are what its two half steps lower, and what the proof is about. Counted are the iterations that raise them by more than rounding can.",
		Table: &bench.Table{Columns: []string{"λ", "kernel", "(5) rises", "by at most", "F rises", "by at most", "weighted squares rise"}},
	}
	var curves []bench.Section
	for _, constant := range []bool{false, true} {
		kernel := map[bool]string{false: "without its factor", true: "with its factor"}[constant]
		for _, d := range descents(constant) {
			cell := func(key, format string) bench.Cell { return r.QualityCell(d.name(), key, format) }
			s.Table.Rows = append(s.Table.Rows, []bench.Cell{
				bench.PlainCell(d.lambda), bench.PlainCell(kernel), cell("rises-objective", "%.0f"), cell("largest-objective", "%.2g"),
				cell("rises-surrogate", "%.0f"), cell("largest-surrogate", "%.2g"), cell("rises-held", "%.0f"),
			})
		}
	}
	for _, part := range []struct{ key, title string }{{"objective", "the objective (5)"}, {"surrogate", "the surrogate F"}} {
		plot := bench.Section{Title: "Theorem 1 (Fig. 14): " + part.title, Plot: &bench.Plot{XLabel: "iteration", YLabel: part.title + ", over that of the start", LogX: true, LogY: part.key == "surrogate"}}
		for _, d := range descents(false) {
			if c := traceOf(r, d.name(), part.key, "λ = "+d.lambda); len(c.X) > 0 {
				plot.Plot.Curves = append(plot.Plot.Curves, c)
			}
		}
		if len(plot.Plot.Curves) > 0 {
			curves = append(curves, plot)
		}
	}
	if len(curves) > 0 {
		curves[0].Text = "Every iteration of the runs without the factor, from the first on. (5) is drawn on its own axis: it moves little, and rises are seen there alone."
	}
	return append([]bench.Section{s}, curves...)
}

// settled is the first iteration from which on the relative error stays within one
// per cent of its whole change from its last value.
func settled(r *bench.Records, name string) (iteration float64, found bool) {
	one := r.Get(name)
	if one == nil {
		return 0, false
	}
	at, e := one.Series["iteration"], one.Series["residual"]
	if len(e) == 0 || len(at) != len(e) {
		return 0, false
	}
	i := len(e) - 1
	for near := math.Abs(e[0]-e[i]) / 100; i > 0 && math.Abs(e[i-1]-e[len(e)-1]) <= near; {
		i--
	}
	return at[i], true
}

// convergence is the claim of Fig. 14 on one of the sets.
func convergence(name string, set imageSet, noises []noise) bench.Claim {
	return bench.Claim{
		Name: name, Source: papers.RNPA + ", Fig. 14", Statement: fmt.Sprintf("LP-RNA converges slightly slower than GNMF and faster than CIM-NMF (%s).", set.title), Paper: "curves",
		Check: func(r *bench.Records) bench.Finding { return checkConvergence(r, set, noises) },
	}
}

func checkConvergence(r *bench.Records, set imageSet, noises []noise) bench.Finding {
	coders := []coder{gnmfCoder, printedRNA, cimLong}
	f := bench.Finding{}
	var parts []string
	held := 0
	for _, q := range noises {
		var t [3]float64
		for i, c := range coders {
			name := clustering{set: set, noise: q, coder: c}.name()
			if missing, ready := r.Unready(name); !ready {
				return missing
			}
			var found bool
			if t[i], found = settled(r, name); !found {
				return bench.Finding{Verdict: bench.CannotCheck, Why: name + " has no trace", Cases: []string{name}}
			}
			f.Cases = append(f.Cases, name)
		}
		if t[0] <= t[1] && t[1] < t[2] {
			held++
		}
		parts = append(parts, fmt.Sprintf("%s: %.0f, %.0f and %.0f", q.title, t[0], t[1], t[2]))
	}
	f.Ours = "iterations of GNMF, LP-RNA and CIM-NMF until the relative error stays within 1 % of its whole change; " + set.title + ", " + strings.Join(parts, "; ")
	switch {
	case held == len(noises):
		f.Verdict = bench.Reproduces
	case held > 0:
		f.Verdict = bench.PartlyHolds
	default:
		f.Verdict = bench.DoesNot
	}
	if f.Verdict != bench.Reproduces {
		f.Why = "The objectives are of different losses, and that of the correntropy methods changes with σ; hence the relative error."
	}
	return f
}

// robustTraceSections shows how the factorisations of the first repeat went.
func robustTraceSections(r *bench.Records) []bench.Section {
	var sections []bench.Section
	text := "The first repeat. The objective is what the paper plots, over its value at the start: of the correntropy methods (5), Σ(1 − exp(−e²/2σ²)) plus the graph term, with the σ² of the iteration. The surrogate is what the updates lower while σ² is fixed: of the correntropy methods 2σ²Σ(1 − exp(−e²/2σ²)) plus the graph term, of the others the objective. Neither need fall while σ² is adapted (see Theorem 1). The relative error is ‖X − WH‖/‖X‖ for all of them."
	for _, set := range imageSets {
		for _, q := range imageNoises {
			for _, part := range []struct{ key, name, label string }{{"objective", "objective", "objective, over that of the start"}, {"surrogate", "surrogate", "surrogate, over that of the start"}, {"residual", "error", "relative error"}} {
				s := bench.Section{
					Title: fmt.Sprintf("Convergence (Fig. 14): %s, %s, %s", set.title, q.title, part.name), Text: text,
					Plot: &bench.Plot{XLabel: "iteration", YLabel: part.label, LogX: true, LogY: part.key != "residual"},
				}
				for _, c := range []coder{nmfCoder, gnmfCoder, cimLong, printedRNA, betterRNA} {
					if curve := traceOf(r, clustering{set: set, noise: q, coder: c}.name(), part.key, c.title); len(curve.X) > 0 {
						s.Plot.Curves = append(s.Plot.Curves, curve)
					}
				}
				if len(s.Plot.Curves) > 0 {
					sections, text = append(sections, s), ""
				}
			}
		}
	}
	return sections
}

// traceOf is a series by iteration without the start, which a logarithmic axis
// cannot show; objectives are relative to the start's.
func traceOf(r *bench.Records, name, key, title string) bench.Curve {
	c := bench.Curve{Name: title, Cases: []string{name}}
	one := r.Get(name)
	if one != nil && key == "surrogate" && len(one.Series[key]) == 0 {
		key = "objective" // of a loss that the updates lower themselves
	}
	if one == nil || len(one.Series[key]) < 2 || len(one.Series["iteration"]) != len(one.Series[key]) {
		return c
	}
	unit := 1.0
	if first := one.Series[key][0]; key != "residual" && first > 0 {
		unit = first
	}
	for i, v := range one.Series[key] {
		if i > 0 {
			c.X, c.Y = append(c.X, one.Series["iteration"][i]), append(c.Y, v/unit)
		}
	}
	return c
}
