package method

import (
	"github.com/orthant-go/orthant/engine/internal/cluster"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/solvers/communities"
)

// Leiden finds communities of the neighbour graph, and their number, by Leiden's algorithm (Traag, Waltman and van Eck 2019): samples that have
// more edges among themselves than to others. The quality of the partition is its modularity, or the constant Potts model, with a resolution γ. Communities are connected.
// The graph is the fuzzy one of [UMAP], or has equal weights; given affinities replace it. O(N k m) for the neighbours, and about O(N k) for each iteration of a run.
type Leiden struct {
	Neighbors  int      `json:"neighbors" default:"15" allowed:"≥ 1" doc:"k, the nearest neighbours of each sample: fewer give more communities"`
	Resolution *float64 `json:"resolution" default:"1" allowed:"from 0 to 1e9" doc:"γ: the higher, the more communities; 1 is usual for modularity; for cpm it is the mean weight of the pairs of a community, below which it is divided"`
	Quality    string   `json:"quality" default:"modularity" allowed:"modularity|cpm" doc:"what is maximised: the modularity, or the constant Potts model, which has no resolution limit"`
	Weights    string   `json:"weights" default:"fuzzy" allowed:"fuzzy|binary" doc:"the weight of an edge: the membership strength of umap, or 1"`
	Runs       int      `json:"runs" default:"4" allowed:"from 1 to 10000" doc:"the number of independent runs, of which the one of the highest quality is kept"`
	Consensus  bool     `json:"consensus" default:"false" doc:"take the communities on which the runs agree, by repeating them with edges weighted by agreement, in place of the run of the highest quality"`
	Iterations int      `json:"iterations" default:"auto" allowed:"≥ 1" doc:"the iterations of each run, fewer if one changes nothing; auto: until one raises the quality by at most 0.03 %"`
	Randomness *float64 `json:"randomness" default:"0.01" allowed:"from 0 to 1e9" doc:"θ, by which the refinement prefers joins of a larger gain, in units of the mean weight of an edge; 0: always the largest"`
}

// Name returns "leiden".
func (Leiden) Name() string { return "leiden" }

func (p Leiden) row() Row {
	return Row{GraphOnly: onlyGraph, Neighbors: &p.Neighbors, Cluster: p.grouping, sparse: true, FindsClusters: true, Memory: p.memory}
}

func (p Leiden) memory(n, _ int64, threads, _ int) int64 {
	need := communities.Bytes(int(n), 2*int(n)*p.Neighbors, p.Runs, threads)
	if p.Consensus {
		need += communities.ConsensusBytes(int(n), 2*int(n)*p.Neighbors)
	}
	return need
}

func (p Leiden) grouping(int) Grouping {
	edges := patch.Fuzzy{Mix: 1}.Rule()
	if p.Weights == extend.BinaryWeights {
		edges = patch.Edges{Graph: "union", Weights: p.Weights}.Rule()
	}
	o := communities.Options{Resolution: p.Resolution, Runs: p.Runs, Iterations: p.Iterations, Randomness: p.Randomness}
	if p.Iterations == 0 {
		o.Tolerance = 3e-4 // below what two runs differ by
	}
	if p.Quality == "cpm" {
		o.Quality = communities.CPM
	}
	return Grouping{Plan: cluster.Plan{
		Neighbors: neighborhood.Nearest(p.Neighbors),
		Edges:     edges,
		Groups:    cluster.Communities(o, p.Consensus, extend.NeighborLabels(p.Neighbors, p.Weights)),
		Within:    cluster.PursuitWithin(12),
	}, Embed: func(size, dim int) Method { return LE{Neighbors: min(p.Neighbors, size-1), Dim: dim} }}
}
