package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/assign"
	"github.com/orthant-go/orthant/engine/files"
)

// trefoils is a folder with two knots of 100 samples in x.npy and their classes in
// truth.npy.
func trefoils(t *testing.T) {
	inFolder(t, "")
	must(t, "generate", "two-trefoils", "--samples", "200", "--out", "x.npy", "--out-labels", "truth.npy")
}

func TestClusterTellsKnotsApart(t *testing.T) {
	trefoils(t)
	for _, method := range []string{"lnp", "smce"} {
		o := must(t, "cluster", "--method", method, "--in", "x.npy", "--clusters", "2", "--out", "found.npy", "--json")
		if got := value(t, "acc", "--labels", "truth.npy", "--predicted", "found.npy"); got != 1 {
			t.Errorf("%s: accuracy %g", method, got)
		}
		v := o.object(t)
		for _, key := range strings.Fields("method params samples features clusters cluster_sizes parts objective iterations converged backend threads seconds " +
			"cpu_seconds peak_rss_bytes eigenvalues residuals next_eigenvalue components component_sizes warnings duplicates details out seed cpu isa") {
			if _, ok := v[key]; !ok {
				t.Errorf("%s: no key %q", method, key)
			}
		}
		if fmt.Sprint(v["cluster_sizes"]) != "[100 100]" || v["clusters"] != 2.0 || len(v["eigenvalues"].([]any)) != 2 || v["samples"] != 200.0 {
			t.Errorf("%s: %v", method, v)
		}
		last := v["objective"].(map[string]any)["last"].(float64)
		if !(last >= 0 && last < 1) || v["converged"] != true {
			t.Errorf("%s: objective %v", method, v["objective"])
		}
		seconds := v["seconds"].(map[string]any)
		for _, phase := range []string{"read", "neighbors", "patches", "alignment", "solve", "kmeans", "write", "total"} {
			if _, ok := seconds[phase].(float64); !ok {
				t.Errorf("%s: no seconds.%s", method, phase)
			}
		}
	}
}

func TestClusterIsTheEnginesClustering(t *testing.T) {
	trefoils(t)
	must(t, "cluster", "--method", "kmeans", "--in", "x.npy", "--clusters", "5", "--out", "found.npy", "--seed", "3", "--set", "restarts=4", "--tolerance", "0")
	tolerance := 0.0
	r, err := engine.Cluster(t.Context(), matrix(t, "x.npy"), engine.KMeans{Restarts: 4, Tolerance: &tolerance},
		engine.ClusterOptions{Clusters: 5, Options: engine.Options{Seed: 3}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := files.ReadLabels("found.npy", files.Options{})
	if err != nil || fmt.Sprint(got) != fmt.Sprint(r.Labels) {
		t.Errorf("the file differs from what engine.Cluster returns (%v)", err)
	}
	first := read(t, "found.npy")
	for _, method := range methodNames("cluster") {
		for _, threads := range []string{"1", "3"} {
			line := []string{"cluster", "--method", method, "--in", "x.npy", "--clusters", "5", "--out", "found.npy", "--threads", threads, "--out-embeddings", "parts" + threads}
			if m, err := engine.New(method); err == nil && slices.Contains(assign.Keys(engine.Parameters(m)), "shift") {
				line = append(line, "--set", "shift=columns")
			}
			if method != "kmeans" {
				line = append(line, "--iterations", "50", "-q")
			}
			must(t, line...)
			if threads == "1" {
				first = read(t, "found.npy")
			} else if !bytes.Equal(first, read(t, "found.npy")) {
				t.Errorf("%s: threads change the labels", method)
			}
		}
		for c := range 5 {
			name := fmt.Sprintf("cluster-%03d.npy", c)
			one, _ := os.ReadFile(filepath.Join("parts1", name))
			three, _ := os.ReadFile(filepath.Join("parts3", name))
			if !bytes.Equal(one, three) {
				t.Errorf("%s: threads change %s", method, name)
			}
		}
	}
}

func TestClusterEmbedsEveryCluster(t *testing.T) {
	trefoils(t)
	must(t, "cluster", "--method", "lnp", "--in", "x.npy", "--clusters", "2", "--out", "found.npy", "--out-embeddings", "a/parts", "--dim", "2")
	var index struct {
		Method   string
		Clusters []part
	}
	if err := json.Unmarshal(read(t, "a/parts/index.json"), &index); err != nil {
		t.Fatal(err)
	}
	if index.Method != "lnp" || len(index.Clusters) != 2 {
		t.Fatalf("index %+v", index)
	}
	x, labels := matrix(t, "x.npy"), read(t, "found.npy")
	for c, p := range index.Clusters {
		y := matrix(t, filepath.Join("a/parts", p.File))
		if n, d := y.Dims(); n != 100 || d != 2 || p.Size != 100 || p.Dim != 2 || p.Dimension != 1 || len(p.Rows) != 100 || p.Cluster != c {
			t.Errorf("cluster %d: %+v, embedding %d × %d", c, p, n, d)
		}
		own := mat.NewDense(100, 100, nil)
		for at, i := range p.Rows {
			own.SetRow(at, x.RawRowView(i))
		}
		// A knot embedded alone is a ring: no sample at its middle.
		r, err := engine.Embed(t.Context(), own, engine.LNP{Dim: 2}, engine.Options{})
		if err != nil || !mat.Equal(r.Y, y) {
			t.Errorf("cluster %d: the embedding is not that of its samples alone (%v)", c, err)
		}
		for at := range 100 {
			if radius := math.Hypot(y.At(at, 0), y.At(at, 1)); !(radius > 0.08 && radius < 0.2) {
				t.Errorf("cluster %d: sample %d at radius %g of a ring of 0.14", c, at, radius)
			}
		}
	}
	if len(labels) == 0 {
		t.Error("no labels")
	}
}

func TestClusterRefuses(t *testing.T) {
	trefoils(t)
	write(t, "one.csv", "1,2\n")
	write(t, "same.csv", "1,2\n1,2\n1,2\n1,2\n")
	write(t, "file", "")
	for line, want := range map[string]string{
		"--method lnp --in x.npy --out y.npy":                                         "--clusters is missing",
		"--method lnp --in x.npy --out y.npy --clusters -2":                           "--clusters is -2",
		"--method kmeans --in x.npy --out y.npy --clusters 201":                       "201 clusters asked of 200 samples",
		"--method nmf --in x.npy --out y.npy --clusters 2":                            "or take a method whose components have any sign: rmnmf, dsmf",
		"--method lp-rna --in x.npy --out y.npy --clusters 201":                       "201 clusters asked of 200 samples; give a number from 1 to 200",
		"--method dsmf --in x.npy --out y.npy --clusters 190":                         "give at most that rank",
		"--method gnmf --in x.npy --out y.npy --clusters 2 --set rows=cosine":         "rows is cosine; give one of auto, codes, unit, model, unit-model",
		"--method lnp --in x.npy --clusters 2":                                        "--out is missing",
		"--method lnp --out y.npy --clusters 2":                                       "--in is missing",
		"--in x.npy --out y.npy --clusters 2":                                         "--method is missing; the methods are lnp, smce, spectral, kmeans",
		"--method lnp --in x.npy --out y.npy --clusters 2 --neighbors 200":            "200 neighbours asked of 200 samples; give a number from 1 to 199",
		"--method smce --in x.npy --out y.npy --clusters 2 --set keep=1.5":            "keep is 1.5; give a number above 0 and at most 1",
		"--method lnp --in x.npy --out y.npy --clusters 2 --set cap=many":             "cap is \"many\"; give a whole number ≥ 0, or auto, or none",
		"--method lnp --in one.csv --out y.npy --clusters 1":                          "give at least 2 samples",
		"--method lnp --in x.npy --out y.npy --clusters 2 --out-embeddings file":      "is not a folder",
		"--method lnp --in x.npy --out y.npy --clusters 2 --neighbors-method nearest": "give auto, exact or approximate",
		"--method lnp --in x.npy --out y.npy --clusters 2 --memory 170000":            "the program alone takes",
	} {
		o := orthant(t, append([]string{"cluster"}, strings.Fields(line)...)...)
		if o.status != exitUsage || !strings.Contains(o.err, want) || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%s: status %d, %q; want %q", line, o.status, o.err, want)
		}
	}
	// A run that fails leaves no folder of its own behind.
	orthant(t, "cluster", "--method", "lnp", "--in", "one.csv", "--out", "y.npy", "--clusters", "1", "--out-embeddings", "new")
	if _, err := os.Stat("new"); err == nil {
		t.Error("the folder of a failed run is still there")
	}
	// Samples that are all the same make no two clusters, and one.
	for _, method := range methodNames("cluster") {
		o := orthant(t, "cluster", "--method", method, "--in", "same.csv", "--out", "none.npy", "--clusters", "2")
		if o.status != exitUsage || !strings.Contains(o.err, "all 4 samples are equal; 2 clusters need as many different ones") || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%s of equal samples: status %d, %q", method, o.status, o.err)
		}
		if !ofIndicators(t, method) {
			must(t, "cluster", "--method", method, "--in", "same.csv", "--out", "y.npy", "--clusters", "1", "--out-embeddings", "same", "--quiet")
		}
	}
	if _, err := os.Stat("none.npy"); err == nil {
		t.Error("a refused run left labels")
	}
}

func TestClusterStatusOfLimits(t *testing.T) {
	inFolder(t, "1000")
	// One iteration is not enough; who asks for it knows that.
	o := must(t, "cluster", "--method", "kmeans", "--in", "x.npy", "--clusters", "9", "--out", "y.npy", "--iterations", "1", "--json")
	if v := o.object(t); v["converged"] != false || v["iterations"] != 1.0 || v["params"].(map[string]any)["tolerance"] != 1e-6 {
		t.Errorf("converged %v after %v iterations, parameters %v", v["converged"], v["iterations"], v["params"])
	}
	o = must(t, "cluster", "--method", "lnp", "--in", "x.npy", "--clusters", "3", "--out", "y.npy", "--iterations", "1", "--set", "landmarks=10")
	if !strings.Contains(o.err, "lnp is not iterative") || !strings.Contains(o.err, "landmarks does nothing to a clustering") {
		t.Errorf("flags without use: %q", o.err)
	}
	// Clusters of these are embedded by their principal components, or without a graph.
	for method, more := range map[string]string{"gnmf": "--set shift=columns", "nmf": "--set shift=columns", "kmeans": "", "ds3": ""} {
		o := must(t, append(strings.Fields("cluster --in x.npy --clusters 3 --out y.npy --iterations 2 --set components=each --method "+method), strings.Fields(more)...)...)
		if strings.Count(o.err, "components does nothing") != 1 {
			t.Errorf("%s: %q", method, o.err)
		}
	}
}

// A clustering leaves a model, by which transform writes labels, and the centres of kmeans.
func TestClusterModel(t *testing.T) {
	dir := inFolder(t, "300")
	v := must(t, "cluster", "--method", "kmeans", "--in", "x.npy", "--clusters", "4", "--out", "l.npy", "--model", "m.model", "--out-centers", "c.npy", "--json").object(t)
	if v["model"] != "m.model" || v["out_centers"] != "c.npy" || v["inertia"] != v["objective"].(map[string]any)["last"] || v["inertia"].(float64) <= 0 {
		t.Errorf("it says %v, %v, %v", v["model"], v["out_centers"], v["inertia"])
	}
	if rows, cols := matrix(t, "c.npy").Dims(); rows != 4 || cols != 3 {
		t.Errorf("%d × %d centres", rows, cols)
	}
	for _, out := range []string{"again.npy", "again.csv", "-"} {
		o := must(t, "transform", "--model", "m.model", "--in", "x.npy", "--out", out)
		if out == "-" {
			out = "piped.npy"
			write(t, out, o.out)
		}
		if got, want := labelsOf(t, out), labelsOf(t, "l.npy"); !slices.Equal(got, want) {
			t.Errorf("%s: training samples get other labels", out)
		}
	}
	if !bytes.Equal(read(t, "again.npy"), read(t, "l.npy")) {
		t.Error("transform writes labels in another way than cluster")
	}
	v = must(t, "transform", "--model", "m.model", "--in", "x.npy", "--out", "z.npy", "--json").object(t)
	if v["rule"] != "centers" || v["clusters"] != 4.0 || v["dim"] != 1.0 {
		t.Errorf("transform says %v", v)
	}
	if o := must(t, "transform", "--model", "m.model", "--in", "x.npy", "--out", "z.npy"); !strings.Contains(o.err, "→ labels of 4 clusters") {
		t.Errorf("the report is %q", o.err)
	}
	v = must(t, "cluster", "--method", "lnp", "--in", "x.npy", "--clusters", "2", "--out", "l.npy", "--json").object(t)
	if v["inertia"] != nil || v["model"] != "" {
		t.Errorf("inertia %v, model %v", v["inertia"], v["model"])
	}
	before := strings.Join(names(t, dir), " ")
	for _, c := range []struct{ line, words string }{
		{"--method rmnmf --in x.npy --clusters 2 --out k.npy --model k.model", "rmnmf: there is no rule for new samples, as the clusters are found for all samples together; leave the model out"},
		{"--method lnp --in x.npy --clusters 2 --out-centers k.npy", "lnp has no centres: leave --out-centers out, or take --method kmeans"},
		{"--method kmeans --in x.npy --clusters 2 --out k.npy --model nowhere/m.model", "creating nowhere/m.model"},
		{"--method kmeans --in x.npy --clusters 2 --out k.npy --model k.npy", "same file"},
		{"--method kmeans --in x.npy --clusters 2", "--out is missing"},
	} {
		o := orthant(t, append([]string{"cluster"}, strings.Fields(c.line)...)...)
		if o.status != exitUsage || !strings.Contains(o.err, c.words) || strings.Count(o.err, "\n") != 1 {
			t.Errorf("cluster %s: status %d, %q", c.line, o.status, o.err)
		}
		if after := strings.Join(names(t, dir), " "); after != before {
			t.Fatalf("cluster %s: left %s", c.line, after)
		}
	}
}

func labelsOf(t *testing.T, path string) []int64 {
	t.Helper()
	labels, err := files.ReadLabels(path, files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return labels
}
