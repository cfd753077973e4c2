package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/engine/metrics"
	"github.com/orthant-go/orthant/internal/suggest"
)

// names are the metrics that are asked for; none: the default set.
func (e *evaluation) names() []string {
	var names []string
	for _, name := range strings.Split(e.name, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// runMany measures by several metrics, or by those that suit what is given.
func (e *evaluation) runMany(ctx context.Context, flags *pflag.FlagSet, names []string) error {
	list, needs, err := e.checkMany(flags, names)
	if err != nil {
		return err
	}
	in, err := e.readInputs(ctx, needs)
	if err != nil {
		return err
	}
	found, err := e.measureAll(ctx, flags, list, in, len(names) == 0)
	if err != nil {
		return err
	}
	if e.json {
		values := map[string]number{}
		for _, m := range found {
			values[m.Metric] = m.Value
		}
		return e.printJSON(evaluationsReport{values, found, e.left, e.spent()})
	}
	var b strings.Builder
	for _, m := range found {
		fmt.Fprintf(&b, "%-18s %.17g\n", m.Metric, float64(m.Value))
	}
	return e.write([]byte(b.String()))
}

// evaluationsReport is what --json prints of several metrics.
type evaluationsReport struct {
	Values  map[string]number `json:"values"`
	Metrics []measurement     `json:"metrics"`
	Left    int               `json:"left_out,omitempty"` // samples without coordinates
	cost
}

// checkMany finds the metrics and all that they need, and refuses what they cannot work with.
func (e *evaluation) checkMany(flags *pflag.FlagSet, names []string) (list []*metrics.Metric, needs []string, err error) {
	if err := e.resolveColumns(); err != nil {
		return nil, nil, err
	}
	var given, paths []string
	for _, input := range metrics.InputNames {
		if path := flags.Lookup(input).Value.String(); path != "" {
			given, paths = append(given, input), append(paths, "--"+input, path)
		}
	}
	if len(names) == 0 {
		if names = metrics.Defaults(given); names == nil {
			return nil, nil, wrong("there is too little to measure: give --in and --embedding, --truth and --embedding, --labels and --predicted, or --in, --w and --h; or --metric, of %s", strings.Join(metrics.Names(), ", "))
		}
	}
	for i, name := range names {
		if slices.Contains(names[i+1:], name) {
			return nil, nil, wrong("--metric names %s twice; give it once", name)
		}
		m, err := metrics.Named(name, e.set)
		if err != nil {
			return nil, nil, &inputError{Err: err}
		}
		if m.Embeds {
			return nil, nil, wrong("%s with projection=separate embeds, with settings of its method; give it a call of its own", name)
		}
		for _, need := range m.Needs {
			if !slices.Contains(given, need) {
				return nil, nil, wrong("%s needs --%s; it compares %s", name, need, m.Compares)
			}
			if !slices.Contains(needs, need) {
				needs = append(needs, need)
			}
		}
		if err := m.CheckSettings(m.Own(e.set)); err != nil {
			return nil, nil, &inputError{Err: err}
		}
		list = append(list, m)
	}
	if e.k < 1 {
		return nil, nil, wrong("--neighbors is %d; give a whole number ≥ 1", e.k)
	}
	for _, input := range given {
		if !slices.Contains(needs, input) && !(input == "in" && e.table.missing == "drop") {
			e.warn("no metric of %s uses --%s", strings.Join(names, ", "), input)
		}
	}
	if !slices.Contains(needs, "in") && flags.Changed("scale") {
		e.warn("no metric of %s uses --in: --scale does nothing", strings.Join(names, ", "))
	}
	if err := e.table.checkMissing("evaluate"); err != nil {
		return nil, nil, err
	}
	if err := e.checkUsed(list); err != nil {
		return nil, nil, err
	}
	return list, needs, oneStandardInput(paths...)
}

// checkUsed refuses a setting that no metric has.
func (e *evaluation) checkUsed(list []*metrics.Metric) error {
	var known []string
	for _, m := range list {
		known = slices.AppendSeq(known, maps.Keys(m.Settings))
	}
	slices.Sort(known)
	for _, key := range slices.Sorted(maps.Keys(e.set)) {
		if !slices.Contains(known, key) {
			return wrong("none of these metrics has a setting %q%s; they have %s", key, suggest.Hint(key, known), strings.Join(slices.Compact(known), ", "))
		}
	}
	return nil
}

// measureAll takes one metric after the other. Of the default set, one that has nothing to say
// of these data is left out with a warning, unless none is left.
func (e *evaluation) measureAll(ctx context.Context, flags *pflag.FlagSet, list []*metrics.Metric, in *metrics.Inputs, byDefault bool) (found []measurement, err error) {
	defer e.clock.Phase("measure")()
	var first error
	for _, m := range list {
		own := *in
		own.Set = m.Own(e.set)
		if m.OwnNeighbors && !flags.Changed("neighbors") {
			own.K = 0
		}
		if err := m.CheckInputs(&own); err != nil {
			return nil, &inputError{Err: err}
		}
		v, err := m.Measure(ctx, &own)
		switch {
		case err == nil:
			found = append(found, measurementOf(m, &own, v))
		case ctx.Err() != nil || !byDefault:
			return nil, fromWork(err)
		default:
			if first == nil {
				first = err
			}
			e.warn("%s is left out: %v", m.Name, err)
		}
	}
	if found == nil {
		return nil, fromWork(first)
	}
	return found, nil
}
