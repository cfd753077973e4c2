package engine

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestNonnegativeModels(t *testing.T) {
	x := generate(t, "swiss-roll", 200, 1).X
	each(t, nonnegative(t, "40"), nil, func(t *testing.T, m Method) {
		r := embed(t, x, m, Options{})
		model, err := r.Model()
		if err != nil {
			t.Fatal(err)
		}
		y, err := model.Transform(context.Background(), x, Options{})
		if err != nil {
			t.Fatal(err)
		}
		linear := r.extension.kind == "linear"
		if want := slices.Contains([]string{"npca", "nonpp", "nolpp"}, m.Name()); linear != want {
			t.Errorf("%s: the extension is %s", m.Name(), r.extension.kind)
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
	each(t, nonnegative(t, "10"), nil, func(t *testing.T, m Method) {
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

// On the graph of distances=geodesic K is that of the lengths of shortest paths,
// here by Floyd and Warshall.
func TestGeodesicGram(t *testing.T) {
	const n, k = 60, 5
	x := generate(t, "swiss-roll", n, 2).X
	m := NMMS{Distances: "geodesic", Neighbors: k}
	p := testProblem(x, nil)
	p.options, _ = Options{}.withDefaults()
	g, err := nearest(k).find(p)
	if err != nil {
		t.Fatal(err)
	}
	d := mat.NewDense(n, n, slices.Repeat([]float64{math.Inf(1)}, n*n))
	for i := range n {
		d.Set(i, i, 0)
		for a, j := range g.Of(i) {
			d.Set(i, int(j), g.Distances(i)[a])
			d.Set(int(j), i, g.Distances(i)[a])
		}
	}
	for via := range n {
		for i := range n {
			for j := range n {
				d.Set(i, j, min(d.At(i, j), d.At(i, via)+d.At(via, j)))
			}
		}
	}
	var want mat.Dense
	d.Apply(func(_, _ int, v float64) float64 { return v * v }, d)
	j := mat.NewDense(n, n, slices.Repeat([]float64{-1.0 / n}, n*n))
	for i := range n {
		j.Set(i, i, 1-1.0/n)
	}
	want.Product(j, d, j)
	want.Scale(-0.5, &want)
	got := alignedFor(t, x, m).dense.q
	for i := range n {
		for j := range n {
			if math.Abs(got[i*n+j]-want.At(i, j)) > 1e-10*mat.Max(d) || got[i*n+j] != got[j*n+i] {
				t.Fatalf("entry (%d, %d) is %g, want %g", i, j, got[i*n+j], want.At(i, j))
			}
		}
	}
}

// Beyond storedGram samples K is not stored; the result is the same.
func TestScalingWithoutStoredGram(t *testing.T) {
	x := generate(t, "swiss-roll", 250, 1).X
	m, err := resolved(NMMS{Iterations: 30, Init: "spectral"}, 250, func(string, ...any) {})
	if err != nil {
		t.Fatal(err)
	}
	solve := m.(embedder).steps().solve
	var results []*solution
	for _, stored := range []bool{true, false} {
		p := testProblem(x, nil)
		p.options, _ = Options{}.withDefaults()
		p.dim = 2
		a, err := sampleGram(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !stored {
			a.dense = nil
		}
		s, err := solve(p, a)
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, s)
	}
	// The largest eigenvalue, by which K is scaled on the way, is an estimate.
	if d := farthest(results[0].y, results[1].y); d > 1e-3 {
		t.Errorf("embeddings differ by %g", d)
	}
	a, b := results[0].objective[30], results[1].objective[30]
	if math.Abs(a-b) > 1e-3*a {
		t.Errorf("objectives %g and %g", a, b)
	}
}
