// Package timing is the suite that prints the running times of the papers beside ours.
package timing

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
	"github.com/orthant-go/orthant/engine"
)

// Suite prints the papers' running times beside ours.
var Suite = bench.Suite{
	Name:  "timing",
	Title: "The papers' running times beside ours",
	About: `Two of the five papers say how long their methods ran, as far as their text is at hand. The paper on SMRMF (Mani, Domeniconi, Griva 2020) prints averages over thirteen data sets: those are in the suite smrmf. The paper on LNP draws curves of the time against the size of neighbourhoods (its Figure 6) without a number or a machine. The papers on NEML, on nonnegative embeddings and on robust nonnegative patch alignment give no times; of the first, its examples are timed here all the same.

Times of another machine, language and year do not compare as such. What does is the ratio of two methods on one machine, and that is what the claims are about. Ours are processor seconds on one thread, of the embedding alone: reading and drawing are not in them.

Beside each time stands the error of what was computed in it. On the LNP paper's sets that is trustworthiness over 12 neighbours (1 is best), the mean over all sizes of neighbourhoods: LNP is called faster than a method only where its loss of trustworthiness is at most 1.2 times that method's. On NEML's examples it is dev against coordinates of which the surface is an isometric image (0 is best; for Laplacian eigenmaps, which do not look for such, trustworthiness), the share of digits whose nearest neighbour is another digit, the area under the ROC curve of the tumours, and dev against the parameters of the faces.`,
	Speed:    true,
	Cases:    allCases,
	Claims:   claims,
	Sections: sections,
}

// timedMethod is a method by its name in a paper and ours.
type timedMethod struct{ paper, name string }

// lnpMethods are the four methods of the LNP paper's Figure 6, as it names them.
var lnpMethods = []timedMethod{{paper: "LLE", name: "lle"}, {paper: "LEM", name: "le"}, {paper: "SMCE", name: "smce"}, {paper: "LNP", name: "lnp"}}

// lnpSets are the data sets of Figure 6 a–d. The paper's noise is not stated,
// and its faces are larger.
var lnpSets = []struct {
	name   string
	part   string
	source bench.Source
}{
	{"trefoil", "6a", bench.Generated("trefoil", 110)}, {"two-trefoils", "6b", bench.Generated("two-trefoils", 400)},
	{"duck", "6c", bench.Source{File: "coil20.X.npy", Classes: []int64{0}}}, {"extended-yale-b", "6d", bench.FromFile("yaleb32.X.npy")},
}

// lnpSizes are the sizes of neighbourhoods that are timed, where the paper has
// all from 2 to n − 1 or 100.
var lnpSizes = []int{2, 3, 5, 10, 20, 40, 60}

// nemlExamples are the examples of the NEML paper, without printed times.
var nemlExamples = []struct {
	name   string
	source bench.Source
	k, d   int
	full   bool
	err    func(method string) (bench.Measure, bench.Accuracy) // what stands beside the seconds
}{
	{"swiss-roll-hole", bench.Generated("swiss-roll-hole", 1500, "params", "isometric"), 15, 2, false, surfaceError},
	{"triple-peak", bench.Generated("triple-peak", 1225), 15, 2, false, surfaceError},
	{"usps-6000", bench.Source{File: "usps.X.npy", PerClass: 600}, 20, 9, true, func(string) (bench.Measure, bench.Accuracy) { return bench.NNError, bench.Shown("nn-error") }},
	{"wdbc", bench.FromFile("wdbc.X.npy"), 10, 1, false, func(string) (bench.Measure, bench.Accuracy) { return bench.AUC, bench.ShownShare("roc-auc") }},
	{"faces", bench.FromFile("isomap-faces32.X.npy"), 14, 3, false, surfaceError},
}

// surfaceError is the error of an embedding of a surface whose coordinates are known.
func surfaceError(method string) (bench.Measure, bench.Accuracy) {
	if method == "le" {
		return bench.Trustworthiness(trusted), bench.ShownShare("trustworthiness")
	}
	return bench.Dev, bench.Shown("dev")
}

// trusted is over how many neighbours trustworthiness is measured.
const trusted = 12

var nemlMethods = []string{"lle", "ltsa", "neml", "le", "isomap"}

func allCases(*bench.Env) []bench.Case {
	var list []bench.Case
	for _, set := range lnpSets {
		for _, m := range lnpMethods {
			c := sweep("lnp-6/"+set.name, m.name, set.source)
			c.Full = set.source.File == "yaleb32.X.npy" // a minute or so
			list = append(list, c)
		}
	}
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

// sweep times a method at each size of neighbourhoods and adds them up.
func sweep(group, method string, source bench.Source) bench.Case {
	c := bench.Case{
		Name: group + "/" + method, Group: group, Data: source.Name(), N: source.N, Method: method, Repeats: 5,
		Params: map[string]any{"neighbors": fmt.Sprint(lnpSizes), "dim": 2, "components": "joint"},
		Needs:  append(source.Needs(), "method:"+method), Accuracy: []bench.Accuracy{bench.ShownShare("trustworthiness")},
	}
	c.Run = func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
		out := &bench.Outcome{Seconds: engine.Seconds{}, CPUSeconds: engine.Seconds{}, Series: map[string][]float64{}}
		for _, k := range lnpSizes {
			one := bench.Embedding("", source, method, map[string]any{"neighbors": k, "dim": 2, "components": "joint"}, bench.Trustworthiness(trusted))
			if err := addRun(out, ctx, e, &one); err != nil {
				return nil, fmt.Errorf("%d neighbours: %w", k, err)
			}
			out.Series["neighbors"] = append(out.Series["neighbors"], float64(k))
		}
		kept := out.Series["trustworthiness"]
		out.Quality = map[string]float64{"trustworthiness": stat.Mean(kept, nil)}
		return out, nil
	}
	return c
}

// addRun runs a case and adds its times to an outcome, and its total and
// trustworthiness to the series of these names.
func addRun(out *bench.Outcome, ctx context.Context, e *bench.Env, c *bench.Case) error {
	one, err := c.Run(ctx, e, c)
	if err != nil {
		return err
	}
	for phase, s := range one.Seconds {
		out.Seconds[phase] += s
	}
	for phase, s := range one.CPUSeconds {
		out.CPUSeconds[phase] += s
	}
	out.Series["cpu"] = append(out.Series["cpu"], one.CPUSeconds["total"])
	out.Series["trustworthiness"] = append(out.Series["trustworthiness"], one.Quality["trustworthiness"])
	out.Samples, out.Features, out.DataHash, out.Backend = one.Samples, one.Features, one.DataHash, one.Backend
	return nil
}

var claims = []bench.Claim{
	fastestOfFour("trefoil"), fastestOfFour("two-trefoils"), fastestOfFour("duck"), fastestOfFour("extended-yale-b"),
}

// fastestOfFour is the LNP paper's claim on one of its data sets.
func fastestOfFour(set string) bench.Claim {
	return bench.Claim{
		Name: "lnp-fastest/" + set, Source: papers.LNP + ", Fig. 6",
		Statement: "On " + set + " LNP takes less time than LLE, LEM and SMCE", Paper: "a figure; no numbers",
		Check: func(r *bench.Records) bench.Finding {
			var cases []string
			for _, m := range lnpMethods {
				cases = append(cases, "lnp-6/"+set+"/"+m.name)
			}
			f, ready := r.Sound(cases...)
			if !ready {
				return f
			}
			var said, short []string
			own := cases[len(cases)-1]
			lnp, _ := r.CPU(own)
			kept, _ := r.Quality(own, "trustworthiness")
			for i, m := range lnpMethods {
				cpu, _ := r.CPU(cases[i])
				its, _ := r.Quality(cases[i], "trustworthiness")
				said = append(said, fmt.Sprintf("%s %.3g s, trustworthiness %.3f", m.paper, cpu, its))
				switch {
				case cpu < lnp:
					short = append(short, m.paper+" is faster here")
				case 1-kept > bench.AsGood*(1-its):
					short = append(short, fmt.Sprintf("it loses more than %g times the trust that %s loses", bench.AsGood, m.paper))
				}
			}
			f.Verdict, f.Why, f.Ours = bench.ReproducesIf(len(short) == 0), strings.Join(short, "; "), strings.Join(said, ", ")
			return f
		},
	}
}

func sections(r *bench.Records) []bench.Section {
	var list []bench.Section
	for _, set := range lnpSets {
		list = append(list, lnpSection(r, set.name, set.part))
	}
	return append(list, nemlSection(r))
}

// lnpSection is a part of Figure 6: the sums, and the curves where there are any.
func lnpSection(r *bench.Records, set, part string) bench.Section {
	table := &bench.Table{Columns: []string{"method", "paper", "ours, processor, all sizes, and trustworthiness"}}
	plot := &bench.Plot{XLabel: "neighbours", YLabel: "processor seconds", LogY: true}
	for _, m := range lnpMethods {
		name := "lnp-6/" + set + "/" + m.name
		table.Rows = append(table.Rows, []bench.Cell{{Text: m.paper}, {Text: "a curve, no numbers", Mark: bench.Paper}, r.TimedCell(name, "total")})
		if one := r.Get(name); one != nil {
			plot.Curves = append(plot.Curves, bench.Curve{Name: m.paper, X: one.Series["neighbors"], Y: one.Series["cpu"], Cases: []string{name}})
		}
	}
	s := bench.Section{Title: fmt.Sprintf("LNP, Figure %s: %s", part, set), Table: table}
	if len(plot.Curves) > 0 {
		s.Plot = plot
	}
	return s
}

func nemlSection(r *bench.Records) bench.Section {
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
	return bench.Section{Title: "NEML's examples: processor time, and the error", Table: table, Text: "The paper prints no times for these."}
}
