// Package solve implements the fourth step: computing the coordinates under a constraint.
package solve

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/solvers/eigen"
)

// Input is the input of a rule: the samples to embed.
type Input struct {
	*run.Run
	X     samples.Samples
	Start *mat.Dense // of an iterative rule, in place of its own; nil: none was given
}

// Rule computes the coordinates from an alignment A. The result S is a [Solution],
// possibly with further data for the rule for new samples.
type Rule[A any, S Found] func(in Input, a A) (S, error)

// Found is a result that contains a solution.
type Found interface{ Solved() *Solution }

// Solution is the part of the result that all rules have.
type Solution struct {
	Y         *mat.Dense
	Values    []float64 // eigenvalues
	Next      float64   // the following eigenvalue; NaN: none
	Residuals []float64
	Converged bool
	Plan      *eigen.Plan
	Solves    int
	Products  int
	Angle     float64
	Spectrum  *Spectrum // assessment of the eigenvalues; nil: none

	Objective     []float64 // of an iterative method, at the start and after each iteration
	Orthogonality float64
	Iterations    int
	KKT           float64 // valid if there is an Objective
}

// Solved returns the solution.
func (s *Solution) Solved() *Solution { return s }

// Projected is the solution of a linear method: Y = (X − Mean)·Projection.
type Projected struct {
	*Solution
	Mean       []float64  // m; nil: zeros
	Projection *mat.Dense // m × d
}

// newProjected returns a solution without eigenpairs.
func newProjected() *Projected {
	return &Projected{Solution: &Solution{Next: math.NaN(), Angle: math.NaN(), Converged: true}}
}
