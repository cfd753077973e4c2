package engine

import (
	"bytes"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// A clone keeps its numbers when the samples of the fit are overwritten; the model
// itself, which shares them, does not.
func TestCloneOwnsItsArrays(t *testing.T) {
	x := mat.DenseCopyOf(generate(t, "swiss-roll", 120, 1).X)
	_, model := fittedModel(t, x, LLE{Neighbors: 8}, Options{})
	clone := model.Clone()
	var before, after, shared bytes.Buffer
	if err := clone.Save(&before); err != nil {
		t.Fatal(err)
	}
	x.Set(3, 1, 1e6)
	if err := clone.Save(&after); err != nil {
		t.Fatal(err)
	}
	if err := model.Save(&shared); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before.Bytes(), after.Bytes()) {
		t.Error("the clone changed with the samples")
	}
	if bytes.Equal(before.Bytes(), shared.Bytes()) {
		t.Error("the model no longer shares the samples: the test shows nothing")
	}
}

// Work beyond the limit is told from other errors, by the steps and by the solver.
func TestIsMemory(t *testing.T) {
	x := generate(t, "swiss-roll", 300, 1).X
	refused := 0
	for limit := int64(1000); limit < 1<<30; limit += limit / 4 { // those of the steps are below those of the solver
		if _, err := Embed(t.Context(), x, LLE{}, Options{Memory: limit}); err != nil {
			refused++
			if !IsMemory(err) {
				t.Errorf("limit %d: %v is not said to be about memory", limit, err)
			}
		}
	}
	if refused < 2 {
		t.Errorf("only %d limits were refused", refused)
	}
	if _, err := Embed(t.Context(), x, LLE{Neighbors: 300}, Options{}); err == nil || IsMemory(err) {
		t.Errorf("an error about neighbours is said to be about memory: %v", err)
	}
}

// Which methods leave a rule for new samples is told without a fit.
func TestExtends(t *testing.T) {
	want := map[string]bool{"lle": true, "pca": true, "nmms": true, "nmf": true, "sp-rna": true, "dsmf": false, "rmnmf": false, "apmf": false, "smrmf": false, "dpp": false, "kmeans": false, "spectral": false}
	for _, e := range Methods() {
		t.Run(e.Name, func(t *testing.T) {
			if expected, listed := want[e.Name]; listed && e.Extends != expected {
				t.Errorf("%s: extends is %v", e.Name, e.Extends)
			}
		})
	}
}
