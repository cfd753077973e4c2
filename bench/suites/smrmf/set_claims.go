package smrmf

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

// rowSets are the sets of which a claim of its own is made, besides those about methods.
var rowSets = claimedSets("musk1", "mfeat-fac", "isolet", "20-news", "ova-colon")

// setClaim compares the accuracies of all methods on a set with what is printed.
func setClaim(s dataSet) bench.Claim {
	return bench.Claim{
		Name: "set-" + s.key, Source: papers.SMRMF + ", Table 4",
		Statement: fmt.Sprintf("The accuracies of the methods on %s.", s.title),
		Paper:     fmt.Sprintf("SMRMF %s, f-SMRMF %s, RMNMF %s", printedOf(printedACC, s, "SMRMF"), printedOf(printedACC, s, "f-SMRMF"), printedOf(printedACC, s, "RMNMF")),
		Check: func(r *bench.Records) bench.Finding {
			var f bench.Finding
			var names, far []string
			near := 0
			for _, m := range methods {
				want, err := strconv.ParseFloat(printedOf(printedACC, s, m.title), 64)
				if err != nil { // the paper could not run it
					continue
				}
				names = append(names, caseName(s, m))
				v, found := r.Quality(caseName(s, m), "acc")
				if !found {
					continue
				}
				f.Cases = append(f.Cases, caseName(s, m))
				f.Ours = join(f.Ours, fmt.Sprintf("%s %.2f (%.2f)", m.title, v, want))
				if v-want <= closeEnough && want-v <= closeEnough {
					near++
				} else {
					far = append(far, m.title)
				}
			}
			all := len(f.Cases)
			if all == 0 {
				missing, _ := r.Unready(names...)
				return missing
			}
			f.Why = fmt.Sprintf("within %.2f for %d of %d methods", closeEnough, near, all)
			if len(far) > 0 {
				f.Why += ", not for " + strings.Join(far, ", ")
			}
			if all < len(names) {
				f.Why += fmt.Sprintf("; %d more were not run", len(names)-all)
			}
			switch {
			case near == len(names):
				f.Verdict = bench.Reproduces
			case 2*near >= all:
				f.Verdict = bench.PartlyHolds
			default:
				f.Verdict = bench.DoesNot
			}
			return f
		},
	}
}
