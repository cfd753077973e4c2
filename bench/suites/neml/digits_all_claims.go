package neml

import (
	"fmt"
	"strings"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
	"github.com/orthant-go/orthant/blas/limits"
)

// allDigitsMemory is what embedding all digits may take.
const allDigitsMemory = 4 << 30

var allDigitsClaims = []bench.Claim{
	{
		Name: "usps-all-eigs", Source: papers.NEML + ", section 7.2",
		Statement: "The eigs of MATLAB fails on all 11 000 digits of USPS, so that 600 of each are taken.", Paper: "it fails",
		Check: func(*bench.Records) bench.Finding {
			return bench.Finding{Verdict: bench.CannotCheck, Why: "There is no MATLAB here, and how its eigs was called is not said; what orthant needs for all of them is measured beside."}
		},
	},
	{
		Name: "usps-all", Source: "orthant",
		Statement: "All 11 000 digits, at which the paper's eigensolver failed, are embedded by LLE, LE and NEML in 9 and in 17 dimensions, every eigenpair to a residual of 1e-8, within 4 GiB.",
		Check:     allDigitsEmbedded,
	},
	{
		Name: "usps-all-order", Source: "orthant",
		Statement: "What Fig. 7 shows of 6000 digits holds for all 11 000: NEML errs less than LLE in 9 and in 17 dimensions, and less than LE in 17, by nearest point, by feature line, and by nearest point after LDA.",
		Check:     allDigitsOrder,
	},
}

func allDigitsNames() []string {
	var names []string
	for _, method := range allDigitsMethods {
		for _, d := range allDigitsDims {
			names = append(names, allDigitsName(method, d))
		}
	}
	return names
}

func allDigitsEmbedded(r *bench.Records) bench.Finding {
	names := allDigitsNames()
	if f, ready := r.Unready(names...); !ready {
		return f
	}
	var residual, seconds float64
	var peak int64
	for _, name := range names {
		one := r.Get(name)
		residual = max(residual, one.Quality["residual"].Median)
		seconds = max(seconds, one.Seconds["total"].Median)
		peak = max(peak, one.PeakBytes)
	}
	ours := fmt.Sprintf("at most %s, %s and a residual of %.1e", bench.SecondsText(seconds), limits.FormatBytes(peak), residual)
	return bench.TargetFinding(residual <= 1e-8 && peak > 0 && peak <= allDigitsMemory, ours, names)
}

func allDigitsOrder(r *bench.Records) bench.Finding {
	names := allDigitsNames()
	if f, ready := r.Unready(names...); !ready {
		return f
	}
	holds, ours := true, []string{}
	for _, way := range allDigitsWays {
		for _, d := range allDigitsDims {
			key := way + "-error"
			e, _ := r.Qualities(key, allDigitsName("lle", d), allDigitsName("le", d), allDigitsName("neml", d))
			if len(e) < 3 {
				return bench.Finding{Verdict: bench.NotRun, Why: "the errors by " + way + " were not measured", Cases: names}
			}
			holds = holds && e[2] < e[0] && (d < 17 || e[2] < e[1])
			ours = append(ours, fmt.Sprintf("%s, d = %d: LLE %.1f, LE %.1f, NEML %.1f %%", strings.ToUpper(way), d, e[0], e[1], e[2]))
		}
	}
	return bench.TargetFinding(holds, strings.Join(ours, "; "), names)
}

func allDigitsSections(r *bench.Records) []bench.Section {
	s := bench.Section{
		Title: "All 11 000 digits (section 7.2)",
		Text:  "USPS whole, 1100 of each digit, k = 20, embedded together in a process of its own: wall and processor time of the embedding on two threads, the most memory of the process, the largest residual of an eigenpair, and errors in percent over five splits into halves: nearest point, nearest feature line, and nearest point after LDA of the coordinates, learnt on the training half, to 9 discriminants. The paper takes 600 of each digit, as MATLAB's eigs failed on all.",
		Table: &bench.Table{Columns: []string{"method", "d", "wall time", "processor time", "memory", "residual", "nearest point", "feature line", "after LDA"}},
	}
	for _, method := range allDigitsMethods {
		for _, d := range allDigitsDims {
			name := allDigitsName(method, d)
			row := []bench.Cell{bench.PlainCell(method), bench.PlainCell(fmt.Sprint(d)),
				r.Cell(name, bench.WallText("total")), r.Cell(name, bench.CPUText("total")),
				r.Cell(name, func(one *bench.Record) string { return limits.FormatBytes(one.PeakBytes) }),
				r.QualityCell(name, "residual", "%.1e")}
			for _, way := range allDigitsWays {
				row = append(row, r.ErrorCell(name, way))
			}
			s.Table.Rows = append(s.Table.Rows, row)
		}
	}
	raw := []bench.Cell{bench.PlainCell("as they are"), bench.PlainCell("256")}
	for range 4 {
		raw = append(raw, bench.PlainCell(""))
	}
	s.Table.Rows = append(s.Table.Rows, append(raw, r.ErrorCell(allDigitsRaw, "nn"), r.ErrorCell(allDigitsRaw, "nfl")))
	return []bench.Section{s}
}
