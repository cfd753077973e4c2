package nonnegative

import (
	"fmt"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

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
				Why:  "With the multipliers frozen no step makes the objective worse. With those of each step it may, and a fixed point need not be orthonormal where C has negative entries.",
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
				f.Why = "The rule is that of a maximum run backwards. The engine refuses the result with an error."
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
