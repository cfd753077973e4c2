package engine

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// factoring is how a method factorises: the first three steps of an embedding for
// the term λ tr(WᵀΦW), and the loss with the way to lower it.
type factoring struct {
	neighbors  neighborRule // nil: the alignment finds them, or there is none
	patch      patchRule
	align      alignRule // of Φ; nil: no such term
	indefinite bool      // Φ need not be positive semidefinite

	run    nmf.Options // loss, solver, λ, start, limits
	shift  string      // none, columns or global
	sparse bool        // sparse data stay so
}

// factorWork is one factorisation.
type factorWork struct {
	factoring
	rank         int
	initW, initH *mat.Dense
	traceEvery   int
}

// factors runs a factorisation of the problem's data.
func (p *problem) factors(w factorWork) (*nmf.Result, error) {
	o, err := p.factorOptions(w)
	if err != nil {
		return nil, err
	}
	if err := p.takeShift(w.shift); err != nil {
		return nil, err
	}
	if err := p.roomForFactors(o); err != nil {
		return nil, err
	}
	if o.Graph, err = p.factorGraph(w.factoring); err != nil {
		return nil, err
	}
	defer p.clock.Phase("solve")()
	found, err := nmf.Factorize(p.ctx, p.factorData(), o)
	if err != nil {
		return nil, p.ofSolver(err)
	}
	for _, text := range found.Warnings {
		p.warn("%s", text)
	}
	p.explain("solve: %s", found.Plan)
	if found.Sigma2 > 0 {
		p.details["sigma2"] = found.Sigma2
	}
	if last := found.Trace[len(found.Trace)-1].Residual; o.Loss == nmf.Correntropy && last > 1 {
		p.warn("‖X − WH‖ is %.3g of ‖X‖: correntropy has given up so many entries that zeros would be nearer; a larger theta, or warm iterations, help", last)
	}
	return found, p.ctx.Err()
}

func (p *problem) factorData() nmf.Data {
	if p.sparse != nil {
		return nmf.Sparse(p.sparse)
	}
	return nmf.Dense(p.x.N, p.x.M, p.x.Data[:p.x.N*p.x.M])
}

// factorOptions refuses, before any work, what does not go together.
func (p *problem) factorOptions(w factorWork) (nmf.Options, error) {
	o, n, m := w.run, p.x.N, p.x.M
	o.Rank, o.TraceEvery = w.rank, w.traceEvery
	o.Kernels, o.Threads, o.Progress = p.kernels, p.options.Threads, p.fraction("solve")
	// A stream of its own, as for the starts of embeddings.
	o.Seed = blas.NewStream(p.options.Seed).Uint64()
	if w.rank < 1 {
		return o, fmt.Errorf("%s: rank %d; give a whole number ≥ 1", p.name, w.rank)
	}
	if w.traceEvery < 0 {
		return o, fmt.Errorf("%s: a trace every %d iterations; give a number ≥ 1, or 0 for every 10", p.name, w.traceEvery)
	}
	if w.initW != nil || w.initH != nil {
		var err error
		if o.Coordinates, err = p.givenFactor("W", w.initW, n, w.rank); err != nil {
			return o, err
		}
		if o.Components, err = p.givenFactor("H", w.initH, w.rank, m); err != nil {
			return o, err
		}
		o.Init = nmf.Given
	}
	switch bySVD := o.Init != nmf.RandomStart && o.Init != nmf.Given; {
	case bySVD && w.rank > min(n, m):
		return o, fmt.Errorf("%s: rank %d with init=%s for %d × %d data, which have %d singular vectors; give at most that rank, or init=random", p.name, w.rank, o.Init, n, m, min(n, m))
	case o.Init == nmf.NNDSVD && o.Solver != nmf.HALS:
		return o, fmt.Errorf("%s: init=nndsvd has zeros, which multiplicative updates keep; choose init=nndsvda or nndsvdar, or solver=hals", p.name)
	case o.Extrapolate && o.Solver != nmf.HALS:
		return o, fmt.Errorf("%s: extrapolate is for solver=hals", p.name)
	case o.Extrapolate && o.Normalise == nmf.EachIteration:
		return o, fmt.Errorf("%s: extrapolate follows the scale of the components; choose normalise=end or none with it", p.name)
	case o.Sweeps > 0 && o.Solver != nmf.HALS:
		p.warn("sweeps is for solver=hals: it does nothing")
	case o.Warm >= o.Iterations:
		p.warn("all %d iterations are warm ones, with the squared error", o.Iterations)
	}
	return o, nil
}

// givenFactor checks one factor of a given start, and copies it.
func (p *problem) givenFactor(name string, a *mat.Dense, rows, cols int) ([]float64, error) {
	if a == nil {
		return nil, fmt.Errorf("%s: a start needs both W and H; %s is missing (--init-w, --init-h)", p.name, name)
	}
	if r, c := a.Dims(); r != rows || c != cols {
		return nil, fmt.Errorf("%s: the start %s is %d × %d; give %d × %d", p.name, name, r, c, rows, cols)
	}
	u := mat.DenseCopyOf(a).RawMatrix().Data
	for i, v := range u {
		if !(v >= 0) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("%s: row %d, column %d (counting from 1) of the start %s is %v; give finite numbers ≥ 0", p.name, i/cols+1, i%cols+1, name, v)
		}
	}
	return u, nil
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

// factorGraph builds Φ and reports the components of its graph.
func (p *problem) factorGraph(f factoring) (nmf.Graph, error) {
	if f.align == nil {
		return nmf.Graph{}, nil
	}
	if f.run.Lambda == 0 {
		p.explain("graph: none, as λ is 0")
		return nmf.Graph{}, nil
	}
	if p.x.N < 2 {
		return nmf.Graph{}, fmt.Errorf("%s: one sample has no neighbours; give at least 2, or lambda=0", p.name)
	}
	if f.neighbors != nil {
		end := p.clock.Phase("neighbors")
		graph, err := f.neighbors.find(p)
		if err != nil {
			return nmf.Graph{}, err
		}
		p.graph = graph
		end()
	}
	a, err := f.align(p, f.patch)
	if err != nil {
		return nmf.Graph{}, err
	}
	if a.whole != nil {
		return nmf.Graph{Dense: a.whole, AllowIndefinite: f.indefinite}, nil
	}
	_, sizes := similar(a).Components()
	p.components, p.sizes = len(sizes), descending(sizes)
	p.explain("graph: %d component(s), Φ has %d entries", len(sizes), a.phi.NNZ())
	return nmf.Graph{Sparse: a.phi, AllowIndefinite: f.indefinite}, nil
}

// takeShift makes the data nonnegative as the method was told to, in a copy, or
// refuses the first negative entry.
func (p *problem) takeShift(how string) error {
	row, col, value := p.firstNegative()
	switch {
	case row < 0:
		return nil
	case how == "none":
		return fmt.Errorf("%s: row %d, column %d (counting from 1) is %v; give entries ≥ 0, or shift the data: --set shift=columns takes the least entry of a column off it where that is negative, shift=global the least of all",
			p.name, row+1, col+1, value)
	case p.sparse != nil:
		return fmt.Errorf("%s: row %d, column %d (counting from 1) is %v; sparse data cannot be shifted, as that would fill them: give entries ≥ 0, or dense data", p.name, row+1, col+1, value)
	}
	p.shift = make([]float64, p.x.M)
	shifted := neighbors.Points{N: p.x.N, M: p.x.M, Data: make([]float64, p.x.N*p.x.M)}
	for i := range p.x.N {
		for j, v := range p.x.Row(i) {
			p.shift[j] = min(p.shift[j], v)
		}
	}
	if how == "global" {
		least := p.shift[0]
		for _, v := range p.shift {
			least = min(least, v)
		}
		for j := range p.shift {
			p.shift[j] = least
		}
	}
	for i := range p.x.N {
		to := shifted.Row(i)
		for j, v := range p.x.Row(i) {
			to[j] = v - p.shift[j]
		}
	}
	p.x = shifted
	return nil
}

// firstNegative finds the first negative entry, row by row; row −1: there is none.
func (p *problem) firstNegative() (row, col int, value float64) {
	if p.sparse != nil {
		for i := range p.sparse.Rows {
			cols, vals := p.sparse.Row(i)
			for q, v := range vals {
				if v < 0 {
					return i, int(cols[q]), v
				}
			}
		}
		return -1, 0, 0
	}
	for at, v := range p.x.Data[:p.x.N*p.x.M] {
		if v < 0 {
			return at / p.x.M, at % p.x.M, v
		}
	}
	return -1, 0, 0
}

// sigmaRule is how the scale of correntropy is found.
func sigmaRule(theta float64, fixed *float64, freezeAfter int, constant bool) nmf.Sigma {
	s := nmf.Sigma{Theta: theta, FreezeAfter: freezeAfter, KernelConstant: constant}
	if fixed != nil {
		s.Fixed = *fixed
	}
	return s
}

// descending sorts the sizes of components, the largest first.
func descending(sizes []int) []int {
	return slices.SortedFunc(slices.Values(sizes), func(a, b int) int { return b - a })
}
