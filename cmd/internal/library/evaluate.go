package library

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/metrics"
)

// evaluation holds the inputs of a measure: the given fields of an orthant_evaluation, by the names
// of metrics.InputNames.
type evaluation struct {
	matrices map[string]*view
	classes  map[string][]int64
}

// inputName is the name of a field of orthant_evaluation in messages.
func inputName(input string) string {
	if input == "in" {
		return "x"
	}
	return input
}

// evaluate prepares a measurement.
func (q evaluation) evaluate(name string, object []byte) (work, error) {
	p, err := readParameters(name, object)
	if err != nil {
		return nil, err
	}
	m, err := metrics.Named(name, p.values)
	if err != nil {
		return nil, err
	}
	in := &metrics.Inputs{Matrices: map[string]*mat.Dense{}, Classes: map[string][]int64{}, Called: inputName}
	if err := p.running(&in.Options); err != nil {
		return nil, err
	}
	if in.Kernels, err = blas.Select(in.Options.Backend); err != nil {
		return nil, err
	}
	in.Options.Seed = max(in.Options.Seed, 1)
	read := p.ofMetric
	if m.Embeds {
		read = p.ofEmbedding
	}
	warnings, err := read(m, in)
	if err != nil {
		return nil, err
	}
	more, err := q.enter(m, in)
	if err != nil {
		return nil, err
	}
	warnings = append(warnings, more...)
	if x := q.matrices["in"]; x != nil {
		given{x: *x}.limited(&in.Options)
	}
	return func(ctx context.Context, _ func(engine.Progress)) (*made, error) {
		clock := engine.NewClock()
		defer bounded(in.Options.Memory)()
		v, err := m.Measure(ctx, in)
		if err != nil {
			return nil, err
		}
		return madeOfValue(m, in, v, warnings, clock), nil
	}, nil
}

// ofMetric reads K and the settings.
func (p *parameters) ofMetric(m *metrics.Metric, in *metrics.Inputs) (warnings []string, err error) {
	_, given := p.values["neighbors"]
	k, err := p.whole("neighbors", math.MaxInt32)
	switch {
	case err != nil:
		return nil, err
	case given && !m.Neighbors:
		warnings = append(warnings, m.Name+" does not use neighbors")
	case given && k < 1:
		return nil, fmt.Errorf("%s: neighbors is %d; give a whole number ≥ 1", m.Name, k)
	case !given && m.Neighbors && !m.OwnNeighbors:
		k = metrics.DefaultNeighbors
	}
	in.K, in.Set = int(k), p.values
	return warnings, m.CheckSettings(in.Set)
}

// ofEmbedding reads the settings of a metric that embeds, and makes its method from the other parameters.
func (p *parameters) ofEmbedding(m *metrics.Metric, in *metrics.Inputs) (warnings []string, err error) {
	name := p.values["method"]
	if name == "" {
		return nil, fmt.Errorf(`%s: "method" is missing with "projection" "separate"; the methods are %s`, m.Name, strings.Join(metrics.Embeddings(), ", "))
	}
	own, theirs := m.Divide(p.values)
	if err := m.CheckSettings(own); err != nil {
		return nil, err
	}
	if in.Method, err = engine.NewFor("embed", name); err != nil {
		return nil, err
	}
	own["method"], in.Set = name, own
	of := &parameters{owner: name, values: theirs, known: slices.Collect(maps.Keys(m.Settings))}
	return of.method("embed", in.Method, &in.Options, ofEmbeddings())
}

// enter reads the inputs that the metric needs, and warns about others.
func (q evaluation) enter(m *metrics.Metric, in *metrics.Inputs) (warnings []string, err error) {
	for _, name := range metrics.InputNames {
		x, classes := q.matrices[name], q.classes[name]
		switch {
		case x == nil && classes == nil:
		case !slices.Contains(m.Needs, name):
			warnings = append(warnings, m.Name+" does not use "+inputName(name))
		case classes != nil:
			in.Classes[name] = classes
		default:
			if err := x.check(inputName(name), typeFloat64, typeFloat32, typeUint8); err != nil {
				return nil, err
			}
			dense, _ := x.dense()
			if raw := dense.RawMatrix(); raw.Stride != raw.Cols {
				dense = mat.DenseCopyOf(dense) // measures need contiguous entries
			}
			in.Matrices[name] = dense
		}
	}
	if y := in.Matrices["embedding"]; y != nil {
		n, _ := y.Dims()
		left, err := in.LeaveOutUnplaced()
		if err != nil {
			return nil, err
		}
		if left > 0 {
			warnings = append(warnings, metrics.Unplaced(left, n))
		}
	}
	return warnings, m.CheckInputs(in)
}

// madeOfValue reports a measurement with the command's names.
func madeOfValue(m *metrics.Metric, in *metrics.Inputs, v *metrics.Value, warnings []string, clock *engine.Clock) *made {
	seconds, cpu := clock.Seconds()
	arrays := map[string]array{}
	if v.Rates != nil {
		arrays["rates"] = column(v.Rates)
	}
	return &made{
		arrays:  arrays,
		numbers: map[string]float64{"value": v.Value, "converged": 1, "warnings": float64(len(warnings)), "seconds": seconds["total"]},
		report: func() map[string]any {
			report := map[string]any{
				"metric": m.Name, "value": number(v.Value), "samples": m.Samples(in), "settings": finite(m.Described(in)), "details": finite(v.Details),
				"backend": in.Kernels.Name(), "threads": in.Options.Threads, "seconds": seconds, "cpu_seconds": cpu, "warnings": listed(warnings)}
			if v.Rates != nil {
				report["mean"], report["sd"], report["values"] = number(v.Rates.Mean()), number(v.Rates.Deviation()), numbersOf(v.Rates)
			}
			return report
		},
	}
}
