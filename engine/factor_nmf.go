package engine

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// byNMF lowers a loss of nonnegative factors.
type byNMF struct {
	nmf.Options        // loss, solver, λ, start, limits
	indefinite  bool   // Φ need not be positive semidefinite
	shift       string // of data that have to be nonnegative: none, columns or global
}

func (r byNMF) factors(p *problem, w factorWork) (*factors, error) {
	o, err := r.options(p, w)
	if err != nil {
		return nil, err
	}
	if err := p.takeShift(r.shift); err != nil {
		return nil, err
	}
	if err := p.roomForFactors(o); err != nil {
		return nil, err
	}
	phi, err := p.factorGraph(w.factoring, o.Lambda)
	if err != nil {
		return nil, err
	}
	if phi != nil {
		o.Graph = nmf.Graph{Sparse: phi.phi, Dense: phi.whole, AllowIndefinite: r.indefinite}
	}
	defer p.clock.Phase("solve")()
	found, err := nmf.Factorize(p.ctx, p.factorData(), o)
	if err != nil {
		return nil, p.ofSolver(err)
	}
	for _, text := range found.Warnings {
		p.warn("%s", text)
	}
	if found.Sigma2 > 0 {
		p.details["sigma2"] = found.Sigma2
	}
	return &factors{w: found.W, h: found.H, trace: found.Trace,
		iterations: found.Iterations, converged: found.Converged, plan: found.Plan}, nil
}

func (p *problem) factorData() nmf.Data {
	if p.sparse != nil {
		return nmf.Sparse(p.sparse)
	}
	return nmf.Dense(p.x.N, p.x.M, p.x.Data[:p.x.N*p.x.M])
}

// options refuses, before any work, what does not go together.
func (r byNMF) options(p *problem, w factorWork) (nmf.Options, error) {
	o, n, m := r.Options, p.x.N, p.x.M
	o.Rank, o.TraceEvery = w.rank, w.traceEvery
	o.Kernels, o.Threads, o.Progress = p.kernels, p.options.Threads, p.fraction("solve")
	// A stream of its own, as for the starts of embeddings.
	o.Seed = blas.NewStream(p.options.Seed).Uint64()
	var err error
	if o.W, o.H, err = p.givenFactors(w); err != nil {
		return o, err
	}
	if o.W != nil {
		o.Init = nmf.Given
	}
	switch bySVD := o.Init != nmf.RandomStart && o.Init != nmf.Given; {
	case bySVD && w.rank > min(n, m):
		return o, fmt.Errorf("%s: rank %d with init=%s for %d × %d data, which have %d singular vectors; give at most that rank, or init=random", p.name, w.rank, o.Init, n, m, min(n, m))
	case o.Init == nmf.NNDSVD && o.Solver != nmf.HALS:
		return o, fmt.Errorf("%s: init=nndsvd has zeros, which multiplicative updates keep; choose init=nndsvda or nndsvdar, or solver=hals", p.name)
	case o.Extrapolate && o.Solver != nmf.HALS:
		return o, fmt.Errorf("%s: extrapolate is for solver=hals", p.name)
	case o.Extrapolate && o.Normalize == nmf.EachIteration:
		return o, fmt.Errorf("%s: extrapolate follows the scale of the components; choose normalise=end or none with it", p.name)
	case o.Sweeps > 0 && o.Solver != nmf.HALS:
		p.warn("sweeps is for solver=hals: it does nothing")
	case o.Warm >= o.Iterations:
		p.warn("all %d iterations are warm ones, with the squared error", o.Iterations)
	}
	return o, nil
}

// roomForFactors refuses what would exceed the limit of memory, but for the graph.
func (p *problem) roomForFactors(o nmf.Options) error {
	need, entries := 8*int64(p.x.N)*int64(p.x.M), 0
	if p.sparse != nil {
		entries = p.sparse.NNZ()
		need = 12 * int64(entries)
	}
	return p.limit(need+nmf.Bytes(p.x.N, p.x.M, entries, o), "take a smaller rank, fewer samples, or raise the limit")
}

func (byNMF) transductive() string { return "" }

func (r byNMF) extension(p *problem, h *mat.Dense) (*extension, string) {
	if isZero(h.RawMatrix().Data) {
		return nil, ", as all components are zero"
	}
	place := slices.Index(nmf.EncodingLosses(), r.Loss.Encoding())
	e := &extension{kind: "factors", arrays: map[string]*mat.Dense{"components": h},
		numbers: map[string]float64{"loss": float64(place), "hals": 0, "iterations": encodeIterations, "theta": 0.5, "sigma2": r.Sigma.Fixed}}
	if r.Loss.Scaled() {
		e.numbers["theta"] = r.Sigma.Theta
	}
	if r.Solver == nmf.HALS {
		e.numbers["hals"] = 1
	}
	if p.shift != nil {
		e.arrays["shift"] = mat.NewDense(1, len(p.shift), p.shift)
	}
	return e, ""
}
