package smrmf

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Whether neighbours are of one class, before and after the selection (Tables 1 and 7),
// and Fig. 1.

// labeledSets are the sets of Table 1, in its order.
func labeledSets() []dataSet { return slices.Concat(moonSets, dataSets) }

func nearestName(s dataSet) string { return s.key + "/neighbours" }

func neighborCases(e *bench.Env) []bench.Case {
	var cases []bench.Case
	for _, s := range labeledSets() {
		draws := s.draws(e, false)
		cases = append(cases, bench.Case{
			Name: nearestName(s), Data: s.source.Name(), N: s.n, M: s.m, Method: "nearest", Repeats: 1, Threads: bench.LongCaseThreads, Needs: s.needs(), Full: !s.quick,
			Params: map[string]any{"neighbors": measures.DefaultNeighbors(s.n), "draws": draws},
			Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
				return s.judge(ctx, e, c, draws)
			},
		})
	}
	return cases
}

// judge looks at the nearest neighbours in every draw of the set.
func (s dataSet) judge(ctx context.Context, e *bench.Env, c *bench.Case, draws int) (*bench.Outcome, error) {
	out := &bench.Outcome{Quality: map[string]float64{}, Series: map[string][]float64{}}
	with, err := bench.MeasureOptions(c)
	if err != nil {
		return nil, err
	}
	for draw := range draws {
		d, err := s.load(e, uint64(draw)+1)
		if err != nil {
			return nil, err
		}
		b, err := measures.NearestBadNeighbors(ctx, d.X, d.Labels, 0, with)
		if err != nil {
			return nil, err
		}
		out.Series["bad-nn"], out.Series["bad-nbh"] = append(out.Series["bad-nn"], b.Neighbors), append(out.Series["bad-nbh"], b.Neighborhoods)
		if b.Good > 0 {
			out.Series["similarity-good"] = append(out.Series["similarity-good"], b.SimilarityGood)
		}
		if b.Bad > 0 {
			out.Series["similarity-bad"] = append(out.Series["similarity-bad"], b.SimilarityBad)
		}
		if draw > 0 {
			continue
		}
		out.Samples, out.Features = d.X.Dims()
		out.DataHash = bench.HashMatrix(d.X)
		if s.m == 2 { // Fig. 1 (a)
			g, err := nearestOf(ctx, d.X, measures.DefaultNeighbors(out.Samples), c.Threads)
			if err != nil {
				return nil, err
			}
			var edges []float64
			for i := range g.Len() {
				for _, j := range g.Of(i) {
					edges = append(edges, float64(i), float64(j))
				}
			}
			out.Pictures = graphPictures(d, nil, edges)
		}
	}
	for key, values := range out.Series {
		out.Quality[key] = bench.Summarize(values).Median
	}
	return out, nil
}

func nearestOf(ctx context.Context, x *mat.Dense, k, threads int) (*neighbors.Graph, error) {
	n, m := x.Dims()
	return neighbors.Exact(ctx, neighbors.Points{N: n, M: m, Data: x.RawMatrix().Data}, k, neighbors.Options{Threads: threads})
}

var neighborClaims = []bench.Claim{
	beforeClaim(),
	{
		Name: "kernel-similarities", Source: papers.SMRMF + ", Table 1",
		Statement: "Neighbours in good and in bad neighbourhoods are about equally similar: .01 to .57 in most of the real sets, .67 to .78 among the moons.",
		Paper:     "printed next to ours",
		Check: func(r *bench.Records) bench.Finding {
			f, near := bench.Finding{}, 0
			var names []string
			for _, s := range labeledSets() {
				names = append(names, nearestName(s))
				v, found := r.Quality(nearestName(s), "similarity-good")
				want, err := strconv.ParseFloat(printedNeighbors[s.key][2], 64)
				if !found || err != nil {
					continue
				}
				f.Cases = append(f.Cases, nearestName(s))
				f.Ours = join(f.Ours, fmt.Sprintf("%s %.2f (%.2f)", s.title, v, want))
				if v-want < closeEnough && want-v < closeEnough {
					near++
				}
			}
			switch all := len(f.Cases); {
			case all == 0:
				return r.FindingWithout(names...)
			case near == all:
				f.Verdict = bench.Reproduces
			default:
				f.Verdict = bench.DoesNot
				if near > 0 {
					f.Verdict = bench.PartlyHolds
				}
				f.Why = fmt.Sprintf("within %.2f on %d of %d sets. By the kernel that the paper states, exp(−d²/2s²) with s the distance to the k-th neighbour, no similarity to a neighbour is below 0.607: what most rows print follows another formula, which is not in the text", closeEnough, near, all)
			}
			return f
		},
	},
	afterClaim("sonar", "SMRMF"), afterClaim("ionosphere", "SMRMF"), afterClaim("movement", "SMRMF"), selectedClaim(),
}

// beforeClaim is that the paper's shares of bad neighbours are met before any selection,
// which depends on the data alone.
func beforeClaim() bench.Claim {
	return bench.Claim{
		Name: "before-selection", Source: papers.SMRMF + ", Table 1",
		Statement: "The shares of bad neighbours before the selection, ⌊√n⌋ nearest in the input.",
		Paper:     "printed next to ours",
		Check: func(r *bench.Records) bench.Finding {
			f := bench.Finding{Verdict: bench.NotRun, Why: "the cases it needs have not been run"}
			near, all := 0, 0
			var far string
			for _, s := range labeledSets() {
				v, found := r.Quality(nearestName(s), "bad-nn")
				if !found {
					continue
				}
				all++
				f.Cases = append(f.Cases, nearestName(s))
				f.Ours = join(f.Ours, fmt.Sprintf("%s %.2f (%s)", s.title, v, printedNeighbors[s.key][0]))
				want, _ := strconv.ParseFloat(printedNeighbors[s.key][0], 64)
				if v-want < closeEnough && want-v < closeEnough {
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
			case near > 0:
				f.Verdict, f.Why = bench.PartlyHolds, fmt.Sprintf("%d of %d are within %.2f, but not %s: the text does not say how its features were scaled", near, all, closeEnough, far)
			default:
				f.Verdict, f.Why = bench.DoesNot, fmt.Sprintf("none of %d is within %.2f", all, closeEnough)
			}
			return f
		},
	}
}

// closeEnough is how near a share or an accuracy has to be to the printed one.
const closeEnough = 0.05

// afterClaim is about the learned graph of a method on a set.
func afterClaim(key, title string) bench.Claim {
	s := dataSets[slices.IndexFunc(dataSets, func(s dataSet) bool { return s.key == key })]
	return bench.Claim{
		Name: "after-selection-" + key, Source: papers.SMRMF + ", Table 1",
		Statement: fmt.Sprintf("On %s the selection lowers the share of bad neighbours.", s.title),
		Paper:     fmt.Sprintf("%s before, %s after", printedNeighbors[key][0], printedNeighbors[key][4]),
		Check: func(r *bench.Records) bench.Finding {
			names := []string{nearestName(s), caseName(s, methodTitled(title))}
			f, ready := r.Unready(names...)
			if !ready {
				return f
			}
			before, _ := r.Quality(names[0], "bad-nn")
			after, found := r.Quality(names[1], "bad-nn")
			if !found {
				return bench.Finding{Verdict: bench.CannotCheck, Why: "the method gave no learned graph", Cases: names}
			}
			f.Ours = fmt.Sprintf("%.2f before, %.2f after", before, after)
			f.Verdict = bench.ReproducesIf(after < before)
			for i, ours := range map[int]float64{0: before, 4: after} {
				want, _ := strconv.ParseFloat(printedNeighbors[key][i], 64)
				if after < before && (ours-want > closeEnough || want-ours > closeEnough) {
					f.Verdict, f.Why = bench.PartlyHolds, fmt.Sprintf("it falls, but one of the two shares is not within %.2f of what is printed", closeEnough)
				}
			}
			return f
		},
	}
}

// join appends a figure to a list of them.
func join(list, one string) string {
	if list == "" {
		return one
	}
	return list + ", " + one
}

// neighborSections shows Tables 1 and 7 and Fig. 1.
func neighborSections(r *bench.Records) []bench.Section {
	before := bench.Section{
		Title: "Table 1: bad neighbours before the selection",
		Text:  "Of the ⌊√n⌋ nearest samples in the input: the share that is of another class (bad neighbours), the share of samples of whose neighbours at least half are (bad neighbourhoods), and the mean similarity exp(−d²/2s²) in good and in bad neighbourhoods, s the distance to the last of them. The paper's similarities in most rows follow another formula, which its text does not give. Generated sets: the median of the draws. In italics the paper's.",
		Table: &bench.Table{Columns: []string{"set", "bad neighbours", "paper", "bad neighbourhoods", "paper", "similarity, good", "paper", "similarity, bad", "paper"}},
	}
	after := bench.Section{
		Title: "Table 1: bad neighbours after the selection",
		Text:  "The same of the learned graph: owners are the exemplars that have a neighbour, neighbours the entries of their row. Of the λ with the best accuracy.",
		Table: &bench.Table{Columns: []string{"set", "SMRMF: bad neighbours", "f-SMRMF", "paper", "SMRMF: bad neighbourhoods", "f-SMRMF", "paper"}},
	}
	selected := bench.Section{
		Title: "Table 7: neighbourhoods of selected and of other samples, SMRMF",
		Text:  "Mean share of a neighbourhood that is of another class: of the exemplars, the entries of the learned graph (SNBH), of the others the ⌊√n⌋ largest entries of their rows of Z (NSNBH); rows without entries have no neighbourhood and are counted as empty. Input: the same of the ⌊√n⌋ nearest samples, which shows whether the samples selected lie better than the others. Of the λ with the best accuracy.",
		Table: &bench.Table{Columns: []string{"set", "selected", "paper", "others", "paper", "empty rows", "input, selected", "input, others"}},
	}
	for _, s := range labeledSets() {
		one, two, three := []bench.Cell{bench.PlainCell(s.title)}, []bench.Cell{bench.PlainCell(s.title)}, []bench.Cell{bench.PlainCell(s.title)}
		paper := printedNeighbors[s.key]
		name := nearestName(s)
		for i, key := range []string{"bad-nn", "bad-nbh", "similarity-good", "similarity-bad"} {
			one = append(one, s.ours(r, name, key, "%.2f"), bench.PaperCell(paper[i]))
		}
		for i, key := range []string{"bad-nn", "bad-nbh"} {
			two = append(two, s.ours(r, caseName(s, methodTitled("SMRMF")), key, "%.2f"), s.ours(r, caseName(s, methodTitled("f-SMRMF")), key, "%.2f"), bench.PaperCell(paper[4+i]))
		}
		before.Table.Rows, after.Table.Rows = append(before.Table.Rows, one), append(after.Table.Rows, two)
		if paper := printedSelection[s.key]; paper != nil {
			name := caseName(s, methodTitled("SMRMF"))
			three = append(three, s.ours(r, name, "snbh", "%.2f"), bench.PaperCell(paper[0]), s.ours(r, name, "nsnbh", "%.2f"), bench.PaperCell(paper[1]), s.ours(r, name, "empty-rows", "%.0f"), s.ours(r, name, "near-selected", "%.2f"), s.ours(r, name, "near-others", "%.2f"))
			selected.Table.Rows = append(selected.Table.Rows, three)
		}
	}
	figure := bench.Section{
		Title: "Fig. 1: the manifold graph on 2DMoons",
		Text:  "Left the graph of the ⌊√n⌋ nearest, which regularises RMNMF; right what the selective methods learn: edges from exemplars, a class of their own, to their neighbours.",
		Pictures: []bench.Figure{
			{Case: nearestName(planeMoons), Picture: "samples", Edges: "edges", Caption: "RMNMF: nearest samples"},
			{Case: caseName(planeMoons, methodTitled("SMRMF")), Picture: "samples", Edges: "edges", Caption: "SMRMF: learned"},
			{Case: caseName(planeMoons, methodTitled("f-SMRMF")), Picture: "samples", Edges: "edges", Caption: "f-SMRMF: learned"},
		},
	}
	return []bench.Section{before, after, selected, figure}
}

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
		Name: c.name, Source: papers.SMRMF + ", " + c.source, Statement: c.statement, Paper: "printed next to ours",
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
	Statement: "The data sets have the numbers of samples and features that are printed.", Paper: "printed next to ours where they differ",
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
