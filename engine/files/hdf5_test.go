package files

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// hdf5Files unpacks testdata/hdf5 into a folder.
func hdf5Files(t testing.TB) string {
	t.Helper()
	folder := t.TempDir()
	packed := must.Get(filepath.Glob("testdata/hdf5/*.gz"))(t)
	if len(packed) < 6 {
		t.Fatal("files are missing")
	}
	for _, path := range packed {
		r := must.Get(os.Open(path))(t)
		b := must.Get(io.ReadAll(must.Get(gzip.NewReader(r))(t)))(t)
		r.Close()
		must.Do(t, os.WriteFile(filepath.Join(folder, strings.TrimSuffix(filepath.Base(path), ".gz")), b, 0o666))
	}
	return folder
}

// The matrix of testdata/hdf5, of cells and genes.
var cells = mat.NewDense(4, 3, []float64{5, 0, 2, 1, 4, 0, 0, 0, 6, 0, 1, 3})

// Files of anndata, 10x and MATLAB 7.3 hold one matrix in many ways.
func TestHDF5Matrices(t *testing.T) {
	testHDF5Matrices(t, hdf5Files(t))
}

// So they do as anndata and h5py write them on this machine.
func TestHDF5ByAnnData(t *testing.T) {
	folder := t.TempDir()
	script := must.Get(filepath.Abs("testdata/hdf5/files.py"))(t)
	if _, err := os.Stat("/usr/bin/python3"); err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no Python here")
	}
	python := exec.Command("/usr/bin/python3", script, folder)
	python.Dir = folder
	if out, err := python.CombinedOutput(); err != nil {
		if strings.Contains(string(out), "No module named") || os.IsNotExist(err) {
			t.Skip("anndata is not there")
		}
		t.Fatalf("%v: %s", err, out)
	}
	testHDF5Matrices(t, folder)
}

func testHDF5Matrices(t *testing.T, folder string) {
	for _, c := range []struct {
		path          string
		sparse        bool
		times         float64
		rows, columns string
		of            string
	}{
		{"new.h5ad", true, 1, "c1 c2 c3 c4", "IL2 CD4 CD8", "id"},
		{"new.h5ad:/X", true, 1, "c1 c2 c3 c4", "IL2 CD4 CD8", "id"},
		{"new.h5ad:layers/columns", true, 1, "c1 c2 c3 c4", "IL2 CD4 CD8", "id"},
		{"new.h5ad:layers/dense", false, 2, "c1 c2 c3 c4", "IL2 CD4 CD8", "id"},
		{"new.h5ad:raw/X", true, 1, "c1 c2 c3 c4", "IL2 CD4 CD8", "id"},
		{"old.h5ad", false, 1, "c1 c2 c3 c4", "IL2 CD4 CD8", "id"},
		{"tenx3.h5", true, 1, "c1 c2 c3 c4", "IL2 CD4 CD8", "barcode"},
		{"tenx2.h5:GRCh38", true, 1, "c1 c2 c3 c4", "IL2 CD4 CD8", "barcode"},
		{"level73.mat:X", false, 1, "", "", ""},
		{"level73.mat:S", true, 1, "", "", ""},
		{"plain.h5:group/x", false, 1, "", "", ""},
	} {
		t.Run(c.path, func(t *testing.T) {
			path := filepath.Join(folder, c.path)
			var want mat.Dense
			want.Scale(c.times, cells)
			x := must.Get(ReadAny(path, Options{}))(t)
			if _, is := x.(*sparse.CSR); is != c.sparse || !mat.Equal(x, &want) {
				t.Errorf("%T %v", x, mat.Formatted(x))
			}
			if y := must.Get(ReadMatrix(path, Options{Transpose: true}))(t); !mat.Equal(y, want.T()) {
				t.Errorf("transposed: %v", mat.Formatted(y))
			}
			r := must.Get(OpenRows(path, Options{}))(t)
			defer r.Close()
			data := must.Get(inBlocks(r, 3))(t)
			sameBits(t, data, want.RawMatrix().Data)
			e := must.Get(ExtentOf(path))(t)
			if e.Rows != 4 || e.Cols != 3 || (e.Entries >= 0) != c.sparse {
				t.Errorf("%+v", e)
			}
			must.Get(ReadAny(path, Options{MaxBytes: e.Peak + free}))(t)
			if _, err := ReadAny(path, Options{MaxBytes: 20}); !IsTooLarge(err) {
				t.Errorf("error %v", err)
			}
			n := must.Get(NamesOf(path, Options{}))(t)
			if strings.Join(n.Rows, " ") != c.rows || strings.Join(n.Columns, " ") != c.columns || n.Of != c.of {
				t.Errorf("%+v", n)
			}
		})
	}
}

func TestHDF5Labels(t *testing.T) {
	folder := hdf5Files(t)
	for path, want := range map[string]struct {
		classes []int64
		names   string
		err     string
	}{
		"new.h5ad:obs/cell_type": {[]int64{2, 0, 2, 1}, "B NK T", ""},
		"new.h5ad:cell_type":     {[]int64{2, 0, 2, 1}, "B NK T", ""},
		"old.h5ad:obs/cell_type": {[]int64{2, 0, 2, 1}, "B NK T", ""},
		"new.h5ad:obs/batch":     {[]int64{1, 2, 1, 2}, "", ""},
		"new.h5ad:obs/run":       {[]int64{10, 20, 10, 20}, "", ""},
		"new.h5ad:obs/doublet":   {[]int64{1, 0, 0, 1}, "", ""},
		"plain.h5:names":         {[]int64{0, 1, 0, 1}, "p q", ""},
		"plain.h5:y":             {[]int64{3, 1, 3, 1}, "", ""},
		"level73.mat:y":          {[]int64{1, 2, 1, 2}, "", ""},
		"new.h5ad:obs/gappy":     {nil, "", "entry 2 (counting from 1) has no class"},
		"new.h5ad:obs/score":     {nil, "", "whole numbers"},
		"new.h5ad:X":             {nil, "", "labels are an array of integers or text"},
		"new.h5ad":               {nil, "", "new.h5ad:obs/column"},
		"new.h5ad:obs/nope":      {nil, "", "the columns of obs are batch, "},
	} {
		classes, names, err := ReadClasses(filepath.Join(folder, path), Options{})
		if !slices.Equal(classes, want.classes) || strings.Join(names, " ") != want.names || (err == nil) != (want.err == "") || err != nil && !strings.Contains(err.Error(), want.err) {
			t.Errorf("%s: %v %q, error %v", path, classes, names, err)
		}
	}
	texts, _, err := ReadTexts(filepath.Join(folder, "new.h5ad:obs/_index"), Options{})
	if err != nil || !slices.Equal(texts, []string{"c1", "c2", "c3", "c4"}) {
		t.Errorf("%q, error %v", texts, err)
	}
}

// Arrays of float32 are read in that type.
func TestHDF5InItsType(t *testing.T) {
	folder := hdf5Files(t)
	for path, is32 := range map[string]bool{"plain.h5:group/x": true, "old.h5ad": true, "level73.mat:X": false, "new.h5ad": false} {
		path = filepath.Join(folder, path)
		rows, cols, data, is, err := ReadSingle(path, Options{})
		if err != nil || is != is32 || is && (rows != 4 || cols != 3 || data[0] != 5 || data[11] != 3) {
			t.Errorf("%s: %d × %d %v %v, error %v", path, rows, cols, data, is, err)
		}
		x := must.Get(ReadStored(path, Options{}))(t)
		if _, is := x.(*neighbors.Stored); is != is32 || x.At(2, 2) != 6 {
			t.Errorf("%s: %T", path, x)
		}
	}
}

// Errors say what there is instead.
func TestHDF5Refusals(t *testing.T) {
	folder := hdf5Files(t)
	for path, want := range map[string]string{
		"plain.h5":               "plain.h5:group/x",
		"level73.mat":            "X 4 × 3",
		"level73.mat:t":          "is text",
		"new.h5ad:obs":           "new.h5ad:obs/batch",
		"new.h5ad:nothing":       "layers/dense 4 × 3",
		"new.h5ad:obs/cell_type": "give it as labels",
		"plain.h5:names":         "holds text",
		"missing.h5":             must.NoFile(),
	} {
		if _, err := ReadAny(filepath.Join(folder, path), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", path, err)
		}
	}
	if _, err := Create(filepath.Join(folder, "y.h5"), nil); err == nil || !strings.Contains(err.Error(), "only .h5ad is written") {
		t.Errorf("error %v", err)
	}
	if path := write(t, "x.h5", []byte("x,y\n1,2\n")); true {
		if _, err := ReadAny(path, Options{}); err == nil || !strings.Contains(err.Error(), "not an HDF5 file") {
			t.Errorf("error %v", err)
		}
	}
	whole := must.Get(os.ReadFile(filepath.Join(folder, "plain.h5")))(t)
	if _, err := ReadAny(write(t, "cut.h5", whole[:len(whole)-1]), Options{}); err == nil || !strings.Contains(err.Error(), "truncated") {
		t.Errorf("error %v", err)
	}
}

// Damaged files are read or refused in one line.
func TestHDF5Damaged(t *testing.T) {
	folder := hdf5Files(t)
	draw := rand.New(rand.NewPCG(3, 4))
	for _, path := range []string{"new.h5ad", "tenx3.h5", "level73.mat", "plain.h5"} {
		whole := must.Get(os.ReadFile(filepath.Join(folder, path)))(t)
		for range 60 {
			b := bytes.Clone(whole)
			for range 4 {
				b[draw.IntN(len(b))] ^= byte(1 << draw.IntN(8))
			}
			bent := fuzzed(t, folder, filepath.Ext(path), b)
			for _, selection := range []string{"", ":X", ":S", ":group/x", ":layers/columns"} {
				_, err := ReadAny(bent+selection, bounds)
				oneLineError(t, bent, err)
			}
			_, _ = NamesOf(bent, bounds)
			_, _, _ = ReadClasses(bent+":obs/cell_type", bounds)
		}
	}
}

func FuzzHDF5(f *testing.F) {
	folder := hdf5Files(f)
	for _, path := range must.Get(filepath.Glob(folder + "/*"))(f) {
		f.Add(must.Get(os.ReadFile(path))(f))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, selection := range []string{"", ":X", ":group/x", ":layers/columns", ":S"} {
			path := fuzzed(t, folder, ".h5", b)
			_, err := ReadAny(path+selection, bounds)
			oneLineError(t, path, err)
			_, _ = NamesOf(path+selection, bounds)
		}
		_, _, err := ReadClasses(filepath.Join(folder, "x.h5")+":obs/cell_type", bounds)
		oneLineError(t, "x.h5", err)
	})
}
