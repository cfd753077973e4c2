package nonnegative

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
)

// The update rules on digits: the paper's against the penalty, and those that
// diverge.

const (
	digitsEach = 50 // of each of ten classes
	digitsDim  = 5
	digitsPCA  = "digits/pca"
	nonppRaw   = "digits/nonpp/update=printed"
	nonppUnit  = "digits/nonpp/update=printed,normalise"
)

// The seeds of the starts, for a maximum and for a minimum.
var (
	npcaStarts = []uint64{1, 2, 3, 4, 5, 6, 7, 8}
	ruleStarts = npcaStarts[:4]
)

// npcaRules are the rules for a maximum, by what they are called.
var npcaRules = []struct {
	name, title string
	set         map[string]string
	reference   [2]string // orthogonality and rounded trace, on other digits
}{
	{"paper", "paper", map[string]string{"update": "paper"}, [2]string{"0.8–1.1", "2.63–2.79"}},
	{"paper-shifted", "paper, σ = 2λ₁", map[string]string{"update": "paper", "sigma": "2"}, [2]string{"0.28–0.32", "2.71–2.80"}},
	{"penalty", "penalty", map[string]string{"update": "penalty"}, [2]string{"0.03", "2.65–2.80"}},
}

// minimizers are the methods that make an alignment small, with the method whose
// eigenvalues bound them and the multiple of the largest eigenvalue that is their
// shift. The problems of embeddings also have the trivial vector.
var minimizers = []struct {
	name, signed string
	margin       float64
	trivial      bool
	reference    [2]string // the paper's rule and the penalty, on other digits
}{
	{"nle", "le", 0, true, [2]string{".033–.040", ".075–.186"}},
	{"nlle", "lle", 1.01, true, [2]string{".011–.015", ".037–.045"}},
	{"nonpp", "onpp", 1.515, false, [2]string{".009–.024", ".009–.030"}},
	{"nolpp", "olpp", 1.515, false, [2]string{"", ""}},
}

func npcaRuleName(rule string, seed uint64) string {
	return fmt.Sprintf("digits/npca/%s/seed=%d", rule, seed)
}

func minimizerName(method, update string, seed uint64) string {
	return fmt.Sprintf("digits/%s/update=%s/seed=%d", method, update, seed)
}

func signedName(method string) string { return "digits/" + method }

// someDigits are the first digits of each class, scaled so that the largest
// eigenvalue of XcᵀXc is 1. They are kept, as many cases use them.
func someDigits(each int) func(*bench.Env) (*datasets.Set, error) {
	return func(e *bench.Env) (*datasets.Set, error) {
		key := fmt.Sprintf("digits %d scaled %s", each, e.Data)
		d, err := bench.Cached(key, func() (*bench.Data, error) {
			all, err := datasets.Load(e.Data, "usps6000")
			if err != nil {
				return nil, err
			}
			d := (&bench.Data{X: all.X, Labels: all.Labels}).Rows(datasets.FirstOfEach(all.Labels, each))
			var pairs mat.EigenSym
			if !pairs.Factorize(scatter(d.X), false) {
				return nil, fmt.Errorf("the eigenvalues of the digits were not found")
			}
			d.X.Scale(1/math.Sqrt(slices.Max(pairs.Values(nil))), d.X)
			return d, nil
		})
		if err != nil {
			return nil, err
		}
		return &datasets.Set{X: d.X, Labels: d.Labels}, nil
	}
}

// scatter is XcᵀXc.
func scatter(x *mat.Dense) *mat.SymDense {
	n, m := x.Dims()
	centered := mat.DenseCopyOf(x)
	for j := range m {
		column := mat.Col(nil, j, x)
		mean := mat.Sum(mat.NewVecDense(n, column)) / float64(n)
		for i, v := range column {
			centered.Set(i, j, v-mean)
		}
	}
	c := mat.NewSymDense(m, nil)
	c.SymOuterK(1, centered.T())
	return c
}

// onDigits makes a case on digits of an embedded one.
func onDigits(x bench.SetEmbedding, each int) bench.Case {
	x.Data, x.Load = fmt.Sprintf("usps6000, the first %d of each class, scaled", each), someDigits(each)
	c := x.Case()
	c.Needs = append(bench.SelectionNeeds("usps6000"), "method:"+x.Method)
	return c
}

func ruleCases() []bench.Case {
	sumOf := func(_ context.Context, _ *datasets.Set, r *engine.Result, out *bench.Outcome) error {
		for _, v := range r.Values {
			out.Quality["sum"] += v
		}
		if r.Method == "pca" {
			out.Quality["sum"] *= float64(r.Samples - 1) // of XcᵀXc, not of the covariance
		}
		return nil
	}
	cases := []bench.Case{
		onDigits(bench.SetEmbedding{Name: digitsPCA, Method: "pca", Set: map[string]string{"dim": fmt.Sprint(digitsDim)}, Measure: sumOf}, digitsEach),
		stepsCase("paper"), stepsCase("penalty"),
	}
	for _, rule := range npcaRules {
		for _, seed := range npcaStarts {
			set := map[string]string{"dim": fmt.Sprint(digitsDim), "round": "true"}
			for key, text := range rule.set {
				set[key] = text
			}
			cases = append(cases, onDigits(bench.SetEmbedding{Name: npcaRuleName(rule.name, seed), Method: "npca", Seed: seed, Set: set, Measure: measureRounded}, digitsEach))
		}
	}
	for _, m := range minimizers {
		dim := digitsDim
		if m.trivial {
			dim--
		}
		set := map[string]string{"dim": fmt.Sprint(dim)}
		if m.signed == "le" {
			set["weights"] = "heat"
		}
		cases = append(cases, onDigits(bench.SetEmbedding{Name: signedName(m.signed), Method: m.signed, Set: set, Measure: sumOf}, digitsEach))
		for _, update := range []string{"paper", "penalty"} {
			for _, seed := range ruleStarts {
				cases = append(cases, onDigits(bench.SetEmbedding{
					Name: minimizerName(m.name, update, seed), Method: m.name, Seed: seed,
					Set: map[string]string{"dim": fmt.Sprint(digitsDim), "update": update, "round": "true"}, Measure: measureRounded,
				}, digitsEach))
			}
		}
	}
	printed := map[string]string{"dim": fmt.Sprint(digitsDim), "update": "printed", "iterations": "2000"}
	unit := map[string]string{"dim": fmt.Sprint(digitsDim), "update": "printed", "iterations": "2000", "normalise": "true"}
	return append(cases,
		divergent(onDigits(bench.SetEmbedding{Name: nonppRaw, Method: "nonpp", Set: printed, Measure: measureCosines}, digitsEach)),
		divergent(onDigits(bench.SetEmbedding{Name: nonppUnit, Method: "nonpp", Set: unit, Measure: measureCosines}, digitsEach)))
}

// measureRounded keeps the rounded objective, by itself and over the largest
// eigenvalue where the shift gives it.
func measureRounded(_ context.Context, _ *datasets.Set, r *engine.Result, out *bench.Outcome) error {
	out.Quality["rounded"] = r.Details["rounded_objective"].(float64)
	out.Quality["orthogonality"] = r.Details["orthogonality_before_rounding"].(float64)
	out.Quality["sigma"] = r.Details["sigma"].(float64)
	return nil
}

// measureCosines keeps the least cosine between two directions.
func measureCosines(ctx context.Context, _ *datasets.Set, r *engine.Result, out *bench.Outcome) error {
	u, err := directions(ctx, r)
	if err != nil {
		return err
	}
	out.Quality["least-cosine"] = minCosine(u)
	out.Quality["iterations"] = float64(r.Iterations)
	return nil
}

// pairOf is two columns of a matrix.
func pairOf(u *mat.Dense, p, q int) *mat.Dense {
	n, _ := u.Dims()
	pair := mat.NewDense(n, 2, nil)
	pair.SetCol(0, mat.Col(nil, p, u))
	pair.SetCol(1, mat.Col(nil, q, u))
	return pair
}

// saysDiverged is how an iteration says so.
var saysDiverged = regexp.MustCompile(`diverged after (\d+) iterations`)

// divergent makes a case of which divergence is a result.
func divergent(c bench.Case) bench.Case {
	run := c.Run
	c.Run = func(ctx context.Context, e *bench.Env, one *bench.Case) (*bench.Outcome, error) {
		out, err := run(ctx, e, one)
		if err == nil {
			return out, nil
		}
		reported := saysDiverged.FindStringSubmatch(err.Error())
		if reported == nil {
			return nil, err
		}
		after, err2 := strconv.ParseFloat(reported[1], 64)
		return &bench.Outcome{Quality: map[string]float64{"diverged-after": after}, Note: "An error, as it should be: " + err.Error()}, err2
	}
	return c
}

// What the rules are claimed to do.

func minimizerNames(method, update string) (names []string) {
	for _, seed := range ruleStarts {
		names = append(names, minimizerName(method, update, seed))
	}
	return names
}

func npcaRuleNames(rule string) (names []string) {
	for _, seed := range npcaStarts {
		names = append(names, npcaRuleName(rule, seed))
	}
	return names
}

// npcaRuleBoth are the cases of the paper's rule and of the penalty.
func npcaRuleBoth() []string { return append(npcaRuleNames("paper"), npcaRuleNames("penalty")...) }

// qualitiesByRule returns a quality of both rules over the starts.
func qualitiesByRule(r *bench.Records, key string) (paper, penalty []float64, missing *bench.Finding) {
	values, found := r.Qualities(key, npcaRuleBoth()...)
	if n := len(npcaStarts); len(found) == 2*n {
		return values[:n], values[n:], nil
	}
	f := r.FindingWithout(npcaRuleBoth()...)
	return nil, nil, &f
}

var ruleClaims = []bench.Claim{
	{
		Name: "local-optimum", Source: papers.Nonnegative,
		Statement: "The multiplicative updates converge to a local optimum of the constrained problem.",
		Paper:     "stated",
		Check: func(r *bench.Records) bench.Finding {
			name, both := stepsName("paper"), nmmsNames("roll", "paper")
			falls, found := r.Quality(name, "falls")
			rises, there := r.Qualities("rises", both...)
			if !found || len(there) < len(both) {
				return r.FindingWithout(append(both, name)...)
			}
			orthogonality, _ := r.Quality(name, "orthogonality")
			low, high := ends(rises)
			return bench.Finding{
				Verdict: bench.ReproducesIf(falls == 0 && high == 0 && orthogonality < 0.01), Cases: append(both, name),
				Ours: fmt.Sprintf("NPCA on digits ends with ‖UᵀU − I‖ = %.2f, and the trace falls in %.0f of %d steps; the error of NMMS on the roll rises in %.0f to %.0f of 1000", orthogonality, falls, stepsTaken, low, high),
				Why:  "With the multipliers frozen no step makes the objective worse. With multipliers found anew in each step it may, and a fixed point need not be orthonormal where C has negative entries.",
			}
		},
	},
	{
		Name: "nonpp-printed", Source: papers.Nonnegative + ", eq. 16",
		Statement: "The multiplicative rule for NONPP as printed converges.",
		Paper:     "stated; reference: entries of 1e100 and more after about 370 iterations",
		Check: func(r *bench.Records) bench.Finding {
			after, diverged := r.Quality(nonppRaw, "diverged-after")
			if r.Get(nonppRaw) == nil {
				return r.FindingWithout(nonppRaw)
			}
			f := bench.Finding{Verdict: bench.ReproducesIf(!diverged), Ours: "it does not diverge in 2000 iterations", Cases: []string{nonppRaw}}
			if diverged {
				f.Ours = fmt.Sprintf("it overflows on digits: entries beyond 1e100 after %.0f iterations", after)
				if cosine, found := r.Quality(nonppUnit, "least-cosine"); found {
					f.Ours += fmt.Sprintf("; with unit columns after every step all %d directions become one (least cosine %.4f)", digitsDim, cosine)
					f.Cases = append(f.Cases, nonppUnit)
				}
				f.Why = "The rule is the rule for a maximum, run backwards. The engine refuses the result with an error."
			}
			return f
		},
	},
	{
		Name: "penalty-monotone", Source: "orthant",
		Statement: "The penalised objective never increases.", Paper: "–",
		Check: func(r *bench.Records) bench.Finding {
			name := stepsName("penalty")
			rises, found := r.Quality(name, "penalised-rises")
			if !found {
				return r.FindingWithout(name)
			}
			return bench.Finding{Verdict: reachedIf(rises == 0), Ours: fmt.Sprintf("%.0f of %d steps of NPCA on digits raise it", rises, stepsTaken), Cases: []string{name}}
		},
	},
	{
		Name: "penalty-orthogonal", Source: "orthant",
		Statement: "On digits the penalty takes NPCA nearer to orthonormal directions than the paper's rule.",
		Paper:     "reference: ‖UᵀU − I‖ 0.03 against 0.8 to 1.1",
		Check: func(r *bench.Records) bench.Finding {
			paper, penalty, missing := qualitiesByRule(r, "orthogonality")
			if missing != nil {
				return *missing
			}
			low, high := ends(paper)
			_, worst := ends(penalty)
			return bench.Finding{Verdict: reachedIf(worst < low), Cases: npcaRuleBoth(), Ours: fmt.Sprintf("at most %.3f against %.2f to %.2f", worst, low, high)}
		},
	},
	{
		Name: "penalty-trace", Source: "orthant",
		Statement: "Rounded, the directions of the penalty keep as much of the digits' variance as those of the paper's rule, to 2 per cent in the mean.",
		Paper:     "reference: trace 2.65 to 2.80 against 2.63 to 2.79",
		Check: func(r *bench.Records) bench.Finding {
			paper, penalty, missing := qualitiesByRule(r, "rounded")
			if missing != nil {
				return *missing
			}
			low, high := ends(paper)
			least, most := ends(penalty)
			f := bench.Finding{
				Verdict: reachedIf(mean(penalty) >= 0.98*mean(paper)), Cases: npcaRuleBoth(),
				Ours: fmt.Sprintf("mean %.3f (%.2f to %.2f) against %.3f (%.2f to %.2f) over %d starts", mean(penalty), least, most, mean(paper), low, high, len(npcaStarts)),
			}
			if f.Verdict == bench.TargetMissed {
				f.Why = "On these digits the paper's rule with rounding keeps more. Unrounded its directions overlap."
			}
			return f
		},
	},
	{
		Name: "shift-better", Source: "orthant",
		Statement: "For the four minimisations the paper's rule on the shifted matrix, rounded, is better than the penalty or equal to it.",
		Paper:     "reference: better for NLE and NLLE, equal for NONPP",
		Check:     checkShift,
	},
	{
		Name: "signed-bound", Source: "orthant",
		Statement: "No exactly feasible solution is better than the signed optimum.", Paper: "–",
		Check: checkBounds,
	},
}

// reachedIf is TargetReached or TargetMissed.
func reachedIf(reached bool) bench.Verdict {
	if reached {
		return bench.TargetReached
	}
	return bench.TargetMissed
}

func mean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

func checkShift(r *bench.Records) bench.Finding {
	f, missed := bench.Finding{}, ""
	for _, m := range minimizers {
		paper, penalty := minimizerNames(m.name, "paper"), minimizerNames(m.name, "penalty")
		ours, found := r.Qualities("rounded", paper...)
		other, there := r.Qualities("rounded", penalty...)
		if len(found) < len(paper) || len(there) < len(penalty) {
			return r.FindingWithout(append(paper, penalty...)...)
		}
		f.Cases = append(append(f.Cases, paper...), penalty...)
		ratio := mean(ours) / mean(other)
		f.Ours += fmt.Sprintf("%s %.2f, ", m.name, ratio)
		if ratio > 1.02 {
			missed = m.name
		}
	}
	f.Ours = "mean rounded objective over the penalty's: " + f.Ours[:len(f.Ours)-2]
	if f.Verdict = reachedIf(missed == ""); missed != "" {
		f.Why = "Not so for " + missed + " on these digits."
	}
	return f
}

func checkBounds(r *bench.Records) bench.Finding {
	f := bench.Finding{Verdict: bench.TargetReached, Cases: []string{digitsPCA}}
	signed, there := r.Quality(digitsPCA, "sum")
	for _, rule := range npcaRules {
		names := npcaRuleNames(rule.name)
		values, found := r.Qualities("rounded", names...)
		if !there || len(found) < len(names) {
			return r.FindingWithout(append(names, digitsPCA)...)
		}
		f.Cases = append(f.Cases, names...)
		if _, high := ends(values); high > signed*(1+1e-9) {
			f.Verdict, f.Why = bench.TargetMissed, "npca exceeds pca."
		}
	}
	for _, m := range minimizers {
		signed, there := r.Quality(signedName(m.signed), "sum")
		names := append(minimizerNames(m.name, "paper"), minimizerNames(m.name, "penalty")...)
		values, found := r.Qualities("rounded", names...)
		if !there || len(found) < len(names) {
			return r.FindingWithout(append(names, signedName(m.signed))...)
		}
		f.Cases = append(append(f.Cases, signedName(m.signed)), names...)
		low, _ := ends(values)
		f.Ours += fmt.Sprintf("%s %.3g ≥ %.3g, ", m.name, low, signed)
		if low < signed*(1-1e-9) {
			f.Verdict, f.Why = bench.TargetMissed, m.name+" falls below "+m.signed+"."
		}
	}
	f.Ours = "least rounded objective and bound: " + f.Ours[:len(f.Ours)-2]
	return f
}

// How the rules are shown.

func ruleSections(r *bench.Records) []bench.Section {
	return []bench.Section{npcaRuleSection(r), minimizerSection(r)}
}

func npcaRuleSection(r *bench.Records) bench.Section {
	s := bench.Section{
		Title: "The rules for a maximum: NPCA on digits",
		Text:  "500 digits (USPS, the first 50 of each class) scaled so that the largest eigenvalue is 1, P = 5, 500 iterations; over eight starts. The trace is taken for the rounded directions. The plot shows how far from orthonormal the directions are in 1000 steps of each rule: the penalty's weight doubles six times. References are of other digits.",
		Table: &bench.Table{Columns: []string{"rule", "‖UᵀU − I‖", "reference", "rounded trace", "reference"}},
		Plot:  &bench.Plot{XLabel: "iteration", YLabel: "‖UᵀU − I‖", LogX: true, LogY: true},
	}
	for _, rule := range npcaRules {
		names := npcaRuleNames(rule.name)
		s.Table.Rows = append(s.Table.Rows, []bench.Cell{bench.PlainCell(rule.title), span(r, names, "orthogonality", "%.2f", 1), bench.ReferenceCell(rule.reference[0]), span(r, names, "rounded", "%.2f", 1), bench.ReferenceCell(rule.reference[1])})
	}
	s.Table.Rows = append(s.Table.Rows, []bench.Cell{bench.PlainCell("pca"), bench.PlainCell("0"), bench.PlainCell(""), r.QualityCell(digitsPCA, "sum", "%.2f"), bench.ReferenceCell("3.91")})
	for _, update := range []string{"paper", "penalty"} {
		if name := stepsName(update); r.Get(name) != nil {
			s.Plot.Curves = append(s.Plot.Curves, byIteration(r, name, "orthogonality", update, 1))
		}
	}
	return s
}

func minimizerSection(r *bench.Records) bench.Section {
	s := bench.Section{
		Title: "The rules for a minimum, on digits",
		Text:  "The same digits, k = 12, P = 5, 500 iterations, over four starts: the objective of the rounded solution over the largest eigenvalue of its matrix (NLE: of the normalised Laplacian, as it is), by the paper's rule on σI − M and by the penalty, and the signed optimum that bounds it. References are of other digits.",
		Table: &bench.Table{Columns: []string{"method", "shifted", "reference", "penalty", "reference", "signed optimum", "‖UᵀU − I‖, shifted", "penalty"}},
	}
	for _, m := range minimizers {
		paper, penalty, scale := minimizerNames(m.name, "paper"), minimizerNames(m.name, "penalty"), 1.0
		if sigma, found := r.Quality(paper[0], "sigma"); found && m.margin > 0 {
			scale = m.margin / sigma
		}
		bound := span(r, []string{signedName(m.signed)}, "sum", "%.4f", scale)
		s.Table.Rows = append(s.Table.Rows, []bench.Cell{bench.PlainCell(m.name), span(r, paper, "rounded", "%.4f", scale), bench.ReferenceCell(m.reference[0]), span(r, penalty, "rounded", "%.4f", scale), bench.ReferenceCell(m.reference[1]),
			bound, span(r, paper, "orthogonality", "%.3f", 1), span(r, penalty, "orthogonality", "%.3f", 1)})
	}
	return s
}

// span is a cell with the least and the largest of a quality over some cases.
func span(r *bench.Records, names []string, key, format string, scale float64) bench.Cell {
	values, found := r.Qualities(key, names...)
	if len(found) == 0 {
		return bench.Cell{Text: "–", Case: names[0], Mark: bench.Absent}
	}
	low, high := ends(values)
	text := fmt.Sprintf(format, low*scale)
	if most := fmt.Sprintf(format, high*scale); most != text {
		text += "–" + most
	}
	return bench.Cell{Text: text, Case: found[0]}
}
