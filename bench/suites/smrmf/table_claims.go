package smrmf

import (
	"fmt"
	"math"
	"strconv"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

// column is one column of Table 1 or 7, judged set by set.
type column struct {
	name, source, statement string
	sets                    []dataSet
	caseOf                  func(s dataSet) string
	key                     string
	printed                 func(s dataSet) string
	why                     string // what is known of the sets that are not met
}

func learnedName(s dataSet) string { return caseName(s, methodTitled("SMRMF")) }

// columns are those that are not judged in a claim of their own kind.
var columns = []column{
	{name: "before-neighbourhoods", source: "Table 1", statement: "The shares of bad neighbourhoods before the selection.", sets: labeledSets(), caseOf: nearestName, key: "bad-nbh",
		printed: func(s dataSet) string { return printedNeighbors[s.key][1] }, why: "the text does not say how its features were scaled"},
	{name: "kernel-similarities-bad", source: "Table 1", statement: "The mean similarity of neighbours in bad neighbourhoods.", sets: labeledSets(), caseOf: nearestName, key: "similarity-bad",
		printed: func(s dataSet) string { return printedNeighbors[s.key][3] }, why: "no similarity to a neighbour is below 0.607 by the kernel that the paper states"},
	{name: "after-neighbours", source: "Table 1", statement: "The shares of bad neighbours after the selection by SMRMF.", sets: labeledSets(), caseOf: learnedName, key: "bad-nn",
		printed: func(s dataSet) string { return printedNeighbors[s.key][4] }},
	{name: "after-neighbourhoods", source: "Table 1", statement: "The shares of bad neighbourhoods after the selection by SMRMF.", sets: labeledSets(), caseOf: learnedName, key: "bad-nbh",
		printed: func(s dataSet) string { return printedNeighbors[s.key][5] }},
	{name: "mismatch-selected", source: "Table 7", statement: "The mean mismatch of the neighbourhoods of samples that SMRMF selects (SNBH).", sets: dataSets, caseOf: learnedName, key: "snbh",
		printed: func(s dataSet) string { return printedSelection[s.key][0] }},
	{name: "mismatch-others", source: "Table 7", statement: "The mean mismatch of the neighbourhoods of the other samples (NSNBH).", sets: dataSets, caseOf: learnedName, key: "nsnbh",
		printed: func(s dataSet) string { return printedSelection[s.key][1] }},
}

func columnClaims() []bench.Claim {
	var list []bench.Claim
	for _, c := range columns {
		list = append(list, c.claim())
	}
	return append(list, selectionLowers, shapesClaim)
}

func (c column) claim() bench.Claim {
	return bench.Claim{
		Name: c.name, Source: papers.SMRMF + ", " + c.source, Statement: c.statement, Paper: "printed beside ours",
		Check: func(r *bench.Records) bench.Finding {
			t := newTally()
			for _, s := range c.sets {
				want, err := strconv.ParseFloat(c.printed(s), 64)
				if err != nil {
					continue
				}
				if v, found := t.quality(r, c.caseOf(s), c.key); found {
					t.show(c.caseOf(s), fmt.Sprintf("%s %.2f (%s)", s.title, v, c.printed(s)))
					t.count(s, math.Abs(v-want) <= closeEnough)
				}
			}
			f := t.finding
			if few, wanting := fewSets(t.all, f); wanting {
				return few
			}
			f.Verdict, f.Why = shareVerdict(t.near, t.all, fmt.Sprintf("within %.2f on %d of %d sets", closeEnough, t.near, t.all), t.far)
			if f.Verdict != bench.Reproduces && c.why != "" {
				f.Why += ": " + c.why
			}
			return f
		},
	}
}

// selectionLowers is the purpose of the selection: where the paper's share of bad
// neighbours falls, and where it rises.
var selectionLowers = bench.Claim{
	Name: "selection-lowers", Source: papers.SMRMF + ", Table 1",
	Statement: "The selection by SMRMF lowers the share of bad neighbours, but on Wave, Semeion, COIL-5 and 20-news.", Paper: "lower on 11 of 15 sets",
	Check: func(r *bench.Records) bench.Finding {
		var f bench.Finding
		agree, far := 0, ""
		for _, s := range labeledSets() {
			names := []string{nearestName(s), learnedName(s)}
			v, found := r.Qualities("bad-nn", names...)
			if len(found) < len(names) {
				continue
			}
			before, _ := strconv.ParseFloat(printedNeighbors[s.key][0], 64)
			after, _ := strconv.ParseFloat(printedNeighbors[s.key][4], 64)
			f.Cases = append(f.Cases, names...)
			f.Ours = join(f.Ours, fmt.Sprintf("%s %.2f to %.2f", s.title, v[0], v[1]))
			if (v[1] < v[0]) == (after < before) {
				agree++
			} else {
				far = join(far, s.title)
			}
		}
		all := len(f.Cases) / 2
		if missing, ready := r.Unready(learnedName(claimedSets("sonar")[0])); !ready && all == 0 {
			return missing
		}
		if few, wanting := fewSets(all, f); wanting {
			return few
		}
		f.Verdict, f.Why = shareVerdict(agree, all, fmt.Sprintf("it goes as printed on %d of %d sets", agree, all), far)
		return f
	},
}

// shapesClaim is Table 3.
var shapesClaim = bench.Claim{
	Name: "shapes", Source: papers.SMRMF + ", Table 3",
	Statement: "The data sets have the numbers of samples and features that are printed.", Paper: "printed beside ours where they differ",
	Check: func(r *bench.Records) bench.Finding {
		var f bench.Finding
		same, far := 0, ""
		for _, s := range dataSets {
			one := r.Get(nearestName(s))
			if one == nil {
				continue
			}
			f.Cases = append(f.Cases, nearestName(s))
			want := printedShapes[s.key]
			if one.Samples == want[0] && one.Features == want[1] {
				same++
				continue
			}
			far = join(far, fmt.Sprintf("%s (%d × %d, printed %d × %d)", s.title, one.Samples, one.Features, want[0], want[1]))
		}
		all := len(f.Cases)
		if few, wanting := fewSets(all, f); wanting {
			return few
		}
		f.Ours = fmt.Sprintf("%d of %d sets at hand", same, all)
		f.Verdict, f.Why = shareVerdict(same, all, fmt.Sprintf("the same for %d of %d", same, all), far)
		return f
	},
}
