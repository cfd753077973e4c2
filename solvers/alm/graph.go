package alm

import (
	"context"

	"github.com/orthant-go/orthant/sparse"
)

// Graph is what a method knows of the affinities between samples, and how that
// changes from pass to pass.
type Graph interface {
	// Affinity returns S of the coming pass: symmetric, nonnegative, n × n; Φ =
	// diag(S1) − S. The diagonal does not matter. Valid until the next Update.
	Affinity() *sparse.CSR
	// Update learns from a pass whose new factors are w and wPlus (n × r, row after row,
	// one row a sample): step.Mu is the penalty of the pass, step.Next the one after
	// it (mu·rho, capped). It returns the residual of its own splitting,
	// ‖Z − C‖_F/√n (0 where there is none).
	Update(ctx context.Context, w, wPlus []float64, step Step) (residual float64, err error)
}

// Step says which pass a [Graph] learns from.
type Step struct {
	Pass, Rank int // the pass counts from 1; Rank is r
	Mu, Next   float64
}

// Projector is a Graph of a method that also chooses the data: those that are
// factorized are a projection of the samples, which changes from pass to pass.
type Projector interface {
	Graph
	// Project comes before Update of the same pass. target = WH + E − L1/μ (n × m) is
	// what the data should be for the factors' sake; x is overwritten with what they
	// are from now on.
	Project(ctx context.Context, target, x []float64, step Step) error
}

// Fixed is the graph of fixed affinities s.
func Fixed(s *sparse.CSR) Graph { return fixed{s} }

type fixed struct{ s *sparse.CSR }

func (f fixed) Affinity() *sparse.CSR { return f.s }

func (fixed) Update(context.Context, []float64, []float64, Step) (float64, error) { return 0, nil }
