// Package timing is the suite that times the methods on the examples of the paper on NEML.
package timing

import (
	"fmt"
	"slices"

	"github.com/orthant-go/orthant/bench"
)

// Suite times the examples of the paper on NEML, which prints no times.
var Suite = bench.Suite{
	Name:  "timing",
	Title: "Running times on NEML's examples",
	About: `The paper on NEML prints no times. Its examples are timed here all the same: processor seconds on one thread, of the embedding alone, without reading and drawing. The times that other papers give are in their own suites: SMRMF's (averages over thirteen data sets) in smrmf, and LNP's (Fig. 6) in lnp.

Next to each time is the error of what was computed in it: dev against coordinates of which the surface is an isometric image (0 is best; for Laplacian eigenmaps, which do not look for such, trustworthiness over 12 neighbours), the share of digits whose nearest neighbour is another digit, the area under the ROC curve of the tumours, and dev against the parameters of the faces.`,
	Speed:    true,
	Cases:    allCases,
	Sections: sections,
}

// nemlExamples are the examples of the NEML paper, without printed times.
var nemlExamples = []struct {
	name   string
	source bench.Source
	k, d   int
	full   bool
	err    func(method string) (bench.Measure, bench.Accuracy) // what is shown next to the seconds
}{
	{"swiss-roll-hole", bench.Generated("swiss-roll-hole", 1500, "params", "isometric"), 15, 2, false, surfaceError},
	{"triple-peak", bench.Generated("triple-peak", 1225), 15, 2, false, surfaceError},
	{"usps-6000", bench.Source{File: "usps.X.npy", PerClass: 600}, 20, 9, true, func(string) (bench.Measure, bench.Accuracy) { return bench.NNError, bench.Reported("nn-error") }},
	{"wdbc", bench.FromFile("wdbc.X.npy"), 10, 1, false, func(string) (bench.Measure, bench.Accuracy) { return bench.AUC, bench.ReportedShare("roc-auc") }},
	{"faces", bench.FromFile("isomap-faces32.X.npy"), 14, 3, false, surfaceError},
}

// surfaceError is the error of an embedding of a surface whose coordinates are known.
func surfaceError(method string) (bench.Measure, bench.Accuracy) {
	if method == "le" {
		return bench.Trustworthiness(trusted), bench.ReportedShare("trustworthiness")
	}
	return bench.Dev, bench.Reported("dev")
}

// trusted is over how many neighbours trustworthiness is measured.
const trusted = 12

var nemlMethods = []string{"lle", "ltsa", "neml", "le", "isomap"}

func allCases(*bench.Env) []bench.Case {
	var list []bench.Case
	for _, x := range nemlExamples {
		for _, method := range nemlMethods {
			measure, accuracy := x.err(method)
			c := bench.Embedding("neml/"+x.name+"/"+method, x.source, method, map[string]any{"neighbors": x.k, "dim": x.d}, measure)
			c.Accuracy = []bench.Accuracy{accuracy}
			c.Group, c.Full, c.Repeats = "neml/"+x.name, x.full, 5
			list = append(list, c)
		}
	}
	return list
}

func sections(r *bench.Records) []bench.Section {
	table := &bench.Table{Columns: append([]string{"example"}, nemlMethods...)}
	for _, x := range nemlExamples {
		row := []bench.Cell{{Text: fmt.Sprintf("%s, k = %d, d = %d", x.name, x.k, x.d)}}
		for _, method := range nemlMethods {
			row = append(row, r.TimedCell("neml/"+x.name+"/"+method, "total"))
		}
		if slices.ContainsFunc(row[1:], func(c bench.Cell) bool { return c.Text != "not run" }) {
			table.Rows = append(table.Rows, row)
		}
	}
	return []bench.Section{{Title: "NEML's examples: processor time, and the error", Table: table, Text: "The paper prints no times."}}
}
