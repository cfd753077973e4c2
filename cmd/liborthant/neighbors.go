package main

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers"
)

// neighbors prepares a search among the samples.
func (g given) neighbors() (work, error) {
	p, err := readParameters("neighbors", g.parameters)
	if err != nil {
		return nil, err
	}
	var o engine.Options
	o.Recall = 0.99
	method, err := p.word("method", "exact", "approximate")
	if err != nil {
		return nil, err
	}
	if text, set := p.take("recall"); set {
		if err := engine.SetCommon(&o, "recall", text); err != nil {
			return nil, fmt.Errorf("neighbors: %w", err)
		}
	}
	if err := p.running(&o); err != nil {
		return nil, err
	}
	if err := p.rest(); err != nil {
		return nil, err
	}
	k, err := small(g.count, "neighbors: k")
	if err != nil {
		return nil, err
	}
	if o.Neighbors == "approximate" {
		method = o.Neighbors // by either name
	}
	g.limited(&o)
	if err := g.read(o.Memory); err != nil {
		return nil, fmt.Errorf("neighbors: %w", err)
	}
	if g.sparse != nil && method == "approximate" {
		return nil, fmt.Errorf("neighbors: the approximate search takes dense samples, and these are sparse; search exactly, or make them dense")
	}
	if rows, cols := g.dims(); o.Memory > 0 && int64(k) < rows {
		bytes := neighbors.ExactBytes(int(rows), int(cols), k, o.Threads)
		switch {
		case g.sparse != nil:
			bytes = neighbors.ExactSparseBytes(g.sparse, k, o.Threads)
		case method == "approximate":
			bytes = neighbors.ApproximateBytes(int(rows), int(cols), k, o.Threads)
		}
		if need := memory.Process(g.bytes() + max(bytes, 20*rows*int64(k))); need > o.Memory {
			return nil, &failure{statusNoMemory, fmt.Sprintf("neighbors: the %d neighbours of %d samples need about %s where the limit is %s; take fewer", k, rows, solvers.FormatBytes(need), solvers.FormatBytes(o.Memory))}
		}
	}
	return func(ctx context.Context, progress func(engine.Progress)) (*made, error) {
		return g.search(ctx, k, method, o, progress)
	}, nil
}

// search finds neighbours.
func (g given) search(ctx context.Context, k int, method string, o engine.Options, progress func(engine.Progress)) (*made, error) {
	clock := engine.NewClock()
	kernels, err := blas.Select(o.Backend)
	if err != nil {
		return nil, err
	}
	tell := func(done float64) { progress(engine.Progress{Phase: "neighbors", Done: done}) }
	report := neighbors.Report{Recall: 1, Exact: true}
	var found *neighbors.Graph
	options := neighbors.Options{Kernels: kernels, Threads: o.Threads, Progress: tell}
	switch {
	case g.sparse != nil:
		found, err = neighbors.ExactSparse(ctx, g.sparse, k, options)
	case method == "approximate":
		found, report, err = neighbors.Approximate(ctx, g.points(), k, neighbors.ApproximateOptions{
			Kernels: kernels, Threads: o.Threads, Seed: max(o.Seed, 1), Recall: o.Recall, Progress: tell})
	default:
		found, err = neighbors.Exact(ctx, g.points(), k, options)
	}
	if err != nil {
		return nil, err
	}
	return g.madeOfGraph(found, report, k, clock), nil
}

// points are dense samples without gaps between the rows.
func (g given) points() neighbors.Points {
	x, _ := g.x.dense()
	if g.x.stride != g.x.cols {
		x = mat.DenseCopyOf(x)
	}
	return neighbors.Points{N: int(g.x.rows), M: int(g.x.cols), Data: x.RawMatrix().Data}
}

func (g given) madeOfGraph(graph *neighbors.Graph, found neighbors.Report, k int, clock *engine.Clock) *made {
	indices := make([]int64, len(graph.Index))
	for p, j := range graph.Index {
		indices[p] = int64(j)
	}
	method := "approximate"
	if found.Exact {
		method = "exact"
	}
	rows, cols := g.dims()
	seconds, cpu := clock.Seconds()
	report := map[string]any{
		"samples": rows, "features": cols, "sparse": g.sparse != nil, "neighbors": k, "method": method, "recall": number(found.Recall), "recall_rows": found.Rows,
		"seconds": seconds, "cpu_seconds": cpu, "warnings": []string{}}
	return &made{
		arrays:  map[string]array{"indices": {rows: graph.Len(), cols: k, integers: indices}, "distances": {rows: graph.Len(), cols: k, numbers: graph.Dist}},
		numbers: map[string]float64{"warnings": 0, "seconds": seconds["total"]},
		report:  func() map[string]any { return report },
	}
}
