package main

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/solvers"
)

// mostIterations bounds "iterations".
const mostIterations = math.MaxInt32

// lloyd moves given centres to a partition by k-means.
func (q problem) lloyd() (work, error) {
	if err := q.only("dense", "start", "m"); err != nil {
		return nil, err
	}
	if q.start == nil {
		return nil, problemLacks("start", "the centres to begin at, clusters × columns")
	}
	q.count = q.start.rows
	var o solvers.KMeansFromOptions
	s, err := q.begin(func(p *parameters) error {
		iterations, err := p.whole("iterations", mostIterations)
		if err != nil {
			return err
		}
		o.Iterations = int(iterations)
		if o.Tolerance, _, err = p.atLeastZero("tolerance"); err != nil {
			return err
		}
		trace, err := p.word("trace", "false", "true")
		o.Trace = trace == "true"
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
	if err := q.start.check("start", typeFloat64, typeFloat32, typeUint8); err != nil {
		return nil, err
	}
	start, _ := q.start.dense()
	rows, cols := x.Dims()
	if q.m != nil {
		return nil, problemLacks("m_dense in the place of m", "the weights of the samples, one a row")
	}
	if q.mDense != nil {
		weights, err := vectors(q.mDense, rows, "the weights (m_dense)")
		if err != nil {
			return nil, err
		}
		if len(weights) != 1 {
			return nil, problemLacks("one column of m_dense", "the weights of the samples, one a row")
		}
		o.Weights = weights[0]
	}
	return s.under(func(ctx context.Context) (*made, error) {
		o := o
		o.Progress = s.Progress
		found, err := solvers.KMeansFrom(ctx, x, start, o)
		if err != nil {
			return nil, err
		}
		m := s.made(rows, cols, true)
		clusters, _ := start.Dims()
		m.arrays = map[string]array{
			"labels": columnOf(found.Labels), "centers": {rows: clusters, cols: cols, numbers: found.Centers}, "objective": column(found.Costs)}
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
