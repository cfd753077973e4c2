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
			t := newTally()
			for _, s := range dataSets {
				name := caseName(s, methodTitled("SMRMF"))
				own, found := t.quality(r, name, "snbh")
				others, also := t.quality(r, name, "nsnbh") // absent where all samples have rows in Z
				if !found || !also {
					continue
				}
				t.show(name, fmt.Sprintf("%s %.2f against %.2f", s.title, own, others))
				if s.key != "coil-5" { // the paper's exception
					t.count(s, own <= others)
				}
			}
			f := t.finding
			if few, wanting := fewSets(t.all, f); wanting {
				return few
			}
			f.Why = fmt.Sprintf("on %d of %d sets, COIL-5 not counted", t.near, t.all)
			switch {
			case t.near == t.all:
				f.Verdict = bench.Reproduces
			case 2*t.near > t.all:
				f.Verdict = bench.PartlyHolds
			default:
				f.Verdict = bench.DoesNot
			}
			return f
		},
	}
}
