package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/internal/cases"
)

// The cases that C, Python and R run too.
func TestCases(t *testing.T) {
	all, err := cases.Read()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all.Cases {
		t.Run(c.Name, func(t *testing.T) {
			inFolder(t, "")
			o := orthant(t, caseLine(t, c, all)...)
			if o.status == exitDone && c.New != "" {
				save(t, "beyond.npy", all.Inputs[c.New])
				if mapped := orthant(t, "transform", "--model", "fit.model", "--in", "beyond.npy", "--out", "new.npy"); mapped.status != exitDone {
					o = mapped
				}
			}
			if c.Refused != "" {
				want := exitUsage
				if o.status != want || strings.Count(o.err, "\n") != 1 || c.Status == "" && !strings.Contains(o.err, c.Refused) {
					t.Errorf("status %d, %q; want %q", o.status, o.err, c.Refused)
				}
				return
			}
			if o.status != exitDone || !strings.Contains(o.err, c.Warning) {
				t.Fatalf("status %d, %s; want %q", o.status, o.err, c.Warning)
			}
			for name, want := range c.Arrays {
				if err := want.Check(matrix(t, name+".npy")); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			if err := c.CheckReport(o.object(t)); err != nil {
				t.Error(err)
			}
		})
	}
}

// caseLine writes the inputs of a case into the folder and returns what to type.
func caseLine(t *testing.T, c cases.Case, all *cases.All) []string {
	line := []string{c.Task, "--json"}
	add := func(flag, value string) {
		if value != "" {
			line = append(line, "--"+flag, value)
		}
	}
	add("method", c.Method)
	if c.Task == "evaluate" {
		line[2], c.Task = "--metric", ""
	}
	if c.Count != nil {
		add(map[string]string{"factorize": "rank", "cluster": "clusters", "neighbors": "neighbors"}[c.Task], fmt.Sprint(*c.Count))
	}
	for flag, name := range map[string]string{"in": c.X, "distances": c.Distances, "embedding": c.Embedding, "w": c.W, "h": c.H, "targets": c.Targets, "weights": c.Weights} {
		if x := all.Inputs[name]; x != nil {
			save(t, flag+".npy", x)
			add(flag, flag+".npy")
		}
	}
	for flag, name := range map[string]string{"labels": c.Labels, "predicted": c.Predicted} {
		if list := all.Labels[name]; list != nil {
			write(t, flag+".csv", strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", "\n")+"\n")
			add(flag, flag+".csv")
		}
	}
	if c.New != "" {
		add("model", "fit.model")
	}
	var parameters map[string]any
	if c.Parameters != nil {
		if err := json.Unmarshal(c.Parameters, &parameters); err != nil {
			t.Fatal(err)
		}
	}
	for key, value := range parameters {
		if slices.Contains(strings.Fields("neighbors dim metric seed threads memory backend"), key) {
			add(key, fmt.Sprint(value))
		} else if key == "standardize" {
			add("scale", fmt.Sprint(value))
		} else {
			add("set", fmt.Sprintf("%s=%v", key, value))
		}
	}
	switch outs := map[string][]string{"embed": {"out", "embedding"}, "cluster": {"out", "labels"}, "factorize": {"out-w", "w", "out-h", "h"},
		"neighbors": {"out-indices", "indices", "out-distances", "distances"}}[c.Task]; len(outs) {
	case 4:
		add(outs[2], outs[3]+".npy")
		fallthrough
	case 2:
		add(outs[0], outs[1]+".npy")
	}
	return line
}
