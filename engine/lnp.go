package engine

// LNP is local non-negative pursuit (Chen, Lv and Yi 2014): each sample is
// written as a convex combination of few of its K nearest neighbours, chosen one
// by one so that its projection lies within them, and the embedding keeps these
// weights as LLE keeps its own. The result hardly depends on K on curves; on
// sheets NEML and LTSA are better. As a clustering, the weights are the graph.
//
// The algorithm as printed does not keep to d + 1 neighbours and, for large K,
// links far parts of the data by tiny weights; Cap is our remedy. The estimated
// dimensions, the profile ρ they are read from, and the closed classes of samples
// are among Result.Details. O(N k K m) for k selected ones.
type LNP struct {
	Neighbors  int  `json:"neighbors" default:"12" allowed:"≥ 1" doc:"K, the nearest neighbours among which a sample's own are chosen"`
	Dim        int  `json:"dim" default:"2" allowed:"≥ 1" doc:"d, the columns of the embedding"`
	Cap        *int `json:"cap" default:"auto" zero:"none" allowed:"≥ 0" doc:"neighbours chosen at most; auto: the estimated dimension and one more; none: any number, as printed"`
	Coincident bool `json:"coincident" default:"false" doc:"samples at the same place may be each other's neighbours, and then they are each other's only ones"`
}

// Name returns "lnp".
func (LNP) Name() string { return "lnp" }

func (p LNP) rule() pursuit {
	return pursuit{nearest: nearest(p.Neighbors), cap: p.Cap, coincident: p.Coincident}
}

func (p LNP) steps() steps {
	return steps{
		neighbors: p.rule(),
		patch:     givenWeights{},
		align:     sumOfPatches,
		solve:     bottomEigenvectors(p.Dim, 0),
		extend:    pursuitExtension(p.Neighbors),
	}
}

// degree: lists end before the dimension of the space, and hardly ever exceed a
// dozen.
func (LNP) degree(m int) int { return min(m+1, 12) }

func (p LNP) grouping() grouping {
	inside := func(size, dim int) LNP {
		return LNP{Neighbors: min(p.Neighbors, size-1), Dim: dim, Cap: p.Cap, Coincident: p.Coincident}
	}
	return grouping{
		neighbors: p.rule(),
		edges:     givenEdges{},
		within:    func(size int) neighborRule { return inside(size, 1).rule() },
		embed:     func(size, dim int) Method { return inside(size, dim) },
		weighted:  true,
	}
}
