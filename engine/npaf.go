package engine

import (
	"fmt"

	"github.com/orthant-go/orthant/solvers/nmf"
)

// NPAF is the nonnegative patch alignment framework (Guan, Tao, Luo and Yuan 2011) on
// the neighbour graph,
//
//	min D(X, WH) + λ tr(WᵀΦW)   under W, H ≥ 0,   Φ = D − S,
//
// D the squared error or the Kullback–Leibler divergence. Its λ is half the γ of the
// paper. With squares it is [GNMF] with other defaults.
type NPAF struct {
	Loss       string   `json:"loss" default:"frobenius" allowed:"frobenius|kl" doc:"D, the squared error or the Kullback–Leibler divergence"`
	Neighbors  int      `json:"neighbors" default:"5" allowed:"≥ 1" doc:"k, the nearest neighbours of each sample; samples are joined if either lists the other"`
	Lambda     *float64 `json:"lambda" default:"1" allowed:"≥ 0" doc:"λ, the weight of the graph term; 0: none"`
	Solver     string   `json:"solver" default:"mu" allowed:"mu|hals" doc:"multiplicative updates, or coordinate descent (hierarchical alternating least squares)"`
	Sweeps     int      `json:"sweeps" default:"0" allowed:"≥ 0" doc:"of solver=hals: sweeps over a factor for each product with the data; 0: as many as pay"`
	Init       string   `json:"init" default:"random" allowed:"random|nndsvd|nndsvda|nndsvdar" doc:"the start: uniform by the seed, or the singular vectors' parts (nndsvd, for solver=hals), or with zeros filled by the mean or by small random numbers"`
	Iterations int      `json:"iterations" default:"200" allowed:"≥ 1" doc:"at most"`
	Tolerance  float64  `json:"tolerance" default:"0" allowed:"≥ 0" doc:"stop when a step changes WH by less, relative to it; 0: never"`
	Normalise  string   `json:"normalise" default:"end" allowed:"end|each|none" doc:"components to unit length, W against them: at the end, after each iteration, or never"`
	Shift      string   `json:"shift" default:"none" allowed:"none|columns|global" doc:"of data with negative entries: take off each column its least entry where that is negative, or off all the least of all"`
	Labels     string   `json:"labels" default:"kmeans" allowed:"kmeans|argmax" doc:"of a clustering: by k-means among the coordinates, or by each sample's largest"`
}

// Name returns "npaf".
func (NPAF) Name() string { return "npaf" }

func (p NPAF) factoring() factoring {
	return factoring{
		neighbors: nearest(p.Neighbors), patch: edges{graph: "union", weights: "binary"}, align: sumOfPatches,
		run: byNMF{Options: nmf.Options{Loss: p.Loss, Lambda: *p.Lambda, Solver: p.Solver, Sweeps: p.Sweeps,
			Init: p.Init, Iterations: p.Iterations, Tolerance: p.Tolerance, Normalise: p.Normalise}},
		shift: p.Shift,
	}
}

func (p NPAF) grouping() grouping { return factorGrouping(p.Labels, p.factoring()) }

func (p NPAF) check(int, int) error {
	if p.Loss == nmf.KL && p.Solver == nmf.HALS {
		return fmt.Errorf("npaf: solver=hals is for loss=frobenius; choose solver=mu for the divergence")
	}
	return nil
}
