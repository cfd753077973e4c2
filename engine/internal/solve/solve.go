// Package solve has the fourth step: under which constraint the coordinates are found.
package solve

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/solvers/eigen"
)

// Input is what a rule solves for: the samples that are embedded.
type Input struct {
	*run.Run
	X     samples.Samples
	Start *mat.Dense // of an iterative rule, in place of its own; nil: none was given
}

// Rule finds the coordinates from an alignment A. What it finds, S, is a [Solution],
// alone or with what the rule for new samples needs besides.
type Rule[A any, S Found] func(in Input, a A) (S, error)

// Found is a solution, or more than one.
type Found interface{ Solved() *Solution }

// Solution is what every rule finds.
type Solution struct {
	Y         *mat.Dense
	Values    []float64 // eigenvalues
	Next      float64   // the first that was not asked for; NaN: there is none
	Residuals []float64
	Converged bool
	Plan      *eigen.Plan
	Solves    int
	Products  int
	Angle     float64
	Spectrum  *Spectrum // what the eigenvalues say; nil: nothing

	Objective     []float64 // of an iterative method: at the start and after each iteration
	Orthogonality float64
	Iterations    int
	KKT           float64 // where there is an Objective
}

// Solved returns the solution.
func (s *Solution) Solved() *Solution { return s }

// Projected is the solution of a linear method: Y = (X − Mean)·Projection.
type Projected struct {
	*Solution
	Mean       []float64  // m; nil: zeros
	Projection *mat.Dense // m × d
}

// newProjected is a solution to add pairs to.
func newProjected() *Projected {
	return &Projected{Solution: &Solution{Next: math.NaN(), Angle: math.NaN(), Converged: true}}
}
