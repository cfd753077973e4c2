package engine

import "github.com/orthant-go/orthant/solvers/nmf"

// NMF is nonnegative matrix factorisation in the least-squares sense (Lee and Seung
// 2001),
//
//	min ‖X − WH‖²_F   under W, H ≥ 0,
//
// by multiplicative updates or by coordinate descent (Cichocki and Phan 2009), H
// first and W with the new H. Sparse data stay sparse. New samples get the
// coordinates under the components that stay. 4nmR flops an iteration.
type NMF struct {
	Solver      string  `json:"solver" default:"mu" allowed:"mu|hals" doc:"multiplicative updates, or coordinate descent (hierarchical alternating least squares)"`
	Order       string  `json:"order" default:"auto" allowed:"auto|basis-first|codes-first" doc:"of solver=mu: H and then W with the new H, or W first, from components of unit length; auto: W first in a clustering, else H"`
	Sweeps      int     `json:"sweeps" default:"0" allowed:"≥ 0" doc:"of solver=hals: sweeps over a factor for each product with the data; 0: as many as pay"`
	Extrapolate bool    `json:"extrapolate" default:"false" doc:"of solver=hals: momentum with restarts (Ang and Gillis 2019)"`
	Init        string  `json:"init" default:"random" allowed:"random|nndsvd|nndsvda|nndsvdar" doc:"the start: uniform by the seed, or the singular vectors' parts (nndsvd, for solver=hals), or with zeros filled by the mean or by small random numbers"`
	Iterations  int     `json:"iterations" default:"200" allowed:"≥ 1" doc:"at most; 500 by default with order=codes-first"`
	Tolerance   float64 `json:"tolerance" default:"0" allowed:"≥ 0" doc:"stop when a step changes WH by less, relative to it, or with order=codes-first the objective by no more; 0: never, or 1e-5 with order=codes-first"`
	Normalise   string  `json:"normalise" default:"end" allowed:"end|each|none" doc:"components to unit length, W against them: at the end, after each iteration, or never"`
	Shift       string  `json:"shift" default:"none" allowed:"none|columns|global" doc:"of data with negative entries: take off each column its least entry where that is negative, or off all the least of all"`
	Labels      string  `json:"labels" default:"kmeans" allowed:"kmeans|argmax" doc:"of a clustering: by k-means among the coordinates, or by each sample's largest"`
}

// Name returns "nmf".
func (NMF) Name() string { return "nmf" }

func (p NMF) forTask(task string) Method {
	settleOrder(task, p.Solver, &p.Order, &p.Iterations, &p.Tolerance)
	return p
}

func (p NMF) check(int, int) error { return checkOrder(p.Name(), p.Solver, p.Order) }

func (p NMF) factoring() factoring {
	return factoring{
		run: byNMF{Options: stopping(nmf.Options{Solver: p.Solver, Sweeps: p.Sweeps, Extrapolate: p.Extrapolate,
			Init: p.Init, Iterations: p.Iterations, Normalise: p.Normalise}, p.Order, p.Tolerance)},
		shift: p.Shift, sparse: true,
	}
}

func (p NMF) grouping() grouping { return factorGrouping(p.Labels, p.factoring()) }
