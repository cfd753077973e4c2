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

// ranking orders those of the coders that were measured by a quality, the best
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

// placeOf is where a coder stands, from 1 and behind all of the same mean, unless that is
// 1, which none can better; and what it has to be told from, the best of the others.
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

// bestClusters is the paper's main claim on one of the sets.
func bestClusters(set imageSet, c coder) bench.Claim {
	return bench.Claim{
		Name: "best-" + c.key + "-" + set.key, Source: papers.RNPA + ", Figs 5–7, Tables I–II",
		Statement: fmt.Sprintf("%s is the best clustering by ACC under both corruptions (%s).", strings.Replace(c.title, "lp-rna", "LP-RNA", 1), set.title),
		Paper:     "ahead of the second, LPP, by up to 6 % (occlusion) and 5 % (salt and pepper), on CMU-PIE and Extended Yale B",
		Check: func(r *bench.Records) bench.Finding {
			var others []coder // the other λ is the same method
			for _, x := range clusterings {
				if x.key == c.key || x.method != c.method {
					others = append(others, x)
				}
			}
			return firstUnder(r, "acc", "ACC", c, others, func(q noise, c coder) string { return clustering{set: set, noise: q, coder: c}.name() })
		},
	}
}

var robustClusterClaims = []bench.Claim{
	bestClusters(orlSet, printedRNA), bestClusters(orlSet, betterRNA), bestClusters(coilSet, printedRNA), bestClusters(coilSet, betterRNA),
	robustOverGraph(orlSet), robustOverGraph(coilSet),
	lambdaRange("lambda-range", orlSet, sweptLambdas), convergence("convergence", orlSet, imageNoises),
}

// robustOverGraph is what our reference programs found of LP-RNA and GNMF.
func robustOverGraph(set imageSet) bench.Claim {
	return bench.Claim{
		Name: "occlusion-over-gnmf-" + set.key, Source: papers.RNPA + ", Figs 6 and 7; our reference programs",
		Statement: fmt.Sprintf("Under occlusion LP-RNA clusters better than GNMF, here at λ = 10 (%s).", set.title),
		Paper:     "three people of CMU-PIE: ACC .960 against .524; our reference programs on half of COIL-20: .554 against .457",
		Check: func(r *bench.Records) bench.Finding {
			names := []string{clustering{set: set, noise: hiddenImages, coder: betterRNA}.name(), clustering{set: set, noise: hiddenImages, coder: gnmfCoder}.name()}
			f, ready := r.Unready(names...)
			if !ready {
				return f
			}
			acc, _ := r.Qualities("acc", names...)
			nmi, _ := r.Qualities("nmi", names...)
			f.Verdict = bench.ReproducesIf(acc[0] > acc[1] && nmi[0] > nmi[1])
			f.Ours = fmt.Sprintf("ACC %.3f against %.3f, NMI %.3f against %.3f", acc[0], acc[1], nmi[0], nmi[1])
			return f
		},
	}
}

// rangeSlack is how far below the best an ACC counts as good.
const rangeSlack = 0.03
