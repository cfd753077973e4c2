package main

import (
	"context"
	"fmt"

	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// problemLacks is the refusal of a problem without a part.
func problemLacks(part, what string) error {
	return fmt.Errorf("the problem is without %s: %s", part, what)
}

// nearest finds the neighbours of queries among samples.
func (q problem) nearest() (work, error) {
	if err := q.only("dense", "m"); err != nil {
		return nil, err
	}
	asked := q.count
	q.count = max(q.count, 1) // with a radius alone it is 0
	var metric neighbors.Metric
	var radius float64
	var within bool
	s, err := q.begin(func(p *parameters) (err error) {
		name, _ := p.take("metric")
		if metric, err = neighbors.MetricNamed(name); err == nil {
			radius, within, err = p.atLeastZero("radius")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	switch {
	case within && asked != 0:
		return nil, fmt.Errorf("k is %d beside a radius; give k = 0 with a radius, or leave the radius out", asked)
	case !within && asked == 0:
		return nil, fmt.Errorf("k is 0 without a radius; give k ≥ 1, or k = 0 with a radius")
	case !within:
		if _, err := small(asked, "k"); err != nil {
			return nil, err
		}
	}
	if (q.m == nil) == (q.mDense == nil) {
		return nil, problemLacks("one of m and m_dense", "the queries, one a row")
	}
	x, err := q.matrix("the samples", s.limit)
	if err != nil {
		return nil, err
	}
	queries, err := (problem{task: q.task, a: q.m, dense: q.mDense}).matrix("the queries", s.limit)
	if err != nil {
		return nil, err
	}
	return s.under(func(ctx context.Context) (*made, error) {
		o := neighbors.Options{Kernels: s.Kernels, Threads: s.Threads, Progress: s.Progress}
		var g *neighbors.Graph
		var err error
		if within {
			g, err = neighbors.WithinOf(ctx, x, queries, radius, metric, o)
		} else {
			g, err = neighbors.NearestOf(ctx, x, queries, s.count, metric, o)
		}
		if err != nil {
			return nil, err
		}
		rows, _ := x.Dims()
		count, cols := queries.Dims()
		m := s.made(count, cols, true)
		if within {
			m.arrays = rowsOf("graph", &sparse.CSR{Rows: count, Cols: rows, Ptr: g.Ptr, Col: g.Index, Val: g.Dist})
			return m, nil
		}
		indices := columnOf(g.Index)
		indices.rows, indices.cols = count, s.count
		m.arrays = map[string]array{"indices": indices, "distances": {rows: count, cols: s.count, numbers: g.Dist}}
		return m, nil
	}), nil
}
