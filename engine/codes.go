package engine

import (
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers"
)

// codeRows is the number of samples that a worker codes at a time: each takes
// long enough, and unequally long.
const codeRows = 16

// codeList collects the neighbours that the codes of a block of samples keep.
type codeList struct {
	ends    []int
	index   []int32
	weights []float64
	failed  int
	worst   float64
}

func (l *codeList) add(j int32, weight float64) {
	l.index, l.weights = append(l.index, j), append(l.weights, weight)
}

// report counts what was not solved to the end.
func (l *codeList) report(r solvers.LassoReport) {
	if !r.Converged {
		l.failed++
		l.worst = max(l.worst, r.Violation)
	}
}

// codes runs a coder over all samples, in parallel, and gathers what it keeps as a
// graph without distances and the weights of its entries. worker is called once for
// each worker.
func codes(p *problem, worker func() func(i int, out *codeList)) (*neighbors.Graph, []float64, error) {
	defer p.clock.Phase("codes")()
	n := p.x.N
	blocks := make([]codeList, (n+codeRows-1)/codeRows)
	workers := make([]func(int, *codeList), blas.Threads(p.options.Threads))
	var done atomic.Int64
	progress := p.fraction("codes")
	err := blas.For(p.ctx, p.options.Threads, n, codeRows, func(w, lo, hi int) {
		if workers[w] == nil {
			workers[w] = worker()
		}
		out := &blocks[lo/codeRows]
		for i := lo; i < hi; i++ {
			workers[w](i, out)
			out.ends = append(out.ends, len(out.index))
		}
		progress(float64(done.Add(int64(hi-lo))) / float64(n))
	})
	if err != nil {
		return nil, nil, err
	}
	g := &neighbors.Graph{Ptr: make([]int, 1, n+1)}
	var weights []float64
	failed, worst := 0, 0.0
	for b := range blocks {
		at := len(g.Index)
		for _, end := range blocks[b].ends {
			g.Ptr = append(g.Ptr, at+end)
		}
		g.Index, weights = append(g.Index, blocks[b].index...), append(weights, blocks[b].weights...)
		failed, worst = failed+blocks[b].failed, max(worst, blocks[b].worst)
	}
	p.details["unconverged_codes"] = failed
	if failed > 0 {
		p.warn("the sparse codes of %d samples are not exact: optimality is missed by up to %.1e of the ℓ1 weight", failed, worst)
	}
	p.explain("codes: %d samples with %.1f neighbours on average", n, float64(len(g.Index))/float64(n))
	return g, weights, nil
}
