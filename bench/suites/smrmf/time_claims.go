package smrmf

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

// averageSeconds is the mean processor time of a method over the sets on which the paper
// ran it, as long as all of some methods were measured there that the paper ran there,
// with their cases.
func averageSeconds(r *bench.Records, m method, all ...method) (mean float64, sets int, cases []string) {
	for _, s := range dataSets {
		if slices.ContainsFunc(all, func(x method) bool { return x.ranOn(s) && r.Get(timeName(s, x)) == nil }) {
			continue
		}
		if cpu, found := r.CPU(timeName(s, m)); found && m.ranOn(s) {
			mean, sets, cases = mean+cpu, sets+1, append(cases, timeName(s, m))
		}
	}
	return mean / float64(max(1, sets)), sets, cases
}

var timeClaims = append([]bench.Claim{
	timesAsLong("f-smrmf-saves", "SMRMF", "f-SMRMF", 3.054, "f-SMRMF takes a third of the time of SMRMF"),
	timesAsLong("smrmf-over-rmnmf", "SMRMF", "RMNMF", 29.9, "SMRMF takes thirty times as long as RMNMF"),
	timesAsLong("ns-over-f-smrmf", "SMRMF-NS", "f-SMRMF", 1.55, "SMRMF-NS takes one and a half times as long as f-SMRMF"),
	{
		Name: "cheap-end", Source: papers.SMRMF + ", Table 6", Statement: "NMF, ESC-FFS, GNMF, DPP and RMNMF take a tenth of the time of SMRMF or less", Paper: "1 % to 3.4 % of it", Took: machine,
		Check: func(r *bench.Records) bench.Finding {
			f := bench.Finding{Verdict: bench.Reproduces}
			for _, title := range []string{"NMF", "ESC-FFS", "GNMF", "DPP", "RMNMF"} {
				m, slow := methodTitled(title), methodTitled("SMRMF")
				ours, sets, cases := averageSeconds(r, m, m, slow)
				theirs, _, more := averageSeconds(r, slow, m, slow)
				if sets < fewestSets {
					continue
				}
				f.Cases = append(f.Cases, cases...)
				f.Cases = append(f.Cases, more...)
				f.Ours = join(f.Ours, fmt.Sprintf("%s %.3g %%", title, 100*ours/theirs))
				if ours > 0.1*theirs {
					f.Verdict, f.Why = bench.DoesNot, join(f.Why, title+" takes more than a tenth")
				}
			}
			if f.Ours == "" {
				return notTimed(r, "SMRMF")
			}
			slices.Sort(f.Cases)
			f.Cases = slices.Compact(f.Cases)
			return f
		},
	},
}, secondsClaims()...)

// notTimed says why the time of a method is not known.
func notTimed(r *bench.Records, titles ...string) bench.Finding {
	f := bench.Finding{Verdict: bench.NotRun, Why: fmt.Sprintf("fewer than %d sets have times of both", fewestSets)}
	for _, s := range dataSets {
		for _, title := range titles {
			if one := r.Lookup(timeName(s, methodTitled(title))); one != nil && !one.Done() {
				f.Verdict, f.Why = bench.CannotCheck, one.Missing+one.Error
			}
		}
	}
	return f
}

// timesAsLong is a ratio of two rows of Table 6, of the sets where both were measured.
// It holds where ours lies within a factor of two.
func timesAsLong(name, slow, fast string, ratio float64, statement string) bench.Claim {
	return bench.Claim{
		Name: name, Source: papers.SMRMF + ", Table 6", Statement: statement, Paper: fmt.Sprintf("%.3g times", ratio),
		Took: fmt.Sprintf("%s %.4g s, %s %.4g s, averages over the data sets; %s", slow, methodTitled(slow).seconds, fast, methodTitled(fast).seconds, machine),
		Check: func(r *bench.Records) bench.Finding {
			both := []method{methodTitled(slow), methodTitled(fast)}
			a, sets, cases := averageSeconds(r, both[0], both...)
			b, others, more := averageSeconds(r, both[1], both...)
			if sets < fewestSets || b == 0 {
				return notTimed(r, slow, fast)
			}
			f := bench.Finding{Verdict: bench.Reproduces, Ours: fmt.Sprintf("%.3g times, over %d sets", a/b, sets), Cases: slices.Concat(cases, more)}
			if others != sets { // the paper's averages too are over those that each could be run on
				f.Ours = fmt.Sprintf("%.3g times, over %d and %d sets", a/b, sets, others)
			}
			if a/b < ratio/2 || a/b > ratio*2 {
				f.Verdict, f.Why = bench.DoesNot, "not within a factor of two"
			}
			return f
		},
	}
}

func timeSections(r *bench.Records) []bench.Section {
	average := &bench.Table{Columns: []string{"method", "paper", "ours, processor", "sets", "paper over ours", "passes", "phases"}}
	each := &bench.Table{Columns: []string{"set", "shape"}}
	for _, m := range methods {
		each.Columns = append(each.Columns, m.title)
		mean, sets, cases := averageSeconds(r, m)
		row := []bench.Cell{bench.PlainCell(m.title), bench.PaperCell(fmt.Sprintf("%.4g s", m.seconds))}
		if sets == 0 {
			average.Rows = append(average.Rows, append(row, bench.Cell{Text: "not run", Mark: bench.Absent}))
			continue
		}
		last := cases[len(cases)-1]
		row = append(row, bench.Cell{Text: bench.MedianText(bench.Statistics{Median: mean, Values: []float64{mean}}), Case: last}, bench.PlainCell(strconv.Itoa(sets)),
			bench.Cell{Text: fmt.Sprintf("%.3g", m.seconds/mean), Case: last}, r.QualityCell(last, "passes", "%.0f"), bench.PlainCell(phasesOf(r, cases)))
		average.Rows = append(average.Rows, row)
	}
	for _, s := range dataSets {
		s = s.shaped()
		row := []bench.Cell{bench.PlainCell(s.title), bench.PlainCell(fmt.Sprintf("%d × %d, %d", s.n, s.m, s.classes))}
		if s.standsIn {
			row[0].Text += " (stand-in)"
		}
		for _, m := range methods {
			if s.standsIn && !m.ranOn(s) {
				row = append(row, bench.Cell{Text: "left out", Mark: bench.Absent})
				continue
			}
			row = append(row, r.Cell(timeName(s, m), bench.CPUText("total")))
		}
		each.Rows = append(each.Rows, row)
	}
	memory := &bench.Table{Columns: []string{"method", "n", "peak"}}
	for _, title := range []string{"f-SMRMF", "SMRMF"} {
		memory.Rows = append(memory.Rows, []bench.Cell{bench.PlainCell(title), bench.PlainCell("5020"), r.Cell(memoryName(title), bench.PeakText)})
	}
	return []bench.Section{
		{Title: "Table 6: average running times", Table: average,
			Text: "The paper: MATLAB 2019b, 2.3 GHz Core i5, 16 GB, thirteen sets. Ours: processor seconds of one clustering at one λ, mean over the sets that were run, on two threads. Times of another machine, language and year do not compare as such; ratios of two methods on one machine do. Phases are shares of the processor time over these sets: of SMRMF and SMRMF-Euc, neighbors are the dissimilarities and the start by A2DM2, solve the passes. Passes, of DS3 iterations, are of the last set."},
		{Title: "Running times by the sets' shapes", Table: each,
			Text: fmt.Sprintf("Samples × features, classes. Stand-ins are Gaussian clusters of the same shape; there, above %d samples, a tenth of the iterations of DS3 (3000) and of the methods with passes (%d) is run and the phase solve is scaled to all of them. Left out: what the paper could not run.", restarted, defaultPasses)},
		{Title: "Memory", Table: memory, Text: "The whole process at the shape of 20-news, 5020 × 1796, two passes: the samples and their scaled copies take 72 MB each."},
	}
}

// phasesOf are the shares of the phases in the processor time of cases, from 3 % on.
func phasesOf(r *bench.Records, cases []string) string {
	sum := map[string]float64{}
	for _, name := range cases {
		for phase, s := range r.Get(name).CPUSeconds {
			sum[phase] += s.Median
		}
	}
	total := sum["total"]
	delete(sum, "total")
	delete(sum, "process")
	names := slices.SortedFunc(maps.Keys(sum), func(a, b string) int {
		if sum[a] != sum[b] {
			return map[bool]int{true: -1, false: 1}[sum[a] > sum[b]]
		}
		return strings.Compare(a, b)
	})
	text := ""
	for _, phase := range names {
		if share := sum[phase] / total; share >= 0.03 {
			text = join(text, fmt.Sprintf("%s %.0f %%", phase, 100*share))
		}
	}
	return text
}
