package solvers

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/solvers/sddm"
)

// LaplacianSolver solves systems with one symmetric diagonally dominant matrix: [sddm.Solver].
type LaplacianSolver = sddm.Solver

// LaplacianOptions are the options of [NewLaplacian]: [sddm.Options].
type LaplacianOptions = sddm.Options

// NewLaplacian prepares to solve systems with a symmetric diagonally dominant matrix, such as the Laplacian of a graph, by conjugate gradients
// with the diagonal or an approximate Cholesky factor: [sddm.New].
func NewLaplacian(ctx context.Context, a mat.Matrix, o LaplacianOptions) (*LaplacianSolver, error) {
	return sddm.New(ctx, a, o)
}
