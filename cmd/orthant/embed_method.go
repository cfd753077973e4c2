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

// chooseMethod makes the method with its parameters from the flags.
func (e *embedding) chooseMethod(flags *pflag.FlagSet) (engine.Method, error) {
	if e.method == "" {
		return nil, wrong("--method is missing; the methods are %s", strings.Join(methodNames("embed"), ", "))
	}
	method, err := engine.NewFor("embed", e.method)
	if err != nil {
		return nil, &inputError{err}
	}
	given, err := withFlags(e.set, flags, map[string]string{"neighbors": strconv.Itoa(e.neighbors), "dim": strconv.Itoa(e.dim),
		"iterations": strconv.Itoa(e.iterations), "tolerance": strconv.FormatFloat(e.tolerance, 'g', -1, 64)})
	if err != nil {
		return nil, err
	}
	if err := setParameters(e.invocation, method, given, &e.options, engine.CommonParameters()); err != nil {
		return nil, err
	}
	_, chosen := given["iterations"]
	e.limited = chosen || engine.Values(method)["tolerance"] == 0.0
	if e.init != "" && !slices.Contains(keys(engine.Parameters(method)), "init") {
		e.warn("%s does not start from a given point: --init does nothing", method.Name())
		e.init = ""
	}
	return method, nil
}

// withFlags returns the settings together with those that have flags of their own,
// where these are given.
func withFlags(set settings, flags *pflag.FlagSet, values map[string]string) (settings, error) {
	given := maps.Clone(set)
	if given == nil {
		given = settings{}
	}
	for key, value := range values {
		if !flags.Changed(key) {
			continue
		}
		if text, twice := given[key]; twice && text != value {
			return nil, wrong("--%s %s and --set %s=%s contradict each other; give one of them", key, value, key, text)
		}
		given[key] = value
	}
	return given, nil
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
