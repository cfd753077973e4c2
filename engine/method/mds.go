package method

import (
	"fmt"

	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/quality"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// MDS is classical multidimensional scaling of Euclidean data (Torgerson 1952):
// Y = V√λ for the d largest eigenpairs of the Gram matrix XcXcᵀ of the centred
// samples, which are the reported values. The coordinates are those of [PCA];
// only the scale of the values differs. O(n m·min(n, m)).
//
// With Options.Distances in place of samples it is classical scaling of the distances D: B = −½JD²J.
// A warning says where D violates the triangle inequality. 4n² bytes, O(n²)
// for each product of the Lanczos method.
type MDS struct {
	Dim int `json:"dim" default:"2" allowed:"≥ 1" doc:"d, the columns of the embedding, at most those of the data"`
}

// Name returns "mds".
func (MDS) Name() string { return "mds" }

func (p MDS) row() Row {
	return Row{lengths: true, Dim: p.Dim, Embed: p.steps, Inputs: AllDistances, Given: p.given, Check: p.check, Units: Units{Coordinates: 1, Values: 2}, sparse: true}
}

func (p MDS) check(n, m int) error {
	if m > 0 && p.Dim > m { // for distances the number of columns is unknown
		return fmt.Errorf("mds: dim %d of data with %d columns; give at most %d", p.Dim, m, m)
	}
	return nil
}

func (p MDS) steps() pipeline.Steps { return p.given(pipeline.Given{}) }

func (p MDS) given(given pipeline.Given) pipeline.Steps {
	if d := given.Distances; d.N() > 0 {
		return pipeline.Steps{Joint: pipeline.Join(align.Distances(d), solve.ClassicalScaling(p.Dim))}
	}
	return pipeline.Steps{Orthogonal: true, Aim: quality.Variance, Joint: pipeline.JoinExtended(align.CenteredGram(p.Dim), solve.SquaredLengths(solve.TopEigenvectors(p.Dim, false)), extend.Linear)}
}
