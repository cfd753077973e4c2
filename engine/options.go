package engine

import (
	"reflect"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/engine/wording"
)

// Options configure a run; they are common to all methods.
type Options = method.Options

// Progress is the progress of one phase.
type Progress = method.Progress

// CommonOf describes the parameters that a method has in addition to its own: those of
// [CommonParameters], with the same defaults for all methods.
func CommonOf(Method) []Parameter { return CommonParameters() }

// CommonParameters describes the parameters that every method has in addition to its
// own.
func CommonParameters() []Parameter { return param.Offered(&Options{}) }

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
