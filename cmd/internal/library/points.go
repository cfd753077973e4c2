package library

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/kmeans"
	"github.com/orthant-go/orthant/sparse"
)

// maxIterations bounds "iterations".
const maxIterations = math.MaxInt32

// lloyd runs k-means from given centres.
func (q problem) lloyd() (work, error) {
	switch {
	case q.centers == nil && q.draws == nil:
		return nil, fmt.Errorf("the problem is without centers; give those to begin at, clusters × columns, or draws")
	case q.centers != nil && q.draws != nil:
		return nil, fmt.Errorf("the problem has both centers and draws; give one of them")
	case q.centers != nil:
		q.count = q.centers.rows
	default:
		q.count = q.draws.rows + 1
	}
	var g kmeans.Greedy
	var o kmeans.KMeansFromOptions
	s, err := q.begin(func(p *parameters) error {
		iterations, err := p.whole("iterations", maxIterations)
		if err != nil {
			return err
		}
		o.Iterations = int(iterations)
		if o.Tolerance, _, err = p.atLeastZero("tolerance"); err != nil {
			return err
		}
		trace, err := p.word("trace", "false", "true")
		if err != nil {
			return err
		}
		emptied, err := p.word("emptied", "origin", "heaviest")
		if err != nil {
			return err
		}
		o.Trace, o.Heaviest = trace == "true", emptied == "heaviest"
		first, err := p.whole("first", maxIterations)
		if err != nil {
			return err
		}
		g.First = int(first)
		single, err := p.word("single", "false", "true")
		if err != nil {
			return err
		}
		weighted, err := p.word("weighted", "false", "true")
		g.Single, g.Weighted = single == "true", weighted == "true"
		return err
	})
	if err != nil {
		return nil, err
	}
	o.Kernels, o.Threads = s.Kernels, s.Threads
	x, err := q.matrix("the samples", s.limit)
	if err != nil {
		return nil, err
	}
	start, err := q.centersOrDraws(&g)
	if err != nil {
		return nil, err
	}
	rows, cols := x.Dims()
	if q.weights != nil {
		weights, err := vectors(q.weights, rows, "the weights")
		if err != nil {
			return nil, err
		}
		if len(weights) != 1 {
			return nil, fmt.Errorf("the weights are %d × %d; give one for each sample, n × 1", q.weights.rows, q.weights.cols)
		}
		o.Weights = weights[0]
	}
	return s.under(func(ctx context.Context) (*made, error) {
		o := o
		o.Progress = s.Progress
		var found *kmeans.Refined
		var err error
		if start != nil {
			found, err = kmeans.KMeansFrom(ctx, x, start, o)
		} else {
			found, err = kmeans.KMeansGreedy(ctx, x, s.count, g, o)
		}
		if err != nil {
			return nil, err
		}
		m := s.made(rows, cols, true)
		m.arrays = map[string]array{
			"labels": columnOf(found.Labels), "centers": {rows: s.count, cols: cols, numbers: found.Centers}, "objective": column(found.Costs)}
		m.numbers["iterations"], m.numbers["inertia"], m.numbers["converged"] = float64(found.Iterations), found.Cost, truth(found.Converged)
		before := m.report
		m.report = func() map[string]any {
			report := before()
			report["iterations"], report["inertia"] = found.Iterations, number(found.Cost)
			report["converged"], report["settled"], report["moved"] = found.Converged, found.Settled, number(found.Moved)
			return report
		}
		return m, nil
	}), nil
}

// centersOrDraws returns the centres to begin at. If they are chosen by draws, it returns nil and
// stores the draws in g.
func (q problem) centersOrDraws(g *kmeans.Greedy) (*mat.Dense, error) {
	if q.centers != nil {
		if err := q.centers.check("centers", typeFloat64, typeFloat32, typeUint8); err != nil {
			return nil, err
		}
		centers, _ := q.centers.dense()
		return centers, nil
	}
	if err := q.draws.check("draws", typeFloat64); err != nil {
		return nil, err
	}
	draws, _ := q.draws.dense()
	g.Trials, g.Draws = int(q.draws.cols), mat.DenseCopyOf(draws).RawMatrix().Data
	return nil, nil
}

// nearest finds the neighbours of queries among samples.
func (q problem) nearest() (work, error) {
	asked := q.count
	q.count = max(q.count, 1) // it is 0 if only a radius is given
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
		return nil, fmt.Errorf("k is %d together with a radius; give k = 0 with a radius, or leave the radius out", asked)
	case !within && asked == 0:
		return nil, fmt.Errorf("k is 0 without a radius; give k ≥ 1, or k = 0 with a radius")
	case !within:
		if _, err := small(asked, "k"); err != nil {
			return nil, err
		}
	}
	if err := oneForm("the queries", q.queries != nil, q.queriesDense != nil); err != nil {
		return nil, err
	}
	x, err := q.ownType("the samples", s.limit)
	if err != nil {
		return nil, err
	}
	queries, err := (problem{task: q.task, a: q.queries, dense: q.queriesDense}).ownType("the queries", s.limit)
	if err != nil {
		return nil, err
	}
	return s.under(func(ctx context.Context) (*made, error) {
		o := neighbors.Options{Kernels: s.Kernels, Threads: s.Threads, Progress: s.Progress}
		var g *neighbors.Graph
		var err error
		if within {
			g, err = neighbors.WithinOf(ctx, x, queries, radius, metric, neighbors.WithinOptions{Options: o})
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
