package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"io"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/modelfile"
	"github.com/orthant-go/orthant/engine/memory"
)

func saved(t testing.TB, m *Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func loaded(t testing.TB, file []byte) *Model {
	t.Helper()
	m := must(LoadModel(bytes.NewReader(file)))(t)
	return m
}

// What comes back from a file is the model that went in: it maps dense and compressed samples to
// the same bits, in blocks of any size and on any number of threads, and is saved to the same bytes.
func TestModelsComeBack(t *testing.T) {
	kinds := map[string]bool{}
	for _, c := range columns(t, func(e Entry) bool { return e.Extends || e.Predicts }) {
		t.Run(c.name, func(t *testing.T) {
			for _, p := range []problem{c.problem(t), unstored(t, c, c.problem(t)).other} {
				m, err := must(solvedBy(t.Context(), c.task, c.asked(t, p), p))(t).model()
				if err != nil {
					return // of another task
				}
				m.Program = "a test"
				kinds[m.Kind()] = true
				n, cols := p.more.Dims()
				dense := mat.DenseCopyOf(p.more)
				want, file := transformed(t, m, dense, Options{Threads: 1}), saved(t, m)
				rows := compressedOf(t, dense)
				other := transformed(t, m, rows, Options{Threads: 1}) // whose sums may have another order
				if at := apartIn(other.RawMatrix().Data, want.RawMatrix().Data, 1e-9); at != "" {
					t.Errorf("unstored zeros: %s", at)
				}
				for name, back := range map[string]*Model{"known length": loaded(t, file), "pipe": must(LoadModel(io.MultiReader(bytes.NewReader(file))))(t), "clone": m.Clone()} {
					if back.Method != c.Name || back.Program != "a test" || back.Samples != 72 || back.Features != cols || back.Dim != m.Dim || back.Clusters() != m.Clusters() || back.Kind() != m.Kind() || len(partsOf(t, m).Compressed) == 0 && back.Bytes() != m.Bytes() {
						t.Errorf("%s: it came back as %+v with %d bytes, was %+v with %d", name, back, back.Bytes(), m, m.Bytes())
					}
					if a, b := must(json.Marshal(back.Params))(t), must(json.Marshal(m.Params))(t); !bytes.Equal(a, b) {
						t.Errorf("%s: parameters %s came back as %s", name, b, a)
					}
					if !bytes.Equal(saved(t, back), file) {
						t.Errorf("%s: saved again, the bytes differ", name)
					}
					for _, threads := range []int{1, 3} {
						if !mat.Equal(transformed(t, back, dense, Options{Threads: threads}), want) || !mat.Equal(transformed(t, back, rows, Options{Threads: threads}), other) {
							t.Errorf("%s: %d threads map samples elsewhere", name, threads)
						}
					}
					ready := must(back.Prepare(Options{}))(t)
					for _, size := range []int{1, 7, 64} {
						for lo := 0; lo < n; lo += size {
							hi := min(lo+size, n)
							if y := must(ready.Apply(t.Context(), dense.Slice(lo, hi, 0, cols)))(t); !mat.Equal(y, want.Slice(lo, hi, 0, m.Dim)) {
								t.Fatalf("%s: blocks of %d samples change bits", name, size)
							}
						}
					}
				}
				if _, err := m.Transform(t.Context(), mat.NewDense(2, cols+1, nil), Options{}); err == nil || !strings.Contains(err.Error(), "columns where the model was fitted to") {
					t.Errorf("samples with another number of columns: %v", err)
				}
			}
		})
	}
	if len(kinds) != 20 {
		t.Errorf("models of %d kinds: %v", len(kinds), kinds)
	}
}

// forged is a model's file with whatever header and parts, and a checksum that is right.
func forged(t testing.TB, change func(m *Model) *modelfile.Parts) []byte {
	t.Helper()
	_, m := fittedModel(t, generate(t, "swiss-roll", 12, 1).X, LE{Neighbors: 5}, Options{})
	m.Program = "orthant of tomorrow"
	return written(t, m, change(m))
}

func TestForeignModelsAreRefused(t *testing.T) {
	other := forged(t, func(m *Model) *modelfile.Parts { return partsOf(t, m) })
	other[8] = modelfile.Version + 1
	r := refusing(t)
	r.of("another file", failed(LoadModel(strings.NewReader("\x93NUMPY\x01\x00"+strings.Repeat(" ", 100)))))
	r.of("a short file", failed(LoadModel(strings.NewReader("x,y\n1,2\n"))))
	r.of("nothing", failed(LoadModel(strings.NewReader(""))))
	r.of("another version", failed(LoadModel(bytes.NewReader(other))))
	r.of("another kind", failed(LoadModel(bytes.NewReader(forged(t, func(m *Model) *modelfile.Parts { p := partsOf(t, m); p.Kind = "spline"; return p })))))
	r.of("no samples", failed(LoadModel(bytes.NewReader(forged(t, func(m *Model) *modelfile.Parts { p := partsOf(t, m); m.Samples = 0; return p })))))
}

// A file whose checksum is right may still hold parts that contradict each other.
func TestContradictoryModelsAreRefused(t *testing.T) {
	kind := func(kind string, change func(p *modelfile.Parts)) func(*Model) *modelfile.Parts {
		return func(m *Model) *modelfile.Parts {
			p := partsOf(t, m)
			if kind == "linear" {
				p = modelfile.PartsOf(&extend.Extension{Map: extend.LinearMap{Mean: make([]float64, 3), Projection: mat.NewDense(3, 2, make([]float64, 6))}})
			}
			p.Kind = kind
			if kind == "barycentric" {
				p.Numbers["gamma"] = 1e-3
			}
			change(p)
			return p
		}
	}
	drop := func(name string) func(p *modelfile.Parts) {
		return func(p *modelfile.Parts) { delete(p.Arrays, name); delete(p.Numbers, name) }
	}
	number := func(name string, v float64) func(p *modelfile.Parts) {
		return func(p *modelfile.Parts) { p.Numbers[name] = v }
	}
	array := func(name string, rows, cols int, v float64) func(p *modelfile.Parts) {
		return func(p *modelfile.Parts) {
			p.Arrays[name] = mat.NewDense(rows, cols, slices.Repeat([]float64{v}, rows*cols))
		}
	}
	divided := func(exponent, coordinates float64) func(p *modelfile.Parts) {
		return func(p *modelfile.Parts) {
			p.Arrays["mean"], p.Arrays["projection"] = mat.NewDense(1, 3, nil), mat.NewDense(3, 2, nil)
			p.Numbers = map[string]float64{"exponent": exponent, "coordinates_exponent": coordinates}
		}
	}
	// A model of Isomap on the samples of the others.
	geodesic := func(o Options, change func(p *modelfile.Parts)) func(*Model) *modelfile.Parts {
		return func(m *Model) *modelfile.Parts {
			_, isomap := fittedModel(t, generate(t, "swiss-roll", 12, 1).X, Isomap{Neighbors: 5}, o)
			p := partsOf(t, isomap)
			change(p)
			return p
		}
	}
	// A model of k-means on the same columns, of one column of labels.
	centers := func(change func(p *modelfile.Parts)) func(*Model) *modelfile.Parts {
		return func(m *Model) *modelfile.Parts {
			m.Dim = 1
			p := modelfile.PartsOf(extend.ByCenters(mat.NewDense(2, 3, make([]float64, 6)), []int{1, 0}))
			change(p)
			return p
		}
	}
	// A model of a clustering of the same samples.
	clustered := func(method Method, change func(p *modelfile.Parts)) func(*Model) *modelfile.Parts {
		return func(m *Model) *modelfile.Parts {
			_, model := labelled(t, generate(t, "swiss-roll", 12, 1).X, method, 2)
			m.Dim = 1
			p := partsOf(t, model)
			change(p)
			return p
		}
	}
	// A model of hdbscan on the same samples.
	dense := func(change func(p *modelfile.Parts)) func(*Model) *modelfile.Parts {
		return func(m *Model) *modelfile.Parts {
			_, model := labelled(t, generate(t, "swiss-roll", 12, 1).X, HDBSCAN{MinClusterSize: 3, MinSamples: new(2)}, 0)
			m.Dim = 1
			p := partsOf(t, model)
			change(p)
			return p
		}
	}
	r := refusing(t)
	for _, c := range []struct {
		name   string
		change func(*Model) *modelfile.Parts
	}{
		{"no samples", kind("barycentric", drop("samples"))},
		{"no embedding", kind("barycentric", drop("embedding"))},
		{"no neighbours", kind("barycentric", drop("neighbors"))},
		{"no gamma", kind("barycentric", drop("gamma"))},
		{"gamma 0", kind("barycentric", number("gamma", 0))},
		{"tangents 0", kind("barycentric", number("tangents", 0))},
		{"many neighbours", kind("barycentric", number("neighbors", 13))},
		{"no neighbour", kind("barycentric", number("neighbors", 0))},
		{"fewer coordinates", kind("barycentric", array("embedding", 11, 2, 1))},
		{"other dimension", kind("barycentric", array("embedding", 12, 3, 1))},
		{"other columns", kind("barycentric", array("samples", 12, 4, 1))},
		{"an infinite sample", kind("barycentric", array("samples", 12, 3, math.Inf(1)))},
		{"a large sample", kind("barycentric", array("samples", 12, 3, 1e200))},
		{"NaN coordinates", kind("barycentric", array("embedding", 12, 2, math.NaN()))},
		{"no values", kind("nystrom", drop("values"))},
		{"three values", kind("nystrom", array("values", 1, 3, 0))},
		{"a value of 1", kind("nystrom", array("values", 1, 2, 1))},
		{"no weights", kind("nystrom", drop("weights"))},
		{"unknown weights", kind("nystrom", number("weights", 4))},
		{"no t", kind("nystrom", number("weights", 1))},
		{"no mean", kind("linear", drop("mean"))},
		{"no projection", kind("linear", drop("projection"))},
		{"a longer mean", kind("linear", array("mean", 1, 4, 0))},
		{"other projection", kind("linear", array("projection", 3, 3, 0))},

		{"half an exponent", kind("linear", divided(0.5, 0))},
		{"a huge exponent", kind("linear", divided(4000, 0))},
		{"one exponent", kind("linear", func(p *modelfile.Parts) { divided(300, 0)(p); delete(p.Numbers, "coordinates_exponent") })},

		{"no centres", centers(drop("centers"))},
		{"no labels", centers(drop("labels"))},
		{"no clusters", centers(drop("clusters"))},
		{"half a cluster", centers(number("clusters", 2.5))},
		{"fewer clusters", centers(number("clusters", 1))},
		{"half a label", centers(array("labels", 2, 1, 0.5))},
		{"a negative label", centers(array("labels", 2, 1, -1))},
		{"more labels", centers(array("labels", 3, 1, 0))},
		{"a large centre", centers(array("centers", 2, 3, 1e200))},
		{"a centre of columns", centers(array("centers", 2, 4, 0))},
		{"two columns", func(m *Model) *modelfile.Parts { p := centers(func(*modelfile.Parts) {})(m); m.Dim = 2; return p }},

		{"spectral without lengths", clustered(Spectral{Neighbors: 5}, drop("lengths"))},
		{"spectral of a negative length", clustered(Spectral{Neighbors: 5}, func(p *modelfile.Parts) { p.Arrays["lengths"].Set(2, 0, -1) })},
		{"spectral without labels", clustered(Spectral{Neighbors: 5}, drop("sample_labels"))},
		{"spectral without centres", clustered(Spectral{Neighbors: 5}, drop("centers"))},
		{"spectral of other centres", clustered(Spectral{Neighbors: 5}, array("centers", 2, 3, 0))},
		{"spectral without samples", clustered(Spectral{Neighbors: 5}, drop("samples"))},
		{"lnp without labels", clustered(LNP{Neighbors: 5}, drop("labels"))},
		{"lnp without a cap", clustered(LNP{Neighbors: 5}, drop("cap"))},
		{"lnp without samples", clustered(LNP{Neighbors: 5}, drop("samples"))},
		{"smce without lambda", clustered(SMCE{Neighbors: 5}, drop("lambda"))},
		{"smce of too large a label", clustered(SMCE{Neighbors: 5}, array("labels", 12, 1, 2))},
		{"smce without neighbours", clustered(SMCE{Neighbors: 5}, drop("neighbors"))},

		{"hdbscan without samples", dense(drop("samples"))},
		{"hdbscan without core distances", dense(drop("core"))},
		{"hdbscan of fewer core distances", dense(array("core", 11, 1, 1))},
		{"hdbscan of a negative core distance", dense(func(p *modelfile.Parts) { p.Arrays["core"].Set(2, 0, -1) })},
		{"hdbscan of a NaN core distance", dense(func(p *modelfile.Parts) { p.Arrays["core"].Set(2, 0, math.NaN()) })},
		{"hdbscan without labels", dense(drop("labels"))},
		{"hdbscan of too large a label", dense(array("labels", 12, 1, 7))},
		{"hdbscan of a label below noise", dense(array("labels", 12, 1, -2))},
		{"hdbscan of half a label", dense(array("labels", 12, 1, 0.5))},
		{"hdbscan without clusters", dense(drop("clusters"))},
		{"hdbscan of many clusters", dense(number("clusters", 9))},
		{"hdbscan without reaches", dense(drop("reach"))},
		{"hdbscan of more reaches", dense(array("reach", 9, 1, 1))},
		{"hdbscan of a negative reach", dense(func(p *modelfile.Parts) { p.Arrays["reach"].Set(0, 0, -1) })},
		{"hdbscan of no minimum", dense(number("min_samples", 0))},
		{"hdbscan of many neighbours", dense(number("neighbors", 13))},

		{"no cap", kind("pursuit", drop("cap"))},
		{"no lambda", kind("sparse-affine", drop("lambda"))},
		{"a share above 1", kind("sparse-affine", func(p *modelfile.Parts) { p.Numbers["lambda"], p.Numbers["keep"] = 1, 1.5 })},

		{"no paths", geodesic(Options{}, drop("neighbors"))},
		{"no lengths", geodesic(Options{}, drop("lengths"))},
		{"a strange neighbour", geodesic(Options{}, func(p *modelfile.Parts) { p.Arrays["neighbors"].Set(3, 1, 12) })},
		{"half a neighbour", geodesic(Options{}, func(p *modelfile.Parts) { p.Arrays["neighbors"].Set(3, 1, 0.5) })},
		{"a negative length", geodesic(Options{}, func(p *modelfile.Parts) { p.Arrays["lengths"].Set(3, 1, -1) })},
		{"fewer projections", geodesic(Options{}, array("projection", 11, 2, 0))},
		{"a shorter mean", geodesic(Options{}, array("mean", 1, 11, 0))},
		{"other distances", geodesic(Options{Landmarks: 6}, array("distances", 12, 5, 0))},
		{"NaN distances", geodesic(Options{Landmarks: 6}, array("distances", 12, 6, math.NaN()))},
	} {
		r.of(c.name, refusalOf(forged(t, c.change)))
	}
	for _, m := range []*Model{{}, {Method: "le"}} {
		if _, err := m.Prepare(Options{}); err == nil {
			t.Error("an empty model was prepared")
		}
		if err := m.Save(io.Discard); err == nil {
			t.Error("an empty model was saved")
		}
	}
}

// limitedTo is the memory that edited models may take.
const limitedTo = 200 << 20

// A model with one number edited maps a sample to finite coordinates or labels of clusters,
// or is an error.
func TestEditedNumbersOfModels(t *testing.T) {
	x, _ := ordinaryData()
	some := x.Slice(0, 2, 0, 5).(*mat.Dense)
	values := []float64{math.SmallestNonzeroFloat64, -1, 3, 1e300}
	if !testing.Short() {
		values = append(values, 1e-300, 0, 0.5, 1, 2200, 1e6, math.MaxFloat64)
	}
	modelsOf(t, 300, func(name string, m *Model) {
		rule := ruleOf(t, m)
		for key := range modelfile.PartsOf(rule).Numbers {
			for _, v := range values {
				var file bytes.Buffer
				edited := modelfile.PartsOf(rule)
				edited.Numbers[key] = v
				if err := modelfile.Write(&file, aboutOf(m), edited); err != nil {
					continue
				}
				expectSoundTransform(t, name+" with "+key, file.Bytes(), some)
			}
		}
	})
}

// expectSoundTransform maps samples by the model of a file, which may be refused.
func expectSoundTransform(t *testing.T, what string, file []byte, x *mat.Dense) {
	t.Helper()
	m, err := LoadModelWithin(bytes.NewReader(file), limitedTo)
	if err != nil {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	began := time.Now()
	rows, cols := x.Dims()
	if cols != m.Features {
		if m.Features > 1<<16 {
			return
		}
		x = mat.NewDense(rows, m.Features, nil)
	}
	y, err := m.Transform(ctx, x, Options{Threads: 1, Memory: limitedTo})
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("%s took %v", what, took)
	}
	if err != nil {
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: an error of several lines: %v", what, err)
		}
		return
	}
	for _, v := range y.RawMatrix().Data {
		if c := m.Clusters(); v-v != 0 || c > 0 && !(v >= 0 && v < float64(c)) {
			t.Errorf("%s: %v", what, v)
			return
		}
	}
}

// FuzzEditedModel edits the bytes of a model's file, one of each kind, and signs it again: what loads maps
// samples to finite coordinates or labels of clusters, or is refused, within 200 MiB.
func FuzzEditedModel(f *testing.F) {
	x, _ := ordinaryData()
	some := x.Slice(0, 2, 0, 5).(*mat.Dense)
	var files [][]byte
	kinds := map[string]bool{}
	for _, line := range []string{"embed lle", "embed le", "embed isomap", "embed pca", "embed lnp", "embed smce", "embed diffusion-maps", "embed umap", "embed tsne", "embed pacmap", "embed smacof",
		"factorize nmf", "factorize nmf-kl", "factorize cim-nmf", "factorize nmf-beta",
		"cluster kmeans", "cluster spectral", "cluster ds3", "cluster esc-ffs", "cluster lnp", "cluster smce", "cluster hdbscan", "cluster leiden"} {
		task, name, _ := strings.Cut(line, " ")
		p := problem{x: x, Options: Options{Components: "largest", Threads: 1}}
		if task == "factorize" {
			p.size = 2
		}
		m := named(f, name)
		if name == "hdbscan" {
			few := 2
			m = HDBSCAN{MinClusterSize: few, MinSamples: &few} // these few samples form no larger cluster
		}
		model := must(must(solvedBy(f.Context(), task, m, p))(f).model())(f)
		kinds[model.Kind()] = true
		f.Add(uint8(len(files)), uint32(40), []byte("9"))
		files = append(files, saved(f, model))
	}
	if len(kinds) != 20 {
		f.Errorf("models of %d kinds: %v", len(kinds), kinds)
	}
	within := heldTo(f, limitedTo)
	f.Fuzz(func(t *testing.T, which uint8, at uint32, with []byte) {
		file := bytes.Clone(files[int(which)%len(files)])
		copy(file[int(at)%(len(file)-modelfile.SumSize):len(file)-modelfile.SumSize], with)
		sum := sha256.Sum256(file[:len(file)-modelfile.SumSize])
		copy(file[len(file)-modelfile.SumSize:], sum[:])
		within(t, func() { expectSoundTransform(t, "edited", file, some) })
	})
}

// heldTo measures what work adds to the resident memory of this process, as the kernel counts it: of
// a process of the command with that limit it is all but its program. The runtime is held to the limit
// as the command holds it.
func heldTo(t testing.TB, limit int64) func(t *testing.T, work func()) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	memory.Bound(limit)
	return func(t *testing.T, work func()) {
		resets, began := memory.BeginPeak(), memory.Resident()
		work()
		if took := memory.Peak() - began; resets && took > limit-memory.Program {
			t.Errorf("it took %d MiB more than the %d before it, beyond a limit of %d with the program's %d", took>>20, began>>20, limit>>20, int64(memory.Program)>>20)
		}
	}
}

// ruleOf is the rule for new samples in a model's file.
func ruleOf(t testing.TB, m *Model) *extend.Extension {
	t.Helper()
	_, rule, err := modelfile.Read(bytes.NewReader(saved(t, m)), 0)
	if err != nil {
		t.Fatal(err)
	}
	return rule
}

// partsOf are the parts of a model's file.
func partsOf(t testing.TB, m *Model) *modelfile.Parts {
	t.Helper()
	return modelfile.PartsOf(ruleOf(t, m))
}

// aboutOf is what the file says of a model besides its parts.
func aboutOf(m *Model) modelfile.About {
	return modelfile.About{Program: m.Program, Method: m.Method, Params: m.Params, Samples: m.Samples, Features: m.Features, Dim: m.Dim}
}

// written is the file of a model with those parts.
func written(t testing.TB, m *Model, parts *modelfile.Parts) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := modelfile.Write(&file, aboutOf(m), parts); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// refusalOf is the error about a file: when it is loaded, or prepared.
func refusalOf(file []byte) error {
	m, err := LoadModel(bytes.NewReader(file))
	if err == nil {
		_, err = m.Prepare(Options{})
	}
	return err
}
