package lnp

import (
	"fmt"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

// ofTheTime is what the paper says of all its times.
const ofTheTime = "curves without numbers; MATLAB on 2.2 GHz with 2 GB of memory"

// leastOfFour is the paper's claim on its trefoils. What the algorithm as printed takes is
// judged, and with the cap where that one falls short.
func leastOfFour(q timedSet) bench.Claim {
	return bench.Claim{
		Name: "time/" + q.key, Source: papers.LNP + ", Fig. " + q.figure, Took: ofTheTime,
		Statement: "LNP has the smallest time of the four methods at every K (" + q.title + ").", Paper: "curves",
		Check: func(r *bench.Records) bench.Finding {
			f, sizes := q.ready(r)
			if sizes == nil {
				return f
			}
			printed, capped := q.against(r, fourTimed(byPrinted), sizes), q.against(r, fourTimed(byLNP), sizes)
			f.Ours = fmt.Sprintf("least at %s as printed, at %s with the cap; at K = %d: %s", printed.at(sizes), capped.at(sizes), sizes[len(sizes)-1], q.times(r, sizes[len(sizes)-1]))
			switch {
			case printed.always(sizes):
				f.Verdict = bench.Reproduces
			case len(printed.least)+len(capped.least) > 0:
				f.Verdict, f.Why = bench.PartlyHolds, printed.why("as printed")+"; "+capped.why("with the cap")
			default:
				f.Verdict, f.Why = bench.DoesNot, printed.why("as printed")+"; "+capped.why("with the cap")
			}
			return f
		},
	}
}

// fastWithin is how many times the least time a method may take that is called fast.
const fastWithin = 2

// fastOnDuck is what the text says of the views: not that LNP takes least.
func fastOnDuck(q timedSet) bench.Claim {
	return bench.Claim{
		Name: "time/" + q.key, Source: papers.LNP + ", Fig. " + q.figure, Took: ofTheTime,
		Statement: fmt.Sprintf("LNP runs fast, by our reading within %d times the fastest of the four methods at every K (%s).", fastWithin, q.title), Paper: "curves",
		Check: func(r *bench.Records) bench.Finding {
			f, sizes := q.ready(r)
			if sizes == nil {
				return f
			}
			worst := map[string]float64{}
			slow := 0
			for _, k := range sizes {
				for _, x := range []chooser{byPrinted, byLNP} {
					own, _ := phaseSeconds(r, q.name(x, k), "total")
					_, least := q.fastest(r, fourTimed(x), k)
					worst[x.key] = max(worst[x.key], own/least)
					if x.key == byPrinted.key && own > fastWithin*least {
						slow++
					}
				}
			}
			last := sizes[len(sizes)-1]
			f.Ours = fmt.Sprintf("at worst %.1f times the fastest as printed, %.1f times with the cap; at K = %d: %s", worst[byPrinted.key], worst[byLNP.key], last, q.times(r, last))
			f.Verdict = verdictOn(slow, len(sizes))
			if slow > 0 {
				f.Why = fmt.Sprintf("slower than that at %d of %d K", slow, len(sizes))
			}
			return f
		},
	}
}

// fourTimed are the methods of Fig. 6, SMCE as its authors' program has it.
func fourTimed(lnp chooser) []chooser { return []chooser{lnp, byLLE, byLE, bySMCE50} }

// ready lists the K at which the methods were timed, nil where there are none and f says
// why.
func (q timedSet) ready(r *bench.Records) (f bench.Finding, sizes []int) {
	sizes, cases := q.measured(r, append(fourTimed(byPrinted), byLNP))
	if len(sizes) == 0 {
		return r.FindingWithout(caseNames(fourTimed(byPrinted), func(x chooser) string { return q.name(x, 20) })...), nil
	}
	if f, ready := r.Sound(cases...); !ready {
		return f, nil
	}
	return bench.Finding{Cases: cases}, sizes
}

var pursuitTimeClaims = []bench.Claim{leastOfFour(timedSets[0]), leastOfFour(timedSets[1]), fastOnDuck(timedSets[2]), tenTimesSMCE}
