package rnpa

import (
	"fmt"
	"strconv"

	"github.com/orthant-go/orthant/bench"
)

// meanAndDeviation is a cell with a mean and its deviation over the repeats.
func meanAndDeviation(r *bench.Records, name, key string) bench.Cell {
	return r.Cell(name, func(one *bench.Record) string {
		s, found := one.Quality[key]
		if !found {
			return ""
		}
		return fmt.Sprintf("%.3f ± %.3f", s.Median, one.Quality[key+"-sd"].Median)
	})
}

// robustClusterSections has a table for each set and corruption.
func robustClusterSections(r *bench.Records) []bench.Section {
	var sections []bench.Section
	for _, set := range imageSets {
		for _, q := range imageNoises {
			s := bench.Section{
				Title: fmt.Sprintf("Clustering: %s, %s", set.title, q.title),
				Text:  fmt.Sprintf("%d components, k-means among the coordinates; mean ± standard deviation of the repeats.", set.classes),
				Table: &bench.Table{Columns: []string{"method", "ACC", "NMI"}},
			}
			for _, c := range clusterings {
				name := clustering{set: set, noise: q, coder: c}.name()
				s.Table.Rows = append(s.Table.Rows, []bench.Cell{bench.PlainCell(c.title), meanAndDeviation(r, name, "acc"), meanAndDeviation(r, name, "nmi")})
			}
			sections = append(sections, s)
		}
	}
	return sections
}

// robustTraceSections shows how the factorisations of the first repeat went.
func robustTraceSections(r *bench.Records) []bench.Section {
	var sections []bench.Section
	text := "The first repeat. The objective is what the paper plots, over its value at the start: of the correntropy methods (5), Σ(1 − exp(−e²/2σ²)) plus the graph term, with the σ² of the iteration. The surrogate is what the updates lower while σ² is fixed: of the correntropy methods 2σ²Σ(1 − exp(−e²/2σ²)) plus the graph term, of the others the objective. Neither need fall while σ² is adapted (see Theorem 1). The relative error is ‖X − WH‖/‖X‖ for all of them."
	for _, set := range imageSets {
		for _, q := range imageNoises {
			for _, part := range []struct{ key, name, label string }{{"objective", "objective", "objective, over that of the start"}, {"surrogate", "surrogate", "surrogate, over that of the start"}, {"residual", "error", "relative error"}} {
				s := bench.Section{
					Title: fmt.Sprintf("Convergence (Fig. 14): %s, %s, %s", set.title, q.title, part.name), Text: text,
					Plot: &bench.Plot{XLabel: "iteration", YLabel: part.label, LogX: true, LogY: part.key != "residual"},
				}
				for _, c := range []coder{nmfCoder, gnmfCoder, cimLong, printedRNA, betterRNA} {
					if curve := traceOf(r, clustering{set: set, noise: q, coder: c}.name(), part.key, c.title); len(curve.X) > 0 {
						s.Plot.Curves = append(s.Plot.Curves, curve)
					}
				}
				if len(s.Plot.Curves) > 0 {
					sections, text = append(sections, s), ""
				}
			}
		}
	}
	return sections
}

// traceOf is a series by iteration without the start, which a logarithmic axis
// cannot show; objectives are over that of the start.
func traceOf(r *bench.Records, name, key, title string) bench.Curve {
	c := bench.Curve{Name: title, Cases: []string{name}}
	one := r.Get(name)
	if one != nil && key == "surrogate" && len(one.Series[key]) == 0 {
		key = "objective" // of a loss that the updates lower themselves
	}
	if one == nil || len(one.Series[key]) < 2 || len(one.Series["iteration"]) != len(one.Series[key]) {
		return c
	}
	unit := 1.0
	if first := one.Series[key][0]; key != "residual" && first > 0 {
		unit = first
	}
	for i, v := range one.Series[key] {
		if i > 0 {
			c.X, c.Y = append(c.X, one.Series["iteration"][i]), append(c.Y, v/unit)
		}
	}
	return c
}

// byNumber is one diagram: cases by a number.
type byNumber struct {
	title, label, key, unit string
	logX                    bool
	at                      []float64
	coders                  []coder
	name                    func(c coder, i int) string
}

// section shows what was measured; found is false where that is no sweep.
func (q byNumber) section(r *bench.Records, text string) (s bench.Section, found bool) {
	s = bench.Section{Title: q.title, Text: text, Table: &bench.Table{Columns: []string{"method"}}, Plot: &bench.Plot{XLabel: q.label, YLabel: q.unit, LogX: q.logX}}
	for _, v := range q.at {
		s.Table.Columns = append(s.Table.Columns, strconv.FormatFloat(v, 'g', -1, 64))
	}
	for _, c := range q.coders {
		row, curve := []bench.Cell{bench.PlainCell(c.title)}, bench.Curve{Name: c.title}
		for i, v := range q.at {
			name := q.name(c, i)
			row = append(row, meanAndDeviation(r, name, q.key))
			if y, measured := r.Quality(name, q.key); measured {
				curve.X, curve.Y, curve.Cases = append(curve.X, v), append(curve.Y, y), append(curve.Cases, name)
			}
		}
		s.Table.Rows = append(s.Table.Rows, row)
		if len(curve.X) > 1 {
			s.Plot.Curves = append(s.Plot.Curves, curve)
		}
	}
	return s, len(s.Plot.Curves) > 0
}

func sweepSections(r *bench.Records, list []byNumber, text string) []bench.Section {
	var sections []bench.Section
	for _, q := range list {
		if s, found := q.section(r, text); found {
			sections = append(sections, s)
		}
	}
	return sections
}

// robustRecognitionSections has a table for each set and the sweeps over the rank.
func robustRecognitionSections(r *bench.Records) []bench.Section {
	var sections []bench.Section
	for _, set := range imageSets {
		s := bench.Section{
			Title: "Recognition: " + set.title,
			Text:  fmt.Sprintf("Share of test images recognised by the nearest of %d training images a class, %d components (LDA: one less than there are classes); mean ± standard deviation of the repeats.", trainImages, recognitionRank),
			Table: &bench.Table{Columns: []string{"method"}},
		}
		for _, q := range imageNoises {
			s.Table.Columns = append(s.Table.Columns, q.title)
		}
		for _, c := range recognisers {
			row := []bench.Cell{bench.PlainCell(c.title)}
			for _, q := range imageNoises {
				row = append(row, meanAndDeviation(r, recognition{set, q, c, recognitionRank}.name(), "rate"))
			}
			s.Table.Rows = append(s.Table.Rows, row)
		}
		sections = append(sections, s)
	}
	var list []byNumber
	var ranks []float64
	for _, v := range recognitionRanks {
		ranks = append(ranks, float64(v))
	}
	for _, q := range imageNoises[1:] {
		list = append(list, byNumber{title: "Recognition by rank (Fig. 8), ORL, " + q.title, label: "r", key: "rate", unit: "rate of recognition", at: ranks, coders: sweptRecognizers,
			name: func(c coder, i int) string { return recognition{orlSet, q, c, recognitionRanks[i]}.name() }})
	}
	return append(sections, sweepSections(r, list, "Part of the full run alone; mean ± standard deviation of the repeats.")...)
}
