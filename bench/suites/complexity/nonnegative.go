package complexity

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/nonnegative"
	"github.com/orthant-go/orthant/sparse"
)

// The matrices that the multiplicative rule is timed on.
const (
	ruleColumns   = 4 // P, where another size grows
	ruleOrder     = 2000
	ruleNeighbors = 10
	ruleSteps     = 12
)

var offFormula = bench.AtMost("off-formula", 1e-9)

var (
	denseByOrder = sweep{
		key: "rule-order", title: "the multiplicative rule, a full matrix", size: "n", sizes: ascending(800, 6400), quick: 3200, data: "uniform numbers from −1 to 1, symmetric", method: "iteration",
		params: map[string]any{"P": ruleColumns}, error: offFormula, memory: square,
		run: func(ctx context.Context, n int) (*bench.Outcome, error) { return denseRule(ctx, n, ruleColumns) },
	}
	denseByColumns = sweep{
		key: "rule-columns", title: "the multiplicative rule, a full matrix", size: "P", sizes: ascending(4, 64), quick: 16, data: "uniform numbers from −1 to 1, symmetric", method: "iteration",
		params: map[string]any{"n": ruleOrder}, error: offFormula,
		run: func(ctx context.Context, p int) (*bench.Outcome, error) { return denseRule(ctx, ruleOrder, p) },
	}
	sparseBySamples = sweep{
		key: "rule-sparse", title: "the multiplicative rule, a graph's Laplacian", size: "N", sizes: ascending(10_000, 320_000), quick: 40_000, data: "swiss-roll", method: "iteration",
		params: map[string]any{"P": ruleColumns, "neighbors": ruleNeighbors}, error: offFormula, run: sparseRule,
	}
)

func denseRule(ctx context.Context, n, p int) (*bench.Outcome, error) {
	m := make([]float64, n*n)
	stream := blas.NewStream(2)
	for i := range n {
		row := m[i*n : i*n+i+1]
		stream.Uniforms(row)
		for j := range row {
			row[j] = 2*row[j] - 1
			m[j*n+i] = row[j]
		}
	}
	c, err := nonnegative.SignedDense(n, m, false, 0)
	if err != nil {
		return nil, err
	}
	return rule(ctx, c, n, p, func(yield func(i, j int, v float64)) {
		for i := range n {
			for j, v := range m[i*n : (i+1)*n] {
				yield(i, j, v)
			}
		}
	})
}

// sparseRule iterates on I − M for the normalised Laplacian M of the roll's graph.
func sparseRule(ctx context.Context, n int) (*bench.Outcome, error) {
	kernels, err := blas.Select("")
	if err != nil {
		return nil, err
	}
	s, err := datasets.Generate("swiss-roll", n, 1, nil)
	if err != nil {
		return nil, err
	}
	g, err := neighbors.Exact(ctx, neighbors.Points{N: n, M: 3, Data: s.X.RawMatrix().Data}, ruleNeighbors, neighbors.Options{Kernels: kernels, Threads: 1})
	if err != nil {
		return nil, err
	}
	m, err := normalizedLaplacian(g)
	if err != nil {
		return nil, err
	}
	c, err := nonnegative.SignedSparse(m, true, 1)
	if err != nil {
		return nil, err
	}
	return rule(ctx, c, n, ruleColumns, func(yield func(i, j int, v float64)) {
		for i := range n {
			columns, values := m.Row(i)
			for q, j := range columns {
				if int(j) == i {
					yield(i, i, 1-values[q])
				} else {
					yield(i, int(j), -values[q])
				}
			}
		}
	})
}

// normalizedLaplacian is I − D^−½WD^−½ of the graph in which two samples are joined where
// one lists the other.
func normalizedLaplacian(g *neighbors.Graph) (*sparse.CSR, error) {
	var edges []sparse.Triplet
	for i := range g.Len() {
		for _, j := range g.Of(i) {
			edges = append(edges, sparse.Triplet{Row: i, Col: int(j), Val: 1}, sparse.Triplet{Row: int(j), Col: i, Val: 1})
		}
	}
	w, err := sparse.FromTriplets(g.Len(), g.Len(), edges)
	if err != nil {
		return nil, err
	}
	degree := make([]float64, g.Len())
	for i := range degree {
		columns, _ := w.Row(i)
		degree[i] = float64(len(columns))
	}
	edges = edges[:0]
	for i := range degree {
		edges = append(edges, sparse.Triplet{Row: i, Col: i, Val: 1})
		columns, _ := w.Row(i)
		for _, j := range columns {
			edges = append(edges, sparse.Triplet{Row: i, Col: int(j), Val: -1 / math.Sqrt(degree[i]*degree[j])})
		}
	}
	return sparse.FromTriplets(g.Len(), g.Len(), edges)
}

// rule times steps of the paper's rule on a symmetric matrix, whose entries come from
// entries too, and compares the first with the formula.
func rule(ctx context.Context, c nonnegative.Signed, n, p int, entries func(yield func(i, j int, v float64))) (*bench.Outcome, error) {
	start := uniforms(1, n*p, 0.1)
	for i := range start {
		start[i] /= math.Sqrt(float64(n))
	}
	var t timer
	o := nonnegative.Multiplicative{Update: nonnegative.UpdatePaper, Iterations: ruleSteps, Threads: 1, Progress: func(done float64) {
		if done < 1 {
			t.tick()
		}
	}}
	if _, err := nonnegative.Maximize(ctx, c, p, append([]float64(nil), start...), o); err != nil {
		return nil, err
	}
	o.Iterations, o.Progress = 1, nil
	one, err := nonnegative.Maximize(ctx, c, p, append([]float64(nil), start...), o)
	if err != nil {
		return nil, err
	}
	return t.outcome(n, n, "off-formula", apart(one.U, ruleStep(start, n, p, entries)))
}

// ruleStep is U ∘ √((C⁺U + U UᵀC⁻U)/(C⁻U + U UᵀC⁺U)), the rule of the paper (eq. 12).
func ruleStep(u []float64, n, p int, entries func(yield func(i, j int, v float64))) []float64 {
	a, b := make([]float64, n*p), make([]float64, n*p)
	entries(func(i, j int, v float64) {
		side := a
		if v < 0 {
			side, v = b, -v
		}
		for q, x := range u[j*p : (j+1)*p] {
			side[i*p+q] += v * x
		}
	})
	ut := transposed(u, n, p)
	pull, push := product(u, product(ut, b, p, n, p), n, p, p), product(u, product(ut, a, p, n, p), n, p, p)
	next := make([]float64, n*p)
	for i := range next {
		next[i] = u[i] * math.Sqrt((a[i]+pull[i])/(b[i]+push[i]))
	}
	return next
}
