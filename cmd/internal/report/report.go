// Package report has what the commands print with --json.
package report

import (
	"encoding/json"
	"math"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/solvers/eigen"
)

// Cost is what every subcommand that works says about its run.
type Cost struct {
	Backend    string         `json:"backend"`
	Threads    int            `json:"threads"`
	Seconds    engine.Seconds `json:"seconds"`
	CPUSeconds engine.Seconds `json:"cpu_seconds"`
	PeakRSS    int64          `json:"peak_rss_bytes"`
	Estimate   int64          `json:"memory_estimate_bytes,omitempty"` // the estimated maximum for the process
	Warnings   []string       `json:"warnings"`
	WarningIDs []string       `json:"warning_ids,omitempty"` // of package messages, in the order of the warnings
	Concurrent bool           `json:"-"`                     // other runs in the process: its processor time is not this run's alone
}

// Add merges the phases of a part of the run, which has a clock of its own.
// Processor time is left out where the phases overlap and it is not known of each.
func (c *Cost) Add(wall, cpu engine.Seconds) {
	for phase := range wall {
		if phase != "total" {
			c.Seconds[phase] += wall[phase]
			if cpu != nil && !c.Concurrent {
				c.CPUSeconds[phase] += cpu[phase]
			}
		}
	}
}

// Machine is what decides the speed of a run.
type Machine struct {
	CPU string   `json:"cpu"`
	ISA []string `json:"isa"`
	Go  string   `json:"go"`
}

// List returns a slice that is [] in JSON where there is nothing, not null.
func List[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// Number is a float64 that is null in JSON where it is not finite.
type Number float64

// MarshalJSON writes the shortest text that reads back the same.
func (x Number) MarshalJSON() ([]byte, error) {
	if v := float64(x); math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

// Finite replaces numbers that JSON cannot hold, so that no report fails.
func Finite(values map[string]any) map[string]any {
	out := map[string]any{}
	for key, v := range values {
		switch v := v.(type) {
		case float64:
			out[key] = Number(v)
		case []float64:
			numbers := make([]Number, len(v))
			for i, x := range v {
				numbers[i] = Number(x)
			}
			out[key] = numbers
		default:
			out[key] = v
		}
	}
	return out
}

// Numbers are numbers that JSON can hold.
func Numbers(v []float64) []Number {
	out := make([]Number, len(v))
	for i, x := range v {
		out[i] = Number(x)
	}
	return out
}

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
