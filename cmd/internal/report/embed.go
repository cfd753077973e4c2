package report

import (
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/solvers/eigen"
)

// Embed is what --json prints of an embedding.
type Embed struct {
	Method      string         `json:"method"`
	Params      map[string]any `json:"params"`
	Samples     int            `json:"samples"`
	Features    int            `json:"features"`
	Dim         int            `json:"dim"`
	Sparse      bool           `json:"sparse"` // the data were and stayed sparse
	Eigenvalues []Number       `json:"eigenvalues"`
	Residuals   []Number       `json:"residuals"`
	Next        Number         `json:"next_eigenvalue"`
	Converged   bool           `json:"converged"`
	*Iterated
	Quality     *engine.Quality `json:"quality"`
	Components  int             `json:"components"`
	Sizes       []int           `json:"component_sizes"`
	Duplicates  int             `json:"duplicates"`
	Seed        uint64          `json:"seed"`
	Out         string          `json:"out"`
	Plot        string          `json:"plot"`
	Model       string          `json:"model"`
	Details     map[string]any  `json:"details"`
	Classes     []string        `json:"classes,omitempty"` // the texts of the labels
	Plan        *eigen.Plan     `json:"plan"`
	Solves      int             `json:"solves"`
	Products    int             `json:"products"`
	Angle       Number          `json:"estimated_angle"`
	Explanation []string        `json:"explanation,omitempty"`
	Cost
	Machine
}

// Iterated is what it prints besides of an iterative method.
type Iterated struct {
	Objective     Span     `json:"objective"`
	Trace         []Number `json:"objective_trace"` // at the start and after each iteration
	Orthogonality Number   `json:"orthogonality"`
	Iterations    int      `json:"iterations"`
	KKT           Number   `json:"kkt"` // of the factor before rounding
}

// Span is the objective at the start and at the end.
type Span struct {
	First Number `json:"first"`
	Last  Number `json:"last"`
}
