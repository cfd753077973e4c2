package method

import (
	"fmt"

	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/quality"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// Isomap is isometric feature mapping (Tenenbaum, de Silva and Langford 2000):
// shortest path lengths in the neighbour graph approximate the distances along the
// manifold, and classical scaling finds coordinates with these distances: Y = V√λ for the d largest
// eigenpairs of B = −½JD²J, which are the reported values. With Options.Landmarks it is landmark
// Isomap (de Silva and Tenenbaum 2003): paths begin only at the landmarks, and every sample is placed
// by its distances to them.
//
// On low-dimensional data, whose graph is eliminated with little fill, the paths
// take O(n² log n), otherwise O(n²(k + log n)). Memory is 4n² bytes, or 8nM with M landmarks.
type Isomap struct {
	Neighbors int `json:"neighbors" default:"12" allowed:"≥ 1" doc:"k, the nearest neighbours of each sample; samples are joined if either lists the other"`
	Dim       int `json:"dim" default:"2" allowed:"≥ 1" doc:"d, the columns of the embedding"`
}

// Name returns "isomap".
func (Isomap) Name() string { return "isomap" }

func (p Isomap) row() Row {
	return Row{lengths: true, GraphOnly: onlyGraph, Dim: p.Dim, Neighbors: &p.Neighbors, Embed: p.steps, Memory: p.memory, Cheaper: p.cheaper, OwnLandmarks: true, Units: Units{Coordinates: 1, Values: 2}, sparse: true}
}

func (p Isomap) memory(n, _ int64, threads, landmarks int) int64 {
	// Each edge of the graph is stored at both ends.
	return align.GeodesicBytes(n, threads, landmarks) + 24*n*int64(p.Neighbors)
}

func (p Isomap) steps() pipeline.Steps {
	return pipeline.Steps{
		Neighbors:     neighborhood.Nearest(p.Neighbors),
		Joint:         pipeline.JoinExtended(align.Geodesics(p.Dim), solve.ClassicalScaling(p.Dim), extend.Geodesic),
		InPlace:       true,
		NeedConnected: true,
		Aim:           quality.Lengths,
		Orthogonal:    true,
	}
}

// manyPaths is the number of samples from which a way with fewer paths is suggested.
const manyPaths = 20_000

func (p Isomap) cheaper(n int, landmarks bool) string {
	if n < manyPaths || landmarks {
		return ""
	}
	return fmt.Sprintf("finds %.2g paths; ‹landmarks=%d› finds only paths from that many samples, with 1/%d of the work and of the memory, and places the others by them", float64(n)*float64(n), landmarksFor(n), n/landmarksFor(n))
}

// landmarksFor returns a number of landmarks that usually changes coordinates little.
func landmarksFor(n int) int { return max(1000, n/50/1000*1000) }
