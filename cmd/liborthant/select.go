package main

import (
	"context"

	"github.com/orthant-go/orthant/engine"
)

// selecting prepares the choice of exemplars.
func (g given) selecting() (work, error) {
	var o engine.SelectOptions
	method, warnings, gave, err := g.chosen("select", ofSelections(), &o.Options, func(*parameters) error { return nil })
	if err != nil {
		return nil, err
	}
	if o.Count, err = small(g.count, method.Name()+": count"); err != nil {
		return nil, err
	}
	limited := limitChosen(method, gave)
	return func(ctx context.Context, progress func(engine.Progress)) (*made, error) {
		x, _ := g.samples()
		o.Progress = progress
		defer bounded(o.Memory)()
		r, err := engine.Select(ctx, x, method, o)
		if err != nil {
			return nil, err
		}
		m := madeOfExemplars(r, append(warnings, r.Warnings...))
		if !r.Converged && !limited {
			m.missed = &failure{statusNotConverged, r.Method + ": no convergence; the exemplars are the best found"}
		}
		return m, nil
	}, nil
}

func madeOfExemplars(r *engine.Selection, warnings []string) *made {
	return &made{
		arrays: map[string]array{"indices": columnOf(r.Indices)},
		numbers: map[string]float64{
			"iterations": float64(r.Iterations), "converged": truth(r.Converged), "warnings": float64(len(warnings)),
			"duplicates": float64(r.Duplicates), "seconds": r.Seconds["total"]},
		report: func() map[string]any {
			return map[string]any{
				"method": r.Method, "params": finite(r.Params), "samples": r.Samples, "features": r.Features, "count": r.Count,
				"objective": map[string]number{"first": number(r.FirstObjective), "last": number(r.Objective)}, "iterations": r.Iterations,
				"converged": r.Converged, "duplicates": r.Duplicates, "details": finite(r.Details),
				"backend": r.Backend, "threads": r.Threads, "seconds": r.Seconds, "cpu_seconds": r.CPUSeconds, "warnings": listed(warnings)}
		},
	}
}
