package main

import (
	"fmt"
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
