package rnpa

import (
	"fmt"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

// lambdaRange is the claim of Fig. 13 a and b on LP-RNA, on one of the sets.
func lambdaRange(name string, set imageSet, lambdas []string) bench.Claim {
	return bench.Claim{
		Name: name, Source: papers.RNPA + ", Fig. 13 a, b", Statement: fmt.Sprintf("LP-RNA is good for λ from 1e2 to 1e5 (%s).", set.title), Paper: "curves, on CMU-PIE and Extended Yale B",
		Check: func(r *bench.Records) bench.Finding { return checkLambdaRange(r, set, lambdas) },
	}
}

func checkLambdaRange(r *bench.Records, set imageSet, lambdas []string) bench.Finding {
	f := bench.Finding{Verdict: bench.Reproduces}
	var ours []string
	for _, q := range imageNoises[1:] {
		var names []string
		for _, lambda := range lambdas {
			names = append(names, clustering{set: set, noise: q, coder: localRNA(lambda)}.name())
		}
		if missing, ready := r.Unready(names...); !ready {
			return missing
		}
		f.Cases = append(f.Cases, names...)
		acc, _ := r.Qualities("acc", names...)
		least := slices.Min(acc[slices.Index(lambdas, "100"):]) // to the end, 1e5
		if best := slices.Max(acc); least < best-rangeSlack {
			f.Verdict = bench.DoesNot
			f.Why = fmt.Sprintf("An ACC within %.2f of the best counts as good. The range depends on the scale of the data, which the paper does not tell; images have unit length here.", rangeSlack)
		}
		ours = append(ours, fmt.Sprintf("%s: ACC %s, best at %s", q.title, ratesText(acc), lambdas[slices.Index(acc, slices.Max(acc))]))
	}
	f.Ours = fmt.Sprintf("%s, λ = %s; %s", set.title, strings.Join(lambdas, ", "), strings.Join(ours, "; "))
	return f
}
