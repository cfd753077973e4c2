package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/solve"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/internal/disk"
	"github.com/orthant-go/orthant/internal/faults"
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
					if back.Method != c.Name || back.Program != "a test" || back.Samples != 72 || back.Features != cols || back.Dim != m.Dim || back.Clusters() != m.Clusters() || back.Kind() != m.Kind() || len(partsOf(m.extension).compressed) == 0 && back.Bytes() != m.Bytes() {
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
	if len(kinds) != 14 {
		t.Errorf("models of %d kinds: %v", len(kinds), kinds)
	}
}

// byProjection is the extension of a linear method.
func byProjection(mean []float64, projection *mat.Dense) *extend.Extension {
	e, _, _ := extend.Linear(extend.Fit{}, &solve.Projected{Mean: mean, Projection: projection})
	return e
}

// Arrays are stored as narrow as loses nothing, and come back bit by bit.
func TestModelArraysAreExact(t *testing.T) {
	for name, c := range map[string]struct {
		kind string
		data []float64
	}{
		"bytes":    {"|u1", []float64{0, 1, 255, 17, 3, 4}},
		"single":   {"<f4", []float64{0.5, -1, 256, float64(float32(0.1)), math.Copysign(0, -1), 0x1p100}},
		"negative": {"<f4", []float64{math.Copysign(0, -1), 1, 2, 3, 4, 5}},
		"double":   {"<f8", []float64{0.1, 1e300, 5e-324, -1, 0, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			a := mat.NewDense(3, 2, c.data)
			if kind := narrowest(a); kind != c.kind {
				t.Errorf("%s are stored as %s, want %s", name, kind, c.kind)
			}
			m := &Model{Method: "test", Samples: 1, Features: 3, Dim: 2, extension: byProjection([]float64{0, 0.1, 7}, a)}
			_, projection := loaded(t, saved(t, m)).Projection()
			back := projection.RawMatrix().Data
			for p, v := range c.data {
				if math.Float64bits(back[p]) != math.Float64bits(v) {
					t.Errorf("%s: %g came back as %g", name, v, back[p])
				}
			}
		})
	}
}

// Every flipped byte is an error, and so is every truncation and every addition.
func TestDamagedModelIsRefused(t *testing.T) {
	_, m := fittedModel(t, generate(t, "swiss-roll", 12, 1).X, LE{Neighbors: 5}, Options{})
	file := saved(t, m)
	for at := range file {
		for _, flip := range []byte{1, 0x80, 0xff} {
			bad := slices.Clone(file)
			bad[at] ^= flip
			for _, r := range []io.Reader{bytes.NewReader(bad), io.MultiReader(bytes.NewReader(bad))} {
				if got, err := LoadModel(r); err == nil || got != nil || strings.Contains(err.Error(), "\n") {
					t.Fatalf("byte %d of %d flipped by %x: %v", at, len(file), flip, err)
				}
			}
		}
	}
	for cut := range file {
		for _, r := range []io.Reader{bytes.NewReader(file[:cut]), io.MultiReader(bytes.NewReader(file[:cut]))} {
			if _, err := LoadModel(r); err == nil || !strings.Contains(err.Error(), "the file ends") {
				t.Fatalf("cut after %d of %d bytes: %v", cut, len(file), err)
			}
		}
	}
	longer := append(slices.Clone(file), 0)
	for _, r := range []io.Reader{bytes.NewReader(longer), io.MultiReader(bytes.NewReader(longer))} {
		if _, err := LoadModel(r); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("a byte more: %v", err)
		}
	}
}

// forged is a model's file with whatever header and parts, and a checksum that is right.
func forged(t testing.TB, change func(m *Model) *modelParts) []byte {
	t.Helper()
	_, m := fittedModel(t, generate(t, "swiss-roll", 12, 1).X, LE{Neighbors: 5}, Options{})
	m.Program = "orthant of tomorrow"
	return written(t, m, change(m))
}

func TestForeignModelsAreRefused(t *testing.T) {
	other := forged(t, func(m *Model) *modelParts { return partsOf(m.extension) })
	other[8] = 7
	r := refusing(t)
	r.of("another file", failed(LoadModel(strings.NewReader("\x93NUMPY\x01\x00"+strings.Repeat(" ", 100)))))
	r.of("a short file", failed(LoadModel(strings.NewReader("x,y\n1,2\n"))))
	r.of("nothing", failed(LoadModel(strings.NewReader(""))))
	r.of("another version", failed(LoadModel(bytes.NewReader(other))))
	r.of("another kind", failed(LoadModel(bytes.NewReader(forged(t, func(m *Model) *modelParts { p := partsOf(m.extension); p.kind = "spline"; return p })))))
	r.of("no samples", failed(LoadModel(bytes.NewReader(forged(t, func(m *Model) *modelParts { m.Samples = 0; return partsOf(m.extension) })))))
}

// A file whose checksum is right may still hold parts that contradict each other.
func TestContradictoryModelsAreRefused(t *testing.T) {
	kind := func(kind string, change func(p *modelParts)) func(*Model) *modelParts {
		return func(m *Model) *modelParts {
			if kind == "linear" {
				m.extension = byProjection(make([]float64, 3), mat.NewDense(3, 2, make([]float64, 6)))
			}
			p := partsOf(m.extension)
			p.kind = kind
			if kind == "barycentric" {
				p.numbers["gamma"] = 1e-3
			}
			change(p)
			return p
		}
	}
	drop := func(name string) func(p *modelParts) {
		return func(p *modelParts) { delete(p.arrays, name); delete(p.numbers, name) }
	}
	number := func(name string, v float64) func(p *modelParts) {
		return func(p *modelParts) { p.numbers[name] = v }
	}
	array := func(name string, rows, cols int, v float64) func(p *modelParts) {
		return func(p *modelParts) {
			p.arrays[name] = mat.NewDense(rows, cols, slices.Repeat([]float64{v}, rows*cols))
		}
	}
	divided := func(exponent, coordinates float64) func(p *modelParts) {
		return func(p *modelParts) {
			p.arrays["mean"], p.arrays["projection"] = mat.NewDense(1, 3, nil), mat.NewDense(3, 2, nil)
			p.numbers = map[string]float64{"exponent": exponent, "coordinates_exponent": coordinates}
		}
	}
	// A model of Isomap on the samples of the others.
	geodesic := func(o Options, change func(p *modelParts)) func(*Model) *modelParts {
		return func(m *Model) *modelParts {
			_, isomap := fittedModel(t, generate(t, "swiss-roll", 12, 1).X, Isomap{Neighbors: 5}, o)
			p := partsOf(isomap.extension)
			change(p)
			return p
		}
	}
	// A model of k-means on the same columns, of one column of labels.
	centers := func(change func(p *modelParts)) func(*Model) *modelParts {
		return func(m *Model) *modelParts {
			m.Dim = 1
			p := partsOf(extend.ByCenters(mat.NewDense(2, 3, make([]float64, 6)), []int{1, 0}))
			change(p)
			return p
		}
	}
	// A model of a clustering of the same samples.
	clustered := func(method Method, change func(p *modelParts)) func(*Model) *modelParts {
		return func(m *Model) *modelParts {
			_, model := labelled(t, generate(t, "swiss-roll", 12, 1).X, method, 2)
			m.Dim = 1
			p := partsOf(model.extension)
			change(p)
			return p
		}
	}
	r := refusing(t)
	for _, c := range []struct {
		name   string
		change func(*Model) *modelParts
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
		{"one exponent", kind("linear", func(p *modelParts) { divided(300, 0)(p); delete(p.numbers, "coordinates_exponent") })},

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
		{"two columns", func(m *Model) *modelParts { p := centers(func(*modelParts) {})(m); m.Dim = 2; return p }},

		{"spectral without lengths", clustered(Spectral{Neighbors: 5}, drop("lengths"))},
		{"spectral of a negative length", clustered(Spectral{Neighbors: 5}, func(p *modelParts) { p.arrays["lengths"].Set(2, 0, -1) })},
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

		{"no cap", kind("pursuit", drop("cap"))},
		{"no lambda", kind("sparse-affine", drop("lambda"))},
		{"a share above 1", kind("sparse-affine", func(p *modelParts) { p.numbers["lambda"], p.numbers["keep"] = 1, 1.5 })},

		{"no paths", geodesic(Options{}, drop("neighbors"))},
		{"no lengths", geodesic(Options{}, drop("lengths"))},
		{"a strange neighbour", geodesic(Options{}, func(p *modelParts) { p.arrays["neighbors"].Set(3, 1, 12) })},
		{"half a neighbour", geodesic(Options{}, func(p *modelParts) { p.arrays["neighbors"].Set(3, 1, 0.5) })},
		{"a negative length", geodesic(Options{}, func(p *modelParts) { p.arrays["lengths"].Set(3, 1, -1) })},
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

func FuzzLoadModel(f *testing.F) {
	file := forged(f, func(m *Model) *modelParts { return partsOf(m.extension) })
	f.Add(file)
	f.Add(forged(f, func(*Model) *modelParts {
		return partsOf(byProjection(make([]float64, 3), mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})))
	}))
	f.Add(file[:40])
	f.Add([]byte(modelMagic))
	f.Fuzz(func(t *testing.T, b []byte) {
		files := [][]byte{b}
		if len(b) > modelPreamble+sumSize { // past the checksum
			sealed := slices.Clone(b)
			copy(sealed, modelMagic)
			files = append(files, sealedAgain(sealed))
		}
		for _, file := range files {
			for _, r := range []io.Reader{bytes.NewReader(file), io.MultiReader(bytes.NewReader(file))} {
				m, err := LoadModel(r)
				if err != nil {
					continue
				}
				if tr, err := m.Prepare(Options{Threads: 1}); err == nil && m.Features < 1000 {
					_, _ = tr.Apply(context.Background(), mat.NewDense(1, m.Features, nil))
				}
			}
		}
	})
}

// sealedAgain makes the lengths and the checksum of a file right, whatever else
// is in it.
func sealedAgain(file []byte) []byte {
	binary.LittleEndian.PutUint32(file[8:], modelVersion)
	binary.LittleEndian.PutUint64(file[16:], uint64(len(file)))
	clear(file[24:32])
	sum := sha256.Sum256(file[:len(file)-sumSize])
	copy(file[len(file)-sumSize:], sum[:])
	return file
}

// fillsUp is a disk that is full after this many bytes.
type fillsUp struct{ left int }

func (f *fillsUp) Write(p []byte) (int, error) {
	if len(p) > f.left {
		n := f.left
		f.left = 0
		return n, syscall.ENOSPC
	}
	f.left -= len(p)
	return len(p), nil
}

// Wherever the disk becomes full, Save says so.
func TestSaveModelOnAFullDisk(t *testing.T) {
	_, m := fittedModel(t, generate(t, "swiss-roll", 3000, 1).X, LLE{Neighbors: 8}, Options{}) // arrays of more than one write
	var whole bytes.Buffer
	if err := m.Save(&whole); err != nil {
		t.Fatal(err)
	}
	for room := 0; room < whole.Len(); room += 1 + whole.Len()/97 {
		if err := m.Save(&fillsUp{room}); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("room for %d of %d bytes: %v", room, whole.Len(), err)
		}
	}
	if err := m.Save(&fillsUp{whole.Len()}); err != nil {
		t.Error(err)
	}
}

// A model whose header cannot be written is not begun.
func TestSaveModelWithImpossibleParams(t *testing.T) {
	_, m := fittedModel(t, generate(t, "swiss-roll", 100, 1).X, PCA{}, Options{})
	for want, value := range map[string]any{"its parameters cannot be written": math.Inf(1), "its header would take": strings.Repeat("x", maxModelHeader)} {
		bad := *m
		bad.Params = map[string]any{"value": value}
		var out bytes.Buffer
		if err := bad.Save(&out); err == nil || !strings.Contains(err.Error(), want) || out.Len() > 0 {
			t.Errorf("%d bytes, %v", out.Len(), err)
		}
	}
}

// Whichever call fails while a model is read, LoadModel says that it was the disk.
func TestLoadModelWithFaults(t *testing.T) {
	_, m := fittedModel(t, generate(t, "swiss-roll", 3000, 1).X, LLE{Neighbors: 8}, Options{})
	path := filepath.Join(t.TempDir(), "m.model")
	out, err := files.CreateRaw(path, nil)
	if err == nil {
		err = m.Save(out)
	}
	if err == nil {
		err = out.Commit()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, how := range []faults.How{faults.Passing, faults.Short} {
		var err error
		var got *Model
		calls := faults.Every(t, how, func() {
			got = nil
			var f disk.File
			if f, err = disk.Open(path); err == nil {
				defer f.Close()
				got, err = LoadModel(f)
			}
		}, func(call string) {
			// Where the length cannot be asked for, memory comes as the bytes do.
			if err == nil && (!strings.Contains(call, "seek") || got.Samples != m.Samples) || err != nil && !errors.Is(err, syscall.EIO) {
				t.Error(err)
			}
		})
		if err != nil || got == nil || len(calls) < 8 {
			t.Errorf("after %d calls: %v", len(calls), err)
		}
	}
}

// A reader that is past its end has nothing left, and a header may name an array once.
func TestLoadModelOfOddities(t *testing.T) {
	r := bytes.NewReader([]byte("12"))
	if _, err := r.Seek(5, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadModel(r); err == nil || !strings.Contains(err.Error(), "ends within its first bytes") {
		t.Error(err)
	}
	one := modelArray{"a", 1, 1, "|u1", 0, 1}
	again := one
	again.Offset = modelAlignment
	h := modelHeader{Method: "pca", Samples: 1, Features: 1, Dim: 1, Arrays: []modelArray{one, again}}
	if err := h.check(2 * modelAlignment); err == nil || !strings.Contains(err.Error(), "comes twice") {
		t.Error(err)
	}
	var none Model
	if none.Kind() != "" || none.Bytes() != 0 {
		t.Errorf("a model that was not fitted has the rule %q and %d bytes", none.Kind(), none.Bytes())
	}
	if _, err := none.Transform(t.Context(), nil, Options{}); !errors.Is(err, errNoModel) {
		t.Error(err)
	}
	_, m := fittedModel(t, generate(t, "swiss-roll", 100, 1).X, PCA{}, Options{})
	if _, err := m.Prepare(Options{Backend: "none"}); err == nil {
		t.Error("no error of a backend that there is not")
	}
}

// limitedTo is the memory that edited models may take.
const limitedTo = 200 << 20

// A model from a file may ask for any neighbours, rank or columns: within a limit of memory it
// maps a row, or is refused, and soon.
func TestEditedModelsStayWithinTheirMemory(t *testing.T) {
	line := func(n, m int) *mat.Dense {
		x := mat.NewDense(n, m, nil)
		for i := range n {
			x.Set(i, 0, float64(i))
		}
		return x
	}
	// Each of n samples lists n/8 others, so that most are joined.
	wide := mat.NewDense(6000, 750, nil)
	for i := range 6000 {
		for q := range 750 {
			wide.Set(i, q, float64((i+1+7*q)%6000))
		}
	}
	for name, p := range map[string]*modelParts{
		"a graph of 4.5 million edges": {kind: "geodesic", arrays: map[string]*mat.Dense{"samples": line(6000, 1), "projection": line(6000, 1), "mean": mat.NewDense(1, 6000, nil),
			"neighbors": wide, "lengths": wide}, numbers: map[string]float64{"neighbors": 5}},
		"a million neighbours": {kind: "barycentric", arrays: map[string]*mat.Dense{"samples": line(1000000, 1), "embedding": line(1000000, 1)},
			numbers: map[string]float64{"neighbors": 999999, "gamma": 1e-3}},
		"15000 neighbours": {kind: "barycentric", arrays: map[string]*mat.Dense{"samples": line(15000, 1), "embedding": line(15000, 1)},
			numbers: map[string]float64{"neighbors": 14999, "gamma": 1e-3}},
		"1000 neighbours": {kind: "barycentric", arrays: map[string]*mat.Dense{"samples": line(15000, 1), "embedding": line(15000, 1)},
			numbers: map[string]float64{"neighbors": 1000, "gamma": 1e-3}},
		"two million columns": {kind: "linear", arrays: map[string]*mat.Dense{"mean": line(1, 1), "projection": mat.NewDense(1, 2000000, nil)}},
		"20000 neighbours by Nyström": {kind: "nystrom", arrays: map[string]*mat.Dense{"samples": line(20000, 1), "embedding": line(20000, 1), "values": line(1, 1)},
			numbers: map[string]float64{"neighbors": 19999, "weights": 0}},
		"rank 3000": {kind: "factors", arrays: map[string]*mat.Dense{"components": line(3000, 1)},
			numbers: map[string]float64{"loss": 0, "hals": 0, "iterations": 1e6, "theta": 0.5, "sigma2": 0}},
		"rank 2500 of 2000 samples": {kind: "factors", arrays: map[string]*mat.Dense{"components": line(2500, 1)},
			numbers: map[string]float64{"loss": 0, "hals": 0, "iterations": 200, "theta": 0.5, "sigma2": 0}},
		"planes of 3000": {kind: "linear", arrays: map[string]*mat.Dense{"mean": line(1, 3), "projection": line(3, 1), "smoothing_samples": line(3000, 3)},
			numbers: map[string]float64{"smoothing_neighbors": 3000, "smoothing_dim": 1, "smoothing_passes": 16, "smoothing_variance": 1, "smoothing_radius": 1}},
	} {
		m := &Model{Method: name, Samples: 2000}
		if x := p.arrays["samples"]; x != nil {
			_, m.Features = x.Dims()
			y := p.arrays["embedding"]
			if y == nil {
				y = p.arrays["projection"] // of a geodesic model
			}
			_, m.Dim = y.Dims()
		} else if a := p.arrays["projection"]; a != nil {
			m.Features, m.Dim = a.Dims()
		} else {
			m.Dim, m.Features = p.arrays["components"].Dims()
		}
		file := written(t, m, p)
		began, before := time.Now(), memory.Peak()
		m, err := LoadModelWithin(bytes.NewReader(file), limitedTo)
		if err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		y, err := m.Transform(context.Background(), mat.NewDense(1, m.Features, nil), Options{Threads: 1, Memory: limitedTo})
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%s: %v", name, took)
		}
		if grown := memory.Peak() - before; grown > limitedTo {
			t.Errorf("%s: the process grew by %d MiB", name, grown>>20)
		}
		t.Logf("%s: %v", name, err)
		if strings.HasPrefix(name, "rank") && err == nil {
			t.Errorf("%s: it is mapped", name)
		}
		if err == nil && y.At(0, 0)-y.At(0, 0) != 0 {
			t.Errorf("%s: %v", name, y.At(0, 0))
		}
	}
}

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
		for key := range partsOf(m.extension).numbers {
			for _, v := range values {
				var file bytes.Buffer
				edited := partsOf(m.extension)
				edited.numbers[key] = v
				if err := m.write(&file, edited); err != nil {
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
	for _, line := range []string{"embed lle", "embed le", "embed isomap", "embed pca", "embed lnp", "embed smce", "embed diffusion-maps",
		"factorize nmf", "factorize nmf-kl", "factorize cim-nmf", "factorize nmf-beta",
		"cluster kmeans", "cluster spectral", "cluster ds3", "cluster esc-ffs", "cluster lnp", "cluster smce"} {
		task, name, _ := strings.Cut(line, " ")
		p := problem{x: x, Options: Options{Components: "largest", Threads: 1}}
		if task == "factorize" {
			p.size = 2
		}
		model := must(must(solvedBy(f.Context(), task, named(f, name), p))(f).model())(f)
		kinds[model.Kind()] = true
		f.Add(uint8(len(files)), uint32(40), []byte("9"))
		files = append(files, saved(f, model))
	}
	if len(kinds) != 14 {
		f.Errorf("models of %d kinds: %v", len(kinds), kinds)
	}
	within := heldTo(f, limitedTo)
	f.Fuzz(func(t *testing.T, which uint8, at uint32, with []byte) {
		file := bytes.Clone(files[int(which)%len(files)])
		copy(file[int(at)%(len(file)-sumSize):len(file)-sumSize], with)
		sum := sha256.Sum256(file[:len(file)-sumSize])
		copy(file[len(file)-sumSize:], sum[:])
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

// written is the file of a model with those parts.
func written(t testing.TB, m *Model, parts *modelParts) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := m.write(&file, parts); err != nil {
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
