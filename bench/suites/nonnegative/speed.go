package nonnegative

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/nonnegative"
	"github.com/orthant-go/orthant/sparse"
)

// The speed of an iteration against what the machine does with the same matrix in
// the same run.

const (
	operatorColumns = 4 // P
	densePass       = "operators/dense-pass"
)

// graphs are the sparse matrices by name: NLE's and NLLE's.
var graphs = []string{"laplacian", "reconstruction"}

func sparseName(graph string, n int) string {
	return fmt.Sprintf("operators/sparse-iteration/%s/N=%d", graph, n)
}

func threadsName(graph string, n int) string {
	return fmt.Sprintf("operators/two-threads/%s/N=%d", graph, n)
}

func operatorCases() []bench.Case {
	const n = 4000
	cases := []bench.Case{{
		Name: densePass, Data: "uniform numbers from −1 to 1, symmetric", N: n, Method: "iteration", Repeats: 1, Threads: 1, Needs: []string{"memory:512MiB"},
		Params: map[string]any{"n": n, "dim": operatorColumns, "rule": "paper"},
		Run: func(ctx context.Context, _ *bench.Env, _ *bench.Case) (*bench.Outcome, error) {
			return measureDensePass(ctx, n)
		},
	}}
	for _, graph := range graphs {
		for _, n := range []int{20_000, 100_000} {
			common := bench.Case{Data: "swiss-roll", N: n, Method: "iteration", Repeats: 1, Needs: []string{"memory:1GiB"},
				Params: map[string]any{"samples": n, "neighbors": 10, "dim": operatorColumns, "matrix": graph, "rule": "paper"}}
			if n == 100_000 {
				c := common
				c.Name, c.Threads = sparseName(graph, n), 1
				c.Run = func(ctx context.Context, _ *bench.Env, _ *bench.Case) (*bench.Outcome, error) {
					return measureSparse(ctx, graph, n)
				}
				cases = append(cases, c)
			}
			c := common
			c.Name, c.Threads, c.Full = threadsName(graph, n), 2, n > 20_000
			c.Run = func(ctx context.Context, _ *bench.Env, _ *bench.Case) (*bench.Outcome, error) {
				return measureThreads(ctx, graph, n)
			}
			cases = append(cases, c)
		}
	}
	return cases
}

// stepped runs some iterations on c and calls after when each of them is done. It
// returns the seconds of every iteration and of every call, by the clock given,
// but for the first of each, and the last factor.
func stepped(ctx context.Context, c nonnegative.Signed, threads, steps int, clock func() float64, after func()) (taken, others, u []float64, err error) {
	var at float64
	count := 0
	o := nonnegative.Multiplicative{Update: nonnegative.UpdatePaper, Iterations: steps, Threads: threads}
	o.Progress = func(float64) {
		if count++; count > steps {
			return // reported once more at the end
		}
		ended := clock()
		if count > 1 {
			taken = append(taken, ended-at)
		}
		after()
		at = clock()
		if count > 1 {
			others = append(others, at-ended)
		}
	}
	found, err := nonnegative.Maximize(ctx, c, operatorColumns, uniformStart(c.Order(), operatorColumns), o)
	if err != nil {
		return nil, nil, nil, err
	}
	return taken, others, found.U, nil
}

// processor is the processor time of this process.
func processor() float64 {
	own, _ := bench.ProcessorSeconds()
	return own
}

func measureDensePass(ctx context.Context, n int) (*bench.Outcome, error) {
	m := make([]float64, n*n)
	blas.NewStream(2).Uniforms(m)
	for i := range n {
		for j := range i + 1 {
			v := 2*m[i*n+j] - 1
			m[i*n+j], m[j*n+i] = v, v
		}
	}
	c, err := nonnegative.SignedDense(n, m, false, 0)
	if err != nil {
		return nil, err
	}
	var sum float64
	steps, reads, _, err := stepped(ctx, c, 1, 20, processor, func() { sum += blas.Dot(m, m) })
	if err != nil {
		return nil, err
	}
	step, read, bytes := slices.Min(steps), slices.Min(reads), 8*float64(n)*float64(n)
	return &bench.Outcome{Samples: n, Seconds: engine.Seconds{"total": step}, CPUSeconds: engine.Seconds{"total": step}, Quality: map[string]float64{
		"of-plain-read": read / step, "gb-per-s": bytes / step / 1e9, "plain-gb-per-s": bytes / read / 1e9,
	}, Note: fmt.Sprintf("the least of %d iterations, and of a plain sum of squares over the matrix after each (%.3g)", len(steps), sum)}, nil
}

func measureSparse(ctx context.Context, graph string, n int) (*bench.Outcome, error) {
	m, err := graphMatrix(ctx, graph, n)
	if err != nil {
		return nil, err
	}
	c, err := nonnegative.SignedSparse(m, true, 1)
	if err != nil {
		return nil, err
	}
	x, y := uniformStart(n, operatorColumns), make([]float64, n*operatorColumns)
	steps, products, _, err := stepped(ctx, c, 1, 30, processor, func() { m.MulBlock(1, operatorColumns, x, y) })
	if err != nil {
		return nil, err
	}
	step, product := slices.Min(steps), slices.Min(products)
	return &bench.Outcome{Samples: n, Seconds: engine.Seconds{"total": step}, CPUSeconds: engine.Seconds{"total": step}, Quality: map[string]float64{
		"of-product": step / product, "entries-per-row": float64(m.NNZ()) / float64(n), "product-ms": product * 1e3, "step-ms": step * 1e3,
	}, Note: fmt.Sprintf("the least of %d iterations, and of a product of the matrix with %d columns after each", len(steps), operatorColumns)}, nil
}

func measureThreads(ctx context.Context, graph string, n int) (*bench.Outcome, error) {
	m, err := graphMatrix(ctx, graph, n)
	if err != nil {
		return nil, err
	}
	c, err := nonnegative.SignedSparse(m, true, 1)
	if err != nil {
		return nil, err
	}
	wall := func() float64 { return bench.CostSoFar().Wall }
	least, factors := make([]float64, 3), make([][]float64, 3)
	const rounds = 4
	count := 20 * max(1, 100_000/n) // long enough for a busy machine to be noticed
	for range rounds {
		for t := range 3 {
			steps, _, u, err := stepped(ctx, c, t+1, count, wall, func() {})
			if err != nil {
				return nil, err
			}
			if took := slices.Min(steps); least[t] == 0 || took < least[t] {
				least[t] = took
			}
			factors[t] = u
		}
	}
	same := 0.0
	if slices.Equal(factors[0], factors[1]) && slices.Equal(factors[0], factors[2]) {
		same = 1
	}
	return &bench.Outcome{Samples: n, Seconds: engine.Seconds{"total": least[1]}, Quality: map[string]float64{
		"times-faster": least[0] / least[1], "same-bits": same, "one-ms": least[0] * 1e3, "two-ms": least[1] * 1e3,
	}, Note: fmt.Sprintf("the least wall time of %d iterations each, in turns; the bits are compared for 1, 2 and 3 threads", rounds*(count-1))}, nil
}

// graphMatrix is a matrix of the neighbour graph of a swiss roll, k = 10: the
// normalised Laplacian of its edges, or (I − W)ᵀ(I − W) of its reconstruction
// weights.
func graphMatrix(ctx context.Context, graph string, n int) (*sparse.CSR, error) {
	s, err := datasets.Generate("swiss-roll", n, 1, nil)
	if err != nil {
		return nil, err
	}
	kernels, err := blas.Select("")
	if err != nil {
		return nil, err
	}
	g, err := neighbors.Exact(ctx, neighbors.Points{N: n, M: 3, Data: s.X.RawMatrix().Data}, 10, neighbors.Options{Kernels: kernels})
	if err != nil {
		return nil, err
	}
	if graph == "laplacian" {
		return laplacianOf(ctx, g)
	}
	w, err := engine.ReconstructionWeights(ctx, s.X, g, 1e-3, engine.Options{})
	if err != nil {
		return nil, err
	}
	ptr, index := []int{0}, []int32{}
	for i := range n {
		index = append(append(index, g.Of(i)...), int32(i))
		ptr = append(ptr, len(index))
	}
	patches := sparse.NewPatches(0, ptr, index)
	for i := range n {
		row := append(slices.Clone(w.RawRowView(i)[:len(g.Of(i))]), -1)
		lower := make([]float64, 0, patches.Size(i))
		for a := range row {
			for b := range a + 1 {
				lower = append(lower, row[a]*row[b])
			}
		}
		patches.Store(i, lower)
	}
	return sparse.Assemble(ctx, 0, n, patches)
}

// laplacianOf is I − D^−½WD^−½ for edges of weight 1, or 2 where both samples list
// each other.
func laplacianOf(ctx context.Context, g *neighbors.Graph) (*sparse.CSR, error) {
	ptr, index := []int{0}, []int32{}
	for i := range g.Len() {
		for _, j := range g.Of(i) {
			index = append(index, int32(i), j)
			ptr = append(ptr, len(index))
		}
	}
	patches := sparse.NewPatches(0, ptr, index)
	for q := range patches.Len() {
		patches.Store(q, []float64{1, -1, 1})
	}
	m, err := sparse.Assemble(ctx, 0, g.Len(), patches)
	if err != nil {
		return nil, err
	}
	scale := make([]float64, g.Len())
	for i := range scale {
		scale[i] = 1 / math.Sqrt(m.At(i, i))
	}
	for i := range scale {
		columns, values := m.Row(i)
		for q, j := range columns {
			values[q] *= scale[i] * scale[j]
		}
	}
	return m, nil
}

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

// noisy reports whether one of the cases was measured on a busy machine.
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

// Whole runs: how long they take, and which phase takes it.

var (
	wholeRuns = []struct {
		name, title string
		data        bench.Source
		method      string
		params      map[string]any
		full        bool // left out by --quick
	}{
		{"speed/nle-usps", "NLE, 11 000 USPS digits of 256 pixels, k = 20, P = 10, 500 iterations", bench.FromFile("usps.X.npy"), "nle",
			map[string]any{"update": "paper", "weights": "heat", "neighbors": 20, "dim": 10, "iterations": 500, "tolerance": 0}, true},
		{"speed/npca-coil20", "NPCA, COIL-20 (1440 × 1024), P = 20, 500 iterations", bench.FromFile("coil20.X.npy"), "npca",
			map[string]any{"update": "penalty", "dim": 20, "iterations": 500, "tolerance": 0}, false},
	}
	speedPhases = []string{"neighbors", "patches", "alignment", "solve"}
)

func speedName(of string, threads int) string { return fmt.Sprintf("%s/threads=%d", of, threads) }

func wholeRunCases() []bench.Case {
	var cases []bench.Case
	for _, s := range wholeRuns {
		for _, threads := range []int{1, 2} {
			c := bench.Embedding(speedName(s.name, threads), s.data, s.method, s.params)
			c.Group, c.Threads, c.Full = s.name, threads, s.full
			cases = append(cases, c)
		}
	}
	return cases
}

func wholeRunSections(r *bench.Records) []bench.Section {
	s := bench.Section{
		Title: "Whole runs by phase",
		Text:  "Wall time without reading, and the share of it that each phase takes. patches is the weights, alignment the matrix, or C = XcᵀXc; the solve includes the estimate of the spectrum that sets the shift or the penalty.",
		Table: &bench.Table{Columns: append([]string{"run", "threads", "wall", "processor"}, speedPhases...)},
	}
	for _, one := range wholeRuns {
		for _, threads := range []int{1, 2} {
			name := speedName(one.name, threads)
			row := []bench.Cell{bench.PlainCell(one.title), bench.PlainCell(fmt.Sprint(threads))}
			record := r.Get(name)
			if record == nil {
				s.Table.Rows = append(s.Table.Rows, append(row, bench.Cell{Text: "–", Case: name, Mark: bench.Absent}))
				continue
			}
			total := record.Seconds["total"].Median
			row = append(row, bench.Cell{Text: bench.SecondsText(total), Case: name}, bench.Cell{Text: bench.SecondsText(record.CPUSeconds["total"].Median), Case: name})
			for _, phase := range speedPhases {
				text := ""
				if v, found := record.Seconds[phase]; found {
					text = fmt.Sprintf("%.0f %%", 100*v.Median/total)
				}
				row = append(row, bench.Cell{Text: text, Case: name})
			}
			s.Table.Rows = append(s.Table.Rows, row)
		}
	}
	s.Table.Columns = slices.Clip(s.Table.Columns)
	return []bench.Section{s}
}
