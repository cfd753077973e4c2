package complexity

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/nmf"
	"github.com/orthant-go/orthant/sparse"
)

// The shape that an iteration of LP-RNA has where another size grows.
const (
	robustSamples, robustColumns, robustRank = 1000, 400, 20
	robustLambda                             = 0.1
	robustSteps                              = 6
	graphNeighbors                           = 10
)

func robust(key, size string, sizes []int, quick int, params map[string]any, shape func(size int) (n, m, r int)) sweep {
	params["lambda"], params["neighbors"] = robustLambda, graphNeighbors
	return sweep{
		key: key, title: "LP-RNA, an iteration", size: size, sizes: sizes, quick: quick, data: "uniform numbers", method: "iteration of lp-rna", params: params, error: bench.AtMost("off-formula", 1e-9),
		run: func(ctx context.Context, size int) (*bench.Outcome, error) {
			n, m, r := shape(size)
			return robustIteration(ctx, n, m, r)
		},
	}
}

var (
	robustBySamples = robust("rnpa-samples", "N", ascending(500, 8000), 2000, map[string]any{"columns": robustColumns, "rank": robustRank},
		func(n int) (int, int, int) { return n, robustColumns, robustRank })
	robustByColumns = robust("rnpa-columns", "m", ascending(100, 1600), 400, map[string]any{"samples": robustSamples, "rank": robustRank},
		func(m int) (int, int, int) { return robustSamples, m, robustRank })
	robustByRank = robust("rnpa-rank", "r", ascending(10, 160), 40, map[string]any{"samples": robustSamples, "columns": robustColumns},
		func(r int) (int, int, int) { return robustSamples, robustColumns, r })
)

// robustIteration times iterations of LP-RNA, and compares the first with the formulas.
func robustIteration(ctx context.Context, n, m, r int) (*bench.Outcome, error) {
	kernels, err := blas.Select("")
	if err != nil {
		return nil, err
	}
	phi, err := ring(n, graphNeighbors)
	if err != nil {
		return nil, err
	}
	x, w, h := uniforms(1, n*m, 0), uniforms(2, n*r, 0.1), uniforms(3, r*m, 0.1)
	var t timer
	o := nmf.Options{
		Rank: r, Loss: nmf.Correntropy, Graph: nmf.Graph{Sparse: phi}, Lambda: robustLambda, Iterations: robustSteps, Normalize: nmf.Never,
		Init: nmf.Given, W: w, H: h, TraceEvery: robustSteps, Threads: 1, Kernels: kernels,
		Progress: func(done float64) {
			if done < 1 {
				t.tick()
			}
		},
	}
	if _, err := nmf.Factorize(ctx, nmf.Dense(n, m, x), o); err != nil {
		return nil, err
	}
	o.Iterations, o.Progress = 1, nil
	one, err := nmf.Factorize(ctx, nmf.Dense(n, m, x), o)
	if err != nil {
		return nil, err
	}
	plainW, plainH := robustStep(x, w, h, phi, n, m, r)
	return t.outcome(n, m, "off-formula", max(apart(one.W, plainW), apart(one.H, plainH)))
}

// ring is the Laplacian of a graph in which every sample has this many neighbours, on both
// sides of it.
func ring(n, neighbors int) (*sparse.CSR, error) {
	var entries []sparse.Triplet
	for i := range n {
		entries = append(entries, sparse.Triplet{Row: i, Col: i, Val: float64(neighbors)})
		for d := 1; d <= neighbors/2; d++ {
			entries = append(entries, sparse.Triplet{Row: i, Col: (i + d) % n, Val: -1}, sparse.Triplet{Row: i, Col: (i + n - d) % n, Val: -1})
		}
	}
	return sparse.FromTriplets(n, n, entries)
}

// robustStep is an iteration by the formulas of the paper (eqs 10 and 13), with samples as
// rows: the components first, then the coordinates, with the weights of the model before.
func robustStep(x, w, h []float64, phi *sparse.CSR, n, m, r int) (wNext, hNext []float64) {
	model := product(w, h, n, r, m)
	var squares float64
	for i := range x {
		squares += (x[i] - model[i]) * (x[i] - model[i])
	}
	variance := squares / float64(n*m) // 2σ², with σ² half the mean square
	p, left, right := make([]float64, n*m), make([]float64, n*m), make([]float64, n*m)
	for i := range x {
		d := x[i] - model[i]
		p[i] = math.Exp(-d * d / variance)
		left[i], right[i] = p[i]*x[i], p[i]*model[i]
	}
	wt := transposed(w, n, r)
	num, den := product(wt, left, r, n, m), product(wt, right, r, n, m)
	hNext = make([]float64, r*m)
	for i := range hNext {
		hNext[i] = h[i] * num[i] / den[i]
	}
	model = product(w, hNext, n, r, m)
	for i := range right {
		right[i] = p[i] * model[i]
	}
	ht := transposed(hNext, r, m)
	num, den = product(left, ht, n, m, r), product(right, ht, n, m, r)
	wNext = make([]float64, n*r)
	for i := range n {
		columns, values := phi.Row(i)
		for q, j := range columns {
			for c := range r {
				if v := robustLambda * values[q] * w[int(j)*r+c]; v > 0 {
					den[i*r+c] += v
				} else {
					num[i*r+c] -= v
				}
			}
		}
		for c := range r {
			wNext[i*r+c] = w[i*r+c] * num[i*r+c] / den[i*r+c]
		}
	}
	return wNext, hNext
}

// product is the rows × columns product of a and b, by plain loops.
func product(a, b []float64, rows, inner, columns int) []float64 {
	c := make([]float64, rows*columns)
	for i := range rows {
		for k := range inner {
			v := a[i*inner+k]
			for j, u := range b[k*columns : (k+1)*columns] {
				c[i*columns+j] += v * u
			}
		}
	}
	return c
}

func transposed(a []float64, rows, columns int) []float64 {
	t := make([]float64, rows*columns)
	for i := range rows {
		for j := range columns {
			t[j*rows+i] = a[i*columns+j]
		}
	}
	return t
}
