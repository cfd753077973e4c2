package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

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
			add(fmt.Sprintf("the search for %d neighbours", r.k), c.reads(map[string]any{"command": "neighbors", "neighbors": whole64(r.k), "out": graphs[r.k]}))
		}
		values := c.scaled(map[string]any{"command": "embed", "method": r.method, "out": r.out})
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
	if c.scale != "none" || c.table.missing == "drop" { // the search is one of the samples as they are
		return false
	}
	for _, key := range []string{"radius", "denoise", "duplicates", "landmarks"} {
		if _, set := c.set[key]; set {
			return false
		}
	}
	return slices.Contains(append(e.BesideSamples, e.InsteadOfSamples...), "graph")
}

// metricsOf is the job that measures an embedding.
func (c *comparison) metricsOf(r *compared) map[string]any {
	values := c.scaled(map[string]any{"command": "evaluate", "embedding": "{out}/" + r.out})
	var names []string
	for _, k := range c.measured() {
		names = append(names, k.metric)
	}
	values["metric"] = strings.Join(names, ",")
	if c.labels != "" {
		values["labels"] = c.labels
	}
	if c.truth != "" {
		values["truth"] = c.truth
	}
	return values
}

// reads has a job read the samples as the flags say. What is a column of labels or of ids is
// no feature of any.
func (c *comparison) reads(values map[string]any) map[string]any {
	values["in"] = c.in
	o := c.table.options(c.invocation, c.in, c.labels)
	for key, text := range map[string]string{"columns": (*columnList)(&o.Columns).String(), "drop": (*columnList)(&o.Drop).String(), "delimiter": c.delimiter.String(), "resize": c.table.resize.String()} {
		if text != "" {
			values[key] = text
		}
	}
	if c.table.missing != "error" {
		values[missingKey] = c.table.missing
	}
	if c.table.grey {
		values["grey"] = true
	}
	return values
}

// scaled is reads of a job that brings the samples to a common scale first.
func (c *comparison) scaled(values map[string]any) map[string]any {
	if c.scale != "none" {
		values["scale"] = c.scale
	}
	return c.reads(values)
}

func whole64(k int) json.Number { return json.Number(strconv.Itoa(k)) }
