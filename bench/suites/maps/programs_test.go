package maps

import (
	"bytes"
	"encoding/binary"
	"math"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/must"
)

func TestReported(t *testing.T) {
	one, err := reported(bench.Spent{Out: []byte(`{"backend":"native","seconds":{"read":1,"total":4,"write":0.5},"cpu_seconds":{"total":3,"read":1},"peak_rss_bytes":77}`), Cost: bench.Cost{Wall: 9, CPU: 8}})
	if err != nil || one.Wall != 2.5 || one.CPU != 2 || one.peak != 77 || one.version != "native" || one.process.Wall != 9 {
		t.Errorf("%+v, %v", one, err)
	}
	for _, text := range []string{"", "{}", `{"seconds":{"total":1}}`} {
		if _, err := reported(bench.Spent{Out: []byte(text)}); err == nil {
			t.Errorf("%q passes", text)
		}
	}
}

func TestSaidByR(t *testing.T) {
	one, err := saidByR(bench.Spent{Out: []byte(`{"wall": 1.5, "cpu": 2.5, "peak": 0, "version": "Rtsne 0.16"}`), Peak: 5})
	if err != nil || one.Wall != 1.5 || one.CPU != 2.5 || one.peak != 5 || one.version != "Rtsne 0.16" {
		t.Errorf("%+v, %v", one, err)
	}
	if _, err := saidByR(bench.Spent{Out: []byte("Error")}); err == nil {
		t.Error("no JSON passes")
	}
}

func TestRows(t *testing.T) {
	var b bytes.Buffer
	x := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	if err := writeRaw(&b, x); err != nil || b.Len() != 8+6*8 {
		t.Fatalf("%d bytes, %v", b.Len(), err)
	}
	b.Next(8)
	got, err := readRows(bytes.NewReader(b.Bytes()), 2, 3)
	if err != nil || !mat.Equal(got, x) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := readRows(&b, 3, 3); err == nil {
		t.Error("fewer numbers pass")
	}
	b.Reset()
	x.Set(1, 1, math.NaN())
	must.Do(t, writeRows(&b, x))
	if _, err := readRows(&b, 2, 3); err == nil {
		t.Error("NaN passes")
	}
}

// The program reads at these offsets.
func TestFItSNEFiles(t *testing.T) {
	var b bytes.Buffer
	x, start := mat.NewDense(4, 3, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), mat.NewDense(4, 2, []float64{1, 2, 3, 4, 5, 6, 7, 8})
	must.Do(t, writeFItSNE(&b, x, start, 9))
	const head = 6*4 + 2*8 + 4*8 + 4 + 8 + 2*4 + 8 + 4*4 + 8 + 4 + 8 + 4
	if want := head + 12*8 + 4 + 8 + 4 + 8*8; b.Len() != want {
		t.Fatalf("%d bytes, want %d", b.Len(), want)
	}
	all := b.Bytes()
	integer := func(at int) int32 { return int32(binary.LittleEndian.Uint32(all[at:])) }
	number := func(at int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(all[at:])) }
	if integer(0) != 4 || integer(4) != 3 || number(8) != 0.5 || number(16) != perplexity || integer(24) != 2 || integer(28) != fitsneIterations || number(56) != 200 {
		t.Error("the settings are not where they belong")
	}
	if number(head) != 1 || integer(head+96) != 9 || number(head+100) != 1 || integer(head+108) != 0 || number(head+112) != 1 {
		t.Error("the samples, the seed or the start are not where they belong")
	}
	b.Reset()
	must.Do(t, writeRaw(&b, start))
	if y, err := readFItSNE(&b); err != nil || !mat.Equal(y, start) {
		t.Errorf("%v, %v", y, err)
	}
	if _, err := readFItSNE(bytes.NewReader(make([]byte, 8))); err == nil {
		t.Error("a map of no samples passes")
	}
}

func TestStacked(t *testing.T) {
	a := &bench.Data{X: mat.NewDense(1, 2, []float64{1, 2}), Labels: []int64{3}}
	b := &bench.Data{X: mat.NewDense(2, 2, []float64{4, 5, 6, 7}), Labels: []int64{0, 1}}
	d, err := stacked([]*bench.Data{a, b})
	if err != nil || !mat.Equal(d.X, mat.NewDense(3, 2, []float64{1, 2, 4, 5, 6, 7})) || d.Labels[0] != 3 || d.Labels[2] != 1 || d.Hash == "" {
		t.Errorf("%+v, %v", d, err)
	}
	for _, wrong := range []*bench.Data{{X: mat.NewDense(1, 3, nil), Labels: []int64{1}}, {X: mat.NewDense(1, 2, nil)}} {
		if _, err := stacked([]*bench.Data{a, wrong}); err == nil {
			t.Errorf("%+v passes", wrong)
		}
	}
}

// Samples are unchanged by writing and reading.
func TestSave(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	for _, v := range []float64{3, 1.0 / 3} {
		x := mat.NewDense(1, 2, []float64{v, 255})
		must.Do(t, save(path, x))
		if got, err := files.ReadMatrix(path, files.Options{}); err != nil || !mat.Equal(got, x) {
			t.Errorf("%v, %v", got, err)
		}
	}
}
