package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/orthant-go/orthant/engine"
)

// selectReport is what --json prints of a selection.
type selectReport struct {
	Method     string            `json:"method"`
	Params     map[string]any    `json:"params"`
	Samples    int               `json:"samples"`
	Features   int               `json:"features"`
	Count      int               `json:"count"`
	Objective  map[string]number `json:"objective"`
	Iterations int               `json:"iterations"`
	Converged  bool              `json:"converged"`
	Duplicates int               `json:"duplicates"`
	Seed       uint64            `json:"seed"`
	Out        string            `json:"out"`
	Plot       string            `json:"plot"`
	Details    map[string]any    `json:"details"`
	Explained  []string          `json:"explanation,omitempty"`
	cost
	machine
}

func (s *selecting) report(r *engine.Selection) error {
	spent := s.spentBy(r.Seconds, r.CPUSeconds, r.Backend, r.Threads, r.EstimatedBytes)
	if s.json {
		return s.printJSON(selectReport{
			Method: r.Method, Params: finite(r.Params), Samples: r.Samples, Features: r.Features, Count: len(r.Indices),
			Objective:  map[string]number{"first": number(r.FirstObjective), "last": number(r.Objective)},
			Iterations: r.Iterations, Converged: r.Converged, Duplicates: r.Duplicates, Seed: s.seed, Out: s.out, Plot: s.plot, Details: finite(r.Details),
			Explained: s.explanation(), cost: spent, machine: s.machine(),
		})
	}
	w := s.say()
	line(w, r.Method, "%s", pairs(r.Params))
	line(w, "data", "%s × %s", counted(r.Samples, "sample"), counted(r.Features, "feature"))
	const shown = 12
	text := fmt.Sprintf("%d: %v", len(r.Indices), r.Indices[:min(len(r.Indices), shown)])
	if len(r.Indices) > shown {
		text = strings.TrimSuffix(text, "]") + " …]"
	}
	line(w, "exemplars", "%s", text)
	if !math.IsNaN(r.Objective) {
		line(w, "objective", "%.6g after %s, %.6g at first", r.Objective, counted(r.Iterations, "step"), r.FirstObjective)
	}
	writeCost(w, spent)
	writeWritten(w, s.out, s.plot)
	return nil
}
