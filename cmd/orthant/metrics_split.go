package main

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/measures"
)

// splitRates are error rates over random splits, for --json.
type splitRates struct {
	Mean   number   `json:"mean"`
	SD     number   `json:"sd"` // divisor n − 1
	Values []number `json:"values"`
}

// splitMetric is the error of a classifier: of an embedding of all samples (the
// holistic projection), or, with projection=separate, of a method that is fitted
// to each training part and maps the test part.
func splitMetric(c measures.Classifier, title string) metric {
	return metric{
		name: string(c) + "-error", title: title,
		compares: "an embedding with classes (with --set projection=separate it embeds --in)", needs: []string{"embedding", "labels"},
		settings: splitSettings("holistic"), numbers: splitNumbers,
		variant: func(e *evaluation) *metric {
			if e.set["projection"] != "separate" {
				return nil
			}
			return &metric{
				name: string(c) + "-error", title: title, compares: "what a method makes of samples with their classes",
				needs: []string{"in", "labels"}, neighbors: true, embeds: true,
				settings: splitSettings("separate"), numbers: splitNumbers,
				measure: func(ctx context.Context, e *evaluation) (float64, error) { return e.separateErrors(ctx, c) },
			}
		},
		measure: func(ctx context.Context, e *evaluation) (float64, error) { return e.holisticErrors(ctx, c) },
	}
}

var splitNumbers = map[string]bool{"splits": true, "train": true}

func splitSettings(first string) map[string][]string {
	other := map[string]string{"holistic": "separate", "separate": "holistic"}[first]
	s := map[string][]string{"splits": {"10"}, "train": {"0.5"}, "projection": {first, other}}
	if first == "separate" {
		s["method"] = append([]string{"neml"}, methodNames("embed")...)
	}
	return s
}

// trial reads the settings of the splits.
func (e *evaluation) trial() (measures.Trial, error) {
	t := measures.Trial{Splits: 10, Train: 0.5, Seed: e.seed}
	if text, given := e.set["splits"]; given {
		v, err := strconv.Atoi(text)
		if err != nil || v < 1 || v > 1_000_000 {
			return t, wrong("%s: splits is %q; give a whole number from 1 to 1000000", e.name, text)
		}
		t.Splits = v
	}
	if text, given := e.set["train"]; given {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v > 0 && v < 1) {
			return t, wrong("%s: train is %q; give a share between 0 and 1, such as 0.5", e.name, text)
		}
		t.Train = v
	}
	return t, nil
}

func (e *evaluation) holisticErrors(ctx context.Context, c measures.Classifier) (float64, error) {
	t, err := e.trial()
	if err != nil {
		return 0, err
	}
	rates, err := measures.HolisticErrors(ctx, e.matrices["embedding"], e.classes["labels"], t, e.measuring(), c)
	if err != nil {
		return 0, err
	}
	return e.keep(rates[0]), nil
}

func (e *evaluation) separateErrors(ctx context.Context, c measures.Classifier) (float64, error) {
	t, err := e.trial()
	if err != nil {
		return 0, err
	}
	o := e.options
	o.Backend, o.Threads, o.Seed, o.Memory = e.backend, e.threads, e.seed, int64(e.memory)
	rates, err := engine.SeparateErrors(ctx, e.matrices["in"], e.classes["labels"], e.method, o, t, c)
	if err != nil {
		return 0, err
	}
	return e.keep(rates[0]), nil
}

// keep remembers the rates for --json and returns their mean.
func (e *evaluation) keep(r measures.Rates) float64 {
	e.rates = &splitRates{Mean: number(r.Mean()), SD: number(r.Deviation())}
	for _, v := range r {
		e.rates.Values = append(e.rates.Values, number(v))
	}
	return r.Mean()
}

// chooseMethod makes the method of a metric that embeds: --set method, with the
// other settings that the metric has no use for as its parameters.
func (e *evaluation) chooseMethod(flags *pflag.FlagSet, m *metric) error {
	name := e.set["method"]
	if name == "" {
		return wrong("%s: --set method is missing with projection=separate; the methods are %s", m.name, strings.Join(methodNames("embed"), ", "))
	}
	own, theirs := settings{}, settings{}
	for key, text := range e.set {
		if m.settings[key] != nil {
			own[key] = text
		} else {
			theirs[key] = text
		}
	}
	delete(own, "method") // an unknown one is explained better below
	if err := m.checkSettings(own); err != nil {
		return err
	}
	by := &embedding{invocation: e.invocation, choice: choice{method: name, set: theirs, neighbors: e.k, dim: e.dim}}
	method, err := by.chooseMethod(flags)
	if err != nil {
		return err
	}
	e.method, e.options = method, by.options
	if !slices.ContainsFunc(engine.Parameters(method), func(p engine.Parameter) bool { return p.Key == "neighbors" }) {
		m.neighbors = false
	}
	return nil
}
