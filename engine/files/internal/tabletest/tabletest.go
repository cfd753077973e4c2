// Package tabletest holds what the tests of the formats of tables share.
package tabletest

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/files"
)

// Matrix returns random numbers, the same ones for the same shape.
func Matrix(rows, cols int) *mat.Dense {
	m := mat.NewDense(rows, cols, nil)
	blas.NewStream(3).Normals(m.RawMatrix().Data)
	return m
}

// Columns returns some columns of m, in the order given.
func Columns(m *mat.Dense, cols ...int) *mat.Dense {
	rows, _ := m.Dims()
	s := mat.NewDense(rows, len(cols), nil)
	for j, c := range cols {
		s.SetCol(j, mat.Col(nil, c, m))
	}
	return s
}

// Put writes the content of a file.
func Put(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
}

// Get returns the content of a file.
func Get(t testing.TB, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// Save writes m in the format that the path names.
func Save(t testing.TB, path string, m *mat.Dense, o files.Options) {
	t.Helper()
	out, err := files.Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(out.WriteMatrix(m, o), out.Commit()); err != nil {
		t.Fatal(err)
	}
}

// SaveRows writes m in blocks of this many rows, without giving their number first.
func SaveRows(t testing.TB, path string, m *mat.Dense, block int) {
	t.Helper()
	out, err := files.Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	n, d := m.Dims()
	w, err := out.Rows(-1, d, files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; err == nil && at < n; at += block {
		err = w.Write(m.Slice(at, min(at+block, n), 0, d).(*mat.Dense))
	}
	if err = errors.Join(err, w.Close(), out.Commit()); err != nil {
		t.Fatal(err)
	}
}

// WantMatrix reads a file that is to hold a matrix, to the last bit.
func WantMatrix(t testing.TB, path string, want *mat.Dense) {
	t.Helper()
	got, err := files.ReadMatrix(path, files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(got, want) {
		t.Errorf("%s: %v, want %v", filepath.Base(path), mat.Formatted(got), mat.Formatted(want))
	}
}

// WantRows reads a file by blocks of rows that need not fit those it was written in.
func WantRows(t testing.TB, path string, want *mat.Dense, block int) {
	t.Helper()
	n, d := want.Dims()
	r, err := files.OpenRows(path, files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Rows() != n || r.Cols() != d || r.Whole() != "" {
		t.Fatalf("%d × %d, want %d × %d in blocks; whole: %q", r.Rows(), r.Cols(), n, d, r.Whole())
	}
	values, at := make([]float64, block*d), 0
	for {
		k, err := r.Next(values)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if at+k > n {
			t.Fatalf("%d rows and more, want %d", at+k, n)
		}
		for i := range k {
			if got := values[i*d : (i+1)*d]; !slices.Equal(got, want.RawRowView(at+i)) {
				t.Fatalf("row %d is %v, want %v", at+i, got, want.RawRowView(at+i))
			}
		}
		at += k
	}
	if at != n {
		t.Errorf("%d rows, want %d", at, n)
	}
}

// WantError reads a file and expects a reading error, in one line that says so.
func WantError(t testing.TB, path, want string) {
	t.Helper()
	_, err := files.ReadMatrix(path, files.Options{})
	if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "reading "+path+": ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v, want one that says %q", err, want)
	}
	var e *files.Error
	if !errors.As(err, &e) || e.Op != files.OpRead {
		t.Errorf("%T is not an error of reading", err)
	}
}

// RoundTrip writes matrices of several shapes and reads them again.
func RoundTrip(t *testing.T, path string, shapes ...[2]int) {
	t.Helper()
	for _, shape := range shapes {
		m := Matrix(shape[0], shape[1])
		Save(t, path, m, files.Options{})
		WantMatrix(t, path, m)
		m.Apply(func(_, _ int, v float64) float64 { return float64(float32(v)) }, m)
		Save(t, path, m, files.Options{Float32: true})
		WantMatrix(t, path, m)
	}
}

// Labels writes labels, which no float64 could hold, and reads them again.
func Labels(t *testing.T, path string) {
	t.Helper()
	want := []int64{math.MaxInt64, -3}
	out, err := files.Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(out.WriteLabels(want), out.Commit()); err != nil {
		t.Fatal(err)
	}
	got, err := files.ReadLabels(path, files.Options{})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, error %v", got, err)
	}
}

// BenchmarkRead reads a matrix of 100 000 × 20 again and again.
func BenchmarkRead(b *testing.B, extension string) {
	path := filepath.Join(b.TempDir(), "x"+extension)
	Save(b, path, Matrix(100_000, 20), files.Options{})
	b.SetBytes(8 * 100_000 * 20)
	for b.Loop() {
		if _, err := files.ReadMatrix(path, files.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
