package smrmf

import (
	"fmt"
	"strings"

	"github.com/orthant-go/orthant/bench"
)

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
		Text:  "Mean share of a neighbourhood that is of another class: of the exemplars, the entries of the learned graph (SNBH), of the others the ⌊√n⌋ largest entries of their rows of Z (NSNBH); rows without entries have no neighbourhood and are counted as empty. Input: the same of the ⌊√n⌋ nearest samples, which tells whether the samples selected lie better than the others. Of the λ with the best accuracy.",
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

// ours is a cell with a measured figure.
func (s dataSet) ours(r *bench.Records, name, key, format string) bench.Cell {
	return r.Cell(name, func(one *bench.Record) string {
		v, found := one.Quality[key]
		if !found {
			return ""
		}
		return fmt.Sprintf(format, v.Median)
	})
}

// spread is a cell with a median over draws and the least and greatest, or a mean with
// its deviation over starts.
func (s dataSet) spread(r *bench.Records, name, key string) bench.Cell {
	return r.Cell(name, func(one *bench.Record) string {
		v, found := one.Quality[key]
		if !found {
			return ""
		}
		text := fmt.Sprintf("%.3f", v.Median)
		if low, ranged := one.Quality[key+"-low"]; s.generated() && ranged {
			text += fmt.Sprintf(" (%.3f–%.3f)", low.Median, one.Quality[key+"-high"].Median)
		} else if sd := one.Quality[key+"-sd"].Median; !s.generated() && sd > 0 {
			text += fmt.Sprintf(" ± %.3f", sd)
		}
		return text
	})
}

// moonSections shows Table 2.
func moonSections(r *bench.Records) []bench.Section {
	s := bench.Section{
		Title: "Table 2: the two moons",
		Text:  "250 samples a moon. Ours: median (least–greatest) over drawn sets of the best accuracy in the grid of λ, its NMI over the larger entropy, and the median over the sets of the grid's median.",
		Table: &bench.Table{Columns: []string{"set", "method", "ACC", "paper", "NMI", "paper", "ACC, median of the grid"}},
	}
	for _, set := range moonSets {
		for i, title := range []string{"RMNMF", "SMRMF", "f-SMRMF"} {
			name := caseName(set, methodTitled(title))
			paper := []string{"–", "–"}
			if i < 2 {
				paper = printedMoons[set.key][i]
			}
			s.Table.Rows = append(s.Table.Rows, []bench.Cell{bench.PlainCell(set.title), bench.PlainCell(title), set.spread(r, name, "acc"), bench.PaperCell(paper[0]), set.spread(r, name, "nmi"), bench.PaperCell(paper[1]), set.ours(r, name, "grid-median", "%.3f")})
		}
	}
	return []bench.Section{s}
}

// tableSections shows Tables 4 and 5: a row for each set and method would be long,
// so that a set has three rows, ours, the paper's and the grid's median.
func tableSections(r *bench.Records) []bench.Section {
	var sections []bench.Section
	for _, t := range []struct {
		title, key string
		paper      map[string][]string
		text       string
	}{
		{"Table 4: accuracy", "acc", printedACC, "The best of the grid of λ, chosen by the labels, and the median of the grid. "},
		{"Table 5: normalised mutual information", "nmi", printedNMI, "Over the larger entropy, at the λ of the best accuracy. "},
	} {
		s := bench.Section{Title: t.title, Table: &bench.Table{Columns: []string{"set", "figure"}},
			Text: t.text + "Random starts: mean ± standard deviation. Wave: median (least–greatest) over drawn sets. DPP and IPM are RMNMF regularised at the samples that these select; DPP draws them anew for each start, DPP-greedy takes the greedy set of large determinant."}
		for _, m := range clusterings {
			s.Table.Columns = append(s.Table.Columns, m.title)
		}
		for _, set := range dataSets {
			ours, paper, middle := []bench.Cell{bench.PlainCell(set.title), bench.PlainCell("ours")}, []bench.Cell{bench.PlainCell(""), bench.PlainCell("paper")}, []bench.Cell{bench.PlainCell(""), bench.PlainCell("median of the grid")}
			for i, m := range clusterings {
				printed := "–"
				if m.as == "" {
					printed = t.paper[set.key][i]
				}
				ours = append(ours, set.spread(r, caseName(set, m), t.key))
				paper, middle = append(paper, bench.PaperCell(printed)), append(middle, gridMedian(r, set, m))
			}
			s.Table.Rows = append(s.Table.Rows, ours, paper)
			if t.key == "acc" && set.n <= gridded {
				s.Table.Rows = append(s.Table.Rows, middle)
			}
		}
		sections = append(sections, s)
	}
	return sections
}

// gridMedian is a cell with the median over the grid, where there was one.
func gridMedian(r *bench.Records, s dataSet, m method) bench.Cell {
	name := caseName(s, m)
	one := r.Get(name)
	if one == nil || len(one.Series["acc-by-lambda"]) < 2 && !s.generated() {
		return bench.PlainCell("")
	}
	v, found := one.Quality["grid-median"]
	if !found {
		return bench.PlainCell("")
	}
	return bench.Cell{Text: fmt.Sprintf("%.3f", v.Median), Case: name}
}

// namesOf lists the cases of methods on a set.
func namesOf(s dataSet, titles ...string) []string {
	var names []string
	for _, title := range titles {
		names = append(names, caseName(s, methodTitled(title)))
	}
	return names
}

// printedOf is what the paper prints of a method on a set.
func printedOf(table map[string][]string, s dataSet, title string) string {
	return table[s.key][methodTitled(title).column()]
}

// titles joins names of sets.
func titles(sets []dataSet) string {
	var list []string
	for _, s := range sets {
		list = append(list, s.title)
	}
	return strings.Join(list, ", ")
}
