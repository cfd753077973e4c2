package library

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/engine/wording"
)

// searching holds the parameters of a neighbour search.
type searching struct {
	engine.Options
	k           int
	metric      neighbors.Metric
	radius      float64
	within      bool // a radius is given instead of k
	method      string
	exactWithin float64 // see [neighbors.ApproximateOptions]
	bounded     int64   // the bytes in use before the lists of a radius search
}

// neighbors prepares a search among the samples.
func (g given) neighbors() (work, error) {
	s, err := g.searching()
	if err != nil {
		return nil, err
	}
	g.limited(&s.Options)
	if err := g.read(s.Memory); err != nil {
		return nil, fmt.Errorf("neighbors: %w", err)
	}
	if g.sparse != nil && s.method == "approximate" {
		return nil, fmt.Errorf("neighbors: the approximate search needs dense samples, but these are sparse; search exactly, or make them dense")
	}
	rows, cols := g.dims()
	held, bytes := g.bytes(), int64(0)
	n, m := int(rows), int(cols)
	switch {
	case g.sparse != nil:
		bytes = neighbors.MetricSparseBytes(g.sparse, s.k, s.Threads, s.metric)
	case s.within:
		bytes = neighbors.WithinBytes(n, m, 0, s.Threads, s.metric)
	case s.method == "approximate":
		bytes = neighbors.ApproximateByBytes(g.x.stored(), s.k, s.metric, neighbors.ApproximateOptions{Threads: s.Threads})
	case s.metric == neighbors.Euclidean && g.x.gapless():
		held, bytes = typeSizes[g.x.kind]*rows*cols, neighbors.MetricStoredBytes(g.x.stored(), s.k, s.metric, neighbors.Options{Threads: s.Threads})
	default:
		bytes = neighbors.MetricBytes(n, m, s.k, s.Threads, s.metric)
	}
	s.bounded = memory.Process(held + bytes)
	if need := memory.Process(held + max(bytes, 20*rows*int64(s.k))); !s.within && s.Memory > 0 && int64(s.k) < rows && need > s.Memory {
		return nil, &failure{statusNoMemory, fmt.Sprintf("neighbors: the %d neighbours of %d samples need about %s where the limit is %s; take fewer", s.k, rows, limits.FormatBytes(need), limits.FormatBytes(s.Memory))}
	}
	return func(ctx context.Context, progress func(engine.Progress)) (*made, error) {
		return g.search(ctx, s, progress)
	}, nil
}

// searching reads the parameters of a search.
func (g given) searching() (s searching, err error) {
	p, err := readParameters("neighbors", g.parameters)
	if err != nil {
		return s, err
	}
	if s.method, err = p.word("method", "auto", "exact", "approximate"); err != nil {
		return s, err
	}
	if text, set := p.take("recall"); set {
		if err := engine.SetCommon(&s.Options, "recall", text); err != nil {
			return s, fmt.Errorf("neighbors: %w", err)
		}
	}
	metric, _ := p.take("metric")
	if s.metric, err = neighbors.MetricNamed(metric); err != nil {
		return s, err
	}
	if s.radius, s.within, err = p.atLeastZero("radius"); err != nil {
		return s, err
	}
	if err := p.running(&s.Options); err != nil {
		return s, err
	}
	if err := p.rest(); err != nil {
		return s, err
	}
	if s.Neighbors != "auto" {
		s.method = s.Neighbors // by either name
	}
	switch given := s.Recall > 0 && s.Recall < 1; {
	case s.method == "auto" && given && !s.within && s.metric.CheckApproximate() == nil:
		s.method, s.exactWithin = "approximate", neighbors.ShortSearch
	case s.method == "auto":
		s.method = "exact"
	case s.method == "approximate" && !given:
		s.Recall = 0.99
	}
	switch {
	case s.within && g.count != 0:
		return s, fmt.Errorf("neighbors: k is %d together with a radius; give k = 0 with a radius, or leave the radius out", g.count)
	case s.within && s.method == "approximate":
		return s, fmt.Errorf("neighbors: the neighbours within a radius are found exactly; leave the method out")
	case !s.within:
		s.k, err = small(g.count, "neighbors: k")
	}
	return s, err
}

// bytesAnEdge is the memory of an entry of a radius search: in the lists of the blocks, which grow, in the
// joined list, and in the matrix, whose columns are returned as int64.
const bytesAnEdge = 16 + 12 + 12 + 8

// search finds neighbours.
func (g given) search(ctx context.Context, s searching, progress func(engine.Progress)) (*made, error) {
	clock := engine.NewClock()
	kernels, err := blas.Select(s.Backend)
	if err != nil {
		return nil, err
	}
	onProgress := func(done float64) { progress(engine.Progress{Phase: "neighbors", Done: done}) }
	report := neighbors.Report{Recall: 1, Exact: true}
	var found *neighbors.Graph
	o := neighbors.Options{Kernels: kernels, Threads: s.Threads, Progress: onProgress}
	bounded := neighbors.WithinOptions{Options: o}
	if s.Memory > 0 {
		bounded.Edges = max((s.Memory-s.bounded)/bytesAnEdge, 1)
	}
	switch {
	case s.within && g.sparse != nil:
		found, err = neighbors.WithinSparse(ctx, g.sparse, s.radius, s.metric, bounded)
	case s.within:
		found, err = neighbors.Within(ctx, g.x.stored().Points(), s.radius, s.metric, bounded)
	case g.sparse != nil:
		found, err = neighbors.NearestSparse(ctx, g.sparse, s.k, s.metric, o)
	case s.method == "approximate":
		found, report, err = neighbors.ApproximateBy(ctx, g.x.stored(), s.k, s.metric, neighbors.ApproximateOptions{
			Kernels: kernels, Threads: s.Threads, Seed: max(s.Seed, 1), Recall: s.Recall, ExactWithin: s.exactWithin, Progress: onProgress})
	default:
		found, err = neighbors.NearestStored(ctx, g.x.stored(), s.k, s.metric, o)
	}
	if many := (*neighbors.EdgesError)(nil); errors.As(err, &many) {
		return nil, &failure{statusNoMemory, wording.Error(err, wording.Arguments)}
	}
	if err != nil {
		return nil, err
	}
	return g.madeOfGraph(found, report, s, clock)
}

// searched are the types of samples among which neighbours are found.
var searched = []int32{typeFloat64, typeFloat32, typeUint8, typeFloat16, typeInt8}

// gapless reports whether rows follow each other without gaps.
func (v view) gapless() bool { return v.stride == v.cols }

// stored returns samples in their own type: the caller's memory itself where rows have no gaps, else a copy in
// float64.
func (v view) stored() *neighbors.Stored {
	n, m := int(v.rows), int(v.cols)
	switch {
	case v.gapless() && v.kind == typeFloat32:
		return neighbors.StoredOf(n, m, entries[float32](v))
	case v.gapless() && v.kind == typeUint8:
		return neighbors.StoredOf(n, m, entries[uint8](v))
	case v.gapless() && v.kind == typeFloat16:
		return neighbors.StoredOf(n, m, entries[neighbors.Float16](v))
	case v.gapless() && v.kind == typeInt8:
		return neighbors.StoredOf(n, m, entries[int8](v))
	}
	x, _ := v.dense()
	if x.RawMatrix().Stride != m {
		x = mat.DenseCopyOf(x)
	}
	return neighbors.StoredOf(n, m, x.RawMatrix().Data)
}

func (g given) madeOfGraph(graph *neighbors.Graph, found neighbors.Report, s searching, clock *engine.Clock) (*made, error) {
	var arrays map[string]array
	least, _, most := graph.Degrees()
	report := map[string]any{"neighbors": s.k}
	if s.within {
		a, err := graph.Matrix()
		if err != nil {
			return nil, err
		}
		arrays = rowsOf("graph", a)
		report["neighbors"], report["radius"] = 0, number(s.radius)
	} else {
		indices := make([]int64, len(graph.Index))
		for p, j := range graph.Index {
			indices[p] = int64(j)
		}
		arrays = map[string]array{"indices": {rows: graph.Len(), cols: s.k, integers: indices}, "distances": {rows: graph.Len(), cols: s.k, numbers: graph.Dist}}
	}
	method := "approximate"
	if found.Exact {
		method = "exact"
	}
	rows, cols := g.dims()
	kind := typeFloat64
	if g.sparse == nil {
		kind = g.x.kind
	}
	seconds, cpu := clock.Seconds()
	maps.Copy(report, map[string]any{
		"samples": rows, "features": cols, "sparse": g.sparse != nil, "type": typeName(kind), "metric": string(s.metric), "least_neighbors": least, "most_neighbors": most, "edges": len(graph.Index),
		"method": method, "recall": number(found.Recall), "recall_rows": found.Rows, "seconds": seconds, "cpu_seconds": cpu, "warnings": []string{}})
	return &made{
		arrays:  arrays,
		numbers: map[string]float64{"warnings": 0, "seconds": seconds["total"], "edges": float64(len(graph.Index))},
		report:  func() map[string]any { return report },
	}, nil
}
