package engine

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// islets are three clusters in 8 columns.
func islets(n int) *mat.Dense {
	x := mat.NewDense(n, 8, nil)
	blas.NewStream(4).Normals(x.RawMatrix().Data)
	for i := range n {
		x.Set(i, i%3, x.At(i, i%3)+20)
	}
	return x
}

// A map of clusters is sound; noise is called noise; both have a number of each sample.
func TestTrust(t *testing.T) {
	noise := mat.NewDense(300, 20, nil)
	blas.NewStream(5).Normals(noise.RawMatrix().Data)
	for _, m := range []Method{UMAP{}, TSNE{}, PaCMAP{}} {
		r := embed(t, islets(300), m, Options{})
		if r.Quality.Verdict != Sound || r.Quality.Map == nil || r.Quality.Map.Groups != 3 || r.Quality.Map.Shown != 3 {
			t.Errorf("%s of clusters: %s %q %+v", m.Name(), r.Quality.Verdict, r.Quality.Sentence, r.Quality.Map)
		}
		if r.Trust == nil || len(r.Trust.Torn) != 300 || len(r.Trust.Invented) != 300 || len(r.Trust.Density) != 300 || r.Trust.Unstable != nil {
			t.Errorf("%s: %+v", m.Name(), r.Trust)
		}
		if q := embed(t, noise, m, Options{}).Quality; q.Verdict != Doubtful || !(q.Map.Noise > 0.28) {
			t.Errorf("%s of noise: %s %q", m.Name(), q.Verdict, q.Sentence)
		}
	}
	if r := embed(t, islets(300), UMAP{Dim: 5}, Options{}); r.Trust != nil || r.Quality.Map != nil {
		t.Error("five coordinates are judged as a map")
	}
	if r := embed(t, islets(60), UMAP{}, Options{}); r.Trust != nil || r.Quality.Verdict != NotJudged {
		t.Errorf("of 60 samples: %s", r.Quality.Verdict)
	}
}

// Equal samples that were merged have the numbers of the one that was embedded.
func TestTrustOfMergedSamples(t *testing.T) {
	x := islets(300)
	for i := range 60 {
		x.SetRow(i, x.RawRowView(i+60))
	}
	r := embed(t, x, UMAP{}, Options{Duplicates: "merge"})
	for i := range 60 {
		if r.Trust.Torn[i] != r.Trust.Torn[i+60] || r.Trust.Density[i] != r.Trust.Density[i+60] {
			t.Fatalf("sample %d has other numbers than its copy", i)
		}
	}
	if len(r.Trust.Torn) != 300 {
		t.Errorf("%d numbers", len(r.Trust.Torn))
	}
}

// Samples that are placed among landmarks have no numbers.
func TestTrustOfLandmarks(t *testing.T) {
	r := embed(t, islets(400), UMAP{}, Options{Landmarks: 200})
	known := 0
	for _, v := range r.Trust.Torn {
		if v == v {
			known++
		}
	}
	if len(r.Trust.Torn) != 400 || known != 200 {
		t.Errorf("%d of %d samples have numbers", known, len(r.Trust.Torn))
	}
}

// Two reruns say which samples keep their neighbours: in clusters more than in noise. The map does not change.
func TestReruns(t *testing.T) {
	noise := mat.NewDense(300, 20, nil)
	blas.NewStream(5).Normals(noise.RawMatrix().Data)
	line := mat.NewDense(300, 2, nil)
	for i := range 300 {
		line.Set(i, 0, float64(i))
	}
	for _, m := range []Method{UMAP{}, TSNE{}, PaCMAP{}} {
		once := embed(t, noise, m, Options{})
		r := embed(t, noise, m, Options{Stability: "reruns"})
		if !slices.Equal(once.Y.RawMatrix().Data, r.Y.RawMatrix().Data) {
			t.Errorf("%s: another map with reruns", m.Name())
		}
		easy := embed(t, line, m, Options{Stability: "reruns"})
		if hard := r.Quality.Map.Unstable; len(r.Trust.Unstable) != 300 || !(easy.Quality.Map.Unstable < hard/2) {
			t.Errorf("%s: unstable %g of noise, %g of a line", m.Name(), hard, easy.Quality.Map.Unstable)
		}
	}
	// Other starts have no reference.
	held := UMAP{Epochs: 20}
	held.ReferenceWeight = 5
	if r := embed(t, line, held, Options{Stability: "reruns", Init: mat.DenseCopyOf(line)}); len(r.Trust.Unstable) != 300 {
		t.Error("no reruns of a map with a reference")
	}
	if q := embed(t, line, LE{}, Options{Stability: "reruns"}).Quality; !math.IsNaN(q.Instability) {
		t.Error("reruns of a method that makes no map")
	}
}

// A map that another program made is judged by the neighbours that the method looks at.
func TestVerifyForeignMap(t *testing.T) {
	x := islets(300)
	good := mat.DenseCopyOf(x.Slice(0, 300, 0, 2))
	mixed := mat.NewDense(300, 2, nil)
	blas.NewStream(6).Normals(mixed.RawMatrix().Data)
	for _, m := range []Method{UMAP{}, TSNE{}, PaCMAP{}} {
		if v := must(Verify(t.Context(), x, good, m, VerifyOptions{}))(t); !v.Passed || v.Quality.Map.Groups != 3 {
			t.Errorf("%s: %q %+v", m.Name(), v.Verdict, v.Quality.Map)
		}
		if v := must(Verify(t.Context(), x, mixed, m, VerifyOptions{}))(t); v.Passed || v.Quality.Map.Shown != 1 || !(v.Quality.Map.Merged > 0.5) {
			t.Errorf("%s of random coordinates: %q %+v", m.Name(), v.Verdict, v.Quality.Map)
		}
	}
}

// The sentence about a map with few neighbours or few steps names the setting that helps: with it the verdict is sound.
func TestRemediesOfMaps(t *testing.T) {
	advised := regexp.MustCompile(`take (\w+): (\w+)`)
	for _, c := range []struct {
		m   Method
		key string
	}{
		{&UMAP{Neighbors: 2, Dim: 2}, "neighbors"}, {&TSNE{Perplexity: 1.5, Dim: 2}, "perplexity"}, {&PaCMAP{Neighbors: 2, Dim: 2}, "neighbors"},
		{&UMAP{Epochs: 2, Init: "random", Dim: 2}, "epochs"}, {&TSNE{Iterations: 10, Init: "random", Dim: 2}, "iterations"}, {&PaCMAP{Iterations: 5, Init: "random", Dim: 2}, "iterations"},
	} {
		x := islets(400)
		if c.key == "neighbors" || c.key == "perplexity" { // in two columns
			x = mat.DenseCopyOf(x.Slice(0, 400, 0, 2))
		}
		before := must(Embed(t.Context(), x, c.m, Options{}))(t)
		found := advised.FindStringSubmatch(before.Quality.Sentence)
		if before.Quality.Verdict != Doubtful || found == nil || strings.ToLower(found[1]) != c.key {
			t.Errorf("%s with few %s: %s, %q", c.m.Name(), c.key, before.Quality.Verdict, before.Quality.Sentence)
			continue
		}
		if err := Set(c.m, c.key, found[2]); err != nil {
			t.Errorf("%s: the advice %s=%s is refused: %v", c.m.Name(), c.key, found[2], err)
			continue
		}
		if after := must(Embed(t.Context(), x, c.m, Options{}))(t); after.Quality.Verdict != Sound {
			t.Errorf("%s with %s=%s, as advised: %s, %q", c.m.Name(), c.key, found[2], after.Quality.Verdict, after.Quality.Sentence)
		}
	}
}

// Verify gives each sample of a map the numbers that Embed gives it, by the same neighbours; a row without coordinates has none.
func TestVerifyTrust(t *testing.T) {
	x := islets(150)
	made := must(Embed(t.Context(), x, UMAP{Neighbors: 12, Dim: 2}, Options{}))(t)
	v := must(Verify(t.Context(), x, made.Y, UMAP{Neighbors: 12, Dim: 2}, VerifyOptions{}))(t)
	if v.Trust == nil || !slices.Equal(v.Trust.Torn, made.Trust.Torn) || !slices.Equal(v.Trust.Invented, made.Trust.Invented) || !slices.Equal(v.Trust.Density, made.Trust.Density) || !slices.Equal(v.Trust.Nearest, made.Trust.Nearest) {
		t.Errorf("%+v, and of the embedding %+v", v.Trust, made.Trust)
	}
	made.Y.SetRow(3, []float64{math.NaN(), math.NaN()})
	v = must(Verify(t.Context(), x, made.Y, UMAP{Neighbors: 12, Dim: 2}, VerifyOptions{}))(t)
	if n, _ := x.Dims(); len(v.Trust.Torn) != n || v.Trust.Torn[3] == v.Trust.Torn[3] || v.Trust.Torn[4] != v.Trust.Torn[4] || v.Trust.Nearest != nil {
		t.Errorf("%d samples, of which the fourth has %v", len(v.Trust.Torn), v.Trust.Torn[3])
	}
}

// The measurements of a map have the same bits for any number of threads.
func TestTrustOnAnyThreads(t *testing.T) {
	var first *Result
	for _, threads := range []int{1, 2, 5} {
		r := embed(t, islets(500), TSNE{}, Options{Threads: threads})
		if first == nil {
			first = r
		} else if fmt.Sprint(*r.Quality.Map) != fmt.Sprint(*first.Quality.Map) || !slices.Equal(r.Trust.Torn, first.Trust.Torn) || !slices.Equal(r.Trust.Invented, first.Trust.Invented) {
			t.Errorf("%d threads: %+v, %+v with one", threads, r.Quality.Map, first.Quality.Map)
		}
	}
}

// Where the limit of memory has room for a map alone, it is made and not judged.
func TestMapWithoutRoomIsNotJudged(t *testing.T) {
	x := mat.NewDense(8000, 3, nil)
	blas.NewStream(2).Normals(x.RawMatrix().Data)
	m := PaCMAP{Iterations: 10}
	whole := embed(t, x, m, Options{})
	r := embed(t, x, m, Options{Memory: whole.EstimatedBytes - 1<<10})
	if whole.Trust == nil || r.Trust != nil || r.Quality.Map != nil || r.Quality.Verdict == Sound || len(r.Quality.NotJudged) == 0 {
		t.Errorf("%v, %v: %s, %v", whole.Trust != nil, r.Trust != nil, r.Quality.Verdict, r.Quality.NotJudged)
	}
}
