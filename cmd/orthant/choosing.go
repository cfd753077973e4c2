package main

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/suggest"
)

// choice is what the command line says of the method: its name and its parameters,
// of which some have flags of their own.
type choice struct {
	method         string
	set            settings
	neighbors, dim int
	iterations     int
	tolerance      float64
}

// make makes the method for a task. It returns the parameters that are given too,
// which are not set yet.
func (c *choice) make(task string, flags *pflag.FlagSet) (engine.Method, settings, error) {
	if c.method == "" {
		return nil, nil, wrong("--method is missing; the methods are %s", strings.Join(methodNames(task), ", "))
	}
	method, err := engine.NewFor(task, c.method)
	if err != nil {
		return nil, nil, &inputError{err}
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
	for key, value := range map[string]string{"neighbors": strconv.Itoa(c.neighbors), "dim": strconv.Itoa(c.dim),
		"iterations": strconv.Itoa(c.iterations), "tolerance": strconv.FormatFloat(c.tolerance, 'g', -1, 64)} {
		if !flags.Changed(key) { // or the command has no such flag
			continue
		}
		if text, twice := given[key]; twice && text != value {
			return nil, wrong("--%s %s and --set %s=%s contradict each other; give one of them", key, value, key, text)
		}
		given[key] = value
	}
	return given, nil
}

// limited tells whether iterations shall end where they are told to, converged or not.
func (s settings) limited() bool {
	_, iterations := s["iterations"]
	return iterations || s["tolerance"] == "0"
}

// dropIdle takes out of the settings those that other tasks share and this one does
// not, with a warning.
func (inv *invocation) dropIdle(given settings, shared []engine.Parameter, work string) {
	known := keys(shared)
	for _, p := range engine.CommonParameters() {
		if _, set := given[p.Key]; set && !slices.Contains(known, p.Key) {
			inv.warn("%s does nothing to a %s", p.Key, work)
			delete(given, p.Key)
		}
	}
}

// renameNeighbors gives --neighbors to the parameter p of a method that calls the
// number of its neighbours so.
func renameNeighbors(method engine.Method, given settings) error {
	known := keys(engine.Parameters(method))
	text, set := given["neighbors"]
	if !set || slices.Contains(known, "neighbors") || !slices.Contains(known, "p") {
		return nil
	}
	if p, twice := given["p"]; twice && p != text {
		return wrong("--neighbors %s and --set p=%s contradict each other; give one of them", text, p)
	}
	delete(given, "neighbors")
	given["p"] = text
	return nil
}

// setParameters gives the method, or the options that all methods of the task
// share, what is given.
func setParameters(inv *invocation, method engine.Method, given settings, options *engine.Options, shared []engine.Parameter) error {
	known, common := keys(engine.Parameters(method)), keys(shared)
	for _, key := range slices.Sorted(maps.Keys(given)) {
		if err := setParameter(inv, method, known, common, options, key, given[key]); err != nil {
			return err
		}
	}
	return nil
}

func keys(parameters []engine.Parameter) []string {
	var list []string
	for _, p := range parameters {
		list = append(list, p.Key)
	}
	return list
}

// setParameter sets one of them.
func setParameter(inv *invocation, method engine.Method, known, common []string, options *engine.Options, key, text string) error {
	switch {
	case slices.Contains(known, key):
		if err := engine.Set(method, key, text); err != nil {
			return &inputError{err}
		}
	case key == "neighbors":
		if k, err := strconv.Atoi(text); err != nil || k < 1 {
			return wrong("%s: neighbors is %q; give a whole number ≥ 1", method.Name(), text)
		}
		inv.warn("%s has no neighbourhoods: neighbors does nothing", method.Name())
	case key == "iterations", key == "tolerance":
		inv.warn("%s is not iterative: %s does nothing", method.Name(), key)
	case slices.Contains(common, key):
		if err := engine.SetCommon(options, key, text); err != nil {
			return &inputError{err}
		}
		if key != "duplicates" && !slices.Contains(known, "neighbors") {
			inv.warn("%s has no neighbour graph: %s does nothing", method.Name(), key)
		}
	default:
		all := append(slices.Clone(known), common...)
		return wrong("%s has no parameter %q%s; it has %s", method.Name(), key, suggest.Hint(key, all), strings.Join(all, ", "))
	}
	return nil
}
