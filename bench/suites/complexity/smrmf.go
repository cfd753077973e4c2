package complexity

import (
	"context"
	"math"
	"slices"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/solvers/alm"
	"github.com/orthant-go/orthant/solvers/projections"
	"github.com/orthant-go/orthant/solvers/selective"
)

// The clouds that SMRMF's passes are timed on, with how many passes.
const (
	cloudColumns, cloudCenters = 50, 10
	cloudLambda                = 0.1
	cloudPasses                = 8
	cloudStart                 = 5 // steps of A2DM2 before the first pass
	squareRepeats              = 5 // of a projection
)

func square(n int) int64 { return 8 * int64(n) * int64(n) }

var (
	encodings = sweep{
		key: "smrmf-z", title: "SMRMF, all columns of Z", size: "n", sizes: ascending(500, 8000), quick: 2000, data: "uniform numbers", method: "projections.Quadratic", params: map[string]any{"delta": quadraticDelta},
		error: bench.AtMost("off-optimum", 1e-9), memory: square, run: encode,
	}
	balls = sweep{
		key: "smrmf-c", title: "SMRMF, C, all rows bounded at once", size: "n", sizes: ascending(500, 8000), quick: 2000, data: "normal numbers", method: "projections.Groups", params: map[string]any{"norm": "max", "radius": "n/10"},
		error: bench.AtMost("off-optimum", 1e-9), memory: square, run: bound,
	}
	selectivePasses = passes("smrmf-pass", "SMRMF, a pass", "smrmf", false)
	fastPasses      = passes("f-smrmf-pass", "f-SMRMF, a pass", "f-smrmf", true)
)

// quadraticDelta leaves about √n entries of a column of n uniform numbers.
const quadraticDelta = 0.5

// encode takes the step of Z of f-SMRMF for n columns of n dissimilarities.
func encode(ctx context.Context, n int) (*bench.Outcome, error) {
	d, z := uniforms(1, n*n, 0), make([]float64, n)
	var t timer
	t.tick()
	for range squareRepeats {
		for j := range n {
			projections.Quadratic(z, d[j*n:(j+1)*n], quadraticDelta)
		}
		if t.tick(); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	var worst float64
	for j := 0; j < n; j += 1 + n/20 {
		projections.Quadratic(z, d[j*n:(j+1)*n], quadraticDelta)
		worst = max(worst, quadraticError(z, d[j*n:(j+1)*n]))
	}
	return t.outcome(n, n, "off-optimum", worst)
}

// quadraticError is how far z is from the minimum of dᵀz + (δ/2)‖z‖² on the unit simplex,
// whose multiplier is found here from the sorted entries.
func quadraticError(z, d []float64) float64 {
	sorted := slices.Sorted(slices.Values(d))
	nu, sum := 0.0, 0.0
	for r, v := range sorted {
		if r > 0 && v >= nu {
			break
		}
		sum += v
		nu = (quadraticDelta + sum) / float64(r+1)
	}
	var worst float64
	for i := range z {
		worst = max(worst, math.Abs(z[i]-max(0, (nu-d[i])/quadraticDelta)))
	}
	return worst
}

// bound takes the step of C of SMRMF: the nearest matrix whose rows' largest entries sum
// to a tenth of the samples.
func bound(ctx context.Context, n int) (*bench.Outcome, error) {
	a := make([]float64, n*n)
	blas.NewStream(1).Normals(a)
	radius := float64(n) / 10
	var t timer
	var caps []float64
	var give float64
	t.tick()
	for range squareRepeats {
		g := projections.Groups{Norm: projections.Max, Threads: 1}
		found, err := g.Project(ctx, n, n, a, radius)
		if err != nil {
			return nil, err
		}
		t.tick()
		caps, give = g.Bounds(), found
	}
	return t.outcome(n, n, "off-optimum", ballError(a, caps, give, radius))
}

// ballError is how far caps of the groups, the columns of a, are from the conditions of
// the nearest point of the ball: their sum is its radius, every group with a cap gives off
// the same amount, and none without one has more to give.
func ballError(a, caps []float64, give, radius float64) float64 {
	n := len(caps)
	given := make([]float64, n)
	for i := range n {
		for j, v := range a[i*n : (i+1)*n] {
			given[j] += max(0, math.Abs(v)-caps[j])
		}
	}
	var sum, worst float64
	for j, c := range caps {
		sum += c
		if off := (given[j] - give) / give; c > 0 {
			worst = max(worst, math.Abs(off))
		} else {
			worst = max(worst, off)
		}
	}
	return max(worst, math.Abs(sum-radius)/radius)
}

func passes(key, title, method string, fast bool) sweep {
	return sweep{
		key: key, title: title, size: "n", sizes: ascending(200, 3200), quick: 800, data: "gaussians", method: "pass of " + method,
		params: map[string]any{"columns": cloudColumns, "rank": cloudCenters, "lambda": cloudLambda, "neighbors": "√n"},
		error:  bench.AtMost("off-orthonormal", 1e-9), memory: func(n int) int64 { return 4 * square(n) },
		run: func(ctx context.Context, n int) (*bench.Outcome, error) { return pass(ctx, n, fast) },
	}
}

// pass times the passes of SMRMF, or of its fast form, on clouds of points.
func pass(ctx context.Context, n int, fast bool) (*bench.Outcome, error) {
	kernels, err := blas.Select("")
	if err != nil {
		return nil, err
	}
	s, err := datasets.Generate("gaussians", n, 1, map[string]string{"dims": "50", "clusters": "10"})
	if err != nil {
		return nil, err
	}
	x := slices.Clone(s.X.RawMatrix().Data)
	var t timer
	o := alm.Options{Rank: cloudCenters, Lambda: cloudLambda, Passes: cloudPasses, Threads: 1, Kernels: kernels, Watch: func(alm.Point) bool { t.tick(); return false }}
	start, err := alm.Start(ctx, n, cloudColumns, x, cloudCenters, o)
	if err != nil {
		return nil, err
	}
	graph, err := selective.New(ctx, n, cloudColumns, x, selective.Options{Neighbors: int(math.Sqrt(float64(n))), Lambda: cloudLambda, Fast: fast, Start: cloudStart, Threads: 1, Kernels: kernels})
	if err != nil {
		return nil, err
	}
	o.W, o.H = start.W, start.H
	r, err := alm.Factorize(ctx, n, cloudColumns, x, graph, o)
	if err != nil {
		return nil, err
	}
	return t.outcome(n, cloudColumns, "off-orthonormal", orthonormality(r.W, n, cloudCenters))
}

// orthonormality is ‖WᵀW − I‖_F.
func orthonormality(w []float64, n, r int) float64 {
	gram := product(transposed(w, n, r), w, r, n, r)
	var sum float64
	for i := range r {
		gram[i*r+i]--
	}
	for _, v := range gram {
		sum += v * v
	}
	return math.Sqrt(sum)
}
