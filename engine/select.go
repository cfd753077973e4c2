package engine

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
)

// SelectOptions say how exemplars are chosen. Of Options, Components, Duplicates,
// Landmarks and Init do nothing.
type SelectOptions struct {
	Options
	Count int // T, the exemplars to choose; from 1 to the number of samples
}

// Selection is a list of exemplars and what is known of it.
type Selection struct {
	Indices []int // rows of the data, from 0, in the order of choice or of weight: see the method

	Method   string
	Params   map[string]any // all parameters, defaults filled in
	Samples  int
	Features int
	Count    int
	Backend  string
	Threads  int

	// FirstObjective and Objective are the method's objective after its first choice, or
	// at its start, and in the end; NaN where it has none. The method's page says which.
	FirstObjective, Objective float64
	Iterations                int // of an iterative method; else the number of exemplars
	Converged                 bool

	Duplicates int // samples that equal an earlier one
	Details    map[string]any
	Warnings   []string

	// EstimatedBytes is the estimate of the most memory that the process needs: see Options.Memory.
	EstimatedBytes int64

	Seconds    Seconds // wall time: total, kernel, solve
	CPUSeconds Seconds
}

// Select chooses Count of the rows of x as exemplars, by the given method. There are always Count of
// them: if a method finds fewer, the samples farthest from them are added; a warning says so, and
// Details["filled"] tells how many. Of equal samples the lower row comes first.
//
// Errors are entries that are not finite, fewer than 2 samples, a count that is not between 1 and the
// number of samples, parameters out of range, and work beyond the memory limit.
func Select(ctx context.Context, x mat.Matrix, m Method, o SelectOptions) (*Selection, error) {
	b, x, m, err := begin(ctx, "select", x, m, o.Options)
	if err != nil {
		return nil, err
	}
	s := &Selection{Count: o.Count, Backend: b.Kernels().Name(), Threads: blas.Threads(b.Threads())}
	s.Samples, s.Features = x.Dims()
	points, err := b.data(x, false, fewerEntries)
	if err != nil {
		return nil, err
	}
	if err := b.choose(points, m, s); err != nil {
		return nil, err
	}
	s.Warnings, s.Details, s.EstimatedBytes = b.Warnings(), b.Notes(), b.Reckoned()
	s.Seconds, s.CPUSeconds = b.clock.Seconds()
	return s, nil
}

// choose checks the input, resolves the parameters and chooses.
func (b begun) choose(x samples.Samples, m Method, s *Selection) error {
	if x.N() < 2 || x.M() < 1 {
		return fmt.Errorf("%s: nothing can be chosen from %d × %d data; give at least 2 samples and 1 column", b.Method(), x.N(), x.M())
	}
	if s.Count < 1 || s.Count > x.N() {
		return fmt.Errorf("%s: %d exemplars asked of %d samples; give a number from 1 to %d", b.Method(), s.Count, x.N(), x.N())
	}
	// Exemplars and objectives have no unit.
	scaled, _, err := b.ordinary(x)
	if err != nil {
		return err
	}
	if s.Duplicates = x.CountCopies(); s.Duplicates > 0 {
		b.Warn("%d samples equal an earlier one", s.Duplicates)
	}
	if m, err = b.resolve(m, x.N(), x.M()); err != nil {
		return err
	}
	s.Method, s.Params = m.Name(), Values(m)
	for _, key := range clusteringOnly {
		delete(s.Params, key)
	}
	b.common(s.Params, func(key string) bool { return selectKeys[key] })
	found, err := rowOf(m).choose()(b.Run, scaled, s.Count)
	if err != nil {
		return err
	}
	s.Indices, s.FirstObjective, s.Objective = found.Indices, found.First, found.Last
	s.Iterations, s.Converged = found.Iterations, found.Converged
	return b.Err()
}

// ClusteringOnly lists the keys of those parameters of methods for [Select] that only concern
// clusterings and do not change a selection.
func ClusteringOnly() []string { return slices.Clone(clusteringOnly) }

// clusteringOnly are keys of parameters that say how selectors cluster.
var clusteringOnly = []string{"exemplars", "t"}
