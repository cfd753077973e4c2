package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
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
				if takesKey("iterations", e.Name) && p.Key != "iterations" {
					args = append(args, "--iterations", "20")
				}
				switch task {
				case "cluster":
					if !e.FindsClusters {
						args = append(args, "--clusters", "2")
					}
				case "select":
					args = append(args, "--count", "2")
				case "factorize":
					args = append(args, "--rank", "2", "--labels", "classes.csv")
				case "embed":
					args = append(args, "--labels", "classes.csv")
				}
				if p.Key == missingKey && task != "cluster" {
					args[slices.Index(args, "--set")] = "--missing"
					args[slices.Index(args, fmt.Sprintf("%s=%v", p.Key, p.Default))] = fmt.Sprint(p.Default)
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

// The commands with which an exploration ends repeat its groups, its map and its agreement to the bit, as they are typed in a shell.
func TestExploreCommandsWorkAsTyped(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("commands are typed in a shell")
	}
	dir := inFolder(t, "")
	var table strings.Builder
	table.WriteString("sample,the kind,size,other column")
	for j := range 110 { // more than are searched in as they are
		fmt.Fprintf(&table, ",c%d", j)
	}
	for i := range 90 {
		fmt.Fprintf(&table, "\ns%d,%s,%d,%d", i, []string{"red", "blue", "green"}[i%3], 1000*(i%3)+(i*7)%23, (i*i)%17)
		for j := range 110 {
			fmt.Fprintf(&table, ",%d.5", (i*(j+3)*31)%29+40*((i%3+j)%3))
		}
	}
	write(t, "in.csv", table.String()+"\n")
	v := must(t, "explore", "--in", "in.csv", "--labels", ":the kind", "--out", "page.html", "--out-groups", "g.npy", "--out-map", "m.npy", "--neighbors", "10", "--set", "iterations=40", "--seed", "3", "--clustering", "kmeans", "--json").object(t)
	lines := v["commands"].([]any)
	if len(lines) != 4 {
		t.Fatalf("commands %q", lines)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out []byte
	for _, line := range lines {
		cmd := exec.Command("sh", "-c", strings.Replace(line.(string), "orthant ", "'"+self+"' ", 1))
		cmd.Dir, cmd.Env = dir, commandEnvironment()
		var said bytes.Buffer
		cmd.Stderr = &said
		if out, err = cmd.Output(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, said.String())
		}
	}
	for _, same := range [][2]string{{"page-groups.npy", "g.npy"}, {"page-map.npy", "m.npy"}} {
		a, b := matrix(t, same[0]).RawMatrix().Data, matrix(t, same[1]).RawMatrix().Data
		if !slices.Equal(a, b) {
			t.Errorf("%s is not %s", same[0], same[1])
		}
	}
	for name, value := range v["agreement"].(map[string]any)["values"].(map[string]any) {
		if want := fmt.Sprintf("%-18s %.17g", name, value); !strings.Contains(string(out), want) {
			t.Errorf("evaluate prints %q, not %q", out, want)
		}
	}
}
