package main

import (
	"context"
	"maps"
	"math"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/sparse"
)

// cluster prepares a partition of the samples.
func (g given) cluster() (work, error) {
	var o engine.ClusterOptions
	var keep string
	method, warnings, gave, err := g.chosen("cluster", ofClusterings(), &o.Options, func(p *parameters) error {
		affinities, err := p.word("keep_affinities", "false", "true")
		if o.KeepAffinities = affinities == "true"; err != nil {
			return err
		}
		return wish(p, &o.Options, &keep)
	})
	if err != nil {
		return nil, err
	}
	if o.Clusters, err = small(g.count, method.Name()+": clusters"); err != nil {
		return nil, err
	}
	limited := limitChosen(method, gave)
	return func(ctx context.Context, progress func(engine.Progress)) (*made, error) {
		x, shared := g.samples()
		o.Progress = progress
		defer bounded(o.Memory)()
		r, err := engine.Cluster(ctx, x, method, o)
		if err != nil {
			return nil, err
		}
		m := madeOfClusters(r, append(warnings, r.Warnings...))
		m.attach(keep, shared, r.Model)
		if !r.Converged && !limited {
			m.missed = &failure{statusNotConverged, r.Method + ": no convergence; the clusters are the best found"}
		}
		return m, nil
	}, nil
}

// madeOfClusters names what is known of a clustering as the command does.
func madeOfClusters(r *engine.Clustering, warnings []string) *made {
	inertia := math.NaN()
	arrays := map[string]array{
		"labels":      {rows: len(r.Labels), cols: 1, integers: r.Labels},
		"eigenvalues": column(r.Values), "residuals": column(r.Residuals),
	}
	if r.Centers != nil {
		arrays["centers"], inertia = arrayOf(r.Centers), r.Cost
	}
	if r.Selection != nil {
		arrays["exemplars"] = columnOf(r.Selection.Exemplars)
	}
	if r.Exemplars != nil {
		arrays["exemplars"] = columnOf(r.Exemplars)
	}
	if w := r.Affinities; w != nil {
		maps.Copy(arrays, rowsOf("affinities", w))
	}
	return &made{
		arrays: standardized(arrays, r.Standard),
		numbers: map[string]float64{
			"iterations": float64(r.Iterations), "converged": truth(r.Converged), "sound": sound(r.Quality.Verdict), "warnings": float64(len(warnings)), "components": float64(r.Components),
			"duplicates": float64(r.Duplicates), "seconds": r.Seconds["total"], "inertia": inertia, "next_eigenvalue": r.Next},
		report: func() map[string]any {
			return map[string]any{
				"method": r.Method, "params": finite(r.Params), "samples": r.Samples, "features": r.Features, "sparse": r.Sparse,
				"clusters": r.Clusters, "cluster_sizes": listed(r.Sizes),
				"objective": map[string]number{"first": number(r.FirstCost), "last": number(r.Cost)}, "inertia": number(inertia), "iterations": r.Iterations, "converged": r.Converged,
				"eigenvalues": numbersOf(r.Values), "residuals": numbersOf(r.Residuals), "next_eigenvalue": number(r.Next), "components": r.Components,
				"component_sizes": listed(r.ComponentSizes), "duplicates": r.Duplicates, "details": finite(r.Details), "quality": r.Quality,
				"backend": r.Backend, "threads": r.Threads, "seconds": r.Seconds, "cpu_seconds": r.CPUSeconds, "warnings": listed(warnings)}
		},
	}
}

// rowsOf are the arrays of a matrix in compressed rows.
func rowsOf(name string, a *sparse.CSR) map[string]array {
	return map[string]array{name + "_indptr": columnOf(a.Ptr), name + "_indices": columnOf(a.Col), name + "_data": column(a.Val)}
}

// columnOf is an array of whole numbers.
func columnOf[T int | int32](list []T) array {
	a := array{rows: len(list), cols: 1, integers: make([]int64, len(list))}
	for at, v := range list {
		a.integers[at] = int64(v)
	}
	return a
}
