package rnpa

import (
	"fmt"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

// ranked is a method's place in a table.
type ranked struct {
	coder    coder
	name     string
	mean, sd float64
}

// ranking orders the coders that were measured by a quality, the best
// first.
func ranking(r *bench.Records, key string, coders []coder, name func(coder) string) []ranked {
	var list []ranked
	for _, c := range coders {
		if v, found := r.Quality(name(c), key); found {
			sd, _ := r.Quality(name(c), key+"-sd")
			list = append(list, ranked{c, name(c), v, sd})
		}
	}
	slices.SortStableFunc(list, func(a, b ranked) int {
		switch {
		case a.mean > b.mean:
			return -1
		case a.mean < b.mean:
			return 1
		}
		return 0
	})
	return list
}

// placeOf is the rank of a coder, from 1 and after all of the same mean, unless that is
// 1, the best possible; and the one to be distinguished from it, the best of the others.
func placeOf(list []ranked, c coder) (place int, own, rival ranked) {
	at := slices.IndexFunc(list, func(x ranked) bool { return x.coder.key == c.key })
	own, rival = list[at], list[0]
	if at == 0 {
		rival = list[1]
	}
	for _, x := range list {
		if x.coder.key != c.key && x.mean >= own.mean && own.mean < 1 {
			place++
		}
	}
	return place + 1, own, rival
}

func rankingText(list []ranked) string {
	var parts []string
	for _, x := range list {
		parts = append(parts, fmt.Sprintf("%s %.3f", x.coder.title, x.mean))
	}
	return strings.Join(parts, " > ")
}

// firstUnder judges that a coder is the best of all under both corruptions.
func firstUnder(r *bench.Records, key, what string, subject coder, others []coder, name func(noise, coder) string) bench.Finding {
	f := bench.Finding{}
	var ours, why []string
	first, least := 0, len(others)
	for _, q := range imageNoises[1:] {
		of := func(c coder) string { return name(q, c) }
		if missing, ready := r.Unready(of(subject)); !ready {
			return missing
		}
		list := ranking(r, key, others, of)
		if len(list) < 2 {
			return bench.Finding{Verdict: bench.NotRun, Why: "no other method has been run", Cases: []string{of(subject)}}
		}
		for _, x := range list {
			f.Cases = append(f.Cases, x.name)
		}
		least = min(least, len(list))
		place, own, rival := placeOf(list, subject)
		ours = append(ours, fmt.Sprintf("%s, %s: %d. of %d (%s)", what, q.title, place, len(list), rankingText(list)))
		best, second := rival, own
		if place == 1 {
			first++
			best, second = own, rival
		}
		if gap := best.mean - second.mean; place > 1 || gap < max(best.sd, second.sd) {
			why = append(why, fmt.Sprintf("under %s %s is ahead of %s by %.3f, with deviations of %.3f and %.3f", q.title, best.coder.title, second.coder.title, gap, best.sd, second.sd))
		}
	}
	if least < len(others) {
		why = append(why, fmt.Sprintf("only %d of the %d methods were run", least, len(others)))
	}
	f.Ours, f.Why = strings.Join(ours, "; "), strings.Join(why, "; ")
	f.Verdict = []bench.Verdict{bench.DoesNot, bench.PartlyHolds, bench.Reproduces}[first]
	return f
}

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
