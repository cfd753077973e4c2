package smrmf

import (
	"fmt"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

// selectedClaim is Table 7: selected samples have better neighbourhoods.
func selectedClaim() bench.Claim {
	return bench.Claim{
		Name: "selected-neighbourhoods", Source: papers.SMRMF + ", Table 7",
		Statement: "The neighbourhoods of selected samples mismatch their class less than those of the others (all sets but COIL-5 at least as well).",
		Paper:     "on 12 of 13 sets",
		Check: func(r *bench.Records) bench.Finding {
			f := bench.Finding{Verdict: bench.NotRun, Why: "the cases it needs have not been run"}
			better, all := 0, 0
			for _, s := range dataSets {
				name := caseName(s, methodTitled("SMRMF"))
				own, found := r.Quality(name, "snbh")
				others, also := r.Quality(name, "nsnbh")
				if !found || !also {
					if one := r.Lookup(name); one != nil && all == 0 {
						f.Verdict, f.Why = bench.CannotCheck, one.Missing+one.Error
						if one.Done() {
							f.Why = "the method gave no rows of Z of samples that it did not select"
						}
					}
					continue
				}
				f.Cases = append(f.Cases, name)
				f.Ours = join(f.Ours, fmt.Sprintf("%s %.2f against %.2f", s.title, own, others))
				if s.key == "coil-5" { // the paper's exception
					continue
				}
				all++
				if own <= others {
					better++
				}
			}
			if few, wanting := fewSets(all, f); wanting {
				return few
			}
			f.Why = fmt.Sprintf("on %d of %d sets, COIL-5 not counted", better, all)
			switch {
			case better == all:
				f.Verdict = bench.Reproduces
			case 2*better > all:
				f.Verdict = bench.PartlyHolds
			default:
				f.Verdict = bench.DoesNot
			}
			return f
		},
	}
}
