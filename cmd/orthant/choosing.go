package main

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/assign"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/internal/suggest"
)

// choice is what the command line says of the method: its name and its parameters,
// of which some have flags of their own.
type choice struct {
	method         string
	set            settings
	neighbors, dim int
	iterations     int
	tolerance      float64
	layers         int

	denoise, radius string
	scale           string // the flag of the key standardize
	metric          string
	recall          float64
	search          string // auto, exact or approximate
}

// searchFlags adds the flags of the search for neighbours.
func (c *choice) searchFlags(f *pflag.FlagSet) {
	f.StringVar(&c.metric, "metric", "euclidean", "find neighbours by `METRIC`: cosine, correlation, manhattan, hamming, jaccard and others (\"orthant neighbors --help\" lists them)")
	f.Float64Var(&c.recall, "recall", 1, "find neighbours approximately where that is faster, the share `R` of the true ones at least, such as 0.99 (measured on a sample); 1: exactly")
	f.StringVar(&c.search, "neighbors-method", "auto", "`HOW` to find neighbours: exact, approximate, or auto: exact unless --recall allows what is faster")
}

// checkSearch refuses a way to find neighbours that there is not.
func (c *choice) checkSearch() error {
	if slices.Contains([]string{"auto", "exact", "approximate"}, c.search) {
		return nil
	}
	return wrong("--neighbors-method is %q; give auto, exact or approximate", c.search)
}

// distanceMetrics are the metrics with distances.
func distanceMetrics() []string {
	return slices.DeleteFunc(neighbors.Metrics(), func(name string) bool { return neighbors.Metric(name).CheckDistances() != nil })
}

// completeMethod has the shell complete the method of a task, and the metric of its search.
func (inv *invocation) completeMethod(cmd *cobra.Command, task string) {
	if cmd.Flags().Lookup("metric") != nil {
		inv.complete(cmd, "metric", distanceMetrics)
	}
	inv.complete(cmd, "method", func() []string { return methodNames(task) })
}

// scaleFlag adds the flag that brings data to a common scale.
func (c *choice) scaleFlag(f *pflag.FlagSet) { scaleFlag(f, &c.scale) }

func scaleFlag(f *pflag.FlagSet, how *string) {
	f.StringVar(how, "scale", "none", "first bring the data to a common scale: `HOW` is standard (each column has mean 0 and standard deviation 1), minmax (each column from 0 to 1), robust (by median and quartiles), asinh (the same, then asinh, for long tails), unit (each row has length 1), log1p (log(1+v) of each entry), counts (log1p of counts that are first divided by the sum of their row) or none")
}

// flagOf is the flag that sets a key of parameters.
func flagOf(key string) string {
	if key == "standardize" {
		return "scale"
	}
	return key
}

// autoCount is a number of neighbours or of coordinates, or auto.
type autoCount int

func (k *autoCount) String() string {
	if *k == engine.Auto {
		return "auto"
	}
	return strconv.Itoa(int(*k))
}

// Set reads the value of a flag.
func (k *autoCount) Set(text string) error {
	if text == "auto" {
		*k = engine.Auto
		return nil
	}
	v, err := strconv.Atoi(text)
	if err != nil || v == engine.Auto {
		return errors.New("give a whole number, or auto")
	}
	*k = autoCount(v)
	return nil
}

// Type names the expected value.
func (k *autoCount) Type() string { return "count" }

// make makes the method for a task. It returns the parameters that are given too,
// which are not set yet.
func (c *choice) make(task string, flags *pflag.FlagSet) (engine.Method, settings, error) {
	if c.method == "" {
		return nil, nil, wrong("--method is missing; the methods are %s", strings.Join(methodNames(task), ", "))
	}
	method, err := engine.NewFor(task, c.method)
	if err != nil {
		return nil, nil, &inputError{Err: err}
	}
	given, err := c.given(flags)
	return method, given, err
}

// given returns the settings together with the flags that are given.
func (c *choice) given(flags *pflag.FlagSet) (settings, error) {
	given := maps.Clone(c.set)
	if given == nil {
		given = settings{}
	}
	for key, value := range map[string]string{"neighbors": (*autoCount)(&c.neighbors).String(), "dim": (*autoCount)(&c.dim).String(),
		"iterations": strconv.Itoa(c.iterations), "layers": strconv.Itoa(c.layers), "denoise": c.denoise, "radius": c.radius, "metric": c.metric, "recall": strconv.FormatFloat(c.recall, 'g', -1, 64), "standardize": c.scale, "tolerance": strconv.FormatFloat(c.tolerance, 'g', -1, 64)} {
		if !flags.Changed(flagOf(key)) || key == "standardize" && flags.Lookup("scale") == nil { // or the command has no such flag
			continue
		}
		if text, twice := given[key]; twice && text != value {
			return nil, wrong("--%s %s and --set %s=%s contradict each other; give one of them", flagOf(key), value, key, text)
		}
		given[key] = value
	}
	return given, nil
}

// dropIdle takes out of the settings those that other tasks share and this one does
// not, with a warning.
func (inv *invocation) dropIdle(given settings, shared []engine.Parameter, work string) {
	known := assign.Keys(shared)
	for _, p := range engine.CommonParameters() {
		if _, set := given[p.Key]; set && !slices.Contains(known, p.Key) {
			inv.warn("%s does nothing to a %s", p.Key, work)
			delete(given, p.Key)
		}
	}
}

// setParameters gives the method, or the options that all methods of the task
// share, what is given.
func setParameters(inv *invocation, task string, method engine.Method, given settings, options *engine.Options, shared []engine.Parameter) error {
	to := assign.Target{Task: task, Method: method, Options: options, Shared: shared}
	err := to.Assign(given, func(text string) { inv.warn("%s", text) }, func(key string) error {
		all := to.Keys()
		return wrong("%s has no parameter %q%s; it has %s", method.Name(), key, suggest.Hint(key, all), strings.Join(all, ", "))
	})
	if c, ok := errors.AsType[*assign.Contradiction](err); ok {
		present := "--set " + c.Present + "=" + c.Value
		if c.Present == "neighbors" {
			present = "--neighbors " + c.Value
		}
		return wrong("%s and --set %s=%s contradict each other; give one of them", present, c.Key, c.Text)
	}
	if err != nil {
		return &inputError{Err: err}
	}
	return nil
}
