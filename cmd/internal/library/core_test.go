package library

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/internal/must"
)

// waves are n × m numbers, some of them equal.
func waves(n, m int) []float64 {
	x := make([]float64, n*m)
	for i := range x {
		x[i] = math.Sin(1.7*float64(i)) + 0.01*float64(i%13)
	}
	return x
}

func viewing[T any](x []T, n, m, stride int, kind int32) view {
	return view{unsafe.Pointer(&x[0]), int64(n), int64(m), int64(stride), kind}
}

func do(t *testing.T, task string, g given) *made {
	t.Helper()
	w := must.Get(prepare(taskNumber(task), g))(t)
	m := must.Get(carryOut(w).get())(t)
	return m
}

// A gap between rows, float32 and bytes are other ways to write the same samples; the
// engine reads float64 without gaps in place.
func TestViewsOfTheSameSamples(t *testing.T) {
	const n, m, stride = 30, 4, 7
	plain, gaps := make([]float64, n*m), make([]float64, (n-1)*stride+m)
	single, whole := make([]float32, (n-1)*stride+m), make([]uint8, n*m)
	for i := range n {
		for j := range m {
			v := (i*i + 7*j*i) % 97
			plain[i*m+j], gaps[i*stride+j], single[i*stride+j], whole[i*m+j] = float64(v), float64(v), float32(v), uint8(v)
		}
	}
	g := given{method: "pca", x: viewing(plain, n, m, m, typeFloat64)}
	want := do(t, "embed", g).arrays["embedding"].numbers
	for _, v := range []view{viewing(gaps, n, m, stride, typeFloat64), viewing(single, n, m, stride, typeFloat32), viewing(whole, n, m, m, typeUint8)} {
		g.x = v
		if got := do(t, "embed", g).arrays["embedding"].numbers; !slices.Equal(got, want) {
			t.Errorf("type %s: another embedding", typeNames[v.kind])
		}
	}
	x, shared := g.x.dense()
	if shared || x.RawMatrix().Stride != m {
		t.Error("bytes are said to be shared")
	}
	if x, shared := viewing(plain, n, m, m, typeFloat64).dense(); !shared || &x.RawMatrix().Data[0] != &plain[0] {
		t.Error("float64 is copied")
	}
}

// Arrays fit a buffer of their shape, with a gap between its rows and as float32.
func TestCopyTo(t *testing.T) {
	a := array{rows: 2, cols: 3, numbers: []float64{1, 2, 3, 4, 5, 6}}
	gaps, single := []float64{0, 0, 0, -7, 0, 0, 0}, make([]float32, 6)
	if err := a.copyTo(viewing(gaps, 2, 3, 4, typeFloat64), "a"); err != nil || !slices.Equal(gaps, []float64{1, 2, 3, -7, 4, 5, 6}) {
		t.Error(err, gaps)
	}
	if err := a.copyTo(viewing(single, 2, 3, 3, typeFloat32), "a"); err != nil || !slices.Equal(single, []float32{1, 2, 3, 4, 5, 6}) {
		t.Error(err, single)
	}
	sides := array{rows: 2, cols: 3, columns: [][]float64{{1, 4}, {2, 5}, {3, 6}}}
	clear(gaps)
	clear(single)
	if err := sides.copyTo(viewing(gaps, 2, 3, 4, typeFloat64), "a"); err != nil || !slices.Equal(gaps, []float64{1, 2, 3, 0, 4, 5, 6}) {
		t.Error(err, gaps)
	}
	if err := sides.copyTo(viewing(single, 2, 3, 3, typeFloat32), "a"); err != nil || !slices.Equal(single, []float32{1, 2, 3, 4, 5, 6}) {
		t.Error(err, single)
	}
	if err := (array{cols: 1}).copyTo(view{rows: 0, cols: 1}, "a"); err != nil {
		t.Error("an empty array needs no buffer:", err)
	}
}

// A result says the same as the engine, and its model does not see the samples change.
func TestEmbedIsTheEngines(t *testing.T) {
	x := waves(60, 4)
	g := given{method: "lle", parameters: []byte(`{"neighbors": 8, "model": true, "seed": 5, "threads": 1}`), x: viewing(x, 60, 4, 4, typeFloat64)}
	m := do(t, "embed", g)
	r := must.Get(engine.Embed(t.Context(), mat.NewDense(60, 4, x), engine.LLE{Neighbors: 8}, engine.Options{Seed: 5}))(t)
	if !slices.Equal(m.arrays["embedding"].numbers, r.Y.RawMatrix().Data) || !slices.Equal(m.arrays["eigenvalues"].numbers, r.Values) {
		t.Error("another embedding")
	}
	if m.report()["params"].(map[string]any)["neighbors"] != 8 || m.numbers["converged"] != 1 {
		t.Error("another report:", m.report())
	}
	queries := slices.Clone(x)
	by := &model{model: m.model}
	before := do(t, "transform", given{model: by, x: viewing(queries, 60, 4, 4, typeFloat64)}).arrays["embedding"].numbers
	for i := range x {
		x[i] = 0
	}
	by = &model{model: m.model} // prepared anew
	after := do(t, "transform", given{model: by, x: viewing(queries, 60, 4, 4, typeFloat64)}).arrays["embedding"].numbers
	if !slices.Equal(before, after) {
		t.Error("the model changed with the samples")
	}
}

// The model of a clustering gives labels, and has samples of its own.
func TestModelsOfClusterings(t *testing.T) {
	x := waves(60, 4)
	for _, method := range []string{"kmeans", "spectral"} {
		m := do(t, "cluster", given{method: method, count: 3, parameters: []byte(`{"model": true}`), x: viewing(slices.Clone(x), 60, 4, 4, typeFloat64)})
		found := do(t, "transform", given{model: &model{model: m.model}, x: viewing(x, 60, 4, 4, typeFloat64)})
		if _, there := found.arrays["embedding"]; there || !slices.Equal(found.arrays["labels"].integers, m.arrays["labels"].integers) {
			t.Errorf("%s: labels %v where the fit has %v", method, found.arrays["labels"].integers, m.arrays["labels"].integers)
		}
		if found.report()["clusters"] != 3 {
			t.Errorf("%s: %v", method, found.report())
		}
		if c, has := m.arrays["centers"]; has != (method == "kmeans") || has && (c.rows != 3 || c.cols != 4 || !(m.numbers["inertia"] > 0)) || math.IsNaN(m.numbers["inertia"]) == has {
			t.Errorf("%s: centres of %d × %d, inertia %v", method, c.rows, c.cols, m.numbers["inertia"])
		}
	}
}

// Affinities of a clustering go out in compressed rows, and come in again for the same
// clusters; exemplars are rows of the samples.
func TestAffinitiesOfClusterings(t *testing.T) {
	x := viewing(waves(60, 4), 60, 4, 4, typeFloat64)
	m := do(t, "cluster", given{method: "spectral", count: 3, parameters: []byte(`{"keep_affinities": true}`), x: x})
	ptr, cols, vals := m.arrays["affinities_indptr"].integers, m.arrays["affinities_indices"].integers, m.arrays["affinities_data"].numbers
	if len(ptr) != 61 || len(cols) != len(vals) || ptr[60] != int64(len(cols)) {
		t.Fatalf("%d pointers to %d columns and %d values", len(ptr), len(cols), len(vals))
	}
	w := csrView{data: unsafe.Pointer(&vals[0]), indices: unsafe.Pointer(&cols[0]), indptr: unsafe.Pointer(&ptr[0]), rows: 60, cols: 60, entries: int64(len(vals)), indexKind: typeInt64, kind: typeFloat64}
	again := do(t, "cluster", given{method: "spectral", count: 3, near: structure{affinities: &w}})
	if !slices.Equal(again.arrays["labels"].integers, m.arrays["labels"].integers) {
		t.Error("the affinities of a clustering have other clusters")
	}
	if e := do(t, "cluster", given{method: "ds3", count: 3, x: x}).arrays["exemplars"]; e.rows < 1 || e.rows > 3 || e.kind() != typeInt64 {
		t.Errorf("ds3: exemplars %v", e)
	}
	wrong := must.Get(prepare(taskNumber("cluster"), given{method: "kmeans", count: 3, parameters: []byte(`{"keep_affinities": true}`), x: x}))(t)
	must.Refuse(t, "no similarity graph")(carryOut(wrong).get())
}

// The questions that C asks of a result, and the answers.
func TestAccessors(t *testing.T) {
	x := waves(30, 3)
	w := must.Get(prepare(taskNumber("embed"), given{method: "lle", x: viewing(x, 30, 3, 3, typeFloat64)}))(t)
	r := carryOut(w)
	if v, err := r.number("components"); v != 1 || err != nil {
		t.Error(v, err)
	}
	if v, err := r.number("relative_error"); !math.IsNaN(v) || err != nil {
		t.Error("an embedding has no such error:", v, err)
	}
	if _, err := r.number("luck"); err == nil {
		t.Error("there is such a number")
	}
	if text, err := r.describe(); err != nil || !strings.Contains(text, `"next_eigenvalue":`) {
		t.Error(text, err)
	}
	must.Refuse(t, `"model": true`)(r.modelOf())
	must.Refuse(t, "embedding, objective")(r.array("embeding"))
}

// What TestCasesInC leaves out of the other tasks.
func TestTasks(t *testing.T) {
	x := waves(50, 5)
	for i := range x {
		x[i] = math.Abs(x[i])
	}
	v := viewing(x, 50, 5, 5, typeFloat64)
	if f := do(t, "factorize", given{method: "nmf", count: 3, parameters: []byte(`{"model": "try"}`), x: v}); f.model == nil {
		t.Error("factorize: no model")
	}
	s := do(t, "select", given{method: "dpp", count: 6, x: v})
	if i := s.arrays["indices"]; i.rows != 6 || i.cols != 1 || slices.Min(i.integers) < 0 || slices.Max(i.integers) > 49 {
		t.Error("select:", i)
	}
	n := do(t, "neighbors", given{count: 6, parameters: []byte(`{"method": "approximate", "recall": 0.9}`), x: v})
	if d := n.arrays["distances"]; d.rows != 50 || d.cols != 6 || !slices.IsSorted(d.numbers[:6]) || slices.Contains(n.arrays["indices"].integers[:6], 0) {
		t.Error("neighbors:", n.arrays["indices"].integers[:6])
	}
}

// A limit that nobody chose is a status of its own, with the best result.
func TestNotConverged(t *testing.T) {
	x := waves(50, 5)
	for i := range x {
		x[i] = math.Abs(x[i])
	}
	g := given{method: "nmf", count: 3, parameters: []byte(`{"tolerance": 1e-300}`), x: viewing(x, 50, 5, 5, typeFloat64)}
	for parameters, want := range map[string]status{`{"tolerance": 1e-300}`: statusNotConverged, `{"tolerance": 1e-300, "iterations": 3}`: statusOK, `{}`: statusOK} {
		g.parameters = []byte(parameters)
		w := must.Get(prepare(taskNumber("factorize"), g))(t)
		r := carryOut(w)
		if got := statusOf(r.err); got != want || r.made == nil {
			t.Errorf("%s: status %d where %d was expected", parameters, got, want)
		}
	}
}

// Progress is reported on the caller's thread, and a refusal ends the work.
func TestFollow(t *testing.T) {
	forever := func(ctx context.Context, progress func(engine.Progress)) (*made, error) {
		progress(engine.Progress{Phase: "solve", Done: 0.5})
		<-ctx.Done()
		return nil, ctx.Err()
	}
	reported := 0
	r := begin(forever)
	r.follow(nil, func(p engine.Progress) bool {
		reported++
		return p.Phase == "solve" && p.Done == 0.5 && reported < 2
	})
	if reported != 2 || statusOf(r.err) != statusCanceled {
		t.Errorf("reported %d times, then %v", reported, r.err)
	}
	r = begin(forever)
	r.follow(func() bool { return true }, nil)
	if statusOf(r.err) != statusCanceled {
		t.Error(r.err)
	}
}

// Of many threads that free a handle one does, and numbers never come back.
func TestHandles(t *testing.T) {
	r := &result{}
	h := keep(r)
	if got, err := find[*result](h); err != nil || got != r {
		t.Fatal(got, err)
	}
	must.Refuse(t, "is a result where a model is wanted")(find[*model](h))
	var freed sync.WaitGroup
	var mu sync.Mutex
	count := 0
	for range 8 {
		freed.Go(func() {
			if _, err := take[*result](h); err == nil {
				mu.Lock()
				count++
				mu.Unlock()
			}
		})
	}
	freed.Wait()
	if count != 1 {
		t.Errorf("%d threads freed it", count)
	}
	if again := keep(r); again == h {
		t.Error("a number came back")
	}
	for _, h := range []uintptr{0, h, 1 << 40} {
		if _, err := find[*result](h); err == nil {
			t.Errorf("handle %d is found", h)
		}
	}
}

// A file is replaced as a whole or not at all, and comes back as bytes too.
func TestSaveAndLoad(t *testing.T) {
	x := waves(30, 3)
	fit := do(t, "embed", given{method: "pca", parameters: []byte(`{"model": true}`), x: viewing(x, 30, 3, 3, typeFloat64)})
	m := &model{model: fit.model}
	path := filepath.Join(t.TempDir(), "m")
	must.Do(t, m.save(path))
	b := must.Get(m.bytes())(t)
	if onDisk, err := os.ReadFile(path); err != nil || string(onDisk) != string(b) {
		t.Error("the file and the bytes differ", err)
	}
	loaded := must.Get(load(path))(t)
	if text, err := loaded.describe(); err != nil || !strings.Contains(text, `"method":"pca"`) {
		t.Error(text, err)
	}
	if _, err := loadBytes(b[:len(b)-1]); err == nil {
		t.Error("a part is read")
	}
	if _, err := load(t.TempDir()); statusOf(err) != statusFailed {
		t.Errorf("a folder: %v", err)
	}
	if err := m.save(filepath.Join(t.TempDir(), "none", "m")); statusOf(err) != statusFailed {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// The verdict is a number, and with the measured values a part of the report.
func TestVerdict(t *testing.T) {
	x := viewing(waves(200, 4), 200, 4, 4, typeFloat64)
	for task, m := range map[string]*made{
		"embed":     do(t, "embed", given{method: "ltsa", parameters: []byte(`{"neighbors": 8, "components": "largest"}`), x: x}),
		"factorize": do(t, "factorize", given{method: "nmf", count: 2, parameters: []byte(`{"iterations": 20, "shift": "columns"}`), x: x}),
		"cluster":   do(t, "cluster", given{method: "kmeans", count: 2, x: x}),
	} {
		text := must.Get(json.Marshal(m.report()["quality"]))(t)
		var quality map[string]any
		must.Do(t, json.Unmarshal(text, &quality))
		said, known := quality["sound"].(bool)
		if verdict := engine.Judgement(quality["verdict"].(string)); known && truth(said) != m.numbers["sound"] || known == math.IsNaN(m.numbers["sound"]) ||
			known != (verdict != engine.NotJudged) || said != (verdict == engine.Sound) || verdict == engine.Sound && (quality["sentence"] != "" || len(quality["not_judged"].([]any)) > 0) {
			t.Errorf("%s: %s, sound %g", task, text, m.numbers["sound"])
		}
	}
}

// Keys that do nothing are warned about, as by the command, and lp-rna's p is the
// number of its neighbours.
func TestParameters(t *testing.T) {
	x := viewing(waves(40, 4), 40, 4, 4, typeFloat64)
	m := do(t, "embed", given{method: "pca", parameters: []byte(`{"neighbors": 5, "components": "each"}`), x: x})
	if got := m.report()["warnings"].([]string); len(got) != 2 || m.numbers["warnings"] != 2 {
		t.Errorf("%q", got)
	}
	for method, want := range map[string]int{"nmf": 1, "lp-rna": 0, "gnmf": 0} {
		m := do(t, "factorize", given{method: method, count: 2, parameters: []byte(`{"recall": 0.9, "iterations": 2, "shift": "columns"}`), x: x})
		got := slices.DeleteFunc(slices.Clone(m.report()["warnings"].([]string)), func(w string) bool { return !strings.Contains(w, "recall") })
		if len(got) != want {
			t.Errorf("%s: %q", method, got)
		}
	}
	must.Refuse(t, "whole number")(prepare(taskNumber("embed"), given{method: "pca", parameters: []byte(`{"neighbors": -5}`), x: x}))
	p := must.Get(readParameters("lp-rna", []byte(`{"neighbors": 7}`)))(t)
	method := &engine.LPRNA{}
	if _, err := p.method("factorize", method, &engine.Options{}, engine.FactorizeParameters()); err != nil || engine.Values(method)["neighbors"] != 7 {
		t.Error(engine.Values(method), err)
	}
	for text, phrase := range map[string]string{
		`{"neighbors": 7, "p": 8}`: "contradict", `{"modle": true}`: `did you mean "model"?`, `{"model": "yes"}`: "false or true or try",
		`{"seed": -1}`: "seed", `{"p": 7, "dim": 2, "p": 8}`: `lp-rna: parameter "p" is given twice; keep one of them`, `{"p": 7, "\u0070": null}`: `"p" is given twice`, `{"memory": "4GiB"}`: "memory", `{"lambda": {}}`: "object", `{"neighbors_method": "fast"}`: "exact or approximate",
	} {
		_, err := prepare(taskNumber("factorize"), given{method: "lp-rna", count: 2, parameters: []byte(text), x: x})
		if err == nil || !strings.Contains(err.Error(), phrase) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Lists for other languages are complete.
func TestDescriptions(t *testing.T) {
	text, err := toJSON(allMethods())
	if err != nil || strings.Count(text, `"title"`) != len(engine.Methods()) || !strings.Contains(text, `"shared":{"cluster":`) {
		t.Error(len(text), err)
	}
	a := must.Get(about())(t)
	if text, err := toJSON(a); err != nil || !strings.Contains(text, `"abi":1`) || !strings.Contains(text, `"isa"`) {
		t.Error(text, err)
	}
}

// An error that has no status of its own is the caller's.
func TestStatusOf(t *testing.T) {
	if statusOf(errors.New("anything")) != statusInvalid || statusOf(nil) != statusOK || statusOf(context.Canceled) != statusCanceled {
		t.Error("other errors have other statuses")
	}
}

// The mapping of new samples keeps the caller's limit, for what its model asks for too.
func TestTransformWithinMemory(t *testing.T) {
	x := waves(400, 4)
	of := viewing(x, 400, 4, 4, typeFloat64)
	by := &model{model: do(t, "embed", given{method: "lle", parameters: []byte(`{"neighbors": 300, "model": true}`), x: of}).model}
	for limit, words := range map[int64]string{1000: "lle: the model, 400 samples and their coordinates need about", memory.Process(1 << 20): "lle: the mapping of the model needs about"} {
		w := must.Get(prepare(taskNumber("transform"), given{model: by, parameters: fmt.Appendf(nil, `{"threads": 1, "memory": %d}`, limit), x: of}))(t)
		if r := carryOut(w); statusOf(r.err) != statusNoMemory || !strings.Contains(r.err.Error(), words) {
			t.Errorf("within %d bytes: %v", limit, r.err)
		}
	}
	do(t, "transform", given{model: by, parameters: []byte(`{"threads": 1, "memory": 1000000000}`), x: of})
}

// BenchmarkEmbed measures what the library adds to the engine for 1000 × 10 samples: only the
// checks and the copy of the result.
func BenchmarkEmbed(b *testing.B) {
	x := waves(1000, 10)
	b.Run("engine", func(b *testing.B) {
		d := mat.NewDense(1000, 10, x)
		for b.Loop() {
			if _, err := engine.Embed(b.Context(), d, engine.PCA{}, engine.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("library", func(b *testing.B) {
		y := make([]float64, 2000)
		for b.Loop() {
			w, err := prepare(0, given{method: "pca", parameters: []byte(`{"dim": 2}`), x: viewing(x, 1000, 10, 10, typeFloat64)})
			if err != nil {
				b.Fatal(err)
			}
			r := begin(w)
			r.wait(time.Hour)
			a, err := r.array("embedding")
			if err != nil {
				b.Fatal(err)
			}
			if err := a.copyTo(viewing(y, 1000, 2, 2, typeFloat64), "y"); err != nil {
				b.Fatal(err)
			}
		}
	})
}
