package main

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
)

func TestEmbedIsTheEnginesEmbedding(t *testing.T) {
	inFolder(t, "400")
	must(t, "embed", "--method", "neml", "--in", "x.npy", "--neighbors", "11", "--dim", "3", "--set", "gamma=0.01", "--seed", "7", "--out", "y.npy")
	set, err := datasets.Generate("swiss-roll", 400, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := engine.Embed(t.Context(), set.X, engine.NEML{Neighbors: 11, Dim: 3, Gamma: 0.01}, engine.Options{Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(matrix(t, "y.npy"), r.Y) {
		t.Error("the file differs from what engine.Embed returns")
	}
}

func TestEmbedJSONHasTheContractsKeys(t *testing.T) {
	inFolder(t, "1000")
	o := must(t, "embed", "--method", "neml", "--in", "x.npy", "--out", "y.npy", "--plot", "y.png", "--json")
	if o.err != "" {
		t.Errorf("standard error: %q", o.err)
	}
	v := o.object(t)
	for _, key := range strings.Fields("method params samples features dim backend threads seconds cpu_seconds peak_rss_bytes eigenvalues " +
		"residuals next_eigenvalue converged components component_sizes warnings duplicates out plot details plan isa cpu seed solves") {
		if _, ok := v[key]; !ok {
			t.Errorf("no key %q", key)
		}
	}
	for key, want := range map[string]any{"method": "neml", "samples": 1000.0, "features": 3.0, "dim": 2.0, "backend": blas.MustSelect("").Name(),
		"converged": true, "components": 1.0, "duplicates": 0.0, "out": "y.npy", "plot": "y.png", "seed": 1.0} {
		if v[key] != want {
			t.Errorf("%s is %v, want %v", key, v[key], want)
		}
	}
	params := v["params"].(map[string]any)
	for key, want := range map[string]any{"neighbors": 12.0, "dim": 2.0, "gamma": "auto", "eta": "auto", "mixing": "alpha", "components": "auto", "duplicates": "keep"} {
		if params[key] != want {
			t.Errorf("params.%s is %v, want %v", key, params[key], want)
		}
	}
	for _, clock := range []string{"seconds", "cpu_seconds"} {
		s := v[clock].(map[string]any)
		var sum float64
		for _, phase := range []string{"read", "neighbors", "patches", "alignment", "solve", "write"} {
			seconds, ok := s[phase].(float64)
			if !ok || seconds < 0 {
				t.Errorf("%s.%s is %v", clock, phase, s[phase])
			}
			sum += seconds
		}
		// Phases do not overlap, so they cannot add up to more than the whole.
		if total := s["total"].(float64); sum > total*(1+1e-9) {
			t.Errorf("%s: phases add up to %g of %g", clock, sum, total)
		}
	}
	if len(v["eigenvalues"].([]any)) != 2 || len(v["residuals"].([]any)) != 2 || len(v["warnings"].([]any)) != 0 {
		t.Errorf("eigenvalues %v, residuals %v, warnings %v", v["eigenvalues"], v["residuals"], v["warnings"])
	}
	if fmt.Sprint(v["component_sizes"]) != "[1000]" || v["peak_rss_bytes"].(float64) < 1<<20 {
		t.Errorf("component_sizes %v, peak_rss_bytes %v", v["component_sizes"], v["peak_rss_bytes"])
	}
	// A method without a graph has no components, and all of 3 eigenvalues known.
	v = must(t, "embed", "--method", "pca", "--dim", "3", "--in", "x.npy", "--out", "y.npy", "--json").object(t)
	if v["next_eigenvalue"] != nil || v["components"] != 0.0 || fmt.Sprint(v["component_sizes"]) != "[]" {
		t.Errorf("pca: next_eigenvalue %v, components %v %v", v["next_eigenvalue"], v["components"], v["component_sizes"])
	}
}

func TestThreadsChangeNoByte(t *testing.T) {
	inFolder(t, "700")
	writeLabels(t, 700)
	for _, method := range methodNames("embed") {
		var first []byte
		for _, threads := range []string{"1", "2", "3"} {
			must(t, "embed", "--method", method, "--in", "x.npy", "--labels", "classes.csv", "--out", "y.npy", "--threads", threads, "--iterations", "30")
			if y := read(t, "y.npy"); first == nil {
				first = y
			} else if !bytes.Equal(first, y) {
				t.Errorf("%s: %s threads give other bytes than one", method, threads)
			}
		}
	}
}

// writeLabels writes classes.csv, n labels of three classes in turn.
func writeLabels(t *testing.T, n int) {
	t.Helper()
	var b strings.Builder
	for i := range n {
		fmt.Fprintln(&b, i%3)
	}
	write(t, "classes.csv", b.String())
}

func TestSupervisedMethodsTakeLabels(t *testing.T) {
	inFolder(t, "90")
	writeLabels(t, 90)
	o := orthant(t, "embed", "--method", "lda", "--in", "x.npy", "--out", "y.npy")
	if o.status != exitUsage || !strings.Contains(o.err, "--labels is missing: lda learns") {
		t.Errorf("without labels: status %d, %q", o.status, o.err)
	}
	must(t, "embed", "--method", "lda", "--in", "x.npy", "--out", "y.npy", "--labels", "classes.csv")
	labels := make([]int64, 90)
	for i := range labels {
		labels[i] = int64(i % 3)
	}
	set, err := datasets.Generate("swiss-roll", 90, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := engine.Embed(t.Context(), set.X, engine.LDA{}, engine.Options{Labels: labels})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(matrix(t, "y.npy"), r.Y) {
		t.Error("the file differs from what engine.Embed returns for the same labels")
	}
	// Elsewhere labels only colour the plot.
	must(t, "embed", "--method", "lpp", "--in", "x.npy", "--out", "a.npy")
	must(t, "embed", "--method", "lpp", "--in", "x.npy", "--out", "b.npy", "--labels", "classes.csv")
	if !bytes.Equal(read(t, "a.npy"), read(t, "b.npy")) {
		t.Error("labels change the result of lpp")
	}
	if out := must(t, "methods", "lda").out; !strings.Contains(out, "needs --labels") {
		t.Errorf("methods lda says nothing of labels:\n%s", out)
	}
}

func TestFloat32AndFormats(t *testing.T) {
	inFolder(t, "300")
	must(t, "embed", "--method", "ltsa", "--in", "x.npy", "--out", "y.npy")
	must(t, "embed", "--method", "ltsa", "--in", "x.npy", "--out", "y32.npy", "--float32")
	y, y32 := matrix(t, "y.npy"), matrix(t, "y32.npy")
	if double, single := len(read(t, "y.npy")), len(read(t, "y32.npy")); single != double-4*600 {
		t.Errorf("%d bytes for float32, %d for float64", single, double)
	}
	for i := range 300 {
		for j := range 2 {
			if float64(float32(y.At(i, j))) != y32.At(i, j) {
				t.Fatalf("entry %d, %d is %v, not the float32 of %v", i, j, y32.At(i, j), y.At(i, j))
			}
		}
	}
	// Text holds numbers exactly, so the way through .csv changes nothing.
	must(t, "generate", "swiss-roll", "--samples", "300", "--out", "x.csv")
	must(t, "embed", "--method", "ltsa", "--in", "x.csv", "--out", "y2.npy")
	if !bytes.Equal(read(t, "y.npy"), read(t, "y2.npy")) {
		t.Error("the same data from .csv gives another embedding")
	}
	must(t, "embed", "--method", "ltsa", "--in", "x.csv", "--out", "y3.csv")
	if !mat.Equal(y, matrix(t, "y3.csv")) {
		t.Error("the embedding changes by way of .csv")
	}
}

// twoClouds is a data set whose graph of 12 neighbours has two components, 60
// and 40 samples.
func twoClouds(t *testing.T) {
	t.Helper()
	var b strings.Builder
	rng := blas.NewStream(3)
	for i := range 100 {
		shift := 0.0
		if i >= 60 {
			shift = 50
		}
		fmt.Fprintf(&b, "%v,%v,%v\n", shift+rng.Uniform(), rng.Uniform(), rng.Uniform())
	}
	write(t, "clouds.csv", b.String())
}

// lnp ends in an answer at its defaults where the graph falls apart, the others by word.
func TestBridge(t *testing.T) {
	inFolder(t, "")
	twoClouds(t)
	for _, line := range [][]string{{"lnp"}, {"lle", "--set", "components=bridge"}, {"isomap", "--set", "components=bridge"}} {
		v := must(t, append([]string{"embed", "--in", "clouds.csv", "--out", "y.npy", "--model", "m", "--json", "-q", "--method"}, line...)...).object(t)
		if v["params"].(map[string]any)["components"] != "bridge" || !strings.Contains(fmt.Sprint(v["warnings"]), "between nearest samples, the longest of length") {
			t.Errorf("%s: parameters %v, warnings %v", line[0], v["params"], v["warnings"])
		}
		if v["details"].(map[string]any)["bridges"].(float64) < 1 {
			t.Errorf("%s: details %v", line[0], v["details"])
		}
		must(t, "transform", "--model", "m", "--in", "clouds.csv", "--out", "z.npy")
	}
	if o := orthant(t, "embed", "--method", "lnp", "--in", "clouds.csv", "--out", "y.npy", "--set", "components=error"); o.status != 2 || !strings.Contains(o.err, "choose --set components=each: each has at least 40 samples") {
		t.Errorf("components=error: status %d, %s", o.status, o.err)
	}
	for method, want := range map[string]string{"lnp": "auto", "lle": "auto"} {
		for _, p := range must(t, "methods", method, "--json").object(t)["parameters"].([]any) {
			if p := p.(map[string]any); p["key"] == "components" && p["default"] != want {
				t.Errorf("%s: the default of components is %v", method, p["default"])
			}
		}
	}
}

func TestComponents(t *testing.T) {
	inFolder(t, "")
	twoClouds(t)
	line := []string{"embed", "--method", "le", "--in", "clouds.csv", "--out", "y.npy", "--json", "--set"}
	o := must(t, append(line, "components=largest")...)
	v := o.object(t)
	if v["components"] != 2.0 || fmt.Sprint(v["component_sizes"]) != "[60 40]" {
		t.Errorf("components %v %v", v["components"], v["component_sizes"])
	}
	if w := v["warnings"].([]any); len(w) != 1 || o.err != "warning: "+w[0].(string)+"\n" {
		t.Errorf("warnings %v, standard error %q", w, o.err)
	}
	y := matrix(t, "y.npy")
	for i := range 100 {
		if math.IsNaN(y.At(i, 0)) != (i >= 60) {
			t.Fatalf("row %d is %v", i, y.RawRowView(i))
		}
	}
	// What has no coordinates is passed over, and counted.
	write(t, "l.csv", strings.Repeat("0\n1\n", 50))
	for _, metric := range []string{"trustworthiness", "nn-error", ""} {
		o := must(t, "evaluate", "--metric", metric, "--in", "clouds.csv", "--embedding", "y.npy", "--labels", "l.csv", "--json")
		if v := o.object(t); v["left_out"] != 40.0 || !strings.Contains(o.err, "40 of 100 samples have no coordinates (rows of NaN) and are left out") {
			t.Errorf("evaluate %s: left_out %v, %s", metric, v["left_out"], o.err)
		}
	}
	o = must(t, "cluster", "--method", "kmeans", "--in", "clouds.csv", "--clusters", "2", "--out", "c.npy", "--embedding", "y.npy", "--plot", "c.png")
	if !strings.Contains(o.err, "40 of 100 samples have no coordinates in y.npy and are not drawn") {
		t.Errorf("cluster --embedding: %s", o.err)
	}
	o = must(t, strings.Fields("compare --in clouds.csv --methods le,lle --labels l.csv --set components=largest --plot compared.png")...)
	if !strings.Contains(o.err, "left out   lle, k = 12: 40 samples without coordinates") || strings.Count(o.out, "–") > 2 { // of 60 samples there is no score of neighbours kept
		t.Errorf("compare: %s%s", o.out, o.err)
	}
	must(t, append(line, "components=each")...)
	if y := matrix(t, "y.npy"); mat.Max(y.Slice(0, 60, 0, 1)) >= mat.Min(y.Slice(60, 100, 0, 1)) {
		t.Error("components=each does not lay the components side by side")
	}
	// The last of a key given twice counts.
	must(t, append(line, "components=each", "--set", "components=joint")...)
	if o := must(t, append(line, "components=joint", "--quiet")...); o.err != "" {
		t.Errorf("--quiet printed %q", o.err)
	}
}

func TestWhatDoesNothingIsSaid(t *testing.T) {
	inFolder(t, "100")
	for _, c := range []struct{ flags, warning string }{
		{"--neighbors 5", "neighbors does nothing"},
		{"--set neighbors=5", "neighbors does nothing"},
		{"--set components=each", "components does nothing"},
		{"--set landmarks=20", "landmarks do nothing"},
		{"--color t.npy", "--color does nothing without --plot"},
		{"--color-column 2", "--color does nothing without --plot"},
	} {
		o := must(t, append(strings.Fields("embed --method pca --in x.npy --out y.npy "+c.flags), "--json")...)
		w := o.object(t)["warnings"].([]any)
		if len(w) != 1 || !strings.Contains(w[0].(string), c.warning) || o.err != "warning: "+w[0].(string)+"\n" {
			t.Errorf("%s: warnings %v, standard error %q", c.flags, w, o.err)
		}
	}
	write(t, "few.csv", "0,1\n1,0\n2,2\n3,1\n4,5\n")
	if o := must(t, "embed", "--method", "lle", "--in", "few.csv", "--out", "y.npy"); !strings.Contains(o.err, "12 neighbours, the default, are too many for 5 samples: took 4") {
		t.Errorf("a default was capped without a word: %q", o.err)
	}
}

func TestDuplicatesMerge(t *testing.T) {
	inFolder(t, "100")
	must(t, "generate", "swiss-roll", "--samples", "100", "--out", "x.csv")
	text := string(read(t, "x.csv"))
	firstRow, _, _ := strings.Cut(text, "\n")
	write(t, "x.csv", text+firstRow+"\n")
	v := must(t, "embed", "--method", "ltsa", "--in", "x.csv", "--out", "y.npy", "--set", "duplicates=merge", "--json").object(t)
	if y := matrix(t, "y.npy"); v["duplicates"] != 1.0 || !slices.Equal(y.RawRowView(0), y.RawRowView(100)) {
		t.Errorf("duplicates %v, rows %v and %v", v["duplicates"], y.RawRowView(0), y.RawRowView(100))
	}
}

func TestReportGoesToStandardError(t *testing.T) {
	inFolder(t, "400")
	o := must(t, "embed", "--method", "neml", "--in", "x.npy", "--out", "y.npy")
	if o.out != "" {
		t.Errorf("standard output: %q", o.out)
	}
	for _, word := range []string{"neml ", "neighbors=12", "400 samples × 3 features → 2 dimensions", "1 component", "residual", "neighbors ", "at the peak", "written    y.npy\n"} {
		if !strings.Contains(o.err, word) {
			t.Errorf("the report lacks %q:\n%s", word, o.err)
		}
	}
	if o := must(t, "embed", "--method", "neml", "--in", "x.npy", "--out", "y.npy", "--quiet"); o.out != "" || o.err != "" {
		t.Errorf("--quiet printed %q and %q", o.out, o.err)
	}
	o = must(t, "embed", "--method", "neml", "--in", "x.npy", "--out", "y.npy", "-v", "-q", "--explain")
	for _, word := range []string{"cpu ", "backends ", "solve: shift-invert lanczos, because", "memory: "} {
		if !strings.Contains(o.err, word) {
			t.Errorf("-v --explain lacks %q:\n%s", word, o.err)
		}
	}
	o = must(t, "embed", "--method", "neml", "--in", "x.npy", "--out", "y.npy", "--progress", "always", "-q")
	if !strings.Contains(o.err, "neighbors ") || !strings.HasSuffix(o.err, "\r\x1b[K") {
		t.Errorf("--progress always drew %q", o.err)
	}
}

func TestMissedResidualIsStatusThree(t *testing.T) {
	r := &engine.Result{Method: "lle", Residuals: []float64{1e-12, 3e-8}, Converged: false}
	e := &embedding{}
	err := e.missed(r)
	if status(&commandError{Command: "orthant embed", Err: err}) != exitNotConverged || !strings.Contains(err.Error(), "3e-08") {
		t.Errorf("%v has status %d", err, status(err))
	}
	r.Converged = true
	if e.missed(r) != nil {
		t.Error("a converged result is an error")
	}
}
