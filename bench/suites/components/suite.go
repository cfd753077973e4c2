// Package components is the suite that embeds data whose neighbour graph is in several parts, with
// bridges between them and with each on its own: it prints the table of docs/graphs.md.
package components

import (
	"slices"

	"github.com/orthant-go/orthant/bench"
)

// Suite compares the two policies that components=auto chooses from.
var Suite = bench.Suite{
	Name:  "components",
	Title: "Neighbour graphs in several parts: bridges, or each on its own",
	About: `Embeddings in two coordinates of samples whose neighbour graph is in several components, by components=bridge and by components=each, the
two that the default chooses from: bridges for methods of edges and paths, each component on its own for local fits. Trustworthiness over 12 neighbours says whether
neighbours in the coordinates are neighbours in the data; the error of the nearest neighbour, by the classes, whether parts lie on each other. Neither sees how parts lie to each other, which only a bridge says.

The better of the two is marked. docs/graphs.md has the table.`,
	Cases:    func(*bench.Env) []bench.Case { return cases() },
	Sections: sections,
}

// methods are some of each kind.
var methods = []string{"le", "diffusion-maps", "isomap", "neml", "ltsa", "lle"}

// policies are the two that auto chooses from.
var policies = []string{"bridge", "each"}

// dataSet is one whose graph of k neighbours is in several components.
type dataSet struct {
	key, title string
	source     bench.Source
	k          int
	full       bool
	columns    []column
}

// column is a measure of a set.
type column struct {
	quality, title string
	measure        bench.Measure
	least          bool // the smaller the better
}

var (
	trust   = column{"trustworthiness", "trustworthiness", bench.Trustworthiness(12), false}
	nearest = column{"nn-error", "1-NN error", bench.NNError, true}
	sets    = []dataSet{
		{"clusters", "6 clusters in 10 dimensions, k = 12", bench.Generated("gaussians", 900, "clusters", "6"), 12, false, []column{trust}},
		{"coil20", "COIL-20, k = 12", bench.FromFile("coil20.X.npy"), 12, true, []column{trust, nearest}},
		{"orl", "ORL faces, k = 5", bench.FromFile("orl32.X.npy"), 5, true, []column{nearest}},
	}
)

func (s *dataSet) name(method, policy string) string {
	return s.key + "/" + method + "/components=" + policy
}

func cases() []bench.Case {
	var list []bench.Case
	for i := range sets {
		s := &sets[i]
		for _, method := range methods {
			for _, policy := range policies {
				var measures []bench.Measure
				for _, c := range s.columns {
					measures = append(measures, c.measure)
				}
				c := bench.Embedding(s.name(method, policy), s.source, method, map[string]any{"neighbors": s.k, "dim": 2, "components": policy}, measures...)
				c.Group, c.Repeats, c.Full = s.key+"/"+method, 1, s.full
				if slices.ContainsFunc(s.columns, func(c column) bool { return c.quality == nearest.quality }) {
					c.Needs = append(c.Needs, "data:"+s.source.PartFile("y"))
				}
				list = append(list, c)
			}
		}
	}
	return list
}

// sections makes the table of the page: a column for each policy and measure.
func sections(r *bench.Records) []bench.Section {
	var list []bench.Section
	for i := range sets {
		s := &sets[i]
		for _, c := range s.columns {
			t := &bench.Table{Columns: append([]string{"method"}, policies...)}
			for _, method := range methods {
				row := []bench.Cell{bench.PlainCell(method)}
				for _, policy := range policies {
					row = append(row, r.QualityCell(s.name(method, policy), c.quality, "%.3f"))
				}
				t.Rows = append(t.Rows, markBetter(row, c))
			}
			if slices.ContainsFunc(t.Rows, func(row []bench.Cell) bool { return row[1].Mark != bench.Absent || row[2].Mark != bench.Absent }) {
				list = append(list, bench.Section{Title: s.title + ": " + c.title, Table: t})
			}
		}
	}
	return list
}

// markBetter marks the better one of two figures as they are printed.
func markBetter(row []bench.Cell, c column) []bench.Cell {
	a, b := &row[1], &row[2]
	if a.Mark == bench.Absent || b.Mark == bench.Absent || a.Text == b.Text {
		return row
	}
	if (a.Text < b.Text) == c.least { // both have one digit before the point
		a.Mark = bench.Better
	} else {
		b.Mark = bench.Better
	}
	return row
}
