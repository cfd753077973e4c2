package engine

import "github.com/orthant-go/orthant/solvers/nmf"

// GSGNMF is [GNMF] on a graph of samples that write each other: each is coded by all
// others with an elastic net, and S = (|A| + |A|ᵀ)/2 of the codes A. It stands in for
// the group-sparse graph of Fang, Wang and Dai (2012), whose groups are not
// reproduced. It takes 8n² bytes for the Gram matrix of the samples.
type GSGNMF struct {
	L1         float64  `json:"l1" default:"0.0001" allowed:"> 0" doc:"ℓ1, the weight of Σ|a| in the code of a sample of unit length"`
	L2         float64  `json:"l2" default:"0.001" allowed:"> 0" doc:"ℓ2, the weight of Σa²"`
	Lambda     *float64 `json:"lambda" default:"100" allowed:"≥ 0" doc:"λ, the weight of the graph term; 0: none"`
	Solver     string   `json:"solver" default:"mu" allowed:"mu|hals" doc:"multiplicative updates, or coordinate descent (hierarchical alternating least squares)"`
	Sweeps     int      `json:"sweeps" default:"0" allowed:"≥ 0" doc:"of solver=hals: sweeps over a factor for each product with the data; 0: as many as pay"`
	Init       string   `json:"init" default:"random" allowed:"random|nndsvd|nndsvda|nndsvdar" doc:"the start: uniform by the seed, or the singular vectors' parts (nndsvd, for solver=hals), or with zeros filled by the mean or by small random numbers"`
	Iterations int      `json:"iterations" default:"200" allowed:"≥ 1" doc:"at most"`
	Tolerance  float64  `json:"tolerance" default:"0" allowed:"≥ 0" doc:"stop when a step changes WH by less, relative to it; 0: never"`
	Normalise  string   `json:"normalise" default:"end" allowed:"end|each|none" doc:"components to unit length, W against them: at the end, after each iteration, or never"`
	Shift      string   `json:"shift" default:"none" allowed:"none|columns|global" doc:"of data with negative entries: take off each column its least entry where that is negative, or off all the least of all"`
	Labels     string   `json:"labels" default:"kmeans" allowed:"kmeans|argmax" doc:"of a clustering: by k-means among the coordinates, or by each sample's largest"`
}

// Name returns "gs-gnmf".
func (GSGNMF) Name() string { return "gs-gnmf" }

func (p GSGNMF) factoring() factoring {
	return factoring{
		align: elasticNet{ridge: p.L2, sparse: p.L1}.align,
		run: byNMF{Options: nmf.Options{Lambda: *p.Lambda, Solver: p.Solver, Sweeps: p.Sweeps,
			Init: p.Init, Iterations: p.Iterations, Tolerance: p.Tolerance, Normalise: p.Normalise}},
		shift: p.Shift,
	}
}

func (p GSGNMF) grouping() grouping { return factorGrouping(p.Labels, p.factoring()) }
