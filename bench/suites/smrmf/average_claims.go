package smrmf

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

// gainClaim is that a method clusters better than another on average.
func gainClaim(better, other, paper string) bench.Claim {
	return bench.Claim{
		Name: fmt.Sprintf("%s-over-%s", better, other), Source: papers.SMRMF + ", Tables 4 and 5, averages",
		Statement: fmt.Sprintf("%s clusters better than %s on average.", better, other), Paper: "ACC " + paper,
		Check: func(r *bench.Records) bench.Finding {
			var f bench.Finding
			var acc, nmi [2]float64
			all, wins := 0, 0
			for _, s := range dataSets {
				names := namesOf(s, better, other)
				a, found := r.Qualities("acc", names...)
				if len(found) < 2 {
					continue
				}
				n, _ := r.Qualities("nmi", names...)
				all++
				f.Cases = append(f.Cases, names...)
				for i := range acc {
					acc[i], nmi[i] = acc[i]+a[i], nmi[i]+n[i]
				}
				if a[0] > a[1] {
					wins++
				}
			}
			if f, ready := r.Unready(namesOf(claimedSets("sonar")[0], better, other)...); !ready && all == 0 {
				return f
			}
			if few, wanting := fewSets(all, f); wanting {
				return few
			}
			for i := range acc {
				acc[i], nmi[i] = acc[i]/float64(all), nmi[i]/float64(all)
			}
			f.Ours = fmt.Sprintf("ACC %.3f against %.3f, NMI %.3f against %.3f, over %d sets; better on %d", acc[0], acc[1], nmi[0], nmi[1], all, wins)
			switch {
			case acc[0] <= acc[1]:
				f.Verdict = bench.DoesNot
			case 2*wins > all:
				f.Verdict = bench.Reproduces
			default:
				f.Verdict, f.Why = bench.PartlyHolds, "the average is better, but half of the sets or more are not"
			}
			return f
		},
	}
}

// common are the sets on which all of the methods that were run at all were run, with
// these methods.
func common(r *bench.Records) (sets []dataSet, ran []method) {
	for _, m := range methods {
		if slices.ContainsFunc(dataSets, func(s dataSet) bool { return r.Get(caseName(s, m)) != nil }) {
			ran = append(ran, m)
		}
	}
	for _, s := range dataSets {
		if !slices.ContainsFunc(ran, func(m method) bool { return r.Get(caseName(s, m)) == nil }) {
			sets = append(sets, s)
		}
	}
	return sets, ran
}

// bestClaim is the paper's conclusion, by accuracy or by mutual information.
func bestClaim(key string) bench.Claim {
	name, source, what, paper := "best-average", "Table 4", "accuracy", ".65 and .64, then IPM and SMRMF-Euc .62"
	if key == "nmi" {
		name, source, what, paper = "best-average-nmi", "Table 5", "mutual information", ".46 and .45, then DPP, IPM and ESC-FFS .43"
	}
	return bench.Claim{
		Name: name, Source: papers.SMRMF + ", " + source + ", averages",
		Statement: fmt.Sprintf("f-SMRMF and SMRMF have the best average %s of the fourteen methods.", what), Paper: paper,
		Check: func(r *bench.Records) bench.Finding {
			f, ready := r.Unready(namesOf(claimedSets("sonar")[0], "SMRMF", "f-SMRMF")...)
			if !ready {
				return f
			}
			sets, ran := common(r)
			if few, wanting := fewSets(len(sets), f); wanting {
				return few
			}
			f = bench.Finding{}
			type average struct {
				title string
				mean  float64
			}
			var list []average
			for _, m := range ran {
				var sum float64
				for _, s := range sets {
					v, _ := r.Quality(caseName(s, m), key)
					sum += v
					f.Cases = append(f.Cases, caseName(s, m))
				}
				list = append(list, average{m.title, sum / float64(len(sets))})
			}
			slices.SortStableFunc(list, func(a, b average) int {
				switch {
				case a.mean > b.mean:
					return -1
				case a.mean < b.mean:
					return 1
				}
				return 0
			})
			first := 0
			for i, x := range list {
				f.Ours = join(f.Ours, fmt.Sprintf("%s %.3f", x.title, x.mean))
				if i < 2 && (x.title == "SMRMF" || x.title == "f-SMRMF") {
					first++
				}
			}
			f.Verdict = []bench.Verdict{bench.DoesNot, bench.PartlyHolds, bench.Reproduces}[first]
			f.Why = fmt.Sprintf("Over %s; %d methods.", titles(sets), len(ran))
			return f
		},
	}
}

// averagesClaim is the row of averages of a table, over the sets at hand: those of what is
// printed of the same sets stand beside ours.
func averagesClaim(t printedTable) bench.Claim {
	return bench.Claim{
		Name: "averages-" + t.key, Source: t.source + ", averages",
		Statement: "The averages of the fourteen methods.", Paper: "printed beside ours, of the same sets",
		Check: func(r *bench.Records) bench.Finding {
			sets, ran := common(r)
			if len(ran) == 0 {
				return r.FindingWithout(namesOf(claimedSets("sonar")[0], "SMRMF")...)
			}
			var f bench.Finding
			if few, wanting := fewSets(len(sets), f); wanting {
				return few
			}
			near, far := 0, ""
			for _, m := range ran {
				var ours, theirs float64
				count := 0.0
				for _, s := range sets {
					want, _, _, printed := t.printed(s, m)
					if !printed { // the paper could not run it
						continue
					}
					v, _ := r.Quality(caseName(s, m), t.key)
					ours, theirs, count = ours+v, theirs+want, count+1
					f.Cases = append(f.Cases, caseName(s, m))
				}
				ours, theirs = ours/count, theirs/count
				text := strconv.FormatFloat(theirs, 'f', 3, 64)
				f.Ours = join(f.Ours, fmt.Sprintf("%s %.3f (%s)", m.title, ours, text))
				if t.near(ours, theirs, 0, text) {
					near++
				} else {
					far = join(far, m.title)
				}
			}
			f.Verdict, f.Why = shareVerdict(near, len(ran), fmt.Sprintf("%s for %d of %d methods", t.rule, near, len(ran)), far)
			f.Why = join(f.Why, "over "+titles(sets))
			return f
		},
	}
}
