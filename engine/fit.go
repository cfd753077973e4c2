package engine

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// The way of the data is the same for all entries: [begin] settles the options, stages bring
// the samples to what the steps of a method take, the steps find their result, and the stages
// are taken back from it in reverse.

// Seconds are the durations of a run: "total" and one entry for each phase.
type Seconds = run.Seconds

// Clock times the phases of a run in wall and processor time. Phases of the
// same name add up. The zero value is not ready; use [NewClock].
type Clock = run.Clock

// NewClock starts a clock.
func NewClock() *Clock { return run.NewClock() }

// fit is what an entry asks for. It is made by [begin] and does not change.
type fit struct {
	task    string     // embed, factorize, cluster or select
	options Options    // with defaults filled in, as far as they apply to what was given
	data    mat.Matrix // dense of any type, a *sparse.CSR, or a shape
	clock   *Clock

	warnsOfSpreads bool // the spreads of columns count, and nothing was asked for about them
}

// state is the samples on their way, with what goes along with them. A stage takes one and
// returns another; it is passed by value, and nothing that it refers to is changed.
type state struct {
	*run.Run  // which counts the memory that is held by now
	x         samples.Samples
	own       bool   // the run may write to the storage of x
	method    Method // for the samples as they are now
	given     given  // in place of samples, or of a search among them
	unit      unit   // of the samples
	copies    samples.Copies
	weights   nmf.Weights       // of the entries, in a factorisation
	standard  *samples.Standard // how the samples were standardised; nil: they were not
	denoised  bool              // noise was looked for
	radius    radius
	landmarks []int          // the samples that the alignment looks at, ascending; nil: all
	params    map[string]any // of the method and of the run, as results show them
}

// stage changes the samples, or what is known of them, before the steps.
type stage interface {
	// apply returns the state after the stage, and what takes the stage back from a result;
	// nil: nothing has to be.
	apply(s state) (state, undo, error)
}

// undo takes a stage back: it brings results to the samples as they were before, and makes
// the rule for new samples one of such samples.
type undo interface {
	back(f *fitted) error
}

// fitted is what the steps found in a state.
type fitted struct {
	state
	result      measured
	coordinates *outcome          // result, where it is an embedding; else nil
	rule        *extend.Extension // for new samples; nil: there is none
	power       float64           // of the unit of the data that coordinates by the rule have
}

// through takes a state through stages, in their order.
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

// undos are those of stages, in the order of these.
type undos []undo

// back takes all stages back, the last one first.
func (all undos) back(f *fitted) error {
	for _, u := range slices.Backward(all) {
		if err := u.back(f); err != nil {
			return err
		}
	}
	return nil
}

// begin settles what an entry was asked for: the options, the method by what was given, and
// the form of the data.
func begin(ctx context.Context, task string, x mat.Matrix, m Method, o Options) (fit, state, error) {
	clock := NewClock()
	asked := o
	o, err := withDefaults(o)
	if err != nil {
		return fit{}, state{}, err
	}
	kernels, err := blas.Select(o.Backend)
	if err != nil {
		return fit{}, state{}, err
	}
	if err := refuseAbsent(ctx, x, m); err != nil && !(param.Absent(x) && len(structures(o)) > 0 && ctx != nil && !param.Absent(m)) {
		return fit{}, state{}, err
	}
	if !slices.Contains(method.TasksOf(m), task) {
		return fit{}, state{}, method.WrongTask(m, task)
	}
	s := state{Run: method.NewRun(ctx, m.Name(), kernels, o, clock), method: m}
	if s, o, err = s.settleAuto(task, o, asked.Denoise != ""); err != nil {
		return fit{}, s, err
	}
	if err := s.settleMetric(task, o); err != nil {
		return fit{}, s, err
	}
	alone := param.Absent(x)
	if s, x, err = s.structure(task, x, o); err != nil {
		return fit{}, s, err
	}
	if o, err = s.settleStandardize(x, o, alone); err != nil {
		return fit{}, s, err
	}
	if s, x, err = s.hold(x); err != nil {
		return fit{}, s, err
	}
	warns := asked.Standardize == "" && (s.euclidean() || s.Metric().InUnit()) && len(structures(o)) == 0 && !scalesColumns(s.method)
	return fit{task: task, options: o, data: x, clock: clock, warnsOfSpreads: warns}, s, s.refuseShape(task, x)
}

// refuseShape refuses data of too few rows or columns for a task.
func (s state) refuseShape(task string, x mat.Matrix) error {
	n, m := x.Dims()
	least, columns := 2, 1
	if task == "factorize" {
		least = 1
	}
	if task != "select" && s.given.present() {
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

// parameters fills in the defaults of the method, and checks its parameters against the size
// of the data and each other.
type parameters struct {
	fit
	early    bool // by the shape of the data, as the form that the samples take depends on the method
	unsolved bool // no coordinates are sought
}

func (g parameters) apply(s state) (state, undo, error) {
	n, cols := s.x.N(), s.x.M()
	if g.early {
		n, cols = g.data.Dims()
	}
	m, err := param.Resolve(s.method.Name(), method.SettledFor(g.task, s.method), n, s.Warn)
	if err != nil {
		return s, nil, err
	}
	row := method.RowOf(m)
	if g.task == "embed" && !g.unsolved && row.Dim >= n {
		return s, nil, fmt.Errorf("%s: dim %d asked of %d samples; give at most %d", s.Method(), row.Dim, n, n-1)
	}
	if row.Check != nil {
		if err := row.Check(n, cols); err != nil {
			return s, nil, err
		}
	}
	s.method, s.params = m, paramsFor(g.task, m, g.options)
	return s, nil, nil
}

// paramsFor are the parameters of a method and of a run that a task reads, with their values.
func paramsFor(task string, m Method, o Options) map[string]any {
	params := Values(m)
	reads := func(string) bool { return true }
	switch task {
	case "cluster":
		for _, key := range []string{"missing", "unstored", "dim"} { // of factorisations and embeddings
			delete(params, key)
		}
		reads = func(key string) bool { return clusterKeys[key] }
	case "factorize":
		for _, key := range []string{"labels", "rows"} { // of clusterings
			delete(params, key)
		}
		reads = func(key string) bool { return factorKeys[key] }
	case "select":
		for _, key := range clusteringOnly {
			delete(params, key)
		}
		reads = func(key string) bool { return selectKeys[key] }
	}
	for _, f := range param.Fields(&o) {
		if reads(f.Key) {
			params[f.Key] = f.Current()
		}
	}
	return params
}

// label gives the samples of a method that learns from labels, or from targets, those of the options. Labels or
// targets of another number of samples are an error for every method.
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
		if row.Targets {
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
	if row.Targets {
		s.x = s.x.Aimed(targets)
	}
	return s, nil, nil
}

// refuseAbsent refuses a run that lacks its context, its data or its method.
func refuseAbsent(ctx context.Context, x mat.Matrix, m Method) error {
	if param.Absent(m) {
		return method.ErrNoMethod
	}
	return refuseAbsentData(ctx, x)
}

// refuseAbsentData refuses work that lacks its context or its data.
func refuseAbsentData(ctx context.Context, x mat.Matrix) error {
	switch {
	case ctx == nil:
		return run.ErrNoContext
	case param.Absent(x):
		return samples.ErrAbsent
	}
	return nil
}
