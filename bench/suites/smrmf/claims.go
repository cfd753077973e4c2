package smrmf

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

// claimedSets are those of the keys.
func claimedSets(keys ...string) []dataSet {
	var list []dataSet
	for _, key := range keys {
		list = append(list, dataSets[slices.IndexFunc(dataSets, func(s dataSet) bool { return s.key == key })])
	}
	return list
}

var clusterClaims = []bench.Claim{
	moonClaim(planeMoons), moonClaim(noisyMoons), moonGain(planeMoons), moonGain(noisyMoons),
	rowClaim("nmf-row", "NMF", "Ionosphere"), rowClaim("gnmf-row", "GNMF", "Ionosphere"), rowClaim("rmnmf-row", "RMNMF", "Ionosphere"), rowClaim("amrmf-row", "AMRMF", ""),
	rowClaim("dsmf-row", "DSMF", ""), rowClaim("smrmf-row", "SMRMF", "Ionosphere"), rowClaim("f-smrmf-row", "f-SMRMF", "Ionosphere"),
	gainClaim("SMRMF", "RMNMF", ".64 against .60, NMI .45 against .39, over thirteen sets"),
	gainClaim("f-SMRMF", "RMNMF", ".65 against .60, NMI .46 against .39, over thirteen sets"),
	gainClaim("SMRMF", "SMRMF-NS", ".64 against .59, over thirteen sets"),
	gainClaim("SMRMF", "SMRMF-Euc", ".64 against .62, over thirteen sets"),
	bestClaim(),
	setClaim(rowSets[0]), setClaim(rowSets[1]), setClaim(rowSets[2]), setClaim(rowSets[3]), setClaim(rowSets[4]),
}

// fewestSets is the number of sets that a claim about all of them needs.
const fewestSets = 4

// fewSets is the finding of a claim of which too few sets were run: what was in the way
// where that is known.
func fewSets(sets int, f bench.Finding) (bench.Finding, bool) {
	switch {
	case sets >= fewestSets:
		return f, false
	case sets == 0 && f.Why != "":
		return f, true
	}
	return bench.Finding{Verdict: bench.NotRun, Why: fmt.Sprintf("%d sets have been run, and it is about %d", sets, len(dataSets)), Cases: f.Cases}, true
}

// moonClaim is a row of Table 2: whether the paper's accuracies lie in what drawn sets
// give, or are near their median.
func moonClaim(s dataSet) bench.Claim {
	paper := printedMoons[s.key]
	return bench.Claim{
		Name: s.key, Source: papers.SMRMF + ", Table 2",
		Statement: fmt.Sprintf("The accuracies of RMNMF and SMRMF on %s.", s.title), Paper: fmt.Sprintf("RMNMF %s, SMRMF %s", paper[0][0], paper[1][0]),
		Check: func(r *bench.Records) bench.Finding {
			f, ready := r.Unready(namesOf(s, "RMNMF", "SMRMF")...)
			if !ready {
				return f
			}
			inside := 0
			for i, title := range []string{"RMNMF", "SMRMF"} {
				name := caseName(s, methodTitled(title))
				middle, _ := r.Quality(name, "acc")
				low, _ := r.Quality(name, "acc-low")
				high, _ := r.Quality(name, "acc-high")
				want, _ := strconv.ParseFloat(paper[i][0], 64)
				f.Ours = join(f.Ours, fmt.Sprintf("%s %.3f, from %.3f to %.3f over the drawn sets", title, middle, low, high))
				if want >= low-0.01 && want <= high+0.01 {
					inside++
				} else {
					f.Why = join(f.Why, fmt.Sprintf("what is printed of %s is outside this range", title))
				}
			}
			f.Verdict = []bench.Verdict{bench.DoesNot, bench.PartlyHolds, bench.Reproduces}[inside]
			return f
		},
	}
}

// moonGain is that SMRMF clusters the moons better.
func moonGain(s dataSet) bench.Claim {
	paper := printedMoons[s.key]
	return bench.Claim{
		Name: s.key + "-gain", Source: papers.SMRMF + ", Table 2",
		Statement: fmt.Sprintf("SMRMF clusters %s better than RMNMF.", s.title), Paper: fmt.Sprintf("%s against %s", paper[1][0], paper[0][0]),
		Check: func(r *bench.Records) bench.Finding {
			names := namesOf(s, "SMRMF", "RMNMF")
			f, ready := r.Unready(names...)
			if !ready {
				return f
			}
			ours, theirs := r.Get(names[0]).Series["acc"], r.Get(names[1]).Series["acc"]
			a, b := bench.Summarize(ours).Median, bench.Summarize(theirs).Median
			wins := 0
			for i := range min(len(ours), len(theirs)) {
				if ours[i] > theirs[i] {
					wins++
				}
			}
			f.Ours = fmt.Sprintf("median %.3f against %.3f, better on %d of %d drawn sets", a, b, wins, len(ours))
			switch {
			case a > b && 3*wins >= 2*len(ours):
				f.Verdict = bench.Reproduces
			case a > b:
				f.Verdict, f.Why = bench.PartlyHolds, "on fewer than two thirds of the sets"
			default:
				f.Verdict = bench.DoesNot
			}
			return f
		},
	}
}

// rowClaim compares a method's accuracies, set by set, with what is printed.
func rowClaim(name, title, collapsed string) bench.Claim {
	return bench.Claim{
		Name: name, Source: papers.SMRMF + ", Table 4",
		Statement: fmt.Sprintf("The accuracies of %s, set by set.", title), Paper: "printed beside ours",
		Check: func(r *bench.Records) bench.Finding {
			f := bench.Finding{Verdict: bench.NotRun, Why: "the cases it needs have not been run"}
			near, all, far := 0, 0, ""
			for _, s := range dataSets {
				v, found := r.Quality(caseName(s, methodTitled(title)), "acc")
				if !found {
					if one := r.Lookup(caseName(s, methodTitled(title))); one != nil && all == 0 {
						f.Verdict, f.Why = bench.CannotCheck, one.Missing+one.Error
					}
					continue
				}
				text := printedOf(printedACC, s, title)
				want, _ := strconv.ParseFloat(text, 64)
				all++
				f.Cases = append(f.Cases, caseName(s, methodTitled(title)))
				f.Ours = join(f.Ours, fmt.Sprintf("%s %.2f (%s)", s.title, v, text))
				if v-want <= closeEnough && want-v <= closeEnough {
					near++
				} else {
					far = join(far, s.title)
				}
			}
			if few, wanting := fewSets(all, f); wanting {
				return few
			}
			switch {
			case near == all:
				f.Verdict, f.Why = bench.Reproduces, ""
			case 2*near >= all:
				f.Verdict, f.Why = bench.PartlyHolds, fmt.Sprintf("within %.2f on %d of %d sets, not on %s", closeEnough, near, all, far)
			default:
				f.Verdict, f.Why = bench.DoesNot, fmt.Sprintf("within %.2f on %d of %d sets", closeEnough, near, all)
			}
			if collapsed != "" {
				f.Why = join(f.Why, collapsed+"'s larger class is .641 of it, so that an accuracy about there tells little")
			}
			return f
		},
	}
}

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

// bestClaim is the paper's conclusion.
func bestClaim() bench.Claim {
	return bench.Claim{
		Name: "best-average", Source: papers.SMRMF + ", Table 4, averages",
		Statement: "f-SMRMF and SMRMF have the best average accuracy of the fourteen methods.", Paper: ".65 and .64, then IPM and SMRMF-Euc .62",
		Check: func(r *bench.Records) bench.Finding {
			// Over the sets on which all methods that were run at all were run.
			var ran []method
			for _, m := range methods {
				if slices.ContainsFunc(dataSets, func(s dataSet) bool { return r.Get(caseName(s, m)) != nil }) {
					ran = append(ran, m)
				}
			}
			var common []dataSet
			for _, s := range dataSets {
				if !slices.ContainsFunc(ran, func(m method) bool { return r.Get(caseName(s, m)) == nil }) {
					common = append(common, s)
				}
			}
			f, ready := r.Unready(namesOf(claimedSets("sonar")[0], "SMRMF", "f-SMRMF")...)
			if !ready {
				return f
			}
			if few, wanting := fewSets(len(common), f); wanting {
				return few
			}
			f = bench.Finding{}
			type average struct {
				title string
				acc   float64
			}
			var list []average
			for _, m := range ran {
				var sum float64
				for _, s := range common {
					v, _ := r.Quality(caseName(s, m), "acc")
					sum += v
					f.Cases = append(f.Cases, caseName(s, m))
				}
				list = append(list, average{m.title, sum / float64(len(common))})
			}
			slices.SortStableFunc(list, func(a, b average) int {
				switch {
				case a.acc > b.acc:
					return -1
				case a.acc < b.acc:
					return 1
				}
				return 0
			})
			first := 0
			for i, x := range list {
				f.Ours = join(f.Ours, fmt.Sprintf("%s %.3f", x.title, x.acc))
				if i < 2 && (x.title == "SMRMF" || x.title == "f-SMRMF") {
					first++
				}
			}
			f.Verdict = []bench.Verdict{bench.DoesNot, bench.PartlyHolds, bench.Reproduces}[first]
			f.Why = fmt.Sprintf("Over %s; %d methods.", titles(common), len(ran))
			return f
		},
	}
}
