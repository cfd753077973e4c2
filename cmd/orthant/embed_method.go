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
		return nil, wrong("--method is missing; the methods are %s", strings.Join(methodNames(), ", "))
	}
	method, err := engine.New(e.method)
	if err != nil {
		return nil, &inputError{err}
	}
	given := maps.Clone(e.set)
	if given == nil {
		given = settings{}
	}
	for key, value := range map[string]int{"neighbors": e.neighbors, "dim": e.dim} {
		if !flags.Changed(key) {
			continue
		}
		if text, twice := given[key]; twice && text != strconv.Itoa(value) {
			return nil, wrong("--%s %d and --set %s=%s contradict each other; give one of them", key, value, key, text)
		}
		given[key] = strconv.Itoa(value)
	}
	var known []string
	for _, p := range engine.Parameters(method) {
		known = append(known, p.Key)
	}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		if err := e.setParameter(method, known, key, given[key]); err != nil {
			return nil, err
		}
	}
	return method, nil
}

// setParameter gives the method, or the options that all methods share, one
// parameter.
func (e *embedding) setParameter(method engine.Method, known []string, key, text string) error {
	var common []string
	for _, p := range engine.CommonParameters() {
		common = append(common, p.Key)
	}
	switch {
	case slices.Contains(known, key):
		if err := engine.Set(method, key, text); err != nil {
			return &inputError{err}
		}
	case key == "neighbors":
		if k, err := strconv.Atoi(text); err != nil || k < 1 {
			return wrong("%s: neighbors is %q; give a whole number ≥ 1", method.Name(), text)
		}
		e.warn("%s has no neighbourhoods: neighbors does nothing", method.Name())
	case slices.Contains(common, key):
		if err := engine.SetCommon(&e.options, key, text); err != nil {
			return &inputError{err}
		}
		if key != "duplicates" && !slices.Contains(known, "neighbors") {
			e.warn("%s has no neighbour graph: %s does nothing", method.Name(), key)
		}
	default:
		all := append(slices.Clone(known), common...)
		return wrong("%s has no parameter %q%s; it has %s", method.Name(), key, suggest.Hint(key, all), strings.Join(all, ", "))
	}
	return nil
}
