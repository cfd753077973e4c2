package lnp

import (
	"fmt"
	"strings"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

// ringByProgram is the claim on a closed curve, embedded that way.
func ringByProgram(q closedCurve, figure string, good float64) bench.Claim {
	return bench.Claim{
		Name: q.prefix + "-embedding-by-program", Source: papers.LNP + ", " + figure,
		Statement: fmt.Sprintf("By the program that the authors published, LNP as printed embeds %s as a ring for every K, and of the four methods it alone does.", q.title),
		Paper:     "pictures",
		Check: func(r *bench.Records) bench.Finding {
			names := caseNames(programs, q.program)
			f, ready := r.Unready(names...)
			if !ready {
				return f
			}
			ours, everywhere := always(r, "ring", good, programs, q.program)
			f.Ours, f.Verdict = "ring at least "+fmt.Sprint(good)+": "+ours, bench.DoesNot
			switch others := everywhere[byLLE.key] || everywhere[byLE.key] || everywhere[bySMCE50.key]; {
			case everywhere[byPrinted.key] && !others:
				f.Verdict = bench.Reproduces
			case everywhere[byPrinted.key]:
				f.Verdict, f.Why = bench.PartlyHolds, "LNP is not the only one."
			default:
				broken, low, high := everyK(r, q.program(byPrinted), "ring", func(v float64) bool { return v >= good })
				f.Why = fmt.Sprintf("LNP keeps from %.2f to %.2f of the ring, less than that at %d K.", low, high, len(broken))
			}
			return f
		},
	}
}

// knotsByProgram is the claim on the two knots, told apart that way.
var knotsByProgram = bench.Claim{
	Name: "two-trefoils-by-program", Source: papers.LNP + ", Fig. 5(a)",
	Statement: "By the program that the authors published, the misclassification of two trefoil knots by LNP as printed is always stable and good: at most 0.01 at every K.",
	Paper:     "a curve near 0",
	Check: func(r *bench.Records) bench.Finding {
		names := caseNames(programs, twoKnots.program)
		f, ready := r.Unready(names...)
		if !ready {
			return f
		}
		var said []string
		wrongAt, of := 0, 0
		for i, x := range programs {
			sizes, _ := byK(r, names[i], "misclassification")
			broken, _, worst := everyK(r, names[i], "misclassification", func(v float64) bool { return v <= 0.01 })
			said = append(said, fmt.Sprintf("%s at worst %.3f, above 0.01 at %d of %d K", x.name, worst, len(broken), len(sizes)))
			if x.key == byPrinted.key {
				wrongAt, of = len(broken), len(sizes)
			}
		}
		f.Ours, f.Verdict = strings.Join(said, "; "), verdictOn(wrongAt, of)
		if wrongAt > 0 {
			f.Why = fmt.Sprintf("LNP misclassifies more than 0.01 at %d of %d K.", wrongAt, of)
		}
		return f
	},
}

var programClaims = []bench.Claim{ringByProgram(knot, "Fig. 3", 1), ringByProgram(duck, "Fig. 7", 0.95), knotsByProgram}

func programSections(r *bench.Records) []bench.Section {
	var list []bench.Section
	for _, q := range []struct {
		closedCurve
		title string
		last  int
	}{{knot, "The trefoil", knotSizes}, {duck, "The COIL-20 duck", duckSizes}} {
		s := bench.Section{
			Title: q.title + ": rings by the published program",
			Text:  "The program that the authors published in September 2014 does not embed by (I−S)(I−S)ᵀ as the paper does, but all four methods by Laplacian eigenmaps of the graph max(|S|, |Sᵀ|): the weights of LNP are divided by squared distances before, and those of the others cut to 95 % of their sum. LLE has no regulariser there up to K = the number of features, LE weights of one, and SMCE 50 candidates.",
			Table: tableByK(r, "ring", "%.2f", q.last, programs, q.program), Plot: plotByK(r, "ring", "ring", programs, q.program),
		}
		for _, x := range programs {
			for _, k := range q.drawn {
				if r.Get(q.program(x)) != nil {
					s.Pictures = append(s.Pictures, bench.Figure{Case: q.program(x), Picture: pictureOf(k), Caption: fmt.Sprintf("%s, K = %d", x.name, k), Cyclic: true})
				}
			}
		}
		list = append(list, s)
	}
	return append(list, bench.Section{
		Title: "Two trefoil knots by the published program", Text: "Their misclassification by spectral clustering of the same graphs.",
		Table: tableByK(r, "misclassification", "%.3f", knotSizes, programs, twoKnots.program), Plot: plotByK(r, "misclassification", "misclassification", programs, twoKnots.program),
	})
}
