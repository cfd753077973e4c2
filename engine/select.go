package engine

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/exemplars"
)

// selector is a method for [Select].
type selector interface {
	Method
	// choose finds count samples of the problem, for parameters whose defaults are
	// filled in. It may leave scaled samples in the problem.
	choose(p *problem, count int) (*choice, error)
}

// choice is what a selector found.
type choice struct {
	indices     []int // as many as asked for
	first, last float64
	iterations  int
	converged   bool
}

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

	Seconds    Seconds // wall time: total, kernel, solve
	CPUSeconds Seconds
}

// Select chooses Count of the rows of x as exemplars, by the given method. There are
// always Count of them: where a method finds fewer, the samples farthest from those it
// found follow, a warning says so and Details["filled"] how many. Ties go to the lower row.
//
// Errors are about entries that are not finite, fewer than 2 samples, a count that is
// not between 1 and the number of samples, parameters out of their range, and work
// beyond the memory limit.
func Select(ctx context.Context, x mat.Matrix, m Method, o SelectOptions) (*Selection, error) {
	clock := NewClock()
	var err error
	if o.Options, err = o.Options.withDefaults(); err != nil {
		return nil, err
	}
	kernels, err := blas.Select(o.Backend)
	if err != nil {
		return nil, err
	}
	p := &problem{
		ctx: ctx, x: pointsOf(x), options: o.Options, kernels: kernels, clock: clock,
		report: &report{details: map[string]any{}},
	}
	s := &Selection{Samples: p.x.N, Features: p.x.M, Count: o.Count, Backend: kernels.Name(), Threads: blas.Threads(o.Threads)}
	if err := p.selectFrom(m, s); err != nil {
		return nil, err
	}
	s.Warnings, s.Details = p.warnings, p.details
	s.Seconds, s.CPUSeconds = clock.Seconds()
	return s, nil
}

// selectFrom checks the input, resolves the parameters and chooses.
func (p *problem) selectFrom(m Method, s *Selection) error {
	if m == nil {
		return fmt.Errorf("engine: no method given")
	}
	if _, ok := m.(selector); !ok {
		return wrongTask(m, "select")
	}
	p.name = m.Name()
	if p.x.N < 2 || p.x.M < 1 {
		return fmt.Errorf("%s: nothing can be chosen from %d × %d data; give at least 2 samples and 1 column", p.name, p.x.N, p.x.M)
	}
	if s.Count < 1 || s.Count > p.x.N {
		return fmt.Errorf("%s: %d exemplars asked of %d samples; give a number from 1 to %d", p.name, s.Count, p.x.N, p.x.N)
	}
	if err := p.checkFinite(); err != nil {
		return err
	}
	if s.Duplicates = findCopies(p.x).count; s.Duplicates > 0 {
		p.warn("%d samples equal an earlier one", s.Duplicates)
	}
	m, err := resolved(m, p.x.N, p.warn)
	if err != nil {
		return err
	}
	if c, ok := m.(checker); ok {
		if err := c.check(p.x.N, p.x.M); err != nil {
			return err
		}
	}
	s.Method, s.Params = m.Name(), Values(m)
	for _, key := range clusteringOnly {
		delete(s.Params, key)
	}
	p.params = s.Params
	found, err := m.(selector).choose(p, s.Count)
	if err != nil {
		return err
	}
	s.Indices, s.FirstObjective, s.Objective = found.indices, found.first, found.last
	s.Iterations, s.Converged = found.iterations, found.converged
	return p.ctx.Err()
}

// ClusteringOnly lists the keys of parameters of methods for [Select] that are about
// clusterings alone, and do nothing to a selection.
func ClusteringOnly() []string { return slices.Clone(clusteringOnly) }

// clusteringOnly are keys of parameters that say how selectors cluster.
var clusteringOnly = []string{"exemplars", "t"}

// filled tops the exemplars up to count with the samples farthest from them.
func (p *problem) filled(chosen []int, count int, why string) ([]int, error) {
	p.details["filled"] = count - len(chosen)
	if len(chosen) == count {
		return chosen, nil
	}
	p.warn("%d of the %d exemplars are the samples farthest from the others: %s", count-len(chosen), count, why)
	return exemplars.Farthest(p.ctx, p.options.Threads, p.exemplarPoints(), chosen, count)
}

// exemplarPoints are the samples, as the solvers of selection take them.
func (p *problem) exemplarPoints() blas.Rows {
	return blas.Rows{N: p.x.N, M: p.x.M, Data: p.x.Data[:p.x.N*p.x.M]}
}

// exemplarOptions are the options of these solvers.
func (p *problem) exemplarOptions() exemplars.Options {
	return exemplars.Options{Kernels: p.kernels, Threads: p.options.Threads, Seed: p.options.Seed, Progress: p.fraction("solve")}
}

// totalOf adds up; NaN for nothing.
func totalOf(list []float64) float64 {
	if len(list) == 0 {
		return math.NaN()
	}
	var sum float64
	for _, v := range list {
		sum += v
	}
	return sum
}
