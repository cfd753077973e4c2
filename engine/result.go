package engine

import (
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/solvers/eigen"
)

// Result is an embedding and what is known of it.
type Result struct {
	Y *mat.Dense // n × d, one row a sample; rows that components=largest leaves out are NaN

	Standard *Standardization // of the data before the method; nil: they were taken as they are

	Method   string
	Params   map[string]any // all parameters, defaults filled in
	Samples  int
	Features int
	Sparse   bool // the data were and stayed sparse
	Dim      int
	Backend  string // of the products
	Threads  int

	// Values are the d eigenvalues and Residuals those of their pairs, relative to
	// the matrix; Next is the first eigenvalue not asked for (NaN: there is none).
	// With components=each they are those of the largest component.
	Values    []float64
	Residuals []float64
	Next      float64
	Converged bool

	// Of an iterative method: its objective at the start and after each iteration
	// (nil: the method has none), how far the factor U is from orthonormal columns,
	// ‖UᵀU − I‖_F, and the number of iterations.
	Objective     []float64
	Orthogonality float64
	Iterations    int
	KKT           float64 // scaled residual of the conditions for a minimum, of U before rounding (docs/nonnegative.md); NaN: the method has none

	// Quality is what was measured of the coordinates, with the verdict by it. Of several
	// components that were embedded each on its own the scores are those of the largest.
	Quality *Quality

	Components int   // of the neighbour graph; 0 where the method has none
	Sizes      []int // of the components, descending
	Duplicates int   // samples that equal an earlier one

	Plan     *eigen.Plan    // of the eigensolver; nil where the method has another
	Solves   int            // right-hand sides that the eigensolver solved for
	Products int            // of the alignment matrix with a vector
	Angle    float64        // estimated between the span found and the true one; NaN: not known
	Details  map[string]any // what the method found on its way, such as NEML's eta
	Warnings []string

	extension   *extend.Extension // for new samples; nil: there is no rule, because of noExtension
	noExtension string

	// EstimatedBytes is the estimate of the most memory that the process needs: see Options.Memory.
	EstimatedBytes int64

	Seconds    Seconds // wall time: total, neighbors, patches, alignment, solve
	CPUSeconds Seconds // processor time of the same
}
