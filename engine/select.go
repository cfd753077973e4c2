package engine

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/method"
)

// SelectOptions configure [Select]. The options Components, Duplicates,
// Landmarks and Init have no effect.
type SelectOptions struct {
	Options
	Count int // T, the number of exemplars; from 1 to the number of samples
}

// Selection is the result of [Select].
type Selection struct {
	Indices []int // rows of the data, from 0, in the order of choice or of weight, depending on the method

	Method   string
	Params   map[string]any // all parameters, defaults included
	Samples  int
	Features int
	Count    int
	Backend  string
	Threads  int

	// FirstObjective and Objective are the method's objective after its first choice or
	// at its start, depending on the method, and at the end; NaN if it has none.
	FirstObjective, Objective float64
	Iterations                int // of an iterative method; otherwise the number of exemplars
	Converged                 bool

	Duplicates int // samples equal to an earlier one
	Details    map[string]any
	Warnings   []string

	// EstimatedBytes is the estimated peak memory of the process; see Options.Memory.
	EstimatedBytes int64

	Seconds    Seconds // wall time: total, kernel, solve
	CPUSeconds Seconds
}

// Select chooses Count of the rows of x as exemplars, by the given method. If a method finds fewer than
// Count, the samples farthest from them are added, with a warning, and Details["filled"] is
// their number. Of equal samples the lower row comes first.
//
// Errors are entries that are not finite, fewer than 2 samples, a count that is not between 1 and the
// number of samples, parameters out of range, and work beyond the memory limit.
func Select(ctx context.Context, x mat.Matrix, m Method, o SelectOptions) (*Selection, error) {
	f, s, err := begin(ctx, "select", x, m, o.Options)
	if err != nil {
		return nil, err
	}
	n, features := f.data.Dims()
	if o.Count < 1 || o.Count > n {
		return nil, fmt.Errorf("%s: %d exemplars requested of %d samples; give a number from 1 to %d", s.Method(), o.Count, n, n)
	}
	s, _, err = through(s,
		read{data: f.data},
		f.standardize(),
		densify{always: true, remedy: fewerEntries},
		findCopies{warn: true},
		rescale{}, // exemplars and objectives have no unit
		parameters{fit: f})
	if err != nil {
		return nil, err
	}
	points := s.x
	s.x = samples.Samples{} // released: a step makes its own samples
	found, err := method.RowOf(s.method).Choose()(s.Run, points, o.Count)
	if err == nil {
		err = s.Err()
	}
	if err != nil {
		return nil, err
	}
	r := &Selection{Indices: found.Indices, Method: s.method.Name(), Params: s.params, Samples: n, Features: features, Count: o.Count,
		Backend: s.Kernels().Name(), Threads: blas.Threads(s.Threads()),
		FirstObjective: found.First, Objective: found.Last, Iterations: found.Iterations, Converged: found.Converged,
		Duplicates: s.copies.Count, Details: s.Notes(), Warnings: s.Warnings(), EstimatedBytes: s.PeakBytes()}
	r.Seconds, r.CPUSeconds = f.clock.Seconds()
	return r, nil
}
