// Package backends is the suite that compares the backends of the linear algebra.
package backends

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/internal/draw"
)

// Suite compares the backends.
var Suite = bench.Suite{
	Name:  "backends",
	Title: "Backends of the linear algebra",
	About: `The dense operations that embeddings are made of, and whole embeddings, by each backend on one thread: gonum (Go),
native (our own, with assembly where the processor allows it) and openblas (OpenBLAS and LAPACK through cgo, in builds that link it). The
backends of one operation or method run in turn, so that their ratios hold on a machine whose speed drifts.

Rates are nominal: the textbook's number of operations (Golub and Van Loan, Matrix Computations) over processor time. An eigensolver
that needs fewer has a higher rate, as it should. A backend serves only what it is good at; the note of each record says who computes
the operation in truth.

Next to each figure is the error: of an operation the residual of its result (of products the largest error of 256 entries, relative to
the lengths of the row and column behind it; of eigenpairs ‖Az − wz‖ relative to ‖A‖ and how far they are from orthonormal; of factorisations
‖A − BC‖ relative to ‖A‖), of an embedding the residual of its eigenpairs. A claim of speed rests only on residuals of at most 1e-12 and 1e-8.`,
	Speed:    true,
	Cases:    allCases,
	Claims:   claims,
	Sections: sections,
}

// backendNames in the order in which they are shown.
var backendNames = []string{"gonum", "native", "openblas"}

func allCases(*bench.Env) []bench.Case {
	var cases []bench.Case
	for i := range operations {
		op := &operations[i]
		for _, n := range op.sizes {
			for _, backend := range backendNames {
				cases = append(cases, bench.Case{
					Name: operationName(op.name, n, backend), Group: fmt.Sprintf("%s/n=%d", op.name, n),
					Data: "normal numbers", Method: op.name, Params: map[string]any{"n": n}, Threads: 1,
					Backend: backend, Needs: []string{"backend:" + backend}, Full: n > op.quick,
					Accuracy: []bench.Accuracy{bench.AtMost("residual", residualLimit)},
					Run: func(ctx context.Context, _ *bench.Env, c *bench.Case) (*bench.Outcome, error) {
						return op.run(ctx, c, backend, n)
					},
				})
			}
		}
	}
	for _, m := range backendMethods {
		for _, n := range backendSamples {
			for _, backend := range backendNames {
				c := bench.Case{
					Name: methodName(m, n, backend), Group: fmt.Sprintf("%s/N=%d", m, n), Data: "clustered-manifolds", N: n, M: 256,
					Method: m, Params: map[string]any{"samples": n, "clusters": "1", "separation": "0", "dim": 2}, Threads: 1,
					Backend: backend, Needs: []string{"backend:" + backend}, Full: n > backendSamples[0],
					Accuracy: []bench.Accuracy{bench.Exact()},
					Run: func(ctx context.Context, _ *bench.Env, _ *bench.Case) (*bench.Outcome, error) {
						return embedByBackend(ctx, m, backend, n)
					},
				}
				if m != "pca" {
					c.Params["neighbors"] = "20"
				}
				cases = append(cases, c)
			}
		}
	}
	return cases
}

func operationName(op string, n int, backend string) string {
	return fmt.Sprintf("%s/n=%d/%s", op, n, backend)
}

var (
	backendMethods = []string{"neml", "lle", "le", "pca"}
	backendSamples = []int{1500, 6000}
)

func methodName(method string, n int, backend string) string {
	return fmt.Sprintf("%s/N=%d/%s", method, n, backend)
}

// embedByBackend embeds wide data, where products matter most.
func embedByBackend(ctx context.Context, name, backend string, n int) (*bench.Outcome, error) {
	data, err := datasets.Generate("clustered-manifolds", n, 1, map[string]string{"clusters": "1", "separation": "0"})
	if err != nil {
		return nil, err
	}
	m, err := engine.New(name)
	if err != nil {
		return nil, err
	}
	if _, local := engine.Values(m)["neighbors"]; local {
		if err := engine.Set(m, "neighbors", "20"); err != nil {
			return nil, err
		}
	}
	r, err := engine.Embed(ctx, data.X, m, engine.Options{Threads: 1, Backend: backend})
	if err != nil {
		return nil, err
	}
	out := &bench.Outcome{Seconds: r.Seconds, CPUSeconds: r.CPUSeconds, Samples: r.Samples, Features: r.Features, Backend: r.Backend, DataHash: bench.HashMatrix(data.X)}
	out.AddSolveResiduals(r)
	return out, nil
}

func sections(r *bench.Records) []bench.Section {
	rates := &bench.Table{Columns: slices.Concat([]string{"operation", "order"}, backendNames, []string{"native / openblas"})}
	for _, op := range operations {
		for _, n := range op.sizes {
			names := backendCases(func(b string) string { return operationName(op.name, n, b) })
			cells := backendCells(r, names, func(c string) (float64, bool) { return r.Quality(c, "gflops") }, func(v float64) string { return draw.Number(v, 3) }, false)
			rates.Rows = append(rates.Rows, slices.Concat([]bench.Cell{{Text: op.title}, {Text: fmt.Sprint(n)}}, cells, []bench.Cell{ratio(r, names, true)}))
		}
	}
	times := &bench.Table{Columns: slices.Concat([]string{"method", "samples"}, backendNames, []string{"native / openblas"})}
	for _, m := range backendMethods {
		for _, n := range backendSamples {
			names := backendCases(func(b string) string { return methodName(m, n, b) })
			cells := backendCells(r, names, r.CPU, bench.SecondsText, true)
			times.Rows = append(times.Rows, slices.Concat([]bench.Cell{{Text: m}, {Text: fmt.Sprint(n)}}, cells, []bench.Cell{ratio(r, names, false)}))
		}
	}
	return []bench.Section{
		{Title: "Rates of the operations, GFLOP/s, and residuals", Text: "More is better; one that leads by 5 % is set in bold.", Table: rates},
		{Title: "Processor time of whole embeddings, 256 columns, and residuals", Text: "Less is better; one that leads by 5 % is set in bold. The last column is the time by openblas over that by native: above 1 native is faster.", Table: times},
	}
}

func backendCases(name func(backend string) string) map[string]string {
	names := map[string]string{}
	for _, b := range backendNames {
		names[b] = name(b)
	}
	return names
}

// clearly is the share by which a backend has to lead to be called the best.
const clearly = 0.05

// backendCells makes a cell for each backend, the best one marked.
func backendCells(r *bench.Records, names map[string]string, value func(name string) (float64, bool), text func(float64) string, less bool) []bench.Cell {
	cells := make([]bench.Cell, len(backendNames))
	best := -1
	var values []float64
	for i, b := range backendNames {
		name := names[b]
		v, ok := value(name)
		if !ok {
			cells[i] = absent(r, name)
			continue
		}
		accuracy := r.AccuracyCell(name)
		cells[i] = bench.Cell{Text: text(v), Error: accuracy.Text, Case: name, Mark: accuracy.Mark}
		if accuracy.Mark == bench.Worse { // a wrong result is no rival
			continue
		}
		if less {
			v = -v
		}
		if best < 0 || v > slices.Max(values) {
			best = i
		}
		values = append(values, v)
	}
	slices.Sort(values)
	if last := len(values) - 1; last > 0 && values[last]-values[last-1] > clearly*max(values[last], -values[last]) {
		cells[best].Mark = bench.Better
	}
	return cells
}

// absent says in a cell why there is no figure.
func absent(r *bench.Records, name string) bench.Cell {
	for _, one := range r.List {
		switch {
		case one.Case != name:
		case one.Missing != "":
			return bench.Cell{Text: "not at hand", Case: name, Mark: bench.Absent}
		case one.Error != "":
			return bench.Cell{Text: "failed", Case: name, Mark: bench.Absent}
		}
	}
	return bench.Cell{Text: "not run", Mark: bench.Absent}
}

// ratio is how many times faster native is than openblas.
func ratio(r *bench.Records, names map[string]string, rates bool) bench.Cell {
	native, ok := speed(r, names["native"], rates)
	openblas, both := speed(r, names["openblas"], rates)
	if !ok || !both || openblas == 0 {
		return bench.Cell{Text: "–"}
	}
	return bench.Cell{Text: fmt.Sprintf("%.2f", native/openblas), Case: names["native"]}
}

// speed is the rate of an operation, or embeddings a second.
func speed(r *bench.Records, name string, rate bool) (float64, bool) {
	if rate {
		return r.Quality(name, "gflops")
	}
	cpu, ok := r.CPU(name)
	return 1 / cpu, ok && cpu > 0
}

// The targets of the suite.
const (
	asFast  = 0.9
	several = 2
)

var claims = []bench.Claim{
	{
		Name: "as-fast-as-openblas", Source: "orthant", Paper: fmt.Sprintf("at least %.1f of OpenBLAS's rate", asFast),
		Statement: "The products of the pure-Go build (Gemm, Syrk, Gemv) are as fast as OpenBLAS's, in the geometric mean over their sizes.",
		Check:     func(r *bench.Records) bench.Finding { return compareProducts(r, "openblas", asFast) },
	},
	{
		Name: "faster-than-gonum", Source: "orthant", Paper: fmt.Sprintf("at least %d times gonum's rate", several),
		Statement: "The products of the pure-Go build are several times faster than gonum's, in the geometric mean over their sizes.",
		Check:     func(r *bench.Records) bench.Finding { return compareProducts(r, "gonum", several) },
	},
}

// compareProducts judges native's products by another backend's.
func compareProducts(r *bench.Records, other string, atLeast float64) bench.Finding {
	sum := 0.0
	ratios := map[string]float64{}
	for _, op := range operations[:3] {
		for _, n := range op.sizes {
			name := operationName(op.name, n, other)
			ours, ok := r.Quality(operationName(op.name, n, "native"), "gflops")
			theirs, both := r.Quality(name, "gflops")
			if ok && both && theirs > 0 {
				sum += math.Log(ours / theirs)
				ratios[fmt.Sprintf("%s %d", op.name, n)] = ours / theirs
				continue
			}
			for _, one := range r.List {
				if one.Case == name && one.Missing != "" {
					return bench.Finding{Verdict: bench.CannotCheck, Why: one.Missing, Cases: []string{name}}
				}
			}
		}
	}
	if len(ratios) == 0 {
		return bench.Finding{Verdict: bench.NotRun, Why: "no product was measured by both backends"}
	}
	var cases []string
	for _, op := range operations[:3] {
		for _, n := range op.sizes {
			for _, b := range []string{"native", other} {
				if name := operationName(op.name, n, b); r.Get(name) != nil {
					cases = append(cases, name)
				}
			}
		}
	}
	residuals, _ := r.Qualities("residual", cases...)
	worst := slices.Max(append(residuals, 0))
	mean := math.Exp(sum / float64(len(ratios)))
	f := r.SpeedFinding(mean >= atLeast, fmt.Sprintf("%.1f times %s's rate, residuals of %s at most", mean, other, bench.ErrorText(worst)), cases)
	slowest := slices.MinFunc(slices.Sorted(maps.Keys(ratios)), func(a, b string) int {
		if ratios[a] < ratios[b] {
			return -1
		}
		return 1
	})
	if f.Verdict == bench.CannotCheck {
		return f
	}
	f.Why = strings.TrimSpace(fmt.Sprintf("at least %.1f (%s). ", ratios[slowest], slowest) + f.Why)
	return f
}
