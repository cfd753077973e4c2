package rnpa

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

// bestRecognition is the claim on SP-RNA, on one of the sets.
func bestRecognition(set imageSet) bench.Claim {
	return bench.Claim{
		Name: "best-sp-rna-" + set.key, Source: papers.RNPA + ", Fig. 8", Statement: fmt.Sprintf("SP-RNA recognises best under both corruptions (%s, r = %d).", set.title, recognitionRank),
		Paper: "curves; 98.87 % at most, on CMU-PIE with salt and pepper",
		Check: func(r *bench.Records) bench.Finding {
			others := slices.DeleteFunc(slices.Clone(recognisers), func(c coder) bool { return c.key == plainSPRNA.key })
			return firstUnder(r, "rate", "rate", discriminativeRNA, others, func(q noise, c coder) string { return recognition{set, q, c, recognitionRank}.name() })
		},
	}
}

// termMatters is the smallest change in the rate of recognition that counts.
const termMatters = 0.01

var robustRecognitionClaims = []bench.Claim{
	bestRecognition(orlSet), bestRecognition(coilSet), bestValidated,
	{
		Name: "sp-rna-term", Source: "orthant", Statement: "At λ = 1e-4 the supervised term changes nothing: SP-RNA recognises as CIM-NMF does, both by the Euclidean distance (ORL).",
		Paper: "no difference, in our reference programs",
		Check: func(r *bench.Records) bench.Finding {
			f := bench.Finding{Verdict: bench.Reproduces}
			var ours []string
			for _, q := range imageNoises[1:] {
				with, without := recognition{orlSet, q, plainSPRNA, recognitionRank}.name(), recognition{orlSet, q, cimShort, recognitionRank}.name()
				if missing, ready := r.Unready(with, without); !ready {
					return missing
				}
				rate, _ := r.Qualities("rate", with, without)
				f.Cases = append(f.Cases, with, without)
				ours = append(ours, fmt.Sprintf("%s: %.3f against %.3f", q.title, rate[0], rate[1]))
				if math.Abs(rate[0]-rate[1]) > termMatters {
					f.Verdict, f.Why = bench.DoesNot, fmt.Sprintf("A change of more than %.2f counts.", termMatters)
				}
			}
			f.Ours = strings.Join(ours, "; ")
			return f
		},
	},
}
