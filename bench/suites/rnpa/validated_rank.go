package rnpa

import (
	"context"
	"fmt"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

// validated is a recognition whose rank is the one of Fig. 8 that recognises most of the
// images held out. Only COIL-20 has images enough.
type validated struct {
	noise noise
	coder coder
}

// validatedCoders are the coders of the tables, SP-RNA by its own metric alone.
var validatedCoders = append([]coder{pixels, ldaCoder}, sweptRecognizers...)

func (q validated) name() string { return "coil20/validated/" + q.noise.key + "/" + q.coder.key }

// ranks are those to choose from; of what has none, or its own, only one is tried.
func (q validated) ranks() []int {
	if q.coder.method == "" || q.coder.method == "lda" {
		return []int{recognitionRank}
	}
	return recognitionRanks
}

func (q validated) at(rank int) recognition { return recognition{coilSet, q.noise, q.coder, rank} }

func (q validated) asCase(e *bench.Env) bench.Case {
	c := q.at(recognitionRank).asCase(e)
	c.Name, c.Full = q.name(), true
	delete(c.Params, "dim") // the rank is chosen
	c.Params["rank"], c.Params["chosen_by"] = fmt.Sprint(q.ranks()), fmt.Sprintf("the rate of %d images a class held out; the lowest of equal ones", heldImages)
	c.Params["repeats"], c.Params["seeds"] = fewRepeats, seedsOf(fewRepeats)
	c.Run = func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
		out := &bench.Outcome{Quality: map[string]float64{}, Series: map[string][]float64{"by-rank": make([]float64, len(q.ranks()))}}
		for seed := range uint64(fewRepeats) {
			if err := q.repeat(ctx, e, c, seed+1, out); err != nil {
				return nil, fmt.Errorf("seed %d: %w", seed+1, err)
			}
		}
		for i := range out.Series["by-rank"] {
			out.Series["by-rank"][i] /= fewRepeats
		}
		summarize(out, "rate", "rank")
		return out, nil
	}
	return c
}

// repeat adds the rate at the rank that is chosen, that rank, and the rates of the test
// images by rank.
func (q validated) repeat(ctx context.Context, e *bench.Env, c *bench.Case, seed uint64, out *bench.Outcome) error {
	im, err := coilSet.draw(e, q.noise, seed)
	if err != nil {
		return err
	}
	s := splitByCount(im.labels, trainImages, heldImages, seed)
	var best, rate float64
	chosen := 0
	for i, rank := range q.ranks() {
		rates, err := q.at(rank).rates(ctx, c, im, s.Train, [][]int{s.held, s.Test}, seed, out)
		if err != nil {
			return fmt.Errorf("rank %d: %w", rank, err)
		}
		out.Series["by-rank"][i] += rates[1]
		if chosen == 0 || rates[0] > best {
			chosen, best, rate = rank, rates[0], rates[1]
		}
	}
	out.Series["rate"], out.Series["rank"] = append(out.Series["rate"], rate), append(out.Series["rank"], float64(chosen))
	return nil
}

func validatedCases(e *bench.Env) []bench.Case {
	var cases []bench.Case
	for _, q := range imageNoises[1:] {
		for _, c := range validatedCoders {
			cases = append(cases, validated{q, c}.asCase(e))
		}
	}
	return cases
}

var bestValidated = bench.Claim{
	Name: "best-sp-rna-validated", Source: papers.RNPA + ", Fig. 8", Statement: "SP-RNA recognises best under both corruptions where the rank of each method is chosen on images held out (COIL-20).",
	Paper: "curves; 98.87 % at most, on CMU-PIE with salt and pepper",
	Check: func(r *bench.Records) bench.Finding {
		return firstUnder(r, "rate", "rate", discriminativeRNA, validatedCoders, func(q noise, c coder) string { return validated{q, c}.name() })
	},
}

// validatedSections has the table of the chosen ranks and the curves over all ranks.
func validatedSections(r *bench.Records) []bench.Section {
	s := bench.Section{
		Title: "Recognition with the rank chosen on images held out: COIL-20",
		Text:  fmt.Sprintf("Of the ranks %v the one that recognises most of %d images a class held out, the rate of the test images at it, and its mean over the repeats; mean ± standard deviation of the repeats. Pixels and LDA have no rank to choose.", recognitionRanks, heldImages),
		Table: &bench.Table{Columns: []string{"method"}},
	}
	curves := []bench.Section{}
	for _, q := range imageNoises[1:] {
		s.Table.Columns = append(s.Table.Columns, q.title, "rank")
		curve := bench.Section{Title: "Recognition by rank (Fig. 8), COIL-20, " + q.title, Text: "The mean rate of the test images over the repeats.", Plot: &bench.Plot{XLabel: "r", YLabel: "rate of recognition"}}
		for _, c := range validatedCoders {
			name := validated{q, c}.name()
			one := r.Get(name)
			if one == nil || len(one.Series["by-rank"]) != len(recognitionRanks) {
				continue
			}
			line := bench.Curve{Name: c.title, Y: one.Series["by-rank"], Cases: []string{name}}
			for _, rank := range recognitionRanks {
				line.X = append(line.X, float64(rank))
			}
			curve.Plot.Curves = append(curve.Plot.Curves, line)
		}
		if len(curve.Plot.Curves) > 0 {
			curves = append(curves, curve)
		}
	}
	for _, c := range validatedCoders {
		row := []bench.Cell{bench.PlainCell(c.title)}
		for _, q := range imageNoises[1:] {
			name := validated{q, c}.name()
			rank := bench.PlainCell("–")
			if (validated{q, c}).ranks()[0] != recognitionRank {
				rank = r.QualityCell(name, "rank", "%.0f")
			}
			row = append(row, meanAndDeviation(r, name, "rate"), rank)
		}
		s.Table.Rows = append(s.Table.Rows, row)
	}
	return append([]bench.Section{s}, curves...)
}
