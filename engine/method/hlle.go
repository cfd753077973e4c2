package method

import (
	"fmt"

	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/quality"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// HLLE is Hessian locally linear embedding (Donoho and Grimes 2003): it finds the
// functions on the samples whose Hessian, estimated in each
// neighbourhood's tangent coordinates, vanishes. It is exact on flat data, even
// if the parameter domain is not convex. A neighbourhood is the k nearest and
// the sample itself. ExcludeSelf leaves the sample out, as the original program
// does; then a sample in no list is an error. Needs k ≥ 1 + d + d(d+1)/2.
// O(N k(m k + d⁴)) and a sparse factorisation.
type HLLE struct {
	Neighbors   int  `json:"neighbors" default:"12" allowed:"≥ 1" doc:"k, the nearest neighbours of each sample; at least 1 + d + d(d+1)/2"`
	Dim         int  `json:"dim" default:"2" allowed:"≥ 1" doc:"d, the columns of the embedding"`
	ExcludeSelf bool `json:"exclude_self" default:"false" doc:"leave the sample itself out of its neighbourhood, as Donoho and Grimes do"`
}

// Name returns "hlle".
func (HLLE) Name() string { return "hlle" }

func (p HLLE) row() Row {
	return Row{Dim: p.Dim, Neighbors: &p.Neighbors, Embed: p.steps, Check: p.check, sparse: true}
}

func (p HLLE) check(n, m int) error {
	// In floating point, because integer products would overflow for a huge dim.
	if least := 1 + float64(p.Dim) + float64(p.Dim)*(float64(p.Dim)+1)/2; float64(p.Neighbors) < least {
		return fmt.Errorf("hlle: %d neighbours do not determine a Hessian in %d dimensions; give at least %.0f neighbours (1 + d + d(d+1)/2) or a smaller dim", p.Neighbors, p.Dim, least)
	}
	return nil
}

func (p HLLE) steps() pipeline.Steps {
	return pipeline.Steps{
		Neighbors: neighborhood.Nearest(p.Neighbors),
		Patch:     patch.Hessian(p.Dim, p.ExcludeSelf),
		Joint:     pipeline.Join(align.SumToFactor, solve.BottomEigenvectors(p.Dim, soundGap)),
		Aim:       quality.Lengths,
	}
}
