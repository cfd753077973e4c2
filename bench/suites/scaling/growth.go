package scaling

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/internal/draw"
)

// growth is one method on one set, by ascending number of samples.
type growth struct {
	method string
	cases  []string
	n      []float64
	cpu    []float64
	peak   []float64 // bytes; NaN where not measured
	fill   []float64 // entries of the factor over entries of the matrix; NaN where nothing was factored
	note   string    // of the largest
}

// growths reads the curves of a set from the records.
func (s *growthSet) growths(r *bench.Records) []growth {
	var list []growth
	for _, m := range scaled() {
		g := growth{method: m.Name}
		for _, n := range s.samples(m.Name) {
			name := caseName(s.name, m.Name, n)
			one := r.Get(name)
			cpu, ok := r.CPU(name)
			if one == nil || !ok {
				continue
			}
			peak, fill := math.NaN(), math.NaN()
			if one.PeakBytes > 0 {
				peak = float64(one.PeakBytes)
			}
			if v, ok := r.Quality(name, "fill"); ok {
				fill = v
			}
			g.cases, g.n, g.cpu = append(g.cases, name), append(g.n, float64(n)), append(g.cpu, cpu)
			g.peak, g.fill, g.note = append(g.peak, peak), append(g.fill, fill), one.Note
		}
		if len(g.n) > 0 {
			list = append(list, g)
		}
	}
	return list
}

// exponentPoints is how many of the largest sizes an exponent is fitted to.
const exponentPoints = 3

// exponent is the exponent of y over the last points of x; not ok with fewer than there should be.
func exponent(x, y []float64) (slope float64, ok bool) {
	e, ok := bench.FitExponent(x, y, exponentPoints)
	return e.Slope, ok
}

func allSections(r *bench.Records) []bench.Section {
	var sections []bench.Section
	for i := range sets {
		s := &sets[i]
		list := s.growths(r)
		if len(list) == 0 {
			continue
		}
		sections = append(sections,
			bench.Section{Title: "Time: " + s.title, Plot: growthPlot(list, "processor seconds", func(g growth) []float64 { return g.cpu })},
			bench.Section{Title: "Peak memory: " + s.title, Plot: growthPlot(list, "peak memory, MiB", func(g growth) []float64 {
				mib := make([]float64, len(g.peak))
				for i, v := range g.peak {
					mib[i] = v / (1 << 20)
				}
				return mib
			})},
			bench.Section{Title: "Growth: " + s.title, Table: growthTable(r, list)})
	}
	return append(sections, fillSections(r)...)
}

func growthPlot(list []growth, label string, y func(g growth) []float64) *bench.Plot {
	p := &bench.Plot{XLabel: "samples", YLabel: label, LogX: true, LogY: true}
	for _, g := range list {
		name := g.method
		if e, ok := exponent(g.n, y(g)); ok {
			name += " ∝ N" + draw.Superscript(fmt.Sprintf("%.2f", e))
		}
		p.Curves = append(p.Curves, bench.Curve{Name: name, X: g.n, Y: y(g), Cases: g.cases})
	}
	return p
}

func growthTable(r *bench.Records, list []growth) *bench.Table {
	t := &bench.Table{Columns: []string{"method", "largest N", "CPU and error there", "exponent of time", "peak there", "exponent of memory", "factor / matrix entries", "solved by"}}
	for _, g := range list {
		last := len(g.n) - 1
		name := g.cases[last]
		slope := func(y []float64) bench.Cell {
			if e, ok := exponent(g.n, y); ok {
				return bench.Cell{Text: fmt.Sprintf("%.2f", e), Case: name}
			}
			return bench.Cell{Text: "needs three sizes", Mark: bench.Absent}
		}
		peak, fill := bench.Cell{Text: "not measured", Mark: bench.Absent}, bench.Cell{Text: "no factor", Mark: bench.Absent}
		if g.peak[last] > 0 {
			peak = bench.Cell{Text: limits.FormatBytes(int64(g.peak[last])), Case: name}
		}
		if g.fill[last] > 0 {
			fill = bench.Cell{Text: fmt.Sprintf("%.1f", g.fill[last]), Case: name}
		}
		t.Rows = append(t.Rows, []bench.Cell{{Text: g.method}, {Text: draw.Number(g.n[last], 7), Case: name}, r.TimedCell(name, "total"),
			slope(g.cpu), peak, slope(g.peak), fill, {Text: g.note}})
	}
	return t
}

// fillSections shows the regimes of fill: a surface and a manifold of many
// dimensions.
func fillSections(r *bench.Records) []bench.Section {
	p := &bench.Plot{XLabel: "samples", YLabel: "entries of the factor over those of the matrix", LogX: true, LogY: true}
	for i := range sets {
		s := &sets[i]
		for _, g := range s.growths(r) {
			if g.method != "lle" && g.method != "ltsa" && g.method != "le" || !slices.ContainsFunc(g.fill, func(v float64) bool { return v > 0 }) {
				continue
			}
			name := g.method + ", " + s.title
			if e, ok := exponent(g.n, g.fill); ok {
				name += " ∝ N" + draw.Superscript(fmt.Sprintf("%.2f", e))
			}
			p.Curves = append(p.Curves, bench.Curve{Name: name, X: g.n, Y: g.fill, Cases: g.cases, Dashed: i > 0})
		}
	}
	if len(p.Curves) == 0 {
		return nil
	}
	return []bench.Section{{Title: "The regimes of fill", Plot: p,
		Text: "A curve that is level means a factor proportional to the matrix; a slope of one means that the factor is a full triangle. Methods that are solved by products alone have no factor and no curve."}}
}

// The targets of the suite.
const (
	nearlyLinear   = 1.3
	largeEnough    = 64000 // samples from which the slope counts as the slope for large N
	millionSamples = 1024000
	millionBytes   = 6 << 30
)

var claims = []bench.Claim{
	{
		Name: "nearly-linear", Source: "orthant", Paper: fmt.Sprintf("exponent of time at most %.1f", nearlyLinear),
		Statement: "On a surface the time of every local method grows nearly in proportion to the number of samples.",
		Check: func(r *bench.Records) bench.Finding {
			worst, method := math.Inf(-1), ""
			var all, errors []string
			for _, g := range sets[0].growths(r) {
				if !slices.Contains(scaledLocal(), g.method) {
					continue
				}
				e, ok := exponent(g.n, g.cpu)
				if last := len(g.n) - 1; !ok || g.n[last] < largeEnough {
					continue
				}
				all = append(all, g.cases[len(g.cases)-exponentPoints:]...)
				errors = append(errors, g.method+" "+r.AccuracyCell(all[len(all)-1]).Text)
				if e > worst {
					worst, method = e, g.method
				}
			}
			if method == "" {
				return bench.Finding{Verdict: bench.NotRun, Why: fmt.Sprintf("it takes sizes up to %d at least (--quick leaves them out)", largeEnough)}
			}
			return r.SpeedFinding(worst <= nearlyLinear, fmt.Sprintf("%.1f at most (%s); at the largest size %s", worst, method, strings.Join(errors, ", ")), all)
		},
	},
	{
		Name: "million", Source: "orthant", Paper: "within " + limits.FormatBytes(millionBytes),
		Statement: "A million samples of a surface are embedded by LLE, LTSA, NEML and Laplacian eigenmaps within 6 GiB each.",
		Check: func(r *bench.Records) bench.Finding {
			worst, method := int64(0), ""
			var cases, errors []string
			for _, local := range []string{"lle", "ltsa", "neml", "le"} {
				name := caseName("surface", local, millionSamples)
				one := r.Get(name)
				if one == nil || one.PeakBytes == 0 {
					return bench.Finding{Verdict: bench.NotRun, Why: local + " has no record of a million samples with its memory (--quick leaves them out)"}
				}
				cases, errors = append(cases, name), append(errors, local+" "+r.AccuracyCell(name).Text)
				if one.PeakBytes > worst {
					worst, method = one.PeakBytes, local
				}
			}
			return r.SpeedFinding(worst <= millionBytes, fmt.Sprintf("%s at most (%s); %s", limits.FormatBytes(worst), method, strings.Join(errors, ", ")), cases)
		},
	},
}

// readmeRows are the rows of the README's table of a million samples: processor seconds,
// the error, and GiB.
var readmeRows = []struct{ method, words string }{
	{"le", "| Laplacian eigenmaps | 19 | angle 0.0025 | 1.3 |"},
	{"neml", "| NEML | 46 | dev 1.1e-5 | 2.9 |"},
	{"lle", "| LLE | 50 | dev 7.6e-4 | 3.0 |"},
	{"ltsa", "| LTSA | 49 | dev 3.6e-6 | 2.9 |"},
}

func readmeClaims() []bench.Claim {
	var list []bench.Claim
	for _, row := range readmeRows {
		list = append(list, bench.Claim{
			Name: "readme/million/" + row.method, Source: "orthant", Paper: row.words,
			Statement: "A million samples of a surface by " + row.method + " take the processor seconds and memory that the README prints, with its error, a tenth more of each at most.",
			Check: func(r *bench.Records) bench.Finding {
				name := caseName("surface", row.method, millionSamples)
				f, ready := r.Sound(name)
				if !ready {
					return f
				}
				one, figures := r.Get(name), bench.Figures(row.words)
				cpu, _ := r.CPU(name)
				v, _ := r.Quality(name, one.Accuracy[0].Quality)
				gib := float64(one.PeakBytes) / (1 << 30)
				var why []string
				for i, got := range []float64{cpu, v, gib} {
					if got > figures[i]*(1+bench.FigureTolerance) {
						why = append(why, fmt.Sprintf("%s, not %g%s", bench.ErrorText(got), figures[i], []string{" s", "", " GiB"}[i]))
					}
				}
				return r.SpeedFinding(len(why) == 0, fmt.Sprintf("%.3g s, %s, %.1f GiB", cpu, r.AccuracyCell(name).Text, gib), f.Cases, why...)
			},
		})
	}
	return list
}
