package engine

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/engine/wording"
)

// CommonOf describes the parameters that a method has in addition to its own: those of
// [CommonParameters], with the same defaults for all methods.
func CommonOf(Method) []Parameter { return CommonParameters() }

// CommonParameters describes the parameters that every method has in addition to its
// own.
func CommonParameters() []Parameter { return param.Listed(&Options{}) }

// clusterKeys are the keys of the common parameters that [Cluster] reads.
var clusterKeys = map[string]bool{"standardize": true, "components": true, "metric": true, "recall": true}

// ClusterParameters describes the common parameters that [Cluster] reads, with its
// own defaults.
func ClusterParameters() []Parameter {
	list := slices.DeleteFunc(CommonParameters(), func(p Parameter) bool { return !clusterKeys[p.Key] })
	for i := range list {
		if list[i].Key == "components" {
			list[i].Default = "largest"
			list[i].Meaning = "what to do if the neighbour graph of a cluster has several components. auto: each if they are few and the method fits a patch to each neighbourhood, bridge otherwise; error: do not embed the cluster; largest: embed the largest component; each: embed each one, and lay them side by side; joint: embed all as one problem; bridge: first link the components by their shortest edges"
		}
	}
	return list
}

// factorKeys are the keys of the common parameters that [Factorize] reads.
var factorKeys = map[string]bool{"standardize": true, "metric": true, "recall": true}

// FactorizeParameters describes the common parameters that [Factorize] reads.
func FactorizeParameters() []Parameter {
	return slices.DeleteFunc(CommonParameters(), func(p Parameter) bool { return !factorKeys[p.Key] })
}

// selectKeys are the keys of the common parameters that [Select] reads.
var selectKeys = map[string]bool{"standardize": true}

// SelectParameters describes the common parameters that [Select] reads.
func SelectParameters() []Parameter {
	return slices.DeleteFunc(CommonParameters(), func(p Parameter) bool { return !selectKeys[p.Key] })
}

// ClusteringOnly returns the keys of those parameters of methods for [Select] that only apply to
// clusterings and do not change a selection.
func ClusteringOnly() []string { return slices.Clone(clusteringOnly) }

// clusteringOnly are the keys of parameters of the clustering by exemplars.
var clusteringOnly = []string{"exemplars", "joined"}

// paramsFor returns the parameters of a method and of a run that a task reads, without remedies, by which no
// result is other.
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
		if reads(f.Key) && f.Key != "remedies" {
			params[f.Key] = f.Current()
		}
	}
	return params
}

// SetCommon sets one of the common parameters from text, by the
// rules of [Set].
func SetCommon(o *Options, key, text string) error {
	if key == "metric" {
		metric, err := neighbors.MetricNamed(text)
		if err != nil {
			return err
		}
		text = string(metric)
	}
	return param.Set("", o, key, text)
}

// withDefaults fills in defaults and returns an error for unknown values.
func withDefaults(o Options) (Options, error) {
	for _, f := range param.Fields(&o) {
		if f.Value.IsZero() {
			f.Value.Set(reflect.ValueOf(f.Default))
		} else if err := f.InRange(f.Value.Interface()); err != nil {
			return o, err
		}
	}
	metric, err := neighbors.MetricNamed(o.Metric)
	if err != nil {
		return o, err
	}
	o.Metric = string(metric)
	if o.Recall > 1 {
		return o, wording.Errorf("‹recall› is %v; give a number above 0 and at most 1", o.Recall)
	}
	switch o.Neighbors {
	case "", "auto":
		if o.Neighbors = "exact"; o.Recall < 1 {
			o.Neighbors = "auto"
		}
	case "exact":
	case "approximate":
		if o.Recall == 1 {
			o.Recall = 0.99
		}
	default:
		return o, wording.Errorf("‹neighbors_method› is %q; give auto, exact or approximate", o.Neighbors)
	}
	if o.Seed == 0 {
		o.Seed = 1
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	if o.Explain == nil {
		o.Explain = func(string) {}
	}
	return o, nil
}

// measuring returns the options for package measures.
func measuring(o Options) (measures.Options, error) {
	kernels, err := blas.Select(o.Backend)
	return measures.Options{Kernels: kernels, Threads: o.Threads}, err
}

// begin resolves the options, adapts the method to the given structures, and chooses the form of
// the data.
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
	if err := refuseWeights(m, o.Weights); err != nil {
		return fit{}, state{}, err
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

// parameters fills in the defaults of the method and checks its parameters against each other and
// the size of the data.
type parameters struct {
	fit
	early    bool // before the samples are converted, because their form depends on the method
	unsolved bool // no coordinates are wanted
}

func (g parameters) apply(s state) (state, undo, error) {
	n, cols := s.x.N(), s.x.M()
	if g.early {
		n, cols = g.data.Dims()
	}
	m, err := param.Resolve(s.method.Name(), method.WithTaskDefaults(g.task, s.method), n, s.Warn)
	if err != nil {
		return s, nil, err
	}
	row := method.RowOf(m)
	if g.task == "embed" && !g.unsolved && row.Dim >= n {
		return s, nil, fmt.Errorf("%s: dim %d requested of %d samples; give at most %d", s.Method(), row.Dim, n, n-1)
	}
	if row.Check != nil {
		if err := row.Check(n, cols); err != nil {
			return s, nil, err
		}
	}
	s.method, s.params = m, paramsFor(g.task, m, g.options)
	return s, nil, nil
}

// The metric is a setting of the neighbour search, which only [neighborhood.Nearest] reads.
// Steps that use the graph use its distances; steps that use the samples (patches, projections,
// the choice of distant landmarks, noise) are Euclidean.

// settleMetric returns an error if the method does not search by the metric, or the metric is incompatible
// with other options.
func (s state) settleMetric(task string, o Options) error {
	if s.euclidean() {
		return nil
	}
	metric := "‹metric=" + string(s.Metric()) + "›"
	settled, err := param.Resolve(s.method.Name(), s.method, method.AnySize, func(string, ...any) {})
	if err != nil {
		return err
	}
	row := method.RowOf(settled)
	auto := ""
	for _, key := range []string{param.Neighbors, param.Dim} {
		if param.IsAuto(s.method, key) {
			auto = key
		}
	}
	switch given := structures(o); {
	case row.Takes(method.AllPairs) && (o.Graph != nil || !param.Absent(o.Distances)):
		return wording.Errorf("%s: %s is given together with %s, which determine the distances; leave one of them out", s.Method(), metric, given[0])
	case row.Takes(method.AllPairs):
	case row.Searches(task) == nil && row.Takes(method.AllDistances):
		return wording.Errorf("%s: %s does not apply: it searches for no nearest samples; give the distances by that metric (‹given_distances›)", s.Method(), metric)
	case row.Searches(task) == nil:
		why, instead := "it searches for no nearest samples", "leave ‹metric› out"
		if row.Neighbors != nil {
			why = "it chooses neighbours in its own way, by Euclidean distances"
		}
		if s.Metric() == neighbors.Cosine {
			instead = "leave ‹metric› out, or scale the samples to length 1 (‹standardize=unit›), so that Euclidean distances rank as cosines do"
		}
		return wording.Errorf("%s: %s does not apply: %s; %s", s.Method(), metric, why, instead)
	case len(given) > 0:
		return wording.Errorf("%s: %s is given together with %s, which determine the neighbours; leave one of them out", s.Method(), metric, given[0])
	case auto != "":
		return wording.Errorf("%s: ‹%s=auto› is found by Euclidean distances, and not by %s; give a number", s.Method(), auto, metric)
	}
	if err := s.Metric().CheckDistances(); err != nil {
		return fmt.Errorf("%s: %w", s.Method(), err)
	}
	if o.Neighbors == "approximate" {
		if err := s.Metric().CheckApproximate(); err != nil {
			return wording.Errorf("%s: ‹neighbors_method=approximate›: %w", s.Method(), err)
		}
	}
	return nil
}
