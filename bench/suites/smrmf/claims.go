package smrmf

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

// claimedSets are the sets of the keys.
func claimedSets(keys ...string) []dataSet {
	var list []dataSet
	for _, key := range keys {
		list = append(list, dataSets[slices.IndexFunc(dataSets, func(s dataSet) bool { return s.key == key })])
	}
	return list
}

var clusterClaims = slices.Concat(
	[]bench.Claim{
		moonClaim(planeMoons, "acc"), moonClaim(noisyMoons, "acc"), moonClaim(planeMoons, "nmi"), moonClaim(noisyMoons, "nmi"),
		moonGain(planeMoons), moonGain(noisyMoons), moonsLearned,
	},
	rowClaims(accuracyTable), rowClaims(informationTable),
	[]bench.Claim{
		spreadClaim, averagesClaim(accuracyTable), averagesClaim(informationTable), bestClaim("acc"), bestClaim("nmi"),
		gainClaim("SMRMF", "RMNMF", ".64 against .60, NMI .45 against .39, over thirteen sets"),
		gainClaim("f-SMRMF", "RMNMF", ".65 against .60, NMI .46 against .39, over thirteen sets"),
		gainClaim("SMRMF", "SMRMF-NS", ".64 against .59, over thirteen sets"),
		gainClaim("SMRMF", "SMRMF-Euc", ".64 against .62, over thirteen sets"),
		setClaim(rowSets[0]), setClaim(rowSets[1]), setClaim(rowSets[2]), setClaim(rowSets[3]), setClaim(rowSets[4]),
	},
)

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

// printedTable is Table 4 or 5, and how near a figure has to come to it.
type printedTable struct {
	source, statement string
	key               string // of the records' qualities
	suffix            string // of the claims' names
	cells             map[string][]string
	deviations        map[string][]string // over random starts, where they are printed
	near              func(ours, printed, deviation float64, text string) bool
	rule              string
}

var (
	accuracyTable = printedTable{
		source: papers.SMRMF + ", Table 4", statement: "The accuracies of %s, set by set.", key: "acc", suffix: "-row", cells: printedACC,
		near: func(ours, printed, _ float64, _ string) bool { return math.Abs(ours-printed) <= closeEnough },
		rule: fmt.Sprintf("within %.2f", closeEnough),
	}
	// Mutual information spans two orders of magnitude over the sets, so that nearness is
	// in proportion.
	informationTable = printedTable{
		source: papers.SMRMF + ", Table 5", statement: "The normalised mutual information of %s, set by set.", key: "nmi", suffix: "-nmi", cells: printedNMI, deviations: printedNMIDeviation,
		near: func(ours, printed, deviation float64, text string) bool {
			return math.Abs(ours-printed) <= max(printed/10, 2*deviation, halfUnit(text))
		},
		rule: "within a tenth of the printed number, two of its standard deviations, or half a unit of its last place",
	}
)

// halfUnit is half a unit of the last place of a printed number, which has two places at
// least: zeros at its end are left out here.
func halfUnit(text string) float64 {
	_, places, _ := strings.Cut(text, ".")
	return 0.5 * math.Pow(10, -float64(max(2, len(places))))
}

// printed is what the table prints of a method on a set; found is false where it prints
// nothing.
func (t printedTable) printed(s dataSet, m method) (value, deviation float64, text string, found bool) {
	text = t.cells[s.key][m.column()]
	value, err := strconv.ParseFloat(text, 64)
	if list := t.deviations[m.title]; list != nil {
		for i, one := range dataSets {
			if one.key == s.key {
				deviation, _ = strconv.ParseFloat(list[i], 64)
			}
		}
	}
	return value, deviation, text, err == nil
}

// rowClaims are the claims of all methods, and of the greedy form of DPP.
func rowClaims(t printedTable) []bench.Claim {
	var list []bench.Claim
	for _, m := range clusterings {
		list = append(list, t.rowClaim(m))
	}
	return list
}

// rowClaim compares a method's figures, set by set, with what is printed.
func (t printedTable) rowClaim(m method) bench.Claim {
	return bench.Claim{
		Name: strings.ToLower(m.title) + t.suffix, Source: t.source,
		Statement: fmt.Sprintf(t.statement, m.title), Paper: "printed next to ours",
		Check: func(r *bench.Records) bench.Finding {
			sum := newTally()
			for _, s := range dataSets {
				want, deviation, text, printed := t.printed(s, m)
				if !printed {
					continue
				}
				if v, found := sum.quality(r, caseName(s, m), t.key); found {
					sum.show(caseName(s, m), fmt.Sprintf("%s %.3g (%s)", s.title, v, text))
					sum.count(s, t.near(v, want, deviation, text))
				}
			}
			f := sum.finding
			if few, wanting := fewSets(sum.all, f); wanting {
				return few
			}
			f.Verdict, f.Why = shareVerdict(sum.near, sum.all, fmt.Sprintf("%s on %d of %d sets", t.rule, sum.near, sum.all), sum.far)
			if t.key == "acc" {
				f.Why = join(f.Why, "Ionosphere's larger class is .641 of it, so an accuracy near it means little")
			}
			return f
		},
	}
}

// shareVerdict is the verdict on a list of figures of which some are near what is printed: all
// of them, at least half, or fewer.
func shareVerdict(near, all int, text, far string) (bench.Verdict, string) {
	switch {
	case near == all:
		return bench.Reproduces, ""
	case 2*near >= all:
		return bench.PartlyHolds, text + ", not on " + far
	}
	return bench.DoesNot, text
}

// spreadClaim is that DPP gave the same in all runs, although its sets are drawn.
var spreadClaim = bench.Claim{
	Name: "dpp-spread", Source: papers.SMRMF + ", Tables 4 and 5",
	Statement: "Over the thirty runs of DPP the accuracy does not vary.", Paper: "a standard deviation of 1e-15",
	Check: func(r *bench.Records) bench.Finding {
		var f bench.Finding
		m, steady, far := methodTitled("DPP"), 0, ""
		for _, s := range dataSets {
			name := caseName(s, m)
			sd, found := r.Quality(name, "acc-sd")
			if !found || s.generated() {
				continue
			}
			f.Cases = append(f.Cases, name)
			f.Ours = join(f.Ours, fmt.Sprintf("%s %.2g", s.title, sd))
			if sd <= 1e-12 { // rounding
				steady++
			} else {
				far = join(far, s.title)
			}
		}
		all := len(f.Cases)
		if all == 0 {
			return r.FindingWithout(caseName(claimedSets("sonar")[0], m))
		}
		f.Verdict, f.Why = shareVerdict(steady, all, fmt.Sprintf("it does not vary on %d of %d sets", steady, all), far)
		if f.Verdict != bench.Reproduces {
			f.Why += ". Sets drawn from the process differ from run to run, and with them the graph; the greedy set of large determinant is the same in all"
		}
		return f
	},
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

// averagesClaim is the row of averages of a table, over the available sets: the averages of what is
// printed of the same sets are shown next to ours.
func averagesClaim(t printedTable) bench.Claim {
	return bench.Claim{
		Name: "averages-" + t.key, Source: t.source + ", averages",
		Statement: "The averages of the fourteen methods.", Paper: "printed next to ours, of the same sets",
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

// tally is a claim's figures, set by set, and on how many sets they are as the paper has
// them.
type tally struct {
	finding   bench.Finding
	near, all int
	far       string // the titles of the other sets
}

func newTally() *tally {
	return &tally{finding: bench.Finding{Verdict: bench.NotRun, Why: "the cases it needs have not been run"}}
}

// quality looks up a figure of a case. What is in its way is the finding where no set has
// its figure.
func (t *tally) quality(r *bench.Records, name, key string) (float64, bool) {
	v, found := r.Quality(name, key)
	if found || t.all > 0 {
		return v, found
	}
	if one := r.Lookup(name); one != nil {
		t.finding.Verdict, t.finding.Why = bench.CannotCheck, one.Missing+one.Error
		if one.Done() {
			t.finding.Why = "the run has no figure " + key
		}
	}
	return v, found
}

// show puts a set's figures among ours.
func (t *tally) show(name, figures string) {
	t.finding.Cases = append(t.finding.Cases, name)
	t.finding.Ours = join(t.finding.Ours, figures)
}

// count counts a set.
func (t *tally) count(s dataSet, near bool) {
	t.all++
	if near {
		t.near++
	} else {
		t.far = join(t.far, s.title)
	}
}
