package engine

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestNonnegativeModels(t *testing.T) {
	x := generate(t, "swiss-roll", 200, 1).X
	each(t, nonnegativeTrials(t, "40"), nil, func(t *testing.T, m Method) {
		r := embed(t, x, m, Options{})
		model := must(r.Model())(t)
		y := transformed(t, model, x, Options{})
		linear := r.extension.Kind == "linear"
		if want := slices.Contains([]string{"npca", "nonpp", "nolpp"}, m.Name()); linear != want {
			t.Errorf("%s: the extension is %s", m.Name(), r.extension.Kind)
		}
		if linear && !mat.Equal(y, r.Y) {
			t.Errorf("%s: the training samples change when they are transformed", m.Name())
		}
		if rows, cols := y.Dims(); rows != 200 || cols != 2 || y.At(0, 0)-y.At(0, 0) != 0 {
			t.Errorf("%s: transformed to %d × %d", m.Name(), rows, cols)
		}
	})
}

func TestSpectralStart(t *testing.T) {
	x := generate(t, "swiss-roll", 400, 1).X
	each(t, nonnegativeTrials(t, "10"), nil, func(t *testing.T, m Method) {
		if err := Set(m, "update", "penalty"); err != nil {
			t.Fatal(err)
		}
		a := embed(t, x, withKeys(t, m, "init", "spectral"), Options{})
		b := embed(t, x, withKeys(t, m, "init", "spectral"), Options{Seed: 9})
		c := embed(t, x, withKeys(t, m, "init", "random"), Options{})
		// σ of nlle comes from a run that the seed begins.
		if d := farthest(a.Y, b.Y); d > 1e-2 {
			t.Errorf("%s: the seed moves the embedding from a spectral start by %g", m.Name(), d)
		}
		if mat.Equal(a.Y, c.Y) {
			t.Errorf("%s: the start does not matter", m.Name())
		}
	})
}

// Landmarks are embedded alone and the others placed by them; components too.
func TestNonnegativeLandmarksAndComponents(t *testing.T) {
	x := generate(t, "swiss-roll", 300, 1).X
	withGraph := func(e Entry) bool { return isNonnegative(e) && has(e, "neighbors") }
	each(t, trials(t, withGraph, settings{"": {"neighbors=10 iterations=20"}}), nil, func(t *testing.T, m Method) {
		r := embed(t, x, m, Options{Landmarks: 150})
		if rows, _ := r.Y.Dims(); rows != 300 || r.Y.At(299, 0)-r.Y.At(299, 0) != 0 {
			t.Errorf("%s: %d rows, the last %g", m.Name(), rows, r.Y.RawRowView(299))
		}
		r = embed(t, twoRolls(t), m, Options{Components: "each"})
		if r.Iterations < 1 || r.Y.At(3, 0)-r.Y.At(3, 0) != 0 {
			t.Errorf("%s: %d iterations with components=each", m.Name(), r.Iterations)
		}
	})
}
