package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/measures"
)

// value is what evaluate prints.
func value(t *testing.T, args ...string) float64 {
	t.Helper()
	o := must(t, append([]string{"evaluate", "--metric"}, args...)...)
	v, err := strconv.ParseFloat(strings.TrimSuffix(o.out, "\n"), 64)
	if err != nil || strings.Count(o.out, "\n") != 1 {
		t.Fatalf("evaluate %v printed %q", args, o.out)
	}
	return v
}

func TestEvaluate(t *testing.T) {
	inFolder(t, "200")
	write(t, "scores.csv", "0.1\n0.4\n0.35\n0.8\n")
	write(t, "classes.csv", "3\n3\n9\n9\n")
	write(t, "truth.csv", "0\n0\n0\n1\n1\n1\n")
	write(t, "found.csv", "7\n7\n5\n5\n5\n5\n")
	// What the textbooks say: of the four pairs of a positive and a negative, three
	// are in order; five of six samples match under 7↔0, 5↔1; entropies and mutual
	// information by hand.
	mutual := (2*math.Log(2) + math.Log(0.5) + 3*math.Log(1.5)) / 6
	for _, c := range []struct {
		line string
		want float64
	}{
		{"roc-auc --embedding scores.csv --labels classes.csv", 0.75},
		{"acc --labels truth.csv --predicted found.csv", 5.0 / 6},
		{"nmi --labels truth.csv --predicted found.csv", mutual / math.Log(2)},
		{"nmi --labels truth.csv --predicted found.csv --set normalise=min", mutual / (math.Log(3) - 2*math.Log(2)/3)},
		{"dev --truth t.npy --embedding t.npy", 0},
		{"trustworthiness --in x.npy --embedding x.npy", 1},
		{"continuity --in x.npy --embedding x.npy --neighbors 9", 1},
		{"mrre --in x.npy --embedding x.npy", 0},
		{"mrre --in x.npy --embedding x.npy --set side=data --neighbors 199", 0},
		{"lcmc --in x.npy --embedding x.npy --neighbors 10", 1 - 10.0/199},
		{"lcmc --in x.npy --embedding t.npy --neighbors 199", 0},
		{"nalac --in x.npy --embedding x.npy", 1},
		{"soft-nalac --in x.npy --embedding x.npy", 1},
		{"nalac --in x.npy --embedding x.npy --set method=lnp --neighbors 8", 1},
		{"soft-nalac --in x.npy --embedding x.npy --set method=smce --neighbors 20", 1},
		{"nalac --in x.npy --embedding x.npy --set method=lnp --set cap=none", 1},
		{"intrinsic-dimension --in x.npy --neighbors 20", 2},
		{"intrinsic-dimension --in t.npy", 2},
	} {
		if got := value(t, strings.Fields(c.line)...); math.Abs(got-c.want) > 1e-14 {
			t.Errorf("%s is %v, want %v", c.line, got, c.want)
		}
	}
	must(t, "embed", "--method", "pca", "--in", "x.npy", "--out", "y.npy", "-q")
	dev := value(t, "dev", "--truth", "t.npy", "--embedding", "y.npy")
	if centred := value(t, "dev", "--truth", "t.npy", "--embedding", "y.npy", "--set", "centred=true"); !(0 < dev && dev < centred && centred < 1) {
		t.Errorf("dev %v, centred %v", dev, centred)
	}
	o := must(t, "evaluate", "--metric", "dev", "--truth", "t.npy", "--embedding", "y.npy", "--json", "--neighbors", "3")
	v := o.object(t)
	if v["metric"] != "dev" || v["value"] != dev || v["samples"] != 200.0 {
		t.Errorf("--json printed %v", v)
	}
	if o.err != "warning: dev does not use --neighbors\n" || len(v["warnings"].([]any)) != 1 {
		t.Errorf("a flag without use: %q", o.err)
	}
}

func TestEvaluateSplits(t *testing.T) {
	inFolder(t, "")
	must(t, "generate", "gaussians", "--samples", "150", "--set", "clusters=3", "--set", "dims=4", "--set", "sd=3", "--out", "x.npy", "--out-labels", "l.npy")
	x, err := files.ReadMatrix("x.npy", files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	labels, err := files.ReadLabels("l.npy", files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	trial := measures.Trial{Splits: 4, Train: 0.6, Seed: 3}
	want, err := measures.HolisticErrors(t.Context(), x, labels, trial, measures.Options{}, measures.NN, measures.NFL)
	if err != nil {
		t.Fatal(err)
	}
	for c, name := range []string{"nn-error", "nfl-error"} {
		o := must(t, "evaluate", "--metric", name, "--embedding", "x.npy", "--labels", "l.npy", "--set", "splits=4", "--set", "train=0.6", "--seed", "3", "--threads", "1", "--json")
		v := o.object(t)
		var values []float64
		for _, r := range v["values"].([]any) {
			values = append(values, r.(float64))
		}
		if v["metric"] != name || v["value"] != want[c].Mean() || v["mean"] != want[c].Mean() || v["sd"] != want[c].Deviation() || !slices.Equal(values, want[c]) {
			t.Errorf("%s: %v, want %v", name, v, want[c])
		}
		if set := v["settings"].(map[string]any); set["splits"] != 4.0 || set["train"] != 0.6 || set["projection"] != "holistic" {
			t.Errorf("%s: settings %v", name, set)
		}
	}
	method := engine.LLE{Neighbors: 15, Dim: 3, Gamma: 1e-4}
	separate, err := engine.SeparateErrors(t.Context(), x, labels, method, engine.Options{}, measures.Trial{Splits: 2}, measures.NFL)
	if err != nil {
		t.Fatal(err)
	}
	v := must(t, "evaluate", "--metric", "nfl-error", "--in", "x.npy", "--labels", "l.npy", "--set", "projection=separate", "--set", "method=lle",
		"--neighbors", "15", "--dim", "3", "--set", "gamma=1e-4", "--set", "splits=2", "--json").object(t)
	set := v["settings"].(map[string]any)
	if v["value"] != separate[0].Mean() || set["method"] != "lle" || set["neighbors"] != 15.0 || set["gamma"] != 1e-4 || set["train"] != 0.5 {
		t.Errorf("separate projection: %v, want %v", v, separate)
	}
	write(t, "w.csv", "1,0\n0,1\n1,1\n")
	write(t, "h.csv", "1,2,3,4\n0,0,3,4\n")
	write(t, "wh.csv", "1,2,3,4\n0,0,3,4\n1,2,6,9\n") // the last entry is one too large
	if got, want := value(t, "reconstruction", "--in", "wh.csv", "--w", "w.csv", "--h", "h.csv"), 1/math.Sqrt(177); math.Abs(got-want) > 1e-15 {
		t.Errorf("reconstruction %v, want %v", got, want)
	}
}

func TestNeighbors(t *testing.T) {
	inFolder(t, "")
	write(t, "x.csv", "0\n1\n3\n7\n15\n")
	o := must(t, "neighbors", "--in", "x.csv", "--neighbors", "2", "--out-indices", "i.npy", "--out-distances", "d.csv", "--json")
	indices, distances := matrix(t, "i.npy"), matrix(t, "d.csv")
	for i, want := range [][4]float64{{1, 2, 1, 3}, {0, 2, 1, 2}, {1, 0, 2, 3}, {2, 1, 4, 6}, {3, 2, 8, 12}} {
		got := append(slices.Clone(indices.RawRowView(i)), distances.RawRowView(i)...)
		if !slices.Equal(got, want[:]) {
			t.Errorf("sample %d: %v, want %v", i, got, want)
		}
	}
	v := o.object(t)
	for key, want := range map[string]any{"samples": 5.0, "features": 1.0, "neighbors": 2.0, "method": "exact", "components": 1.0, "out_indices": "i.npy", "out_distances": "d.csv"} {
		if v[key] != want {
			t.Errorf("%s is %v, want %v", key, v[key], want)
		}
	}
	// Indices are integers, without being asked; the default number is capped.
	if !strings.Contains(string(read(t, "i.npy")), "<i8") {
		t.Error("indices are not int64")
	}
	if o := must(t, "neighbors", "--in", "x.csv", "--out-indices", "i.npy"); !strings.Contains(o.err, "too many for 5 samples: took 4") {
		t.Errorf("standard error: %q", o.err)
	}
}

func TestGenerateDrawsEverySet(t *testing.T) {
	dir := inFolder(t, "")
	for _, name := range datasets.Names() {
		set, err := datasets.Generate(name, 60, 5, nil)
		if name == "triple-peak" { // a grid, of its own size
			set, err = datasets.Generate(name, 0, 5, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		n, m := set.X.Dims()
		args := []string{"generate", name, "--samples", strconv.Itoa(n), "--seed", "5", "--out", "x.npy", "--json"}
		if set.Params != nil {
			args = append(args, "--out-params", "t.npy")
		}
		if set.Labels != nil {
			args = append(args, "--out-labels", "y.npy")
		}
		v := must(t, args...).object(t)
		if v["generator"] != name || v["samples"] != float64(n) || v["features"] != float64(m) || v["seed"] != 5.0 {
			t.Errorf("%s: %v", name, v)
		}
		if got := matrix(t, "x.npy"); !slices.Equal(got.RawMatrix().Data, set.X.RawMatrix().Data) {
			t.Errorf("%s: the file differs from the set", name)
		}
		if set.Labels != nil {
			if got, err := files.ReadLabels("y.npy", files.Options{}); err != nil || !slices.Equal(got, set.Labels) {
				t.Errorf("%s: labels differ (%v)", name, err)
			}
		}
	}
	v := must(t, "generate", "swiss-roll", "--samples", "9", "--out", "x.npy", "--set", "noise=0.5", "--json").object(t)
	if p := v["params"].(map[string]any); p["noise"] != 0.5 || p["params"] != "roll" {
		t.Errorf("params %v", p)
	}
	for _, name := range names(t, dir) {
		if strings.HasPrefix(name, ".") {
			t.Errorf("left %s", name)
		}
	}
}

func TestMethodsListsWhatTheEngineHas(t *testing.T) {
	v := must(t, "methods", "--json").object(t)["methods"].([]any)
	entries := engine.Methods()
	if len(v) != len(entries) {
		t.Fatalf("%d methods, the engine has %d", len(v), len(entries))
	}
	text := must(t, "methods").out
	for i, e := range entries {
		got := v[i].(map[string]any)
		if got["name"] != e.Name || len(got["parameters"].([]any)) != len(e.Parameters)+len(sharedParameters(e)) || len(e.Tasks) == 0 {
			t.Errorf("method %d: %v", i, got)
		}
		one := must(t, "methods", e.Name).out
		for _, p := range e.Parameters {
			if !strings.Contains(text, p.Key+"=") || !strings.Contains(one, wrapped(p.Meaning, 6)) {
				t.Errorf("%s: %s is not listed or not explained", e.Name, p.Key)
			}
		}
		if must(t, "methods", e.Name, "--json").object(t)["title"] != e.Title {
			t.Errorf("methods %s --json has another title", e.Name)
		}
	}
	// Every key that is listed is one that --set takes, at its default.
	inFolder(t, "60")
	writeLabels(t, 60)
	write(t, "p.csv", positive(60, 5))
	for i, e := range allMethods() {
		if testing.Short() && i%5 > 0 {
			continue // under the race detector all of them take minutes
		}
		for _, p := range e.Parameters {
			for _, task := range e.Tasks {
				in, out := "x.npy", "--out"
				if slices.Contains(e.Tasks, "factorize") {
					in = "p.csv"
				}
				if task == "factorize" {
					out = "--out-w"
				}
				args := []string{task, "--method", e.Name, "--in", in, out, "y.npy", "--set", fmt.Sprintf("%s=%v", p.Key, p.Default), "-q"}
				if e.Name != "pca" && p.Key != "neighbors" {
					args = append(args, "--neighbors", "12")
				}
				if e.Name == "ds3" && p.Key != "iterations" {
					args = append(args, "--iterations", "20")
				}
				switch task {
				case "cluster":
					args = append(args, "--clusters", "2")
				case "select":
					args = append(args, "--count", "2")
				case "factorize":
					args = append(args, "--rank", "2", "--labels", "classes.csv")
				case "embed":
					args = append(args, "--labels", "classes.csv")
					if p.Key != "iterations" {
						args = append(args, "--iterations", "20")
					}
				}
				if o := orthant(t, args...); o.status != exitDone && !strings.Contains(o.err, "components (sizes") {
					t.Errorf("%v: %s", args, o.err)
				}
			}
		}
	}
}

func TestInfo(t *testing.T) {
	about := blas.Describe(blas.MustSelect(""))
	v := must(t, "info", "--json").object(t)
	if v["cpu"] != about.CPU || v["backend"] != about.Backend || v["cores"] != float64(about.Cores) || v["version"] == "" {
		t.Errorf("info --json printed %v", v)
	}
	text := must(t, "info").out
	for _, word := range []string{about.CPU, about.Backend, "caches", "csr products"} {
		if !strings.Contains(text, word) {
			t.Errorf("info lacks %q:\n%s", word, text)
		}
	}
	if v := must(t, "info", "--backend", "gonum", "--json").object(t); v["choice"] != "gonum" {
		t.Errorf("--backend gonum: choice %v", v["choice"])
	}
}
