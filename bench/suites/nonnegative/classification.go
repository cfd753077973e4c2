package nonnegative

import (
	"context"
	"fmt"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/measures"
)

// Signed projections compared with nonnegative ones, by how well digits can be
// classified after them.

// partMethods pairs each signed projection with its nonnegative counterpart.
var partMethods = []string{"pca", "npca", "onpp", "nonpp", "olpp", "nolpp", "npp", "lpp", "lda"}

// counterpart is the signed method of a nonnegative one.
var counterpart = map[string]string{"npca": "pca", "nonpp": "onpp", "nolpp": "olpp"}

const (
	partsDim = 10
	partsRaw = "parts/raw"
)

var partsTrial = measures.Trial{Splits: 5, Train: 0.5, Seed: 1}

func partsName(method string) string { return "parts/" + method }

func partsCases() []bench.Case {
	params := func(of map[string]any) map[string]any {
		all := map[string]any{"splits": partsTrial.Splits, "train": partsTrial.Train, "split-seed": partsTrial.Seed, "projection": "separate"}
		for key, v := range of {
			all[key] = v
		}
		return all
	}
	list := []bench.Case{{
		Name: partsRaw, Data: "usps6000", Method: "none", Repeats: 1, Threads: bench.LongCaseThreads, Needs: bench.SelectionNeeds("usps6000"), Params: params(nil),
		Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
			return partErrors(e, c, func(s *datasets.Set, t measures.Trial) ([]measures.Rates, error) {
				with, err := bench.MeasureOptions(c)
				if err != nil {
					return nil, err
				}
				return measures.HolisticErrors(ctx, s.X, s.Labels, t, with, measures.NN)
			})
		},
	}}
	for _, method := range partMethods {
		set := map[string]string{"dim": fmt.Sprint(partsDim), "neighbors": "20"}
		switch method {
		case "pca":
			delete(set, "neighbors")
		case "npca":
			set = map[string]string{"dim": fmt.Sprint(partsDim), "update": "penalty"}
		case "nonpp", "nolpp":
			set["update"] = "paper"
		case "lda":
			set = map[string]string{"dim": "9"} // one less than classes is the most
		}
		list = append(list, bench.Case{
			Name: partsName(method), Data: "usps6000", Method: method, Repeats: 1, Threads: bench.LongCaseThreads,
			Needs: append(bench.SelectionNeeds("usps6000"), "method:"+method), Params: params(bench.MethodParams(method, set)),
			Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
				m, err := bench.NewMethod(method, set)
				if err != nil {
					return nil, err
				}
				return partErrors(e, c, func(s *datasets.Set, t measures.Trial) ([]measures.Rates, error) {
					return engine.SeparateErrors(ctx, s.X, s.Labels, m, engine.Options{Threads: c.Threads, Backend: c.Backend}, t, measures.NN)
				})
			},
		})
	}
	return list
}

// partErrors keeps mean and deviation over the splits, in percent.
func partErrors(e *bench.Env, c *bench.Case, errors func(*datasets.Set, measures.Trial) ([]measures.Rates, error)) (*bench.Outcome, error) {
	s, err := datasets.Load(e.Data, c.Data)
	if err != nil {
		return nil, err
	}
	rates, err := errors(s, partsTrial)
	if err != nil {
		return nil, err
	}
	n, m := s.X.Dims()
	return &bench.Outcome{Samples: n, Features: m, DataHash: bench.HashMatrix(s.X), Series: map[string][]float64{"nn": rates[0]},
		Quality: map[string]float64{"nn-error": 100 * rates[0].Mean(), "nn-sd": 100 * rates[0].Deviation()}}, nil
}

func partsSections(r *bench.Records) []bench.Section {
	s := bench.Section{
		Title: "Digits by signed and by nonnegative projections",
		Text:  "USPS, 6000 digits (the first 600 of each), ten coordinates (LDA: nine), k = 20: percentage of wrong nearest training samples; fitted to half of each class, the other half projected by the model; mean and deviation over five splits. Information, not a claim: the paper has no such table. ONPP and OLPP, and so their nonnegative forms, do not compare what they make small with the variance along a direction: pixels that hardly vary are good ones. NPP and LPP do.",
		Table: &bench.Table{Columns: []string{"signed", "error, %", "nonnegative", "error, %"}},
	}
	for _, method := range partMethods {
		if counterpart[method] != "" {
			continue
		}
		row := []bench.Cell{bench.PlainCell(method), r.ErrorCell(partsName(method), "nn"), bench.PlainCell(""), bench.PlainCell("")}
		for other, signed := range counterpart {
			if signed == method {
				row[2], row[3] = bench.PlainCell(other), r.ErrorCell(partsName(other), "nn")
			}
		}
		s.Table.Rows = append(s.Table.Rows, row)
	}
	s.Table.Rows = append(s.Table.Rows, []bench.Cell{bench.PlainCell("as they are, 256 pixels"), r.ErrorCell(partsRaw, "nn")})
	return []bench.Section{s}
}
