package files

import (
	"archive/zip"
	"encoding/binary"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// scipyFile makes the archive of scipy.sparse.save_npz; change may replace arrays.
func scipyFile(t testing.TB, change map[string][]byte) []byte {
	t.Helper()
	arrays := map[string][]byte{
		"indices": npyArray("<i4", "False", "(4,)", encoded(binary.LittleEndian, []int32{2, 0, 1, 0})),
		"indptr":  npyArray("<i4", "False", "(4,)", encoded(binary.LittleEndian, []int32{0, 2, 2, 4})),
		"format":  npyArray("|S3", "False", "()", []byte("csr")),
		"shape":   npyArray("<i8", "False", "(2,)", encoded(binary.LittleEndian, []int64{3, 3})),
		"data":    npyArray("<f8", "False", "(4,)", encoded(binary.LittleEndian, []float64{7, 5, 0, 4})),
	}
	var entries []archiveEntry
	for _, name := range sparseArrays {
		content := arrays[name]
		if other, given := change[name]; given {
			content = other
		}
		entries = append(entries, archiveEntry{name + ".npy", zip.Deflate, content})
	}
	return zipFile(t, entries...)
}

// TestNPZSparse reads the rows and the columns that SciPy compresses, unsorted and with
// stored zeros.
func TestNPZSparse(t *testing.T) {
	a := must.Get(ReadSparse(write(t, "a.npz", scipyFile(t, nil)), Options{}))(t)
	if !slices.Equal(a.Ptr, []int{0, 2, 2, 4}) || !slices.Equal(a.Col, []int32{0, 2, 0, 1}) || !slices.Equal(a.Val, []float64{5, 7, 4, 0}) {
		t.Errorf("read %v %v %v", a.Ptr, a.Col, a.Val)
	}
	wide := npyArray("<U3", "False", "()", encoded(binary.LittleEndian, []int32{'c', 's', 'c'}))
	path := write(t, "a.npz", scipyFile(t, map[string][]byte{"format": wide}))
	columns, err := ReadAny(path, Options{})
	if err != nil || !mat.Equal(columns, a.Dense().T()) {
		t.Errorf("columns: %v, %v", columns, err)
	}
	e, err := ExtentOf(path)
	if err != nil || e.Rows != 3 || e.Cols != 3 || e.Entries != 4 {
		t.Errorf("extent %+v, %v", e, err)
	}
	wantMatrix(t, path+":data", 4, 1, []float64{7, 5, 0, 4})
}

// TestNPZSparseRoundTrip writes what it reads, zeros and all.
func TestNPZSparseRoundTrip(t *testing.T) {
	a := must.Get(sparse.FromTriplets(4, 3, []sparse.Triplet{{Row: 0, Col: 2, Val: 0.1}, {Row: 2, Col: 0, Val: 0}, {Row: 2, Col: 1, Val: -1e300}}))(t)
	path := filepath.Join(t.TempDir(), "a.npz")
	o := must.Get(Create(path, nil))(t)
	must.Do(t, o.WriteMatrix(a, Options{}))
	must.Do(t, o.Commit())
	b := must.Get(ReadSparse(path, Options{}))(t)
	if b.Cols != 3 || !slices.Equal(a.Ptr, b.Ptr) || !slices.Equal(a.Col, b.Col) || !slices.Equal(a.Val, b.Val) {
		t.Errorf("came back as %+v", b)
	}
}

// TestNPZSparseWithoutEntries reads a matrix that is all zeros, whole and block after block.
func TestNPZSparseWithoutEntries(t *testing.T) {
	none := map[string][]byte{
		"indices": npyArray("<i4", "False", "(0,)", nil), "data": npyArray("<f8", "False", "(0,)", nil),
		"indptr": npyArray("<i4", "False", "(4,)", encoded(binary.LittleEndian, []int32{0, 0, 0, 0})),
	}
	for _, format := range []string{"csr", "csc"} {
		none["format"] = npyArray("|S3", "False", "()", []byte(format))
		path := write(t, "a.npz", scipyFile(t, none))
		a, err := ReadSparse(path, Options{})
		if err != nil || a.Rows != 3 || a.Cols != 3 || a.NNZ() != 0 {
			t.Fatalf("%s: %+v, %v", format, a, err)
		}
		if e, err := ExtentOf(path); err != nil || e.Rows != 3 || e.Cols != 3 || e.Entries != 0 {
			t.Errorf("%s: extent %+v, %v", format, e, err)
		}
	}
	none["format"] = npyArray("|S3", "False", "()", []byte("csr"))
	s := must.Get(openSparseStream(location{file: write(t, "a.npz", scipyFile(t, none)), format: &npzFormat}, Options{}))(t)
	defer s.close()
	if a, err := s.read(2); err != nil || a.Rows != 2 || a.NNZ() != 0 {
		t.Errorf("the first block: %+v, %v", a, err)
	}
	if a, err := s.read(2); err != nil || a.Rows != 1 || a.NNZ() != 0 {
		t.Errorf("the last block: %+v, %v", a, err)
	}
}

func TestNPZSparseFaults(t *testing.T) {
	ints := func(v ...int64) []byte {
		h := npyHeader{shape: []int{len(v)}}
		return npyArray("<i8", "False", h.shapeText(), encoded(binary.LittleEndian, v))
	}
	for _, c := range []struct {
		array   string
		content []byte
		want    string
	}{
		{"format", npyArray("|S3", "False", "()", []byte("coo")), "a.tocsr()"},
		{"format", []byte("no"), "not a NumPy string"},
		{"shape", ints(3), "the rows and the columns"},
		{"shape", ints(3, -1), "the rows and the columns"},
		{"shape", ints(3, 1<<40), "32-bit indices"},
		{"shape", ints(9, 3), "indptr has 4 numbers for 9 rows"},
		{"shape", ints(3, 2), "row 1 (counting from 1) has an entry in column 2 of 2"},
		{"indptr", ints(0, 3, 2, 4), "does not ascend"},
		{"indptr", ints(0, 2, 2, 3), "goes from 0 to 3"},
		{"indptr", ints(0, 9, 9, 4), "does not ascend"},
		{"indices", ints(2, 0, 1<<33, 0), "entry in column 8589934592"},
		{"indices", ints(2, 2, 1, 0), "row 1, column 3 (counting from 1) is stored twice"},
		{"indices", ints(2, -1, 1, 0), "entry in column -1"},
		{"indices", npyArray("<f8", "False", "(4,)", encoded(binary.LittleEndian, []float64{2, 0, 1.5, 0})), "1.5, and no whole number"},
		{"indices", npyArray("<f4", "False", "(4,)", encoded(binary.LittleEndian, []float32{2, 0, 1e30, 0})), "1.0000000150474662e+30, and no whole number"},
		{"indptr", npyArray("<f8", "False", "(4,)", encoded(binary.LittleEndian, []float64{0, 2.25, 2, 4})), "2.25, and no whole number"},
		{"shape", npyArray("<f8", "False", "(2,)", encoded(binary.LittleEndian, []float64{3, math.NaN()})), "NaN, and no whole number"},
		{"indptr", ints(), "indptr has 0 numbers for 3 rows"},
		{"indices", ints(2, 0, 1), "they need as many"},
		{"data", pair(1, 2), "they need as many"},
		{"data", pair(1, 2)[:90], `array "data"`},
	} {
		path := write(t, "a.npz", scipyFile(t, map[string][]byte{c.array: c.content}))
		_, err := ReadSparse(path, Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.array, err, c.want)
		}
	}
}
