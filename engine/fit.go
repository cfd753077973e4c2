package engine

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// All entries process data in the same way: [begin] (options.go) resolves the options, stages transform
// the samples for the steps of a method, the steps compute the result, and the stages are undone
// on it in reverse order.

// Seconds are the durations of a run: "total" and one entry for each phase.
type Seconds = run.Seconds

// Clock times the phases of a run in wall and processor time. Phases of the
// same name add up. The zero value is not ready; use [NewClock].
type Clock = run.Clock

// NewClock starts a clock.
func NewClock() *Clock { return run.NewClock() }

// fit is the request of an entry. It is made by [begin] and does not change.
type fit struct {
	task    string     // embed, factorize, cluster or select
	options Options    // defaults filled in, as far as they apply to the given structures
	data    mat.Matrix // dense of any type, a *sparse.CSR, or only a shape
	clock   *Clock

	warnsOfSpreads bool // the spreads of columns matter, and the caller did not choose a treatment
}

// state holds the samples between stages, with the data that belong to them. A stage takes a state
// and returns another. States are passed by value, and what they refer to is never changed.
type state struct {
	*run.Run   // counts the memory held so far
	x          samples.Samples
	own        bool           // the run may write to the storage of x
	method     Method         // for the samples as they are now
	given      pipeline.Given // in place of samples, or of a search among them
	unit       magnitude.Unit // of the samples
	copies     samples.Copies
	weights    nmf.Weights       // of the entries, in a factorisation
	collection *collected        // blocks and datasets of a factorisation; nil: there are none
	standard   *samples.Standard // how the samples were standardised; nil: they were not
	denoised   bool              // the search for noise has been done
	landmarks  []int             // samples that the alignment uses as landmarks, ascending; nil: all
	params     map[string]any    // of the method and of the run, as shown in results
}

// euclidean reports whether the neighbour search is Euclidean.
func (s state) euclidean() bool { return s.Metric() == neighbors.Euclidean }

// stage transforms the samples, or the data that belong to them, before the steps.
type stage interface {
	// apply returns the state after the stage, and the undo for results; nil: nothing has to be
	// undone.
	apply(s state) (state, undo, error)
}

// undo reverts a stage: it maps a result back to the samples before the stage, and adapts
// the rule for new samples likewise.
type undo interface {
	back(f *fitted) error
}

// fitted is the result of the steps in a state.
type fitted struct {
	state
	result      measured
	coordinates *outcome          // result if it is an embedding; otherwise nil
	rule        *extend.Extension // for new samples; nil: none
	power       float64           // power of the data's unit that coordinates by the rule have
}

// measured is a result with numbers in the unit of the data.
type measured interface {
	// quantities returns these numbers, copied if they are shared. The method determines the power of
	// the unit of each, as its units say.
	quantities() []magnitude.Quantity
}

// outcome is an embedding with its quality and its components.
type outcome struct {
	*pipeline.Solved
	quality    *Quality
	trust      *Trust // of a map; nil: none
	components []int  // sizes of the components of the graph, descending; nil: there is no graph
	policy     string // the policy for several components; empty: there is one component
}

// through applies stages to a state, in order.
func through(s state, stages ...stage) (state, undos, error) {
	var all undos
	for _, next := range stages {
		var u undo
		var err error
		if s, u, err = next.apply(s); err != nil {
			return s, nil, err
		}
		if u != nil {
			all = append(all, u)
		}
	}
	return s, all, nil
}

// undos are the undos of stages, in the order of the stages.
type undos []undo

// back undoes all stages, the last first.
func (all undos) back(f *fitted) error {
	for _, u := range slices.Backward(all) {
		if err := u.back(f); err != nil {
			return err
		}
	}
	return nil
}

// refuseShape returns an error if the data have too few rows or columns for a task.
func (s state) refuseShape(task string, x mat.Matrix) error {
	n, m := x.Dims()
	least, columns := 2, 1
	if task == "factorize" {
		least = 1
	}
	if task != "select" && s.given.Present() {
		columns = 0
	}
	if n >= least && m >= columns {
		return nil
	}
	samples := "2 samples"
	if least == 1 {
		samples = "1 sample"
	}
	what := map[string]string{"embed": "%d × %d data cannot be embedded", "cluster": "%d × %d data cannot be clustered",
		"factorize": "%d × %d data cannot be factorised", "select": "nothing can be chosen from %d × %d data"}[task]
	return fmt.Errorf("%s: %s; give at least %s and 1 column", s.Method(), fmt.Sprintf(what, n, m), samples)
}

// label adds the labels of the options to the samples of a method that learns from labels, and the targets to what is
// given to a method that learns from targets. Labels or targets of another number of samples are an error for every
// method.
type label struct {
	labels  []int64
	targets *mat.Dense
}

func (g label) apply(s state) (state, undo, error) {
	row, n := method.RowOf(s.method), s.x.N()
	switch {
	case g.labels != nil && len(g.labels) != n:
		return s, nil, fmt.Errorf("%s: %d labels of %d samples; give one for each", s.Method(), len(g.labels), n)
	case row.Labels && g.labels == nil:
		return s, nil, wording.Errorf("%s: this method learns from labels and there are none; give the class of each sample (‹labels›)", s.Method())
	case row.Labels:
		s.x = s.x.Labeled(g.labels)
	}
	if g.targets == nil {
		if row.Takes(method.Targets) {
			return s, nil, wording.Errorf("%s: ‹target_metric=euclidean› learns from numbers and there are none; give the numbers of each sample (‹targets›), or take ‹target_metric=categorical›", s.Method())
		}
		return s, nil, nil
	}
	if rows, cols := g.targets.Dims(); rows != n || cols == 0 {
		return s, nil, fmt.Errorf("%s: targets of %d × %d for %d samples; give a row of numbers for each", s.Method(), rows, cols, n)
	}
	targets := samples.Of(g.targets)
	if row, col, v := targets.FirstNotFinite(); row >= 0 {
		return s, nil, fmt.Errorf("%s: row %d, column %d (counting from 1) of the targets is %v; give finite numbers", s.Method(), row+1, col+1, v)
	}
	if row.Takes(method.Targets) {
		s.given.Targets = targets
	}
	return s, nil, nil
}

// refuseAbsent returns an error if the context, the data or the method is missing.
func refuseAbsent(ctx context.Context, x mat.Matrix, m Method) error {
	if param.Absent(m) {
		return method.ErrNoMethod
	}
	return refuseAbsentData(ctx, x)
}

// refuseAbsentData returns an error if the context or the data are missing.
func refuseAbsentData(ctx context.Context, x mat.Matrix) error {
	switch {
	case ctx == nil:
		return run.ErrNoContext
	case param.Absent(x):
		return samples.ErrAbsent
	}
	return nil
}
