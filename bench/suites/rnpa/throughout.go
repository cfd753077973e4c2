package rnpa

import (
	"fmt"
	"strings"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

// setting is one place of a sweep, at which methods are compared.
type setting struct {
	title string
	name  func(c coder) string
}

// bestThroughout judges that a coder is the best by ACC in all settings: in part where it
// is in half of them.
func bestThroughout(name, source, statement, paper string, subject coder, others []coder, settings []setting) bench.Claim {
	return bench.Claim{
		Name: name, Source: papers.RNPA + ", " + source, Statement: statement, Paper: paper,
		Check: func(r *bench.Records) bench.Finding {
			var names, ours, texts []string
			for _, s := range settings {
				for _, c := range others {
					names = append(names, s.name(c))
				}
			}
			f, ready := r.Unready(names...)
			if !ready {
				return f
			}
			for i, s := range settings {
				list := ranking(r, "acc", others, s.name)
				if place, _, _ := placeOf(list, subject); place == 1 {
					ours = append(ours, s.title)
				}
				if i == 0 || i == len(settings)-1 {
					texts = append(texts, s.title+": "+rankingText(list))
				}
			}
			best := "nowhere"
			if len(ours) > 0 {
				best = "at " + strings.Join(ours, ", ")
			}
			f.Ours = fmt.Sprintf("the best %s; %s", best, strings.Join(texts, "; "))
			f.Why = fmt.Sprintf("the best at %d of %d", len(ours), len(settings))
			f.Verdict = partly(len(ours), len(settings), (len(settings)+1)/2)
			return f
		},
	}
}

// atRanks are the ranks of Fig. 7 under both corruptions.
func atRanks(set imageSet, ranks []int) (list []setting) {
	for _, q := range imageNoises[1:] {
		for _, rank := range ranks {
			list = append(list, setting{fmt.Sprintf("%s, r = %d", q.title, rank), func(c coder) string { return clustering{set, q, c, rank}.name() }})
		}
	}
	return list
}

// atNoises are the levels of Table I, or the sides of Table II.
func atNoises(set imageSet, noises []noise) (list []setting) {
	for _, q := range noises {
		list = append(list, setting{q.title, func(c coder) string { return clustering{set: set, noise: q, coder: c}.name() }})
	}
	return list
}
