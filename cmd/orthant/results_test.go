package main

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/files"
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

// Phases do not overlap, so they cannot add up to more than the whole.
func TestPhasesAddUp(t *testing.T) {
	inFolder(t, "1000")
	v := must(t, "embed", "--method", "neml", "--in", "x.npy", "--out", "y.npy", "--plot", "y.png", "--json").object(t)
	if v["backend"] != blas.MustSelect("").Name() {
		t.Errorf("backend %v", v["backend"])
	}
	for _, clock := range []string{"seconds", "cpu_seconds"} {
		s := v[clock].(map[string]any)
		var sum float64
		for _, phase := range []string{"read", "neighbors", "patches", "alignment", "solve", "write"} {
			sum += s[phase].(float64)
		}
		if total := s["total"].(float64); sum > total*(1+1e-9) {
			t.Errorf("%s: phases add up to %g of %g", clock, sum, total)
		}
	}
}

// Components are laid side by side.
func TestComponentsLieApart(t *testing.T) {
	inFolder(t, "")
	twoClouds(t)
	must(t, "embed", "--method", "le", "--in", "clouds.csv", "--out", "y.npy", "--set", "components=each")
	if y := matrix(t, "y.npy"); mat.Max(y.Slice(0, 60, 0, 1)) >= mat.Min(y.Slice(60, 100, 0, 1)) {
		t.Error("components=each does not lay the components side by side")
	}
}

func TestSupervisedMethodsTakeLabels(t *testing.T) {
	inFolder(t, "90")
	writeLabels(t, 90)
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

func TestSelectIsTheEnginesSelection(t *testing.T) {
	trefoils(t)
	for _, method := range methodNames("select") {
		must(t, "select", "--method", method, "--in", "x.npy", "--count", "12", "--out", "i.npy", "--seed", "4", "--iterations", "300", "-q")
		m, err := engine.New(method)
		if err != nil {
			t.Fatal(err)
		}
		if method == "ds3" {
			m = engine.DS3{Iterations: 300}
		}
		s, err := engine.Select(t.Context(), matrix(t, "x.npy"), m, engine.SelectOptions{Count: 12, Options: engine.Options{Seed: 4}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := files.ReadLabels("i.npy", files.Options{})
		if err != nil || fmt.Sprint(got) != fmt.Sprint(s.Indices) {
			t.Errorf("%s: the file has %v (%v), engine.Select returns %v", method, got, err, s.Indices)
		}
	}
}

// A factorisation into indicators may end at its default limit with status 0.
func TestFactorizeIndicators(t *testing.T) {
	inFolder(t, "")
	write(t, "x.csv", positive(60, 9))
	for _, method := range []string{"rmnmf", "amrmf", "apmf"} {
		v := must(t, "factorize", "--method", method, "--in", "x.csv", "--rank", "3", "--out-w", "w.npy", "--out-h", "h.npy", "--json", "-q").object(t)
		details := v["details"].(map[string]any)
		for _, key := range []string{"residual_data", "residual_indicators", "residual_graph", "penalty", "spectral_norm"} {
			if _, ok := details[key].(float64); !ok {
				t.Errorf("%s: no details.%s", method, key)
			}
		}
		w, h := matrix(t, "w.npy"), matrix(t, "h.npy")
		var gram mat.Dense
		gram.Mul(w.T(), w)
		if r, m := h.Dims(); r != 3 || m != 9 || math.Abs(mat.Trace(&gram)-3) > 1e-10 || math.Abs(gram.At(0, 1)) > 1e-10 {
			t.Errorf("%s: H is %d × %d, WᵀW %v", method, r, m, gram.RawMatrix().Data)
		}
	}
}

// A missed default tolerance is reported, with status 0; one that was
// asked for has status 3. By their general defaults rmnmf and its kin end with a partition, which
// needs no splitting to be closed.
func TestFactorizeMissesItsOwnTolerance(t *testing.T) {
	inFolder(t, "")
	write(t, "x.csv", positive(60, 9))
	for _, method := range []string{"rmnmf", "amrmf", "apmf", "dsmf", "smrmf", "f-smrmf"} {
		line := []string{"factorize", "--method", method, "--in", "x.csv", "--rank", "3", "--out-w", "w.npy", "--json", "-q"}
		if method != "dsmf" {
			line = append(line, "--set", "protocol=paper")
		}
		v := must(t, append(line, "--iterations", "2")...).object(t)
		if text := fmt.Sprint(v["warnings"]); v["converged"] != false || !strings.Contains(text, "more iterations") {
			t.Errorf("%s: converged %v, warnings %v", method, v["converged"], text)
		}
		v = must(t, line...).object(t)
		if reported := strings.Contains(fmt.Sprint(v["warnings"]), "more iterations"); reported == v["converged"].(bool) {
			t.Errorf("%s, at its defaults: converged %v, warnings %v", method, v["converged"], v["warnings"])
		}
		if o := orthant(t, append(line, "--tolerance", "1e-300")...); o.status != 3 {
			t.Errorf("%s: a tolerance out of reach has status %d", method, o.status)
		}
	}
}

func TestFactorizeIsTheEnginesFactorization(t *testing.T) {
	inFolder(t, "")
	write(t, "x.csv", positive(60, 9))
	must(t, strings.Fields("factorize --method gnmf --in x.csv --rank 3 --seed 5 --set lambda=2 --neighbors 4 --iterations 30 --out-w w.npy --out-h h.npy --threads 1 -q")...)
	lambda := 2.0
	r, err := engine.Factorize(t.Context(), matrix(t, "x.csv"), engine.GNMF{Neighbors: 4, Lambda: &lambda, Updates: engine.Updates{Iterations: 30}}, engine.FactorizeOptions{Rank: 3, Options: engine.Options{Seed: 5}})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(r.W, matrix(t, "w.npy")) || !mat.Equal(r.H, matrix(t, "h.npy")) {
		t.Error("the files differ from what engine.Factorize returns")
	}
}

// Labels and columns of one table, as tables of other programs have them.
func TestColumnsOfATable(t *testing.T) {
	inFolder(t, "60")
	x := matrix(t, "x.npy")
	table := mat.NewDense(60, 4, nil)
	for i := range 60 {
		table.SetRow(i, []float64{x.At(i, 2), float64(i % 3), x.At(i, 0), x.At(i, 1)})
	}
	save(t, "t.parquet:c,class,a,b", table)
	must(t, "embed", "--method", "pca", "--in", "x.npy", "--out", "want.npy")
	must(t, "embed", "--method", "pca", "--in", "t.parquet:a,b,c", "--out", "got.parquet:u,v")
	if !mat.Equal(matrix(t, "got.parquet:u,v"), matrix(t, "want.npy")) {
		t.Error("the columns selected give another embedding than the matrix")
	}
	must(t, "embed", "--method", "lda", "--in", "t.parquet:a,b,c", "--labels", "t.parquet:class", "--out", "y.mat.gz:Y")

}
