package metrics

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/measures"
)

// splitMetric is the error of a classifier: of an embedding of all samples (the
// holistic projection), or, with projection=separate, of a method that is fitted
// to each training part and maps the test part.
func splitMetric(c measures.Classifier, title string) Metric {
	return Metric{
		Name: string(c) + "-error", Title: title,
		Compares: "an embedding with classes (with projection=separate it embeds the samples)", Needs: []string{"embedding", "labels"}, Least: true,
		Settings: splitSettings("holistic"), Numbers: splitNumbers,
		variant: func(set map[string]string) *Metric {
			if set["projection"] != "separate" {
				return nil
			}
			return &Metric{
				Name: string(c) + "-error", Title: title, Compares: "what a method makes of samples with their classes",
				Needs: []string{"in", "labels"}, Least: true, Neighbors: true, Embeds: true,
				Settings: splitSettings("separate"), Numbers: splitNumbers,
				measure: func(ctx context.Context, in *Inputs, v *Value) (float64, error) { return in.separateErrors(ctx, c, v) },
			}
		},
		measure: func(ctx context.Context, in *Inputs, v *Value) (float64, error) { return in.holisticErrors(ctx, c, v) },
	}
}

var splitNumbers = map[string]bool{"splits": true, "train": true}

func splitSettings(first string) map[string][]string {
	other := map[string]string{"holistic": "separate", "separate": "holistic"}[first]
	s := map[string][]string{"splits": {"10"}, "train": {"0.5"}, "projection": {first, other}}
	if first == "separate" {
		s["method"] = append([]string{"neml"}, Embeddings()...)
	}
	return s
}

// Embeddings lists the methods that a metric can embed by.
func Embeddings() []string {
	var names []string
	for _, e := range engine.Methods() {
		if slices.Contains(e.Tasks, "embed") {
			names = append(names, e.Name)
		}
	}
	return names
}

// trial reads the settings of the splits.
func (in *Inputs) trial(metric string) (measures.Trial, error) {
	t := measures.Trial{Splits: 10, Train: 0.5, Seed: in.Options.Seed}
	if text, given := in.Set["splits"]; given {
		v, err := strconv.Atoi(text)
		if err != nil || v < 1 || v > 1_000_000 {
			return t, fmt.Errorf("%s: splits is %q; give a whole number from 1 to 1000000", metric, text)
		}
		t.Splits = v
	}
	if text, given := in.Set["train"]; given {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v > 0 && v < 1) {
			return t, fmt.Errorf("%s: train is %q; give a share between 0 and 1, such as 0.5", metric, text)
		}
		t.Train = v
	}
	return t, nil
}

func (in *Inputs) holisticErrors(ctx context.Context, c measures.Classifier, v *Value) (float64, error) {
	t, err := in.trial(string(c) + "-error")
	if err != nil {
		return 0, err
	}
	rates, err := measures.HolisticErrors(ctx, in.Matrices["embedding"], in.Classes["labels"], t, in.measuring(), c)
	if err != nil {
		return 0, err
	}
	v.Rates = rates[0]
	return v.Rates.Mean(), nil
}

func (in *Inputs) separateErrors(ctx context.Context, c measures.Classifier, v *Value) (float64, error) {
	t, err := in.trial(string(c) + "-error")
	if err != nil {
		return 0, err
	}
	rates, err := engine.SeparateErrors(ctx, in.Matrices["in"], in.Classes["labels"], in.Method, in.Options, t, c)
	if err != nil {
		return 0, err
	}
	v.Rates = rates[0]
	return v.Rates.Mean(), nil
}
