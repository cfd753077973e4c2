package method

import (
	"github.com/orthant-go/orthant/engine/internal/cluster"
	"github.com/orthant-go/orthant/engine/internal/factor"
)

// nearestRows is the number of neighbours in the graph of the rows of a factorisation.
const nearestRows = 7

// clusteredBy clusters by the coordinates of a factorisation of rank C.
func (l ClusterLabels) clusteredBy(f factor.Plan) Grouping {
	g := factorGrouping(l.Labels, f)
	if g.Rows = l.Rows; l.Rows == "auto" {
		g.Rows = cluster.Codes
		if l.Labels == "kmeans" {
			g.Rows = cluster.Unit
		}
	}
	if l.Labels == "spectral" {
		g.Among = func(n int) cluster.Plan {
			return Spectral{Neighbors: min(nearestRows, n-1), Graph: "union", Weights: "binary"}.grouping(0).Plan
		}
	}
	return g
}

// factorGrouping clusters by the coordinates of a factorisation of rank C: by k-means,
// or each sample by its largest coordinate.
func factorGrouping(labels string, f factor.Plan) Grouping {
	return Grouping{Plan: cluster.Plan{
		Factors: &f, Argmax: labels == "argmax",
		KMeans: cluster.KMeans{Restarts: 10, Iterations: 300, Tolerance: 1e-6}, // the defaults of kmeans
		Within: cluster.PursuitWithin(12),
	}, Embed: byPCA}
}
