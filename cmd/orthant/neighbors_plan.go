package main

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// searchPlan is what --explain prints of a search with --json.
type searchPlan struct {
	Samples     int      `json:"samples"`
	Queries     int      `json:"queries,omitempty"` // missing: the neighbours of the samples themselves
	Features    int      `json:"features"`
	Sparse      bool     `json:"sparse"`
	Type        string   `json:"type"`      // in which the samples are kept
	Neighbors   int      `json:"neighbors"` // 0: within a radius
	Radius      number   `json:"radius"`    // null: the nearest
	Metric      string   `json:"metric"`
	Exact       number   `json:"exact_seconds"`         // estimated; null: there is no estimate
	Approximate number   `json:"approximate_seconds"`   // estimated; null: there is no such search
	Method      string   `json:"method"`                // that is chosen
	Why         string   `json:"why"`                   // it is chosen
	Estimate    int64    `json:"memory_estimate_bytes"` // of the process, without the pairs within a radius
	PairBytes   int64    `json:"memory_pair_bytes"`     // of a pair within a radius in addition; 0: the nearest
	Limit       int64    `json:"memory_limit_bytes"`    // 0: there is none
	Threads     int      `json:"threads"`
	Warnings    []string `json:"warnings"`
}

// writePlan says what the search would take.
func (s *search) writePlan(x, queries mat.Matrix) error {
	n, m := x.Dims()
	if most := s.most(x, queries); !s.within && s.k > most {
		return wrong("%d neighbours asked of %s; give fewer neighbours, or more samples", s.k, counted(n, "sample"))
	}
	own, isDense := x.(*neighbors.Stored)
	p := searchPlan{Samples: n, Features: m, Sparse: !isDense, Type: "float64", Neighbors: s.k, Radius: number(math.NaN()), Metric: string(s.metric),
		Exact: number(math.NaN()), Approximate: number(math.NaN()), Estimate: memory.Process(s.need(x, queries)), Limit: int64(s.memory), Threads: blas.Threads(s.threads), Warnings: list(s.warnings)}
	if isDense {
		p.Type = own.Type()
	}
	if queries != nil {
		p.Queries = listsOf(x, queries)
	}
	if s.within {
		p.Neighbors, p.Radius, p.PairBytes = 0, number(s.radius), s.edgeBytes()
	}
	if isDense && queries == nil && !s.within && s.metric.CheckApproximate() == nil {
		p.Exact = number(neighbors.ExactSeconds(n, m, s.k, s.threads))
		if (neighbors.ApproximateOptions{}).WhyExact(n, m, s.k) == "" {
			p.Approximate = number(neighbors.ApproximateSeconds(n, m, s.k, s.threads))
		}
	}
	p.Method, p.Why = s.chosen(x, queries)
	if s.json {
		return s.printJSON(p)
	}
	w := s.say()
	line(w, "neighbors", "%s", s.what(x, queries))
	text := "not estimated for this search"
	if exact := float64(p.Exact); !math.IsNaN(exact) {
		text = fmt.Sprintf("exact about %s by %s", duration(exact), neighbors.ExactMethod(m, s.k))
		if approximate := float64(p.Approximate); !math.IsNaN(approximate) {
			text += ", approximate about " + duration(approximate)
		}
		text += ", on " + counted(p.Threads, "thread")
	}
	line(w, "time", "%s", text)
	line(w, "chosen", "%s: %s", p.Method, p.Why)
	text = "about " + limits.FormatBytes(p.Estimate)
	if s.within {
		text += fmt.Sprintf(", and %d bytes for each pair", p.PairBytes)
	}
	switch {
	case p.Limit > 0 && p.Estimate > p.Limit:
		text += fmt.Sprintf(", more than the limit of %s: the search is refused (--memory)", limits.FormatBytes(p.Limit))
	case p.Limit > 0:
		text += fmt.Sprintf(", within the limit of %s", limits.FormatBytes(p.Limit))
	}
	line(w, "memory", "%s", text)
	return nil
}

// chosen is the search that is made, and why.
func (s *search) chosen(x, queries mat.Matrix) (method, why string) {
	_, isDense := x.(*neighbors.Stored)
	switch n, m := x.Dims(); {
	case s.within:
		why = "neighbours within a radius are always found exactly"
	case queries != nil:
		why = "neighbours of other samples are always found exactly"
	case s.method == "exact":
		why = "every search is, unless --recall is below 1"
		if r := s.options.Recall; r > 0 && r < 1 {
			why = "--neighbors-method exact"
		}
	case !isDense:
		why = "an approximate search takes dense samples"
	case !s.approximately():
		why = fmt.Sprintf("an approximate search does not go by %s", s.metric)
	default:
		if why = s.approximate().WhyExact(n, m, s.k); why != "" {
			break
		}
		why = fmt.Sprintf("--recall %v allows it, and it is estimated to be faster", s.options.Recall)
		if s.method == "approximate" {
			why = "--neighbors-method approximate"
		}
		return "approximate", why
	}
	return "exact", why
}
