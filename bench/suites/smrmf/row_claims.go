package smrmf

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

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

// rowClaims are those of all methods, and of the greedy form of DPP.
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
		Statement: fmt.Sprintf(t.statement, m.title), Paper: "printed beside ours",
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
				f.Why = join(f.Why, "Ionosphere's larger class is .641 of it, so that an accuracy about there tells little")
			}
			return f
		},
	}
}

// shareVerdict is that of a list of figures of which some are near what is printed: all
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
