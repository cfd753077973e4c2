package engine

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/engine/wording"
)

// begun is a run with the options it was begun with. All entries of the package begin
// their runs here.
type begun struct {
	*run.Run
	options Options
	clock   *Clock
	graph   *neighbors.Graph // given in place of a search, in the unit of the samples; nil: none was

	sought
	standardizing
	distances samples.Samples // given in place of samples, or of a search among them, n × n; of no rows: none were
}

// begin begins a run of a method for a task on given data. The options come back filled
// in, the data as [begun.given] makes them, and the method as [begun.graphed] does.
func begin(ctx context.Context, task string, x mat.Matrix, m Method, o Options) (begun, mat.Matrix, Method, error) {
	clock := NewClock()
	denoised, asked, alone := o.Denoise != "", o.Standardize != "", absent(x)
	o, err := o.withDefaults()
	if err != nil {
		return begun{}, nil, nil, err
	}
	kernels, err := blas.Select(o.Backend)
	if err != nil {
		return begun{}, nil, nil, err
	}
	if err := refuseAbsent(ctx, x, m); err != nil && !(absent(x) && len(o.structures()) > 0 && ctx != nil && !absent(m)) {
		return begun{}, nil, nil, err
	}
	if !slices.Contains(tasksOf(m), task) {
		return begun{}, nil, nil, wrongTask(m, task)
	}
	b := beginAs(ctx, m.Name(), kernels, o, clock)
	if m, err = b.settleAuto(task, m, denoised); err != nil {
		return begun{}, nil, nil, err
	}
	if x, m, err = b.graphed(task, x, m); err != nil {
		return begun{}, nil, nil, err
	}
	if err := b.asksStandard(m, asked, alone, x); err != nil {
		return begun{}, nil, nil, err
	}
	x, err = b.given(x)
	return b, x, m, err
}

// threadsFor is the number of threads of a run that was asked to take so many. Tests
// take more than a machine may have cores.
var threadsFor = limits.ForProcess

// beginAs begins a run under a name that errors begin with, timed from the start of the
// clock.
func beginAs(ctx context.Context, name string, kernels *blas.Kernels, o Options, clock *Clock) begun {
	b := begun{options: o, clock: clock}
	s := run.Settings{Kernels: kernels, Threads: threadsFor(o.Threads), Seed: o.Seed, Memory: o.Memory,
		Approximate: o.Neighbors == "approximate", Recall: o.Recall, Certified: o.Certified, Explain: o.Explain, Phase: b.clock.Phase}
	if o.Progress != nil {
		s.Progress = func(at run.At) { o.Progress(Progress(at)) }
	}
	b.Run = run.New(ctx, name, s)
	return b
}

// resolve returns the method with its defaults for n × m data filled in, after checking
// each parameter and whether they go together.
func (b begun) resolve(m Method, n, cols int) (Method, error) {
	m, err := resolved(m, n, b.Warn)
	if err != nil {
		return nil, err
	}
	if check := rowOf(m).check; check != nil {
		return m, check(n, cols)
	}
	return m, nil
}

// labeled returns the samples with the labels that were given, for a method that learns
// from them. Labels of another number of samples are an error for every method.
func (b begun) labeled(x samples.Samples, learns bool) (samples.Samples, error) {
	given := b.options.Labels
	switch {
	case given != nil && len(given) != x.N():
		return x, fmt.Errorf("%s: %d labels of %d samples; give one for each", b.Method(), len(given), x.N())
	case !learns:
		return x, nil
	case given == nil:
		return x, wording.Errorf("%s: this method learns from labels and there are none; give the class of each sample (‹labels›)", b.Method())
	}
	return x.Labeled(given), nil
}

// common enters the settings of the common parameters that a task reads under their keys.
func (b begun) common(into map[string]any, reads func(key string) bool) {
	for _, f := range fields(&b.options) {
		if reads(f.Key) {
			into[f.Key] = f.current()
		}
	}
}

// anySize stands for the number of samples where a method is looked at without data.
const anySize = math.MaxInt
