package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
)

// runsReport is what --json prints of many factorisations.
type runsReport struct {
	Method    string            `json:"method"`
	Params    map[string]any    `json:"params"`
	Samples   int               `json:"samples"`
	Features  int               `json:"features"`
	Ranks     []int             `json:"ranks"`
	Runs      int               `json:"runs"` // of each rank
	Sparse    bool              `json:"sparse"`
	Made      int               `json:"made"`    // by this command
	Resumed   int               `json:"resumed"` // made before
	Results   []runRecord       `json:"results"`
	Consensus []consensusReport `json:"consensus"`
	HeldOut   *heldOutReport    `json:"held_out,omitempty"`
	Seed      uint64            `json:"seed"`
	Out       string            `json:"out"`
	Journal   string            `json:"journal"`
	Plot      string            `json:"plot"`
	Plan      string            `json:"plan"`
	Explained []string          `json:"explanation,omitempty"`
	cost
	machine
}

func (f *factorization) reportRuns(r *engine.FactorRuns, j *runsJournal, found []consensusReport, choice *heldOutReport) error {
	c := f.spentBy(r.Seconds, r.CPUSeconds, r.Backend, r.Threads, r.EstimatedBytes)
	journal := filepath.Join(f.many.out, batchJournal)
	all := j.wanted()
	if f.json {
		report := runsReport{
			Method: r.Method, Params: finite(r.Params), Samples: r.Samples, Features: r.Features, Ranks: f.rank.ranks, Runs: f.many.runs, Sparse: r.Sparse,
			Made: len(all) - j.resumed, Resumed: j.resumed, Consensus: list(found), HeldOut: choice, Seed: f.seed, Out: f.many.out, Journal: journal,
			Plot: f.many.plot, Plan: r.Plan, Explained: f.explanation(), cost: c, machine: f.machine(),
		}
		for _, one := range all {
			report.Results = append(report.Results, runRecord{one.Rank, one.Run, one.Seed, one.Iterations, one.Converged, one.Objective, one.Error, one.Loss, one.Predicted, nil})
		}
		return f.printJSON(report)
	}
	w := f.say()
	line(w, r.Method, "%s", pairs(r.Params))
	kind := ""
	if r.Sparse {
		kind = ", sparse"
	}
	line(w, "data", "%s × %s%s", counted(r.Samples, "sample"), counted(r.Features, "feature"), kind)
	text := fmt.Sprintf("%d of rank %s", len(all), f.rank.String())
	if j.resumed > 0 {
		text += fmt.Sprintf(", %d of them made before", j.resumed)
	}
	line(w, "runs", "%s", text)
	for _, rank := range f.rank.ranks {
		var least, most float64
		for _, one := range all {
			if e := float64(one.Error); one.Rank == rank {
				if most == 0 || e < least {
					least = e
				}
				most = max(most, e)
			}
		}
		line(w, fmt.Sprintf("rank %d", rank), "error %.6g to %.6g of ‖X‖", least, most)
	}
	for _, one := range found {
		if one.Problem == "" {
			line(w, fmt.Sprintf("consensus %d", one.Rank), "stability %.4g, error %.6g of ‖X‖, %d of %s kept, cophenetic correlation %.4g",
				float64(one.Stability), float64(one.Relative), one.Kept, counted(one.Components, "component"), float64(one.Cophenetic))
		}
	}
	choice.write(w)
	writeCost(w, c)
	writeWritten(w, f.many.out, f.many.plot)
	return nil
}

// jsonLines is a list as JSON, an element a line.
func jsonLines[T any](list []T) ([]byte, error) {
	var text bytes.Buffer
	text.WriteString("[\n")
	for i, v := range list {
		line, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		text.WriteString("  ")
		text.Write(line)
		if i < len(list)-1 {
			text.WriteByte(',')
		}
		text.WriteByte('\n')
	}
	text.WriteString("]\n")
	return text.Bytes(), nil
}

// writeRunsReport writes what was found of each rank into the folder of many runs, together with
// the picture where one is asked for.
func writeRunsReport[T any](m manyRuns, name string, list []T, draw func(out *outputs) error) error {
	text, err := jsonLines(list)
	if err != nil {
		return err
	}
	o, err := files.CreateRaw(filepath.Join(m.out, name), nil)
	if err != nil {
		return err
	}
	out := outputs{o}
	if _, err = o.Write(text); err == nil && m.plot != "" {
		err = draw(&out)
	}
	if err == nil {
		err = files.CommitAll(out...)
	}
	if err != nil {
		for _, o := range out {
			o.Discard()
		}
	}
	return err
}
