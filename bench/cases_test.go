package bench

import (
	"context"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/must"
)

// outcomeOf runs one repeat of a case.
func outcomeOf(t *testing.T, e *Env, c Case) *Outcome {
	t.Helper()
	if what, err := Missing(e, &c); err != nil || what != "" {
		t.Fatalf("%s: missing %q, %v", c.Name, what, err)
	}
	out := must.Get(runHere(context.Background(), e, &c))(t)
	return out
}

func TestEmbeddingCase(t *testing.T) {
	roll := Generated("swiss-roll-hole", 1500)
	c := Embedding("x", roll, "neml", map[string]any{"neighbors": 15, "dim": 2, "gamma": 1e-4, "components": "joint"}, Dev, CenteredDev, Trustworthiness(5), Continuity(5), Draw("y"))
	out := outcomeOf(t, &Env{}, c)
	if dev := out.Quality["dev"]; dev <= 0 || dev > 0.1 || out.Quality["dev-centred"] <= dev || out.Quality["trustworthiness"] < 0.98 || out.Quality["continuity"] < 0.98 {
		t.Errorf("quality %v", out.Quality)
	}
	if out.Samples != 1500 || out.Features != 3 || len(out.DataHash) != 16 || out.Seconds["total"] < out.Seconds["solve"] || out.CPUSeconds["total"] <= 0 {
		t.Errorf("%+v", out)
	}
	x, err := out.Pictures["y"].matrix()
	if n, w := x.Dims(); err != nil || n != 1500 || w != 3 {
		t.Errorf("picture %d × %d, %v", n, w, err)
	}
	c.number = 2
	if out := outcomeOf(t, &Env{}, c); len(out.Quality) > 0 {
		t.Error("the quality is measured again")
	}
	for _, bad := range []map[string]any{{"neighbours": 12}, {"gamma": "x"}, {"neighbors": 1500}} {
		c.Params = bad
		if _, err := runHere(context.Background(), &Env{}, &c); err == nil {
			t.Errorf("%v was accepted", bad)
		}
	}
}

func TestSourcesOfFiles(t *testing.T) {
	data := t.TempDir()
	x := mat.NewDense(6, 2, []float64{0, 0, 1, 10, 2, 20, 3, 30, 4, 40, 5, 50})
	for name, m := range map[string]*mat.Dense{"set.X.npy": x, "set.y.npy": mat.NewDense(6, 1, []float64{1, 1, 2, 2, 1, 3}), "set.params.npy": x} {
		must.Do(t, save(filepath.Join(data, name), m))
	}
	e := &Env{Data: data}
	for _, c := range []struct {
		source Source
		first  []float64
	}{
		{FromFile("set.X.npy"), []float64{0, 1, 2, 3, 4, 5}},
		{Source{File: "set.X.npy", PerClass: 2}, []float64{0, 1, 2, 3, 5}},
		{Source{File: "set.X.npy", Classes: []int64{1}}, []float64{0, 1, 4}},
		{Source{File: "set.X.npy", Classes: []int64{2, 3}, PerClass: 1}, []float64{2, 5}},
	} {
		d := must.Get(c.source.Load(e))(t)
		if got := mat.Col(nil, 0, d.X); !mat.Equal(mat.NewVecDense(len(got), got), mat.NewVecDense(len(c.first), c.first)) {
			t.Errorf("%s: %v, want %v", c.source.Name(), got, c.first)
		}
		if len(d.Labels) != len(c.first) || !mat.Equal(d.Truth, d.X) || (d.Path != "") != (len(c.first) == 6) && c.source.selects() {
			t.Errorf("%s: %+v", c.source.Name(), d)
		}
		if again, _ := c.source.Load(e); again != d {
			t.Errorf("%s is loaded twice", c.source.Name())
		}
	}
}

func TestCacheIsBounded(t *testing.T) {
	var c cache
	quarter := func() *Data { return &Data{X: mat.NewDense(maxLoaded/8/4, 1, nil)} }
	for _, key := range []string{"a", "b", "c", "d"} {
		c.put(key, quarter())
	}
	c.get("a")
	c.put("e", quarter())
	if c.get("b") != nil || c.get("a") == nil || c.get("e") == nil || len(c.sets) != 4 {
		t.Errorf("kept %v", c.keys)
	}
}

func TestHashMatrix(t *testing.T) {
	x := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	// sha256 of the int64 2, 3 and the float64 1 … 6, by another program.
	const want = "9793f7bdb65c4908"
	if got := HashMatrix(x); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if HashMatrix(x.T().T()) != want || HashMatrix(mat.NewDense(3, 2, x.RawMatrix().Data)) == want {
		t.Error("the shape does not count, or the storage does")
	}
}

func TestSklearnCase(t *testing.T) {
	if testing.Short() {
		t.Skip("Python takes a second to start, and it starts often here")
	}
	if what := checkPeer(&Env{}, "sklearn"); what != "" {
		t.Skip(what)
	}
	roll := Generated("swiss-roll", 400)
	params := map[string]any{"neighbors": 12, "dim": 2}
	for _, method := range []string{"lle", "mlle", "ltsa"} {
		own := maps.Clone(params)
		if method != "ltsa" {
			own["gamma"] = 1e-3 // scikit-learn's reg
		}
		ours := outcomeOf(t, &Env{}, Embedding("x", roll, method, own, Dev))
		theirs := outcomeOf(t, &Env{}, Sklearn("x", roll, method, params, Dev))
		// The same minimiser but for their eigensolver's tolerance.
		if math.Abs(ours.Quality["dev"]-theirs.Quality["dev"]) > 0.01 || theirs.DataHash != ours.DataHash {
			t.Errorf("%s: dev %v, scikit-learn %v", method, ours.Quality["dev"], theirs.Quality["dev"])
		}
		if theirs.CPUSeconds["total"] <= 0 || theirs.CPUSeconds["process"] <= theirs.CPUSeconds["total"] || theirs.PeakBytes < 10<<20 || !strings.HasPrefix(theirs.Backend, "scikit-learn ") {
			t.Errorf("%s: %+v", method, theirs)
		}
	}
	near := outcomeOf(t, &Env{}, Sklearn("x", roll, "neighbors", map[string]any{"neighbors": 5}, MeanDistance))
	if mine := outcomeOf(t, &Env{}, Neighbors("x", roll, 5, MeanDistance)); math.Abs(mine.Quality["mean-distance"]/near.Quality["mean-distance"]-1) > 1e-12 {
		t.Errorf("mean distance %v, scikit-learn %v", mine.Quality, near.Quality)
	}
	c := Sklearn("x", roll, "som", params)
	must.Refuse(t, "no method 'som'")(runHere(context.Background(), &Env{}, &c))
	for _, c := range []Case{
		Sklearn("x", Generated("waveform", 90), "kmeans", map[string]any{"clusters": 3}),
		Sklearn("x", Generated("triple-peak", 49), "hlle", map[string]any{"neighbors": 8, "dim": 2}),
		Sklearn("x", roll, "le", params), Sklearn("x", roll, "isomap", params), Sklearn("x", roll, "pca", map[string]any{"dim": 1}),
	} {
		outcomeOf(t, &Env{}, c)
	}
}

// TestSklearnTodayCase has the same Python in the place of a newer one.
func TestSklearnTodayCase(t *testing.T) {
	c := SklearnToday("x", Generated("swiss-roll", 100), "pca", map[string]any{"dim": 1}, Dev)
	t.Setenv("ORTHANT_PYTHON_TODAY", "")
	if what, err := Missing(&Env{}, &c); err != nil || !strings.Contains(what, "today's scikit-learn: ORTHANT_PYTHON_TODAY is not set") {
		t.Errorf("without one: %q, %v", what, err)
	}
	t.Setenv("ORTHANT_PYTHON_TODAY", "no-such-python at all")
	if what, err := Missing(&Env{}, &c); err != nil || !strings.Contains(what, "no-such-python at all does not have it") {
		t.Errorf("without such a program: %q, %v", what, err)
	}
	python, err := pythonWithSklearn()
	if err != nil {
		t.Skip(err)
	}
	t.Setenv("ORTHANT_PYTHON_TODAY", "env "+python)
	if what, err := Missing(&Env{}, &c); err != nil || what != "" {
		t.Errorf("with one: %q, %v", what, err)
	}
	if out := outcomeOf(t, &Env{}, c); !strings.HasPrefix(out.Backend, "scikit-learn ") {
		t.Errorf("by %q", out.Backend)
	}
}

// TestTapkeeCase has a script in Tapkee's place that writes the first two columns
// of its input, a column a sample as its older versions do.
func TestTapkeeCase(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no shell")
	}
	fake := filepath.Join(t.TempDir(), "tapkee")
	script := `#!/bin/sh
echo "$@" > "$0.args"
while [ $# -gt 0 ]; do case $1 in --input-file) in=$2;; --output-file) out=$2;; esac; shift; done
for column in 1 2; do cut -d, -f$column "$in" | paste -s -d, -; done > "$out"
`
	must.Do(t, os.WriteFile(fake, []byte(script), 0o777))
	e := &Env{Tapkee: fake}
	first := quality("first", func(_ context.Context, d *Data, y *mat.Dense) (float64, error) {
		return d.X.At(7, 0) - y.At(7, 0), nil
	})
	out := outcomeOf(t, e, Tapkee("x", Generated("swiss-roll", 50), "lle", map[string]any{"neighbors": 6, "dim": 2}, first, Dev))
	if out.Quality["first"] != 0 || out.Seconds["total"] <= 0 || out.Backend != "Tapkee" {
		t.Errorf("%+v", out)
	}
	args, err := os.ReadFile(fake + ".args")
	for _, want := range []string{"--method lle", "--num-neighbors 6", "--target-dimension 2", "--neighbors-method vptree"} {
		if err != nil || !strings.Contains(string(args), want) {
			t.Errorf("called with %s (%v), want %s", args, err, want)
		}
	}
}
