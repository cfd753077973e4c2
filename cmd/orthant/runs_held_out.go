package main

import (
	"fmt"
	"io"
	"math"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/internal/picture"
)

// heldOutReport is what --json prints of the choice of a rank by held-out entries, and
// held_out.json keeps.
type heldOutReport struct {
	Share   float64       `json:"share"`
	Ranks   []heldOutRank `json:"ranks"`
	Best    int           `json:"best_rank"`    // of the least mean
	Sparing int           `json:"sparing_rank"` // the smallest within a standard error of it
	AtEnd   bool          `json:"at_end"`       // the best rank is the largest
}

// heldOutRank is what the runs of a rank have predicted.
type heldOutRank struct {
	Rank     int    `json:"rank"`
	Runs     int    `json:"runs"`
	Mean     number `json:"loss"` // of a held-out entry, the mean over the runs
	Standard number `json:"standard_error"`
	Least    number `json:"least_loss"`
	Most     number `json:"most_loss"`
	Relative number `json:"relative_error"`
}

// chooseRank compares the ranks by what all runs have predicted, writes held_out.json and draws
// the picture; nil: nothing was held out.
func (f *factorization) chooseRank(j *runsJournal) (*heldOutReport, error) {
	if f.many.heldOut == 0 {
		return nil, nil
	}
	var runs []engine.FactorRun
	for _, r := range j.wanted() {
		if r.Loss == nil || r.Predicted == nil {
			return nil, wrong("%s has a run of rank %d without held-out entries; give --out another folder", f.many.out, r.Rank)
		}
		runs = append(runs, engine.FactorRun{Rank: r.Rank, Run: r.Run, HeldOut: true, HeldOutLoss: float64(*r.Loss), HeldOutError: float64(*r.Predicted)})
	}
	choice, err := engine.ChooseRank(runs)
	if err != nil {
		return nil, &inputError{Err: err}
	}
	report := &heldOutReport{Share: f.many.heldOut, Best: choice.Best, Sparing: choice.Sparing, AtEnd: choice.AtEnd}
	for _, r := range choice.Ranks {
		report.Ranks = append(report.Ranks, heldOutRank{r.Rank, r.Runs, number(r.Mean), number(r.StandardError), number(r.Least), number(r.Most), number(r.Relative)})
	}
	return report, f.writeHeldOut(report)
}

// writeHeldOut writes held_out.json, and the picture where one is asked for.
func (f *factorization) writeHeldOut(report *heldOutReport) error {
	return writeRunsReport(f.many, "held_out.json", []*heldOutReport{report}, func(out *outputs) error { return f.drawHeldOut(report, out) })
}

// drawHeldOut adds the picture to the outputs.
func (f *factorization) drawHeldOut(report *heldOutReport, out *outputs) error {
	var ranks, mean []float64
	for _, r := range report.Ranks {
		ranks = append(ranks, float64(r.Rank))
		mean = append(mean, float64(r.Mean))
	}
	curve := rankCurve(ranks, mean, fmt.Sprintf("loss of an entry, %.3g %% held out", 100*report.Share))
	curve.XLabel = fmt.Sprintf("rank (%d predicts best, %d within a standard error)", report.Best, report.Sparing)
	return f.drawRuns([]picture.Panel{curve}, out)
}

// write tells the errors of all ranks, and the choice.
func (r *heldOutReport) write(w io.Writer) {
	if r == nil {
		return
	}
	for _, one := range r.Ranks {
		spread := ""
		if v := float64(one.Standard); !math.IsNaN(v) {
			spread = fmt.Sprintf(" ± %.2g, %.4g to %.4g", v, float64(one.Least), float64(one.Most))
		}
		line(w, fmt.Sprintf("held out %d", one.Rank), "loss %.6g%s, error %.4g of ‖X‖", float64(one.Mean), spread, float64(one.Relative))
	}
	end := ""
	if r.AtEnd {
		end = ", and is the largest of the range: larger ranks may predict better, so take a longer range"
	}
	if r.Ranks[0].Runs == 1 {
		line(w, "rank", "%d predicts best%s; single runs have no standard error", r.Best, end)
		return
	}
	line(w, "rank", "%d predicts best%s; %d is the smallest within a standard error", r.Best, end, r.Sparing)
}
