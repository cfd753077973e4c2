package nonnegative

import (
	"context"
	"fmt"
	"math"
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

// stepped runs some iterations on c and calls beside after each of them. It
// returns the seconds of every iteration and of every call, by the clock given,
// but for the first of each, and the last factor.
func stepped(ctx context.Context, c nonnegative.Signed, threads, steps int, clock func() float64, beside func()) (taken, others, u []float64, err error) {
	var at float64
	count := 0
	o := nonnegative.Multiplicative{Update: nonnegative.UpdatePaper, Iterations: steps, Threads: threads}
	o.Progress = func(float64) {
		if count++; count > steps {
			return // told once more at the end
		}
		ended := clock()
		if count > 1 {
			taken = append(taken, ended-at)
		}
		beside()
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
