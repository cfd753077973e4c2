package files

import (
	"archive/zip"
	"bytes"
	"io"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// The fuzz tests read arbitrary bytes. Nothing may panic, memory is bounded by a
// constant (buffers) and a multiple of the input, and what can be read comes
// back the same after it was written.

// bounded runs read and checks what it allocated.
func bounded(t *testing.T, input int, free, factor uint64, read func() (*mat.Dense, error)) *mat.Dense {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := read()
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > free+factor*uint64(input) {
		t.Errorf("%d bytes allocated for an input of %d", took, input)
	}
	if err != nil {
		if m != nil {
			t.Error("a matrix together with an error")
		}
		return nil
	}
	if rows, cols := m.Dims(); rows == 0 || cols == 0 {
		t.Fatalf("%d × %d without an error", rows, cols)
	}
	return m
}

// decode reads a file that is held in memory.
type decode func(b []byte) (*mat.Dense, error)

// comesBack writes m in the format of an extension and reads it again.
func comesBack(t *testing.T, m *mat.Dense, extension string, read decode) {
	t.Helper()
	var b bytes.Buffer
	loc := location{path: standard, file: standard, array: "x", format: registered(extension)}
	o := must.Get(begin(loc, &b))(t)
	must.Do(t, o.WriteMatrix(m, Options{}))
	must.Do(t, o.Commit())
	again := must.Get(read(b.Bytes()))(t)
	want := m.RawMatrix()
	got := again.RawMatrix()
	if got.Rows != want.Rows || got.Cols != want.Cols {
		t.Fatalf("%d × %d came back as %d × %d", want.Rows, want.Cols, got.Rows, got.Cols)
	}
	for p, v := range want.Data {
		if got.Data[p] != v && v == v {
			t.Fatalf("entry %d: %v came back as %v", p, v, got.Data[p])
		}
	}
}

// held is a source of bytes in memory, whose number is known.
func held(b []byte) source { return source{Reader: bytes.NewReader(b), size: int64(len(b))} }

func decodeNPY(b []byte) (*mat.Dense, error) { return readNPYMatrix(held(b), budget{}) }

func decodeNPZ(b []byte) (*mat.Dense, error) {
	return fromZip(bytes.NewReader(b), int64(len(b)), "", func(s source) (*mat.Dense, error) { return readNPYMatrix(s, budget{}) })
}

func decodeMarket(b []byte) (*mat.Dense, error) {
	market, err := parseMarket(held(b), budget{})
	if err != nil {
		return nil, err
	}
	return matrix{market.Dense, market.Sparse}.filled(budget{})
}

func decodeText(sep byte) decode {
	return func(b []byte) (*mat.Dense, error) { return readCSV(held(b), textForm{sep: sep}, budget{}, uncounted) }
}

func FuzzNPY(f *testing.F) {
	for _, c := range npyFaults {
		f.Add(c.file)
	}
	for _, c := range dtypeCases {
		f.Add(npyArray("<"+c.kind, "False", "(2, 3)", encoded(nativeOrder, c.v)))
		f.Add(npyArray(">"+c.kind, "True", "(3, 2)", encoded(nativeOrder, c.v)))
	}
	f.Add(npyFile(3, "{'descr': '|u1', 'fortran_order': True, 'shape': (), }", []byte{1}))
	f.Fuzz(func(t *testing.T, b []byte) {
		m := bounded(t, len(b), 1<<18, 64, func() (*mat.Dense, error) { return decodeNPY(b) })
		streamed := bounded(t, len(b), 1<<20, 64, func() (*mat.Dense, error) {
			return readNPYMatrix(source{Reader: io.MultiReader(bytes.NewReader(b)), size: -1}, budget{})
		})
		if (m == nil) != (streamed == nil) {
			t.Fatal("a file and a stream of the same bytes differ")
		}
		if labels, err := readNPYLabels(held(b), budget{}); err == nil && m != nil {
			for i, v := range labels {
				if float64(v) != m.RawMatrix().Data[i] {
					t.Fatalf("label %d is %d, entry %v", i, v, m.RawMatrix().Data[i])
				}
			}
		}
		if m != nil {
			comesBack(t, m, ".npy", decodeNPY)
		}
	})
}

func FuzzNPZ(f *testing.F) {
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		f.Add(zipFile(f, archiveEntry{"X.npy", method, pair(1, 2)}))
		f.Add(zipFile(f, archiveEntry{"X.npy", method, pair(1, 2)}, archiveEntry{"y.npy", method, pair(1, 2)}))
		f.Add(zipFile(f, archiveEntry{"X.npy", method, npyArray("|u1", "True", "(30, 70)", make([]byte, 2100))}))
		f.Add(zipFile(f, archiveEntry{"X.npy", method, npyArray("<f8", "False", "(1000000000,)", make([]byte, 8))}))
		f.Add(zipFile(f, archiveEntry{"X.txt", method, nil}))
	}
	f.Add([]byte{})
	f.Add(pair(1, 2))
	f.Fuzz(func(t *testing.T, b []byte) {
		// Deflate unfolds at most 1032 times, and a byte may become a float64.
		m := bounded(t, len(b), 1<<20, 1032*8*4, func() (*mat.Dense, error) { return decodeNPZ(b) })
		if m != nil {
			comesBack(t, m, ".npz", decodeNPZ)
		}
	})
}

func FuzzCSV(f *testing.F) {
	for _, c := range csvCases {
		f.Add([]byte(c.text), c.file == "x.tsv")
	}
	for _, c := range csvFaults {
		if len(c.text) < 1000 {
			f.Add([]byte(c.text), c.file == "x.tsv")
		}
	}
	for _, c := range layoutCases {
		f.Add([]byte(c.text), c.file == "x.tsv")
	}
	f.Fuzz(func(t *testing.T, b []byte, tabs bool) {
		extension, read := ".csv", decodeText(',')
		if tabs {
			extension, read = ".tsv", decodeText('\t')
		}
		m := bounded(t, len(b), 1<<18, 64, func() (*mat.Dense, error) { return read(b) })
		// Blocks of a few bytes take every path between blocks.
		sep := byte(',')
		if tabs {
			sep = '\t'
		}
		counted := must.Get(countRows(bytes.NewReader(b), textForm{sep: sep}, budget{}))(t)
		for _, rows := range []int{uncounted, counted} {
			small := newTextReader(source{Reader: bytes.NewReader(b), size: -1}, textForm{sep: sep}, budget{})
			small.blocks.size = 3
			data, err := small.read(rows)
			switch {
			case m == nil && err == nil:
				t.Fatal("small blocks hide an error")
			case m != nil && err != nil:
				t.Fatalf("small blocks: %v", err)
			case m != nil:
				sameBits(t, data, m.RawMatrix().Data)
			}
		}
		if m != nil {
			comesBack(t, m, extension, read)
		}
	})
}

// FuzzText reads texts whose separator is not known, with every way to say how they are written. It may not depend on the blocks.
func FuzzText(f *testing.F) {
	for _, c := range layoutCases {
		f.Add([]byte(c.text), byte(c.options.SkipRows), c.options.Comment != "", c.options.Booleans, c.options.Thousands == '.')
	}
	f.Fuzz(func(t *testing.T, b []byte, skip byte, comments, booleans, points bool) {
		form := textForm{sep: '\t', guess: true, skip: int(skip), notation: notation{booleans: booleans}, note: func(string) {}}
		if comments {
			form.comment = "!"
		}
		if points {
			form.thousands = '.'
		}
		m := bounded(t, len(b), 1<<18, 64, func() (*mat.Dense, error) { return readCSV(held(b), form, budget{}, uncounted) })
		for _, rows := range []int{uncounted, must.Get(countRows(bytes.NewReader(b), form, budget{}))(t)} {
			small := newTextReader(source{Reader: bytes.NewReader(b), size: -1}, form, budget{})
			small.blocks.size = 3
			data, err := small.read(rows)
			if (m == nil) != (err != nil) {
				t.Fatalf("small blocks: %v", err)
			}
			if m != nil {
				sameBits(t, data, m.RawMatrix().Data)
			}
		}
		_, _ = readColumn(held(b), form, budget{})
		_, _ = describeText(held(b), form, budget{})
		if m != nil {
			comesBack(t, m, ".dat", func(b []byte) (*mat.Dense, error) {
				return readCSV(held(b), textForm{sep: '\t', guess: true}, budget{}, uncounted)
			})
		}
	})
}

func FuzzMatrixMarket(f *testing.F) {
	for _, text := range []string{
		"%%MatrixMarket matrix coordinate real general\n% c\n2 3 2\n1 1 1.5\n2 3 -2e1\n",
		"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n1 1\n3 1\n",
		"%%MatrixMarket matrix array integer skew-symmetric\n2 2\n5\n",
		"%%MatrixMarket matrix array real general\n1 2\n1D3\nnan\n",
		"%%MatrixMarket matrix coordinate real general\n1000000 1000000 1\n1 1 1\n",
		"%%MatrixMarket matrix coordinate real general\n2000000000 1 0\n",
		"%%MatrixMarket matrix array real general\n2000000000 2000000000\n",
		"%%MatrixMarket matrix array complex general\n1 1\n1 1\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m := bounded(t, len(b), 1<<20+24*(1<<20)+8*freeCells, 8*cellsPerEntry, func() (*mat.Dense, error) { return decodeMarket(b) })
		if m != nil {
			comesBack(t, m, ".mtx", decodeMarket)
		}
		if market, err := parseMarket(held(b), budget{}); err == nil && m != nil && market.Sparse != nil {
			checkOrder(t, market.Sparse)
		}
	})
}

// checkOrder checks what every matrix in compressed rows promises.
func checkOrder(t *testing.T, a *sparse.CSR) {
	t.Helper()
	for i := range a.Rows {
		cols, _ := a.Row(i)
		for p, j := range cols {
			if j < 0 || int(j) >= a.Cols || p > 0 && cols[p-1] >= j {
				t.Fatalf("row %d has the columns %v", i, cols)
			}
		}
	}
}
