// Package peers is the suite that compares orthant with scikit-learn and Tapkee, and holds
// the benchmarks that do so.
package peers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/bench"
)

// Suite compares orthant with scikit-learn and Tapkee.
var Suite = bench.Suite{
	Name:  "peers",
	Title: "orthant compared with scikit-learn and Tapkee",
	About: `The same samples, the same k = 12 and d = 2, one thread each, repeats taken in turn. scikit-learn is timed around the call, after its imports, and for the rows of the README also a newer one, by the Python that ORTHANT_PYTHON_TODAY names; orthant likewise, after its input is read. Tapkee and "orthant embed" are timed as whole processes that read and write text. Peaks of memory are for the whole process.

What is compared is not the same to the last digit. scikit-learn's spectral embedding counts a sample among its own k neighbours and symmetrises by the mean, ours does neither; its eigensolver stops at a tolerance of 1e-6 to 1e-7, ours at a residual near rounding. scikit-learn builds the dense n × n matrix for the modified, Hessian and tangent variants, whatever the solver. Tapkee's Laplacian eigenmaps weigh by a heat kernel of width 1, ours are unweighted; it writes six digits.

Both sides' results are read back and measured alike. dev is the relative error of the best affine map to height and arc length on the roll (0 is best); for Laplacian eigenmaps, which look for something else, there is the sine of the angle between the coordinates and the functions along the strip that a graph Laplacian tends to; trustworthiness (1 is best) is over 12 neighbours; recall is the share of the true nearest distances among those found, on 200 samples. orthant counts as faster only where its error is at most 1.2 times the other's, or dev at most 0.0001, trustworthiness at least 0.999; and every neighbour has to be right. scikit-learn regularises the weights of LLE and the methods like it by 0.001, orthant by what the data want: their errors are their own.`,
	Speed:    true,
	Cases:    cases,
	Claims:   append(claims(), readmeClaims()...),
	Versus:   versus,
	Sections: sections,
}

// versus puts all comparisons side by side, starting with the README's.
func versus() []bench.Versus {
	var printed, others []bench.Versus
	for _, set := range sets() {
		for _, m := range methods {
			if slices.Contains(set.without, m.name) {
				continue
			}
			group := set.name + "/" + m.name
			what := fmt.Sprintf("%s, %s", set.name, m.name)
			list := &others
			if inReadme(group) {
				list = &printed
			}
			*list = append(*list, bench.Versus{What: what, Program: "scikit-learn", Ours: group + "/" + oursSide, Theirs: group + "/" + sklearnSide})
			if inReadme(group) {
				others = append(others, bench.Versus{What: what, Program: "today's scikit-learn", Ours: group + "/" + oursSide, Theirs: group + "/" + todaySide})
			}
			if m.tapkee && !set.noTapkee {
				others = append(others, bench.Versus{What: what + ", text to text", Program: "Tapkee", Ours: group + "/" + commandSide, Theirs: group + "/" + tapkeeSide})
			}
		}
	}
	return append(printed, others...)
}

// methods are the methods compared, with their other arguments and
// the programs that have them.
var methods = []struct {
	name   string
	peer   string // scikit-learn's name for it
	tapkee bool
}{
	{"lle", "lle", true}, {"mlle", "mlle", false}, {"hlle", "hlle", true}, {"ltsa", "ltsa", true},
	{"le", "le", true}, {"isomap", "isomap", true}, {"pca", "pca", true}, {"neighbors", "neighbors", false},
}

// dataSet is a data set of the comparison.
type dataSet struct {
	name    string
	source  bench.Source
	full    bool     // left out by --quick
	quickly []string // methods that --quick does not leave out of a full set
	quality []bench.Measure
	without []string // methods that take too long here on the other side

	noTapkee bool // likewise
}

func sets() []dataSet {
	roll := func(n int) bench.Source { return bench.Generated("swiss-roll", n, "params", "isometric") }
	shape := []bench.Measure{bench.Dev, bench.Trustworthiness(12)}
	return []dataSet{
		{name: "swiss-roll-2000", source: roll(2000), quality: shape},
		{name: "swiss-roll-5000", source: roll(5000), full: true, quickly: []string{"lle"}, quality: shape},
		{name: "swiss-roll-10000", source: roll(10000), full: true, quality: shape, without: []string{"isomap"}},
		// scikit-learn holds these as dense matrices, and factorises them.
		{name: "swiss-roll-20000", source: roll(20000), full: true, quality: shape, without: []string{"isomap", "mlle", "hlle", "ltsa"}},
		{name: "usps", source: bench.FromFile("usps.X.npy"), full: true, quickly: []string{"neighbors"}, quality: []bench.Measure{bench.Trustworthiness(12)},
			without: []string{"isomap", "mlle", "hlle", "ltsa"}, noTapkee: true}, // minutes a run on the other side
	}
}

// The sides of a comparison, which are the last parts of the names of cases.
const (
	oursSide    = "orthant"
	sklearnSide = "scikit-learn"
	todaySide   = "scikit-learn-today"
	commandSide = "command"
	tapkeeSide  = "tapkee"
)

func cases(*bench.Env) []bench.Case {
	var list []bench.Case
	for _, set := range sets() {
		for _, m := range methods {
			if slices.Contains(set.without, m.name) {
				continue
			}
			group := set.name + "/" + m.name
			for _, c := range peersOf(&set, m.name, m.peer, m.tapkee && !set.noTapkee) {
				c.Group, c.Full = group, set.full && !slices.Contains(set.quickly, m.name)
				c.Name = group + "/" + c.Name
				list = append(list, c)
			}
		}
	}
	return list
}

// peersOf makes the cases of one method on one set.
func peersOf(set *dataSet, method, peer string, tapkee bool) []bench.Case {
	if method == "neighbors" {
		ours := bench.Neighbors(oursSide, set.source, 12, bench.MeanDistance, bench.Recall)
		ours.Fresh, ours.Accuracy = true, []bench.Accuracy{bench.AtLeast("recall", 1)}
		theirs := bench.Sklearn(sklearnSide, set.source, peer, map[string]any{"neighbors": 12}, bench.MeanDistance, bench.Recall)
		theirs.Accuracy = []bench.Accuracy{bench.ReportedShare("recall")}
		list := []bench.Case{ours, theirs}
		if inReadme(set.name + "/" + method) {
			today := bench.SklearnToday(todaySide, set.source, peer, map[string]any{"neighbors": 12}, bench.MeanDistance, bench.Recall)
			today.Accuracy = theirs.Accuracy
			list = append(list, today)
		}
		return list
	}
	params := map[string]any{"neighbors": 12, "dim": 2}
	if method == "pca" {
		params = map[string]any{"dim": 2}
	}
	own := params
	if method == "le" {
		own = map[string]any{"neighbors": 12, "dim": 2, "graph": "average"} // scikit-learn's graph
	}
	quality, accuracy := set.errorOf(method)
	group := set.name + "/" + method + "/"
	ours := bench.Embedding(oursSide, set.source, method, own, quality...)
	ours.Fresh, ours.Accuracy = true, []bench.Accuracy{accuracy.Against(group+sklearnSide, bench.MaxErrorRatio)}
	theirs := bench.Sklearn(sklearnSide, set.source, peer, params, quality...)
	theirs.Accuracy = []bench.Accuracy{accuracy.WithoutLimit()}
	theirs.Needs = append(theirs.Needs, "method:"+method) // alone it says nothing
	list := []bench.Case{ours, theirs}
	if inReadme(set.name + "/" + method) {
		today := bench.SklearnToday(todaySide, set.source, peer, params, quality...)
		today.Accuracy, today.Needs = theirs.Accuracy, append(today.Needs, "method:"+method)
		list = append(list, today)
	}
	if tapkee {
		command := bench.Command(commandSide, set.source, ".csv", method, params, quality...)
		command.Accuracy = []bench.Accuracy{accuracy.Against(group+tapkeeSide, bench.MaxErrorRatio)}
		theirs := bench.Tapkee(tapkeeSide, set.source, method, params, quality...)
		theirs.Accuracy = []bench.Accuracy{accuracy.WithoutLimit()}
		theirs.Needs = append(theirs.Needs, "method:"+method)
		list = append(list, command, theirs)
	}
	return list
}

// errorOf returns what is measured of the embeddings of a method, and which of it is shown
// next to the seconds.
func (s *dataSet) errorOf(method string) ([]bench.Measure, bench.Accuracy) {
	switch {
	case s.source.Generator == "":
		return s.quality, bench.AtLeast("trustworthiness", 0.999)
	case method == "le":
		return append(slices.Clone(s.quality), bench.StripAngle), bench.Reported("angle")
	}
	return s.quality, bench.AtMost("dev", 1e-4)
}

// claims are targets of our own.
func claims() []bench.Claim {
	faster := func(group string, times float64) bench.Claim {
		return bench.Claim{
			Name: "faster/" + group, Source: "orthant",
			Statement: fmt.Sprintf("%s takes less processor time than scikit-learn, with no more memory and no worse a result", strings.Replace(group, "/", ", ", 1)),
			Paper:     fmt.Sprintf("at least %g times faster", times),
			Check:     func(r *bench.Records) bench.Finding { return fasterThanSklearn(r, group, times) },
		}
	}
	return []bench.Claim{
		faster("swiss-roll-20000/lle", 3), faster("swiss-roll-10000/mlle", 8), faster("swiss-roll-10000/ltsa", 3), faster("swiss-roll-20000/le", 3),
		faster("swiss-roll-5000/lle", 3), faster("swiss-roll-5000/isomap", 2.5), faster("usps/lle", 3), faster("usps/neighbors", 2), faster("usps/pca", 1),
		{
			Name: "isomap-memory", Source: "orthant", Paper: "at most 250 MiB",
			Statement: "Isomap of 5000 samples stays within 250 MiB, reading and all",
			Check:     isomapMemory,
		},
		{
			Name: "tapkee/swiss-roll-20000/lle", Source: "orthant",
			Statement: "LLE of 20 000 samples from text to text takes less processor time than Tapkee's command",
			Check:     fasterThanTapkee,
		},
	}
}

func fasterThanSklearn(r *bench.Records, group string, times float64) bench.Finding {
	ours, theirs := group+"/"+oursSide, group+"/"+sklearnSide
	f, ready := r.Sound(ours, theirs)
	if !ready {
		return f
	}
	a, _ := r.CPU(ours)
	b, _ := r.CPU(theirs)
	one, other := r.Get(ours), r.Get(theirs)
	var short []string
	if b < times*a {
		short = append(short, fmt.Sprintf("only %.1f times faster", b/a))
	}
	if one.PeakBytes > other.PeakBytes {
		short = append(short, "more memory")
	}
	return r.SpeedFinding(len(short) == 0, fmt.Sprintf("%.1f times faster, %s to %s; %s to %s", b/a, bench.PeakText(one), bench.PeakText(other),
		r.AccuracyCell(ours).Text, r.AccuracyCell(theirs).Text), []string{ours, theirs}, short...)
}

func isomapMemory(r *bench.Records) bench.Finding {
	const ours, most = "swiss-roll-5000/isomap/" + oursSide, 250 << 20
	f, ready := r.Unready(ours)
	if !ready {
		return f
	}
	f.Verdict, f.Ours = bench.TargetReached, bench.PeakText(r.Get(ours))
	if r.Get(ours).PeakBytes > most {
		f.Verdict = bench.TargetMissed
	}
	return f
}

func fasterThanTapkee(r *bench.Records) bench.Finding {
	ours, theirs := "swiss-roll-20000/lle/"+commandSide, "swiss-roll-20000/lle/"+tapkeeSide
	f, ready := r.Sound(ours, theirs)
	if !ready {
		return f
	}
	a, _ := r.CPU(ours)
	b, _ := r.CPU(theirs)
	var short []string
	if b < a {
		short = []string{"Tapkee took less"}
	}
	return r.SpeedFinding(len(short) == 0, fmt.Sprintf("%.1f times faster; %s to %s", b/a, r.AccuracyCell(ours).Text, r.AccuracyCell(theirs).Text), []string{ours, theirs}, short...)
}

// sections makes a table for each data set, and one of whole processes.
func sections(r *bench.Records) []bench.Section {
	var list []bench.Section
	for _, set := range sets() {
		if t := setTable(r, &set, sklearnSide); len(t.Rows) > 0 {
			list = append(list, bench.Section{Title: set.name + ": orthant and scikit-learn", Table: t})
		}
		if t := setTable(r, &set, todaySide); len(t.Rows) > 0 {
			list = append(list, bench.Section{Title: set.name + ": orthant and today's scikit-learn", Table: t})
		}
		if t := processesTable(r, &set); len(t.Rows) > 0 {
			list = append(list, bench.Section{Title: set.name + ": whole processes, text to text", Table: t})
		}
	}
	return list
}

func setTable(r *bench.Records, set *dataSet, side string) *bench.Table {
	t := &bench.Table{Columns: []string{"method", "orthant", "scikit-learn", "times faster", "peak of memory", "theirs", "trustworthiness", "theirs"}}
	for _, m := range methods {
		ours, theirs := set.name+"/"+m.name+"/"+oursSide, set.name+"/"+m.name+"/"+side
		if r.Lookup(theirs) == nil && (r.Lookup(ours) == nil || side == todaySide) {
			continue
		}
		t.Rows = append(t.Rows, sides(r, m.name, ours, theirs))
	}
	return t
}

func processesTable(r *bench.Records, set *dataSet) *bench.Table {
	t := &bench.Table{Columns: []string{"method", "orthant embed", "tapkee", "times faster", "peak of memory", "theirs", "trustworthiness", "theirs"}}
	for _, m := range methods {
		ours, theirs := set.name+"/"+m.name+"/"+commandSide, set.name+"/"+m.name+"/"+tapkeeSide
		if r.Lookup(ours) == nil && r.Lookup(theirs) == nil {
			continue
		}
		t.Rows = append(t.Rows, sides(r, m.name, ours, theirs))
	}
	return t
}

// sides is a row of what both sides took and reached. Times by the clock are in the records.
func sides(r *bench.Records, method, ours, theirs string) []bench.Cell {
	row := []bench.Cell{{Text: method}, r.TimedCell(ours, "total"), r.TimedCell(theirs, "total"), r.TimesFaster(ours, theirs)}
	for _, text := range []func(*bench.Record) string{bench.PeakText, bench.QualityText("trustworthiness")} {
		row = append(row, r.Cell(ours, text), r.Cell(theirs, text))
	}
	return row
}

// readmeRows are the rows of the README's table by group, less their titles: processor seconds of
// both, times faster, both errors, and both peaks of memory.
var readmeRows = []struct{ group, words string }{
	{"swiss-roll-20000/lle", "| LLE, swiss roll, 20 000 samples, k = 12 | 0.381 | 3.69 | 9.7 | dev 0.0018 / 0.058 | 76 / 231 |"},
	{"swiss-roll-10000/mlle", "| modified LLE, 10 000 samples | 0.172 | 4.18 | 24 | dev 0.00061 / 0.0012 | 53 / 783 |"},
	{"swiss-roll-10000/ltsa", "| LTSA, 10 000 samples | 0.187 | 24.3 | 130 | dev 0.00034 / 0.00042 | 53 / 1544 |"},
	{"swiss-roll-20000/le", "| Laplacian eigenmaps, 20 000 samples | 0.260 | 17.0 | 65 | angle 0.023 / 0.023 | 54 / 165 |"},
	{"swiss-roll-5000/isomap", "| Isomap, 5000 samples | 0.430 | 17.2 | 40 | dev 0.0055 / 0.0055 | 94 / 876 |"},
	{"usps/neighbors", "| 12 nearest neighbours of 11 000 digits in 256 columns | 0.521 | 2.56 | 4.9 | recall 1 / 1 | 62 / 135 |"},
}

// todayRows are the rows of the table with a newer scikit-learn.
var todayRows = []struct{ group, words string }{
	{"swiss-roll-20000/lle", "| LLE, swiss roll, 20 000 samples, k = 12 | 0.460 | 5.05 | 11 | dev 0.0018 / 0.058 | 76 / 317 |"},
	{"swiss-roll-10000/mlle", "| modified LLE, 10 000 samples | 0.148 | 17.9 | 121 | dev 0.00061 / 0.0012 | 53 / 281 |"},
	{"swiss-roll-10000/ltsa", "| LTSA, 10 000 samples | 0.135 | 12.6 | 93 | dev 0.00034 / 0.00042 | 53 / 266 |"},
	{"swiss-roll-20000/le", "| Laplacian eigenmaps, 20 000 samples | 0.213 | 0.739 | 3.5 | angle 0.023 / 0.023 | 54 / 247 |"},
	{"swiss-roll-5000/isomap", "| Isomap, 5000 samples | 0.423 | 8.63 | 20 | dev 0.0055 / 0.0055 | 96 / 768 |"},
	{"usps/neighbors", "| 12 nearest neighbours of 11 000 digits in 256 columns | 0.460 | 2.31 | 5.0 | recall 1 / 1 | 63 / 217 |"},
}

// inReadme reports whether a row of the README is about a group.
func inReadme(group string) bool {
	for _, row := range readmeRows {
		if row.group == group {
			return true
		}
	}
	return false
}

func readmeClaims() []bench.Claim {
	var list []bench.Claim
	for _, row := range readmeRows {
		list = append(list, bench.Claim{
			Name: "readme/" + row.group, Source: "orthant", Paper: row.words,
			Statement: row.group + " is as many times faster than scikit-learn as the README prints, less a tenth at most, with no more than a tenth more error and memory.",
			Check:     func(r *bench.Records) bench.Finding { return asPrinted(r, row.group, sklearnSide, row.words) },
		})
	}
	for _, row := range todayRows {
		list = append(list, bench.Claim{
			Name: "readme/today/" + row.group, Source: "orthant", Paper: row.words,
			Statement: row.group + " is as many times faster than today's scikit-learn as the README prints, less a tenth at most, with no more than a tenth more error and memory.",
			Check:     func(r *bench.Records) bench.Finding { return asPrinted(r, row.group, todaySide, row.words) },
		})
	}
	return list
}

// asPrinted judges what does not depend on the machine's speed: the ratio of the seconds, the
// error and the memory.
func asPrinted(r *bench.Records, group, side, words string) bench.Finding {
	ours, theirs := group+"/"+oursSide, group+"/"+side
	f, ready := r.Sound(ours, theirs)
	if !ready {
		return f
	}
	figures := bench.Figures(words)
	figures = figures[len(figures)-7:]
	times, printedError, printedMiB := figures[2], figures[3], figures[5]
	a, _ := r.CPU(ours)
	b, _ := r.CPU(theirs)
	var why []string
	if b < times*(1-bench.FigureTolerance)*a {
		why = append(why, fmt.Sprintf("%.3g times faster, not %g", b/a, times))
	}
	one := r.Get(ours)
	accuracy := one.Accuracy[0]
	v, _ := r.Quality(ours, accuracy.Quality)
	if accuracy.Share && v < printedError || !accuracy.Share && v > printedError*(1+bench.FigureTolerance) {
		why = append(why, fmt.Sprintf("%s is %s, not %g", accuracy.Quality, bench.ErrorText(v), printedError))
	}
	if float64(one.PeakBytes) > printedMiB*(1+bench.FigureTolerance)*(1<<20) {
		why = append(why, fmt.Sprintf("%s, not %g MiB", bench.PeakText(one), printedMiB))
	}
	return r.SpeedFinding(len(why) == 0, fmt.Sprintf("%.3g s to %.3g s, %.3g times faster; %s to %s; %s to %s", a, b, b/a,
		r.AccuracyCell(ours).Text, r.AccuracyCell(theirs).Text, bench.PeakText(one), bench.PeakText(r.Get(theirs))), f.Cases, why...)
}
