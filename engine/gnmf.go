package engine

import "github.com/orthant-go/orthant/solvers/nmf"

// GNMF is graph-regularised nonnegative matrix factorisation (Cai, He, Han and Huang
// 2011): neighbours keep near coordinates,
//
//	min ‖X − WH‖²_F + λ tr(WᵀΦW)   under W, H ≥ 0,   Φ = D − S,
//
// with S the binary graph of the k nearest neighbours. W can shrink while H grows, so
// that with λ > 0 there is no minimiser: the number of iterations is part of the
// method. Sparse data stay sparse, in the search for neighbours too. The search, and
// 4nmR flops an iteration.
type GNMF struct {
	Neighbors  int      `json:"neighbors" default:"5" allowed:"≥ 1" doc:"k, the nearest neighbours of each sample; samples are joined if either lists the other"`
	Lambda     *float64 `json:"lambda" default:"100" allowed:"≥ 0" doc:"λ, the weight of the graph term; 0: none"`
	Solver     string   `json:"solver" default:"mu" allowed:"mu|hals" doc:"multiplicative updates, or coordinate descent (hierarchical alternating least squares)"`
	Order      string   `json:"order" default:"auto" allowed:"auto|basis-first|codes-first" doc:"of solver=mu: H and then W with the new H, or W first, from components of unit length; auto: W first in a clustering, else H"`
	Sweeps     int      `json:"sweeps" default:"0" allowed:"≥ 0" doc:"of solver=hals: sweeps over a factor for each product with the data; 0: as many as pay"`
	Init       string   `json:"init" default:"random" allowed:"random|nndsvd|nndsvda|nndsvdar" doc:"the start: uniform by the seed, or the singular vectors' parts (nndsvd, for solver=hals), or with zeros filled by the mean or by small random numbers"`
	Iterations int      `json:"iterations" default:"200" allowed:"≥ 1" doc:"at most; 500 by default with order=codes-first"`
	Tolerance  float64  `json:"tolerance" default:"0" allowed:"≥ 0" doc:"stop when a step changes WH by less, relative to it, or with order=codes-first the objective by no more; 0: never, or 1e-5 with order=codes-first"`
	Normalise  string   `json:"normalise" default:"end" allowed:"end|each|none" doc:"components to unit length, W against them: at the end, after each iteration, or never"`
	Shift      string   `json:"shift" default:"none" allowed:"none|columns|global" doc:"of data with negative entries: take off each column its least entry where that is negative, or off all the least of all"`
	Labels     string   `json:"labels" default:"kmeans" allowed:"kmeans|argmax" doc:"of a clustering: by k-means among the coordinates, or by each sample's largest"`
}

// Name returns "gnmf".
func (GNMF) Name() string { return "gnmf" }

func (p GNMF) forTask(task string) Method {
	settleOrder(task, p.Solver, &p.Order, &p.Iterations, &p.Tolerance)
	return p
}

func (p GNMF) check(int, int) error { return checkOrder(p.Name(), p.Solver, p.Order) }

func (p GNMF) factoring() factoring {
	return factoring{
		neighbors: nearest(p.Neighbors), patch: edges{graph: "union", weights: "binary"}, align: sumOfPatches,
		run: byNMF{Options: stopping(nmf.Options{Lambda: *p.Lambda, Solver: p.Solver, Sweeps: p.Sweeps,
			Init: p.Init, Iterations: p.Iterations, Normalise: p.Normalise}, p.Order, p.Tolerance)},
		shift: p.Shift, sparse: true,
	}
}

func (p GNMF) grouping() grouping { return factorGrouping(p.Labels, p.factoring()) }
