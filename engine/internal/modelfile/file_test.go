package modelfile

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// Arrays are stored as narrow as loses nothing, and come back bit by bit.
func TestArraysAreExact(t *testing.T) {
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
			about := About{Method: "test", Samples: 1, Features: 3, Dim: 2}
			var file bytes.Buffer
			must.Do(t, Write(&file, about, PartsOf(&extend.Extension{Map: extend.LinearMap{Mean: []float64{0, 0.1, 7}, Projection: a}})))
			read, rule, err := Read(&file, 0)
			if err != nil || read.Method != about.Method || read.Samples != 1 || read.Features != 3 || read.Dim != 2 {
				t.Fatalf("%+v, %v", read, err)
			}
			back := rule.Map.(extend.LinearMap).Projection.RawMatrix().Data
			for p, v := range c.data {
				if math.Float64bits(back[p]) != math.Float64bits(v) {
					t.Errorf("%s: %g came back as %g", name, v, back[p])
				}
			}
		})
	}
}

// A header may name an array once.
func TestHeaderNamesAnArrayOnce(t *testing.T) {
	one := denseArray{"a", 1, 1, "|u1", 0, 1}
	again := one
	again.Offset = alignment
	h := header{About: About{Method: "pca", Samples: 1, Features: 1, Dim: 1}, Arrays: []denseArray{one, again}}
	must.Refuse(t, "comes twice")(h.check(2 * alignment))
}

// compressedParts are those of a model of three samples in compressed rows.
func compressedParts(change func(a *sparse.CSR)) *Parts {
	a := &sparse.CSR{Rows: 3, Cols: 4, Ptr: []int{0, 2, 2, 3}, Col: []int32{0, 3, 1}, Val: []float64{1, 0.1, -2}}
	change(a)
	return &Parts{Kind: "barycentric", Arrays: map[string]*mat.Dense{"embedding": mat.NewDense(3, 1, []float64{1, 2, 3})},
		Compressed: map[string]*sparse.CSR{"samples": a}, Numbers: map[string]float64{"neighbors": 2, "gamma": 1e-3}}
}

// fillsUp is a disk that is full after this many bytes.
type fillsUp struct{ left int }

var errFull = errors.New("the disk is full")

func (f *fillsUp) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// Arrays in compressed rows come back, and a file that ends within them is refused, as is one
// whose rows are none.
func TestCompressedArrays(t *testing.T) {
	about := About{Method: "lle", Samples: 3, Features: 4, Dim: 1}
	var file bytes.Buffer
	must.Do(t, Write(&file, about, compressedParts(func(*sparse.CSR) {})))
	_, rule := must.Two(Read(bytes.NewReader(file.Bytes()), 1<<20))(t)
	var again bytes.Buffer
	if err := Write(&again, about, PartsOf(rule)); err != nil || !bytes.Equal(again.Bytes(), file.Bytes()) {
		t.Errorf("written again it is another file, %v", err)
	}
	must.Refuse(t, "memory limit")(Read(bytes.NewReader(file.Bytes()), 50))
	for n := range file.Len() {
		if err := Write(&fillsUp{n}, about, compressedParts(func(*sparse.CSR) {})); !errors.Is(err, errFull) {
			t.Fatalf("room for %d of %d bytes: %v", n, file.Len(), err)
		}
		if _, _, err := Read(&whole{bytes.NewReader(file.Bytes()[:n])}, 0); err == nil || !strings.Contains(err.Error(), "the file ends") {
			t.Fatalf("cut after %d of %d bytes: %v", n, file.Len(), err)
		}
	}
	for want, change := range map[string]func(a *sparse.CSR){
		"do not span its entries": func(a *sparse.CSR) { a.Ptr = []int{0, 2, 2, 2} },
		"ends before it starts":   func(a *sparse.CSR) { a.Ptr = []int{0, 2, 1, 3} },
		"the columns of row 1":    func(a *sparse.CSR) { a.Col = []int32{3, 0, 1} },
		"do not ascend within 4":  func(a *sparse.CSR) { a.Col = []int32{0, 3, 4} },
		"is NaN":                  func(a *sparse.CSR) { a.Val[2] = math.NaN() },
	} {
		file.Reset()
		must.Do(t, Write(&file, about, compressedParts(change)))
		must.Refuse(t, want)(Read(&file, 0))
	}
}

// whole hides how long a file is.
type whole struct{ r *bytes.Reader }

func (w *whole) Read(p []byte) (int, error) { return w.r.Read(p) }

// A header that contradicts itself, or the length of its file, is refused.
func TestContradictoryHeaders(t *testing.T) {
	about := About{Method: "lle", Samples: 3, Features: 4, Dim: 1}
	dense := denseArray{"a", 1, 1, "|u1", 0, 1}
	rows := compressedArray{Name: "a", Rows: 1, Cols: 1, Entries: 1, Type: "|u1"}
	rows.Length = rows.lengthOf()
	for want, change := range map[string]func(h *header){
		"are missing":            func(h *header) { h.Samples = 0 },
		"unknown type \"<f2\"":   func(h *header) { h.Arrays[0].Type = "<f2" },
		"is not one of 2 bytes":  func(h *header) { h.Arrays[0].Length = 2 },
		"is not within the data": func(h *header) { h.Arrays[0].Offset = 1 },
		"unknown type \"<i8\"":   func(h *header) { h.Compressed[0].Type = "<i8" },
		"comes twice":            func(h *header) { h.Compressed[0].Name = "a" },
		"with 2 entries is not":  func(h *header) { h.Compressed[0].Entries = 2; h.Compressed[0].Length-- },
		"\"b\" is not within":    func(h *header) { h.Compressed[0].Offset = 0 },
		"and there are":          func(h *header) { h.Compressed = nil },
	} {
		h := header{About: about, Arrays: []denseArray{dense}, Compressed: []compressedArray{rows}}
		h.Compressed[0].Name, h.Compressed[0].Offset = "b", alignment
		data := h.dataLength()
		must.Do(t, h.check(data))
		change(&h)
		must.Refuse(t, want)(h.check(data))
	}
}
