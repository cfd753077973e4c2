package files

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/must"
)

// oneLineError fails where an error is not one line that begins with the file.
func oneLineError(t *testing.T, path string, err error) {
	t.Helper()
	if err != nil && (strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), filepath.Base(path))) {
		t.Errorf("the error is %q", err)
	}
}

// fuzzed writes the bytes to a file of that extension in a folder.
func fuzzed(t testing.TB, folder, extension string, b []byte) string {
	t.Helper()
	path := filepath.Join(folder, "x"+extension)
	must.Do(t, os.WriteFile(path, b, 0o666))
	return path
}

// bounds are what the fuzz tests of files allow a reader to take.
var bounds = Options{MaxBytes: 1 << 24, AllowNonFinite: true}

// Labels are read or refused, and come back the same from a file of integers; as classes
// they have the same partition.
func FuzzLabels(f *testing.F) {
	folder := f.TempDir()
	extensions := []string{".csv", ".tsv", ".npy", ".npz", ".mtx", ".mat"}
	for _, text := range []string{"1\n2\n1\n", "label\n3\n-4\n", "1,2,3\n", "1.0\n2e3\n", "0.5\n", "a\nb\na\n", "9007199254740993\n", "\"x, y\"\n\"x, y\"\nz\n", "nan\n1\n", "1;2\n"} {
		f.Add([]byte(text), byte(0))
		f.Add([]byte(text), byte(1))
	}
	f.Add(pair(1, 2), byte(2))
	f.Add(npyArray("<i8", "False", "(3,)", make([]byte, 24)), byte(2))
	f.Add([]byte("%%MatrixMarket matrix array integer general\n3 1\n1\n2\n1\n"), byte(4))
	f.Fuzz(func(t *testing.T, b []byte, which byte) {
		path := fuzzed(t, folder, extensions[int(which)%len(extensions)], b)
		labels, err := ReadLabels(path, bounds)
		oneLineError(t, path, err)
		classes, names, other := ReadClasses(path, bounds)
		oneLineError(t, path, other)
		for _, c := range classes {
			if names != nil && (c < 0 || int(c) >= len(names)) {
				t.Fatalf("class %d of %d names", c, len(names))
			}
		}
		if err != nil {
			return
		}
		again := filepath.Join(folder, "again.npy")
		o, err := Create(again, nil)
		if err == nil {
			err = errors.Join(o.WriteLabels(labels), o.Commit())
		}
		if err != nil {
			t.Fatal(err)
		}
		back, err := ReadLabels(again, Options{})
		if err != nil || len(back) != len(labels) {
			t.Fatalf("%d labels came back as %d: %v", len(labels), len(back), err)
		}
		for i, l := range labels {
			if back[i] != l {
				t.Fatalf("label %d is %d, and came back as %d", i, l, back[i])
			}
		}
	})
}

// A sparse matrix is read whole and in order, or refused, and nothing beyond the limit of
// memory is taken for what a few bytes claim.
func FuzzSparseNPZ(f *testing.F) {
	folder := f.TempDir()
	for _, text := range []string{"%%MatrixMarket matrix coordinate real general\n3 4 3\n1 1 1.5\n2 3 -2\n3 4 7\n", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n1 1\n3 1\n"} {
		path := fuzzed(f, folder, ".mtx", []byte(text))
		a := must.Get(ReadSparse(path, Options{}))(f)
		for _, name := range []string{".npz", ".mtx", ".mat"} {
			o, err := Create(filepath.Join(folder, "seed"+name), nil)
			if err == nil {
				err = errors.Join(o.WriteMatrix(a, Options{}), o.Commit())
			}
			if err != nil {
				f.Fatal(err)
			}
			seed := must.Get(os.ReadFile(filepath.Join(folder, "seed"+name)))(f)
			f.Add(seed)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, extension := range []string{".npz", ".mat"} {
			path := fuzzed(t, folder, extension, b)
			a, err := ReadSparse(path, bounds)
			oneLineError(t, path, err)
			if err != nil {
				continue
			}
			must.Do(t, a.Validate())
			checkOrder(t, a)
		}
	})
}

// A packed file is what is packed in it, or refused: by the limit where it unfolds too far.
func FuzzPacked(f *testing.F) {
	folder := f.TempDir()
	extensions := []string{".npy.gz", ".csv.gz", ".npy.zst", ".csv.zst"}
	for i, extension := range extensions {
		path := filepath.Join(folder, "seed"+extension)
		o, err := Create(path, nil)
		if err == nil {
			err = errors.Join(o.WriteMatrix(mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6}), Options{}), o.Commit())
		}
		if err != nil {
			f.Fatal(err)
		}
		seed := must.Get(os.ReadFile(path))(f)
		f.Add(seed, byte(i))
		f.Add(seed[:len(seed)/2], byte(i))
		f.Add(append(seed, seed...), byte(i))
	}
	f.Fuzz(func(t *testing.T, b []byte, which byte) {
		path := fuzzed(t, folder, extensions[int(which)%len(extensions)], b)
		m, err := ReadMatrix(path, bounds)
		oneLineError(t, path, err)
		if err == nil {
			if rows, cols := m.Dims(); rows == 0 || cols == 0 {
				t.Fatalf("%d × %d without an error", rows, cols)
			}
		}
	})
}

// Row by row a file holds what it holds as a whole.
func FuzzRows(f *testing.F) {
	folder := f.TempDir()
	extensions := []string{".npy", ".csv", ".tsv", ".npz"}
	for _, c := range csvCases {
		f.Add([]byte(c.text), byte(1))
	}
	f.Add(pair(1, 2), byte(0))
	f.Add(npyArray("<f4", "True", "(3, 2)", make([]byte, 24)), byte(0))
	f.Fuzz(func(t *testing.T, b []byte, which byte) {
		path := fuzzed(t, folder, extensions[int(which)%len(extensions)], b)
		whole, err := ReadMatrix(path, bounds)
		oneLineError(t, path, err)
		rows, other := OpenRows(path, bounds)
		oneLineError(t, path, other)
		if other != nil {
			if err == nil {
				t.Fatalf("as a matrix it can be read, by rows not: %v", other)
			}
			return
		}
		defer rows.Close()
		data, other := inBlocks(rows, 3)
		oneLineError(t, path, other)
		switch {
		case err == nil && other != nil:
			t.Fatalf("as a matrix it can be read, by rows not: %v", other)
		case err == nil:
			sameBits(t, data, whole.RawMatrix().Data)
		}
	})
}

// Whatever a journal holds, it can be opened and added to; all whole lines stay, and one that
// is torn goes.
func FuzzJournal(f *testing.F) {
	folder := f.TempDir()
	for _, text := range []string{"", "{\"a\": 1}\n", "{\"a\": 1}\n{\"b\": ", "\n\n  \n", "\x00\x00\n\x00", "{\"a\": 1}\r\n[]\r\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		path := fuzzed(t, folder, ".jsonl", b)
		var before, after [][]byte
		j, _, err := OpenJournal(path, Options{}, func(line []byte) error { before = append(before, bytes.Clone(line)); return nil })
		if err == nil {
			err = errors.Join(j.Add(map[string]int{"new": 1}), j.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		j, _, err = OpenJournal(path, Options{}, func(line []byte) error { after = append(after, bytes.Clone(line)); return nil })
		if err == nil {
			err = j.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		before = append(before, []byte(`{"new":1}`))
		if !bytes.Equal(bytes.Join(before, []byte("\n")), bytes.Join(after, []byte("\n"))) {
			t.Fatalf("%q became %q", before, after)
		}
	})
}

// Images of any kind are read or refused.
func FuzzImages(f *testing.F) {
	folder := f.TempDir()
	extensions := []string{".png", ".jpg", ".pgm", ".ppm", ".gif"}
	f.Add([]byte("P5\n3 2\n255\n\x00\x01\x02\x0a\x0b\x0c"), byte(2))
	f.Add([]byte("P6\n1 1\n255\n\x00\x01\x02"), byte(3))
	f.Add([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU\x00\x00\x00\nIDATx\x9cc`\x00\x00\x00\x02\x00\x01H\xaf\xa4q\x00\x00\x00\x00IEND\xaeB`\x82"), byte(0))
	f.Fuzz(func(t *testing.T, b []byte, which byte) {
		path := fuzzed(t, folder, extensions[int(which)%len(extensions)], b)
		_, err := ReadImages(path, bounds, ImageOptions{})
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("the error is %q", err)
		}
	})
}
