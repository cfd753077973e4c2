package factor

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// Deep factorises in layers.
type Deep struct {
	Layers     string // their ranks, separated by commas, or auto
	Iterations int
	Tolerance  float64
}

// Factorize trains the layers one at a time and then together.
func (r Deep) Factorize(w Work) (*Found, error) {
	x := w.X
	if w.InitW != nil || w.InitH != nil {
		return nil, fmt.Errorf("%s: it trains its own start; leave out the given one", w.Method())
	}
	n, m := x.N(), x.M()
	if w.Rank > min(n, m) {
		return nil, fmt.Errorf("%s: rank %d for %d × %d data, which have %d singular vectors; give at most that rank", w.Method(), w.Rank, n, m, min(n, m))
	}
	layers, err := r.ranks(w)
	if err != nil {
		return nil, err
	}
	if err := w.FitBeforeSolve(n, m, nmf.DeepBytes(n, m, storedEntries(x), layers, w.Threads()), "take a smaller rank, fewer samples, or raise the limit"); err != nil {
		return nil, err
	}
	defer w.Phase("solve")()
	o := nmf.DeepOptions{Layers: layers, Iterations: r.Iterations, Tolerance: r.Tolerance, Never: r.Tolerance == 0,
		Seed: blas.NewStream(w.Seed()).Uint64(), Progress: w.Fraction("solve"), Threads: w.Threads(), Kernels: w.Kernels()}
	found, err := nmf.Deep(w.Context(), DataOf(x), o)
	if err != nil {
		return nil, w.WrapSolverError(err)
	}
	if r.Tolerance > 0 && !found.Converged {
		w.Warn("the error still changes by more than the tolerance, %.1e, after %d iterations: more iterations lower it further", r.Tolerance, found.Iterations)
	}
	w.Note("layers", layers)
	w.Note("trained", found.Trained)
	f := &Found{W: found.W, H: found.H, Codes: found.Codes, Iterations: found.Iterations, Converged: found.Converged,
		Plan: fmt.Sprintf("layers of rank %v by semi-NMF, then semi-NMF of the samples from their codes", layers)}
	f.Trace = deepTrace(found, w.TraceEvery)
	f.Relative = w.relativeError(found.W, found.H)
	return f, w.Err()
}

// ranks parses the layers.
func (r Deep) ranks(w Work) ([]int, error) {
	rank := w.Rank
	if r.Layers == "auto" {
		return []int{min(2*rank, w.X.N(), w.X.M()), rank}, nil
	}
	var layers []int
	for _, text := range strings.Split(r.Layers, ",") {
		v, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || v < 1 {
			return nil, wording.Errorf("%s: ‹layers› is %q; give whole numbers ≥ 1 apart by commas, such as %d,%d, or auto", w.Method(), r.Layers, 2*rank, rank)
		}
		layers = append(layers, v)
	}
	if last := layers[len(layers)-1]; last != rank {
		return nil, fmt.Errorf("%s: the last of the layers %s has rank %d; give %d, the rank asked for", w.Method(), r.Layers, last, rank)
	}
	return layers, nil
}

// deepTrace returns the trace for samples of unit length: the start of the fine-tuning, every-th
// iterations, and the last one.
func deepTrace(found *nmf.DeepResult, every int) []nmf.Point {
	if every == 0 {
		every = 10
	}
	var trace []nmf.Point
	for t, e := range append([]float64{found.Start}, found.Errors...) {
		if t%every == 0 || t == found.Iterations {
			trace = append(trace, nmf.Point{Iteration: t, Objective: e * e, Surrogate: e * e, Residual: e / max(math.SmallestNonzeroFloat64, found.Norm)})
		}
	}
	return trace
}

// relativeError returns ‖X − WH‖_F/‖X‖_F, 0 for X = 0. Each sample is divided by its largest entry,
// so that no square overflows. O(nmR).
func (w Work) relativeError(coordinates, h []float64) float64 {
	x := w.X
	n, m := x.N(), x.M()
	r := len(coordinates) / n
	_, _, scale := x.Largest()
	if scale == 0 {
		return 0
	}
	scale = math.Abs(scale)
	const block = 64
	model := make([]float64, block*m)
	var squares, whole float64
	for lo := 0; lo < n; lo += block {
		hi := min(lo+block, n)
		w.Kernels().Gemm(false, false, hi-lo, m, r, 1, coordinates[lo*r:], r, h, m, 0, model, m)
		for i := lo; i < hi; i++ {
			row := model[(i-lo)*m : (i-lo+1)*m]
			take := func(j int, v float64) {
				row[j] -= v
				whole += v / scale * (v / scale)
			}
			if a := x.Compressed(); a != nil {
				cols, vals := a.Row(i)
				for p, j := range cols {
					take(int(j), vals[p])
				}
			} else {
				for j, v := range x.Row(i) {
					take(j, v)
				}
			}
			for _, e := range row {
				squares += e / scale * (e / scale)
			}
		}
	}
	return math.Sqrt(squares / whole)
}

// WithoutExtension returns the reason for having no rule for new samples.
func (Deep) WithoutExtension() string {
	return ", as the components of dsmf have entries of both signs"
}
