package engine

import (
	"github.com/orthant-go/orthant/engine/internal/cluster"
	"github.com/orthant-go/orthant/engine/internal/factor"
)

// clusteredBy clusters by the coordinates of a factorisation of rank C.
func (l ClusterLabels) clusteredBy(f factor.Plan) grouping {
	g := factorGrouping(l.Labels, f)
	g.Rows = l.Rows
	return g
}

// factorGrouping clusters by the coordinates of a factorisation of rank C: by k-means
// among them, or each sample by its largest.
func factorGrouping(labels string, f factor.Plan) grouping {
	return grouping{Plan: cluster.Plan{
		Factors: &f, Argmax: labels == "argmax",
		KMeans: cluster.KMeans{Restarts: 10, Iterations: 300, Tolerance: 1e-6}, // the defaults of kmeans
		Within: cluster.PursuitWithin(12),
	}, embed: byPCA}
}
