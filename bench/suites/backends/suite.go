package backends

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/draw"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
)

var Suite = bench.Suite{
	Name:  "backends",
	Title: "Backends of the linear algebra",
	About: `The dense operations that embeddings are made of, and whole embeddings, by each backend on one thread: gonum (Go),
native (our own, with assembly where the processor allows it) and openblas (OpenBLAS and LAPACK through cgo, in builds that link it). The
backends of one operation or method run in turn, so that their ratios hold on a machine whose speed drifts.

Rates are nominal: the textbook's number of operations (Golub and Van Loan, Matrix Computations) over processor time. An eigensolver
that needs fewer has a higher rate, as it should. A backend serves only what it is good at; the note of each record says who computes
the operation in truth.`,
	Cases:    allCases,
	Claims:   claims,
	Sections: sections,
}

// backendNames in the order in which they are shown.
var backendNames = []string{"gonum", "native", "openblas"}

// operation is a dense operation on matrices of one size.
type operation struct {
	name  string
	title string
	group string // what dispatch calls it
	sizes []int
	quick int // the largest size of the quick version
	flops func(n float64) float64
	// begin prepares the operands; call computes once, on a copy of the matrix
	// where it destroys it.
	destroys bool
	begin    func(k *blas.Kernels, n int) (matrix []float64, call func(a []float64) error)
}

var operations = []operation{
	{name: "gemm", title: "Gemm, C = AB", group: "gemm", sizes: []int{64, 256, 1024}, quick: 1024, begin: beginGemm,
		flops: func(n float64) float64 { return 2 * n * n * n }},
	{name: "syrk", title: "Syrk, C = AAᵀ", group: "syrk", sizes: []int{64, 256, 1024}, quick: 1024, begin: beginSyrk,
		flops: func(n float64) float64 { return n * n * n }},
	{name: "gemv", title: "Gemv, y = Ax", group: "gemv", sizes: []int{64, 256, 2048}, quick: 2048, begin: beginGemv,
		flops: func(n float64) float64 { return 2 * n * n }},
	{name: "symeig", title: "SymEig, all pairs", group: "symmetric eigen", sizes: []int{64, 256, 768}, quick: 256, begin: beginSymEig, destroys: true,
		flops: func(n float64) float64 { return 9 * n * n * n }},
	{name: "symeigrange", title: "SymEigRange, 10 smallest", group: "symmetric eigen", sizes: []int{64, 256, 768}, quick: 256, begin: beginSymEigRange, destroys: true,
		flops: func(n float64) float64 { return 4 * n * n * n / 3 }},
	{name: "cholesky", title: "Cholesky", group: "cholesky", sizes: []int{64, 256, 1024}, quick: 256, begin: beginCholesky, destroys: true,
		flops: func(n float64) float64 { return n * n * n / 3 }},
	{name: "svd", title: "SVD, thin, 2n × n", group: "svd", sizes: []int{64, 256}, quick: 64, begin: beginSVD, destroys: true,
		flops: func(n float64) float64 { return 14*2*n*n*n + 8*n*n*n }},
}

// normals returns so many normal numbers, the same every time.
func normals(count int) []float64 {
	x := make([]float64, count)
	blas.NewStream(1).Normals(x)
	return x
}

// symmetric returns a symmetric matrix, with shift·n added to its diagonal.
func symmetric(n int, shift float64) []float64 {
	a := normals(n * n)
	for i := range n {
		for j := range i {
			a[i*n+j] = a[j*n+i]
		}
		a[i*n+i] += shift * float64(n)
	}
	return a
}

func beginGemm(k *blas.Kernels, n int) ([]float64, func([]float64) error) {
	b, c := normals(n*n), make([]float64, n*n)
	return normals(n * n), func(a []float64) error {
		k.Gemm(false, false, n, n, n, 1, a, n, b, n, 0, c, n)
		return nil
	}
}

func beginSyrk(k *blas.Kernels, n int) ([]float64, func([]float64) error) {
	c := make([]float64, n*n)
	return normals(n * n), func(a []float64) error {
		k.Syrk(false, n, n, 1, a, n, 0, c, n)
		return nil
	}
}

func beginGemv(k *blas.Kernels, n int) ([]float64, func([]float64) error) {
	x, y := normals(n), make([]float64, n)
	return normals(n * n), func(a []float64) error {
		k.Gemv(false, n, n, 1, a, n, x, 0, y)
		return nil
	}
}

func beginSymEig(k *blas.Kernels, n int) ([]float64, func([]float64) error) {
	w, work := make([]float64, n), new(blas.Work)
	return symmetric(n, 0), func(a []float64) error { return k.SymEig(n, a, n, w, work) }
}

func beginSymEigRange(k *blas.Kernels, n int) ([]float64, func([]float64) error) {
	const pairs = 10
	w, z, work := make([]float64, pairs), make([]float64, pairs*n), new(blas.Work)
	return symmetric(n, 0), func(a []float64) error { return k.SymEigRange(n, 0, pairs, a, n, w, z, n, work) }
}

func beginCholesky(k *blas.Kernels, n int) ([]float64, func([]float64) error) {
	return symmetric(n, 2), func(a []float64) error { // 2n beyond √(2n), about where the spectrum ends
		if !k.Cholesky(n, a, n) {
			return fmt.Errorf("cholesky: the matrix of order %d was not found positive definite", n)
		}
		return nil
	}
}

func beginSVD(k *blas.Kernels, n int) ([]float64, func([]float64) error) {
	s, u, vt, work := make([]float64, n), make([]float64, 2*n*n), make([]float64, n*n), new(blas.Work)
	return normals(2 * n * n), func(a []float64) error { return k.SVD(2*n, n, a, n, s, u, n, vt, n, work) }
}

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
					Run: func(ctx context.Context, _ *bench.Env, _ *bench.Case) (*bench.Outcome, error) {
						return op.run(ctx, backend, n)
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

// atLeast is how long an operation is repeated for one measurement, in seconds
// of processor time.
const atLeast = 0.05

// run computes the operation again and again until there is something to
// measure, and reports the seconds of one call.
func (op *operation) run(ctx context.Context, backend string, n int) (*bench.Outcome, error) {
	kernels, err := blas.Select(backend)
	if err != nil {
		return nil, err
	}
	matrix, call := op.begin(kernels, n)
	// One call to have caches, pages and scratch ready, which also tells how many
	// copies to prepare.
	first := engine.NewClock()
	if err := call(slices.Clone(matrix)); err != nil {
		return nil, err
	}
	wall, _ := first.Seconds()
	reps := int(min(max(atLeast/max(wall["total"], 1e-7), 1), 1e6))
	if op.destroys {
		const most = 64 << 20 / 8 // numbers in copies
		reps = min(reps, max(1, most/len(matrix)))
	}
	copies := make([][]float64, reps)
	for i := range copies {
		copies[i] = matrix
		if op.destroys {
			copies[i] = slices.Clone(matrix)
		}
	}
	clock := engine.NewClock()
	for _, a := range copies {
		if err := call(a); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	wall, cpu := clock.Seconds()
	out := &bench.Outcome{
		Seconds:    engine.Seconds{"total": wall["total"] / float64(reps)},
		CPUSeconds: engine.Seconds{"total": cpu["total"] / float64(reps)},
		Samples:    len(matrix) / n, Features: n, Backend: backend,
		Note: fmt.Sprintf("%d calls; computed by %s", reps, op.computedBy(kernels)),
	}
	if seconds := out.CPUSeconds["total"]; seconds > 0 {
		out.Quality = map[string]float64{"gflops": op.flops(float64(n)) / seconds / 1e9}
	}
	return out, nil
}

// computedBy says who serves the operation in truth.
func (op *operation) computedBy(k *blas.Kernels) string {
	var list []string
	for _, o := range k.Operations() {
		if o.Operation == op.group {
			list = append(list, strings.TrimSpace(o.Backend+" "+o.When))
		}
	}
	return strings.Join(list, ", ")
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
	return &bench.Outcome{Seconds: r.Seconds, CPUSeconds: r.CPUSeconds, Samples: r.Samples, Features: r.Features, Backend: r.Backend, DataHash: bench.HashMatrix(data.X)}, nil
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
		{Title: "Rates of the operations, GFLOP/s", Text: "More is better; one that leads by 5 % is set in bold.", Table: rates},
		{Title: "Processor time of whole embeddings, 256 columns", Text: "Less is better; one that leads by 5 % is set in bold. The last column is the time by openblas over that by native: above 1 native is faster.", Table: times},
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
		cells[i] = bench.Cell{Text: text(v), Case: name}
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
	mean := math.Exp(sum / float64(len(ratios)))
	f := bench.TargetFinding(mean >= atLeast, fmt.Sprintf("%.1f times %s's rate", mean, other), cases)
	slowest := slices.MinFunc(slices.Sorted(maps.Keys(ratios)), func(a, b string) int {
		if ratios[a] < ratios[b] {
			return -1
		}
		return 1
	})
	f.Why = fmt.Sprintf("at least %.1f (%s)", ratios[slowest], slowest)
	return f
}
