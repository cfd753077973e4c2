package method

import "github.com/orthant-go/orthant/engine/internal/cluster"

// KMeans partitions the samples around centres, the means of their clusters, to minimise
// the sum of squared distances (Lloyd's iteration from several k-means++
// starts, of which the best is kept). It finds compact clusters, not manifolds. At most O(N m C) for each
// iteration; sparse samples stay sparse, at O(nnz C). Samples may have weights (Options.Weights).
type KMeans struct {
	Restarts   int      `json:"restarts" default:"10" allowed:"≥ 1" doc:"the number of starts; the result of least cost is kept"`
	Iterations int      `json:"iterations" default:"300" allowed:"≥ 1" doc:"the most iterations of each start"`
	Tolerance  *float64 `json:"tolerance" default:"1e-6" allowed:"≥ 0" doc:"a start ends when no sample changes its cluster, or when no centre moves by more than this share of the data's root mean square radius; 0: only when no sample changes its cluster"`

	weights []float64 // of all samples; nil: 1 each
}

// Name returns "kmeans".
func (KMeans) Name() string { return "kmeans" }

func (p KMeans) row() Row {
	return Row{Cluster: p.grouping, sparse: true, Weighted: func(weights []float64) Method { p.weights = weights; return p }}
}

func (p KMeans) grouping(int) Grouping {
	tolerance := 1e-6 // the default in the tag
	if p.Tolerance != nil {
		tolerance = *p.Tolerance
	}
	return Grouping{Plan: cluster.Plan{
		KMeans: cluster.KMeans{Restarts: p.Restarts, Iterations: p.Iterations, Tolerance: tolerance, Weights: p.weights},
		Within: cluster.PursuitWithin(12),
	}, Embed: byPCA}
}
