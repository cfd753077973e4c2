package rnpa

import (
	"fmt"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

// Fig. 13 c and d: recognition by λ.

var (
	// regularized are the recognisers that have a λ, SP-RNA by its own metric alone.
	regularized = []coder{weakGNMF, weakGSGNMF, ndlaCoder, discriminativeRNA}
	// recognitionLambdas are of the paper's grid, which has every decade; SP-RNA is to be
	// good from the first to lambdasInRange.
	recognitionLambdas = []string{"0.00001", "0.0001", "0.001", "0.01", "1", "100", "100000"}
	lambdasInRange     = 4
)

// atLambda is the cell of a recogniser at a λ; what has none stays as it is.
func atLambda(set imageSet, q noise, c coder, lambda string) recognition {
	if slices.ContainsFunc(regularized, func(x coder) bool { return x.key == c.key }) {
		c = c.with("lambda", lambda)
	}
	return recognition{set, q, c, recognitionRank}
}

func recognitionLambdaCases(e *bench.Env) []bench.Case {
	var cases []bench.Case
	for _, q := range imageNoises[1:] {
		for _, c := range regularized {
			for _, lambda := range recognitionLambdas {
				if cell := atLambda(orlSet, q, c, lambda); cell.coder.key != c.key { // which the tables have
					cases = append(cases, cell.asCase(e))
				}
			}
		}
	}
	return cases
}

// ratesByLambda are those of a recogniser at every λ.
func ratesByLambda(r *bench.Records, set imageSet, q noise, c coder) (rates []float64, names []string, missing bench.Finding, ready bool) {
	for _, lambda := range recognitionLambdas {
		names = append(names, atLambda(set, q, c, lambda).name())
	}
	if missing, ready = r.Unready(names...); !ready {
		return nil, nil, missing, false
	}
	rates, _ = r.Qualities("rate", names...)
	return rates, names, missing, true
}

func ratesText(rates []float64) string {
	var parts []string
	for _, v := range rates {
		parts = append(parts, fmt.Sprintf("%.3f", v))
	}
	return strings.Join(parts, ", ")
}

// goodRange is the claim on SP-RNA's λ, under some corruptions of a set.
func goodRange(name string, set imageSet, noises ...noise) bench.Claim {
	return bench.Claim{
		Name: name, Source: papers.RNPA + ", Fig. 13 c, d", Statement: fmt.Sprintf("SP-RNA recognises well for λ from 1e-5 to 1e-2 (%s).", set.title),
		Paper: "good for λ in [1e-5, 1e-2]; curves",
		Check: func(r *bench.Records) bench.Finding {
			f := bench.Finding{Verdict: bench.Reproduces}
			var ours []string
			for _, q := range noises {
				rates, names, missing, ready := ratesByLambda(r, set, q, discriminativeRNA)
				if !ready {
					return missing
				}
				f.Cases = append(f.Cases, names...)
				ours = append(ours, q.title+": "+ratesText(rates))
				if slices.Min(rates[:lambdasInRange]) < slices.Max(rates)-rangeSlack {
					f.Verdict, f.Why = bench.DoesNot, fmt.Sprintf("A rate within %.2f of the best of all λ counts as good.", rangeSlack)
				}
			}
			f.Ours = fmt.Sprintf("rates for λ = %s; %s", strings.Join(recognitionLambdas, ", "), strings.Join(ours, "; "))
			return f
		},
	}
}

// fallBeyond is the claim on all methods with a λ.
func fallBeyond(name string, set imageSet, noises ...noise) bench.Claim {
	return bench.Claim{
		Name: name, Source: papers.RNPA + ", Fig. 13 c, d",
		Statement: fmt.Sprintf("Beyond that range the methods with a λ recognise worse: GNMF, GS-GNMF, NDLA and SP-RNA at λ = %s (%s).", recognitionLambdas[len(recognitionLambdas)-1], set.title),
		Paper:     "curves that fall",
		Check: func(r *bench.Records) bench.Finding {
			f := bench.Finding{}
			var ours, stay []string
			fell := 0
			for _, q := range noises {
				for _, c := range regularized {
					rates, names, missing, ready := ratesByLambda(r, set, q, c)
					if !ready {
						return missing
					}
					f.Cases = append(f.Cases, names...)
					var inside float64
					for _, v := range rates[:lambdasInRange] {
						inside += v / float64(lambdasInRange)
					}
					last := rates[len(rates)-1]
					ours = append(ours, fmt.Sprintf("%s, %s: %.3f → %.3f (λ = 100: %.3f)", q.title, c.title, inside, last, rates[slices.Index(recognitionLambdas, "100")]))
					if last < inside-rangeSlack {
						fell++
					} else {
						stay = append(stay, c.title+" under "+q.title)
					}
				}
			}
			f.Ours = "mean rate from 1e-5 to 1e-2, and at the end: " + strings.Join(ours, "; ")
			f.Verdict = partly(fell, len(noises)*len(regularized), 1)
			if len(stay) > 0 {
				f.Why = fmt.Sprintf("A fall by more than %.2f counts; none of %s.", rangeSlack, strings.Join(stay, ", "))
			}
			return f
		},
	}
}

// partly is the verdict on what holds in some of all places: in part from least on.
func partly(held, all, least int) bench.Verdict {
	switch {
	case held == all:
		return bench.Reproduces
	case held >= least:
		return bench.PartlyHolds
	}
	return bench.DoesNot
}

var recognitionLambdaClaims = []bench.Claim{
	goodRange("sp-rna-lambda-range", orlSet, imageNoises[1:]...), fallBeyond("recognition-lambda-falls", orlSet, imageNoises[1:]...),
}

func recognitionLambdaSections(r *bench.Records) []bench.Section {
	var list []byNumber
	others := slices.DeleteFunc(slices.Clone(recognisers), func(c coder) bool { return c.key == plainSPRNA.key })
	for _, q := range imageNoises[1:] {
		list = append(list, byNumber{title: "Recognition by λ (Fig. 13 c, d), ORL, " + q.title, label: "λ", key: "rate", unit: "rate of recognition", logX: true, at: floats(recognitionLambdas), coders: others,
			name: func(c coder, i int) string { return atLambda(orlSet, q, c, recognitionLambdas[i]).name() }})
	}
	return sweepSections(r, list, "Methods without a λ have one rate throughout. Part of the full run alone; mean ± standard deviation of the repeats.")
}
