package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/orthant-go/orthant/engine"
)

// lines are the jobs of the comparison: a search for each number of neighbours, the
// embeddings, which wait for it, and their metrics, which wait for them.
func (c *comparison) lines() []*jobLine {
	var list []*jobLine
	add := func(label string, values map[string]any) int {
		list = append(list, &jobLine{number: len(list) + 1, keys: slices.Sorted(maps.Keys(values)), values: values, label: label})
		return len(list) - 1
	}
	graphs := map[int]string{}
	for _, r := range c.runs {
		e, _ := engine.MethodNamed(r.method) // it was found before
		if r.k > 0 && c.shares(e) && graphs[r.k] == "" {
			graphs[r.k] = fmt.Sprintf("neighbors-k%d.npz", r.k)
			add(fmt.Sprintf("the search for %d neighbours", r.k), map[string]any{"command": "neighbors", "in": c.in, "neighbors": whole64(r.k), "out": graphs[r.k]})
		}
		values := map[string]any{"command": "embed", "method": r.method, "in": c.in, "out": r.out}
		switch {
		case r.k > 0 && c.shares(e):
			values["graph"] = "{out}/" + graphs[r.k]
		case r.k > 0:
			values["neighbors"] = whole64(r.k)
		}
		if c.dim != 0 {
			values["dim"] = (*autoCount)(&c.dim).String()
		}
		if e.Supervised {
			values["labels"] = c.labels
		}
		set := map[string]any{}
		for key, text := range c.set {
			if hasParameter(e, key) {
				set[key] = text
			}
		}
		if len(set) > 0 {
			values["set"] = set
		}
		r.embed = add(r.name(), values)
		r.measure = add("the metrics of "+r.name(), c.metricsOf(r))
	}
	return list
}

// shares tells whether a method takes the graph of a search that others take, too. What
// changes the search is in the method's own hands.
func (c *comparison) shares(e engine.Entry) bool {
	for _, key := range []string{"radius", "denoise", "duplicates", "landmarks"} {
		if _, set := c.set[key]; set {
			return false
		}
	}
	return slices.Contains(append(e.BesideSamples, e.InsteadOfSamples...), "graph")
}

// metricsOf is the job that measures an embedding.
func (c *comparison) metricsOf(r *compared) map[string]any {
	values := map[string]any{"command": "evaluate", "in": c.in, "embedding": "{out}/" + r.out, "metric": "trustworthiness,continuity,lcmc,residual-variance"}
	if c.labels != "" {
		values["labels"], values["metric"] = c.labels, "trustworthiness,continuity,lcmc,residual-variance,nn-error"
	}
	return values
}

func whole64(k int) json.Number { return json.Number(strconv.Itoa(k)) }
