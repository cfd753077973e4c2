package nonnegative

import (
	"fmt"
	"runtime"

	"github.com/orthant-go/orthant/bench"
)

var operatorClaims = []bench.Claim{
	{
		Name: "dense-pass", Source: "orthant",
		Statement: "An iteration on a full matrix (n = 4000, P = 4) reads it at 60 % or more of the bandwidth of a plain read.", Paper: "target: ≥ 0.60",
		Check: func(r *bench.Records) bench.Finding {
			share, found := r.Quality(densePass, "of-plain-read")
			if !found {
				return r.FindingWithout(densePass)
			}
			rate, _ := r.Quality(densePass, "gb-per-s")
			return bench.Finding{Verdict: reachedIf(share >= 0.6), Ours: fmt.Sprintf("%.2f of a plain read's rate (%.1f GB/s)", share, rate), Cases: []string{densePass}}
		},
	},
	{
		Name: "sparse-iteration", Source: "orthant",
		Statement: "An iteration on a sparse matrix (N = 100 000, k = 10, P = 4) costs at most 1.5 products of it with as many columns.", Paper: "target: ≤ 1.5",
		Check: func(r *bench.Records) bench.Finding {
			names := []string{sparseName(graphs[0], 100_000), sparseName(graphs[1], 100_000)}
			ratio, found := r.Qualities("of-product", names...)
			if len(found) < len(names) {
				return r.FindingWithout(names...)
			}
			return bench.Finding{Verdict: reachedIf(max(ratio[0], ratio[1]) <= 1.5), Ours: fmt.Sprintf("%.2f (NLE's matrix) and %.2f (NLLE's)", ratio[0], ratio[1]), Cases: names}
		},
	},
	{
		Name: "two-threads", Source: "orthant",
		Statement: "From N = 20 000 on two threads iterate 1.5 times as fast as one, and 1, 2 and 3 threads give the same bits.", Paper: "target: ≥ 1.5",
		Check: func(r *bench.Records) bench.Finding {
			var names []string
			for _, graph := range graphs {
				names = append(names, threadsName(graph, 20_000), threadsName(graph, 100_000))
			}
			ratio, names := r.Qualities("times-faster", names...) // --quick leaves the larger ones out
			if len(names) < len(graphs) {
				return r.FindingWithout(threadsName(graphs[0], 20_000), threadsName(graphs[1], 20_000))
			}
			least, most := ends(ratio)
			same, _ := r.Qualities("same-bits", names...)
			equal, _ := ends(same)
			f := bench.Finding{Verdict: reachedIf(least >= 1.5 && equal == 1), Ours: fmt.Sprintf("%.2f to %.2f times; the same bits: %v", least, most, equal == 1), Cases: names}
			switch cores := r.Get(names[0]).Machine.Cores; {
			case equal == 0:
			case cores == 1:
				f.Verdict, f.Why = bench.CannotCheck, "The machine has one core."
			case f.Verdict == bench.TargetMissed && noisy(r, names...):
				f.Verdict, f.Why = bench.CannotCheck, "Other processes ran meanwhile, so that there were no two idle cores; run it again on a quiet machine."
			}
			return f
		},
	},
}

// noisy tells whether one of the cases was measured on a busy machine.
func noisy(r *bench.Records, names ...string) bool {
	for _, name := range names {
		if one := r.Get(name); one != nil && one.Noise != "" {
			return true
		}
	}
	return false
}

func operatorSections(r *bench.Records) []bench.Section {
	dense := bench.Section{
		Title: "One iteration on a full matrix",
		Text:  "n = 4000, P = 4, the paper's rule, one thread: C⁺U and C⁻U in one pass over C, which is 128 MB and beyond most caches. Iterations and plain sums over C take turns; the least times by the processor's clock.",
		Table: &bench.Table{Columns: []string{"iteration, GB/s", "plain read, GB/s", "share", "target"}},
	}
	dense.Table.Rows = [][]bench.Cell{{r.QualityCell(densePass, "gb-per-s", "%.1f"), r.QualityCell(densePass, "plain-gb-per-s", "%.1f"), r.QualityCell(densePass, "of-plain-read", "%.2f"), bench.PlainCell("≥ 0.60")}}
	thin := bench.Section{
		Title: "One iteration on a sparse matrix",
		Text:  "Matrices of the neighbour graph of a swiss roll, k = 10, P = 4, the paper's rule. Over a product: one thread, an iteration over a product of the matrix with four columns, in turns, by the processor's clock. Two threads: the wall time of an iteration on one over that on two; it wants two idle cores" + fmt.Sprintf(" (this program sees %d).", runtime.NumCPU()),
		Table: &bench.Table{Columns: []string{"matrix", "N", "entries a row", "iteration, ms", "product, ms", "ratio", "target", "one thread, ms", "two, ms", "times", "target", "same bits"}},
	}
	for _, graph := range graphs {
		for _, n := range []int{20_000, 100_000} {
			row := []bench.Cell{bench.PlainCell(graph), bench.PlainCell(fmt.Sprint(n))}
			if n == 100_000 {
				name := sparseName(graph, n)
				row = append(row, r.QualityCell(name, "entries-per-row", "%.1f"), r.QualityCell(name, "step-ms", "%.2f"), r.QualityCell(name, "product-ms", "%.2f"), r.QualityCell(name, "of-product", "%.2f"), bench.PlainCell("≤ 1.5"))
			} else {
				row = append(row, bench.PlainCell(""), bench.PlainCell(""), bench.PlainCell(""), bench.PlainCell(""), bench.PlainCell(""))
			}
			name := threadsName(graph, n)
			row = append(row, r.QualityCell(name, "one-ms", "%.2f"), r.QualityCell(name, "two-ms", "%.2f"), r.QualityCell(name, "times-faster", "%.2f"), bench.PlainCell("≥ 1.5"))
			if same, found := r.Quality(name, "same-bits"); found {
				row = append(row, bench.Cell{Text: map[bool]string{true: "yes", false: "no"}[same == 1], Case: name})
			}
			thin.Table.Rows = append(thin.Table.Rows, row)
		}
	}
	return []bench.Section{dense, thin}
}
