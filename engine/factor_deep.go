package engine

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// deepLayers factorises in layers.
type deepLayers struct {
	layers     string
	iterations int
	tolerance  float64
}

func (r deepLayers) factors(p *problem, w factorWork) (*factors, error) {
	if w.initW != nil || w.initH != nil {
		return nil, fmt.Errorf("%s: it trains its own start; leave out the given one", p.name)
	}
	n, m := p.x.N, p.x.M
	if w.rank > min(n, m) {
		return nil, fmt.Errorf("%s: rank %d for %d × %d data, which have %d singular vectors; give at most that rank", p.name, w.rank, n, m, min(n, m))
	}
	layers, err := r.ranks(p, w.rank)
	if err != nil {
		return nil, err
	}
	need := 8*int64(n)*int64(m) + nmf.DeepBytes(n, m, layers, p.options.Threads)
	if err := p.limit(need, "take a smaller rank, fewer samples, or raise the limit"); err != nil {
		return nil, err
	}
	defer p.clock.Phase("solve")()
	o := nmf.DeepOptions{Layers: layers, Iterations: r.iterations, Tolerance: r.tolerance, Never: r.tolerance == 0,
		Seed: blas.NewStream(p.options.Seed).Uint64(), Progress: p.fraction("solve"), Threads: p.options.Threads, Kernels: p.kernels}
	found, err := nmf.Deep(p.ctx, p.factorData(), o)
	if err != nil {
		return nil, p.ofSolver(err)
	}
	p.details["layers"], p.details["trained"] = layers, found.Trained
	f := &factors{w: found.W, h: found.H, codes: found.Codes, iterations: found.Iterations, converged: found.Converged,
		plan: fmt.Sprintf("layers of rank %v by semi-NMF, then semi-NMF of the samples from their codes", layers)}
	f.trace = deepTrace(found, w.traceEvery)
	f.relative = p.relativeError(found.W, found.H)
	return f, p.ctx.Err()
}

// ranks reads the layers.
func (r deepLayers) ranks(p *problem, rank int) ([]int, error) {
	if r.layers == "auto" {
		return []int{min(2*rank, p.x.N, p.x.M), rank}, nil
	}
	var layers []int
	for _, text := range strings.Split(r.layers, ",") {
		v, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || v < 1 {
			return nil, fmt.Errorf("%s: layers is %q; give whole numbers ≥ 1 apart by commas, such as %d,%d, or auto", p.name, r.layers, 2*rank, rank)
		}
		layers = append(layers, v)
	}
	if last := layers[len(layers)-1]; last != rank {
		return nil, fmt.Errorf("%s: the last of the layers %s has rank %d; give %d, the rank asked for", p.name, r.layers, last, rank)
	}
	return layers, nil
}

// deepTrace has the start of the fine-tuning, every so many of its iterations, and the
// last: of samples of unit length.
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

// relativeError is ‖X − WH‖_F/‖X‖_F, 0 for X = 0, each sample by its own largest entry
// so that no square overflows. O(nmR).
func (p *problem) relativeError(w, h []float64) float64 {
	n, m := p.x.N, p.x.M
	r := len(w) / n
	scale := 0.0
	for _, v := range p.x.Data[:n*m] {
		scale = max(scale, math.Abs(v))
	}
	if scale == 0 {
		return 0
	}
	const block = 64
	model := make([]float64, block*m)
	var squares, whole float64
	for lo := 0; lo < n; lo += block {
		hi := min(lo+block, n)
		p.kernels.Gemm(false, false, hi-lo, m, r, 1, w[lo*r:], r, h, m, 0, model, m)
		for at, v := range p.x.Data[lo*m : hi*m] {
			e := (v - model[at]) / scale
			squares += e * e
			whole += v / scale * (v / scale)
		}
	}
	return math.Sqrt(squares / whole)
}

func (deepLayers) transductive() string {
	return ", as the components of dsmf have entries of both signs"
}
