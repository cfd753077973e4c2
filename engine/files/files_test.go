package files

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/internal/must"
)

// write makes a file in a folder of the test's own and returns its path.
func write(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.Do(t, os.WriteFile(path, content, 0o666))
	return path
}

// wantError checks the class of an error and what it says, on one line that
// names the file.
func wantError(t *testing.T, err error, op Op, path, want string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one that says %q", want)
	}
	var e *Error
	if !errors.As(err, &e) || e.Op != op || e.Path != path {
		t.Errorf("error %#v, want an *Error with operation %s and path %s", err, op, path)
	}
	text := err.Error()
	if !strings.Contains(text, want) || strings.Contains(text, "\n") || len(text) > 400+len(path) {
		t.Errorf("error %q, want one line that says %q", text, want)
	}
	if path != standard && !strings.Contains(text, path+": ") {
		t.Errorf("error %q does not name %s", text, path)
	}
	if path != "" && path != standard && strings.Count(text, path) > 1 {
		t.Errorf("error %q names the path twice", text)
	}
}

func sameBits(t *testing.T, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d numbers, want %d", len(got), len(want))
	}
	for i := range got {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			t.Fatalf("number %d is %v, want %v", i, got[i], want[i])
		}
	}
}

// wantMatrix reads path and compares it, bit by bit, with rows × cols numbers.
func wantMatrix(t *testing.T, path string, rows, cols int, want []float64) {
	t.Helper()
	m := must.Get(ReadMatrix(path, Options{}))(t)
	if r, c := m.Dims(); r != rows || c != cols {
		t.Fatalf("%d × %d, want %d × %d", r, c, rows, cols)
	}
	sameBits(t, m.RawMatrix().Data, want)
}

// hard are numbers that come back changed from anything less than 17 digits,
// a careless parser, or a lost sign.
var hard = []float64{
	0.1, 1.0 / 3, math.Pi, -1e-300, 5e-324, 2.2250738585072011e-308, math.MaxFloat64, 1 << 53, 1<<53 + 2,
	123456789.123456789, math.Copysign(0, -1), 1e22, 1e23, -7, 9007199254740993.0, 0.000001, 100, 4503599627370497.5,
}

// hardMatrix is a matrix of hard numbers with the given shape.
func hardMatrix(rows, cols int) *mat.Dense {
	m := mat.NewDense(rows, cols, nil)
	for p := range m.RawMatrix().Data {
		m.RawMatrix().Data[p] = hard[p%len(hard)] / float64(1+p/len(hard))
	}
	return m
}

func TestRoundTrip(t *testing.T) {
	for _, name := range []string{"x.npy", "x.npz", "x.npz:name with space", "x.csv", "X.TSV", "x.mtx", "x.mat", "x.mat:name",
		"x.npy.gz", "x.csv.GZ", "x.tsv.zst", "x.mtx.gz", "x.mat.zst:name", "x.npy.zst"} {
		t.Run(name, func(t *testing.T) {
			for _, shape := range [][2]int{{1, 1}, {1, 7}, {7, 1}, {13, 5}, {300, 41}} {
				path := filepath.Join(t.TempDir(), name)
				m := hardMatrix(shape[0], shape[1])
				save(t, path, m, Options{})
				wantMatrix(t, path, shape[0], shape[1], m.RawMatrix().Data)
			}
		})
	}
}

func save(t testing.TB, path string, m mat.Matrix, opt Options) {
	t.Helper()
	out := must.Get(Create(path, nil))(t)
	must.Do(t, out.WriteMatrix(m, opt))
	must.Do(t, out.Commit())
}

func TestRoundTripFloat32(t *testing.T) {
	m := mat.NewDense(2, 3, []float64{0.1, 1.0 / 3, -1e-30, math.Pi, 3e38, 0})
	want := make([]float64, 6)
	for i, v := range m.RawMatrix().Data {
		want[i] = float64(float32(v))
	}
	for _, name := range []string{"x.npy", "x.npz", "x.mat", "x.npy.zst"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			save(t, path, m, Options{Float32: true})
			wantMatrix(t, path, 2, 3, want)
		})
	}
	// As text the shortest digits that name the float32 are written: read as
	// float64 they name its nearest neighbour, and as float32 the number itself.
	path := filepath.Join(t.TempDir(), "x.csv")
	save(t, path, m, Options{Float32: true})
	text := must.Get(os.ReadFile(path))(t)
	if got, want := string(text), "0.1,0.33333334,-1e-30\n3.1415927,3e+38,0\n"; got != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
}

func TestFloat32Overflow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	out, err := Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = out.WriteMatrix(mat.NewDense(1, 2, []float64{math.Inf(1), 1e39}), Options{Float32: true})
	wantError(t, err, OpWrite, path, "row 1, column 2 (counting from 1): 1e+39 is beyond float32")
	onlyFiles(t, filepath.Dir(path))
}

func TestNonFinite(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(-1)
	for _, name := range []string{"x.npy", "x.npz", "x.csv", "x.mtx", "x.mat", "x.csv.gz", "x.csv.zst", "x.npy.zst", "x.mtx.gz", "x.mat.gz"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			save(t, path, mat.NewDense(3, 2, []float64{1, 2, 3, nan, inf, 6}), Options{})
			_, err := ReadMatrix(path, Options{})
			wantError(t, err, OpRead, path, "row 2, column 2 (counting from 1) is NaN")
			_, err = ReadSparse(path, Options{})
			wantError(t, err, OpRead, path, "row 2, column 2 (counting from 1) is NaN")
			m, err := ReadMatrix(path, Options{AllowNonFinite: true})
			if err != nil || !math.IsNaN(m.At(1, 1)) || m.At(2, 0) != inf || m.At(2, 1) != 6 {
				t.Errorf("%s with NaN allowed: %v, error %v", name, m, err)
			}
			a, err := ReadSparse(path, Options{AllowNonFinite: true})
			if err != nil || !math.IsNaN(a.At(1, 1)) || a.NNZ() != 6 {
				t.Errorf("%s sparse with NaN allowed: %v, error %v", name, a, err)
			}
			save(t, path, mat.NewDense(1, 2, []float64{1, inf}), Options{})
			_, err = ReadMatrix(path, Options{})
			wantError(t, err, OpRead, path, "row 1, column 2 (counting from 1) is an infinity")
		})
	}
}

func TestPathsThatCannotBeRead(t *testing.T) {
	folder := t.TempDir()
	must.Do(t, os.Mkdir(filepath.Join(folder, "d.npy"), 0o777))
	for _, c := range []struct{ path, want string }{
		{filepath.Join(folder, "no.npy"), must.NoFile()},
		{filepath.Join(folder, "no.npz"), must.NoFile()},
		{filepath.Join(folder, "no.csv"), must.NoFile()},
		{filepath.Join(folder, "no.mtx"), must.NoFile()},
		{filepath.Join(folder, "d.npy"), "it is a folder"},
		{filepath.Join(folder, "x.parquet"), "this program lacks .parquet files (a build that has them imports github.com/orthant-go/orthant/engine/files/parquet): use one of .npy, .npz, .csv, .tsv, .txt, .dat, .asc, .mtx, .mat, .h5, .h5ad, .hdf5, .hdf and .he5"},
		{filepath.Join(folder, "x.feather:a,b"), "this program lacks .feather files"},
		{filepath.Join(folder, "x.mat:A"), must.NoFile()},
		{filepath.Join(folder, "d.mat"), must.NoFile()},
		{filepath.Join(folder, "x.h5"), must.NoFile()},
		{filepath.Join(folder, "x.HDF5"), must.NoFile()},
		{filepath.Join(folder, "x.npz.gz"), ".npz files have a compression of their own: leave out .gz"},
		{filepath.Join(folder, "x.gz"), "no extension before .gz that names the format"},
		{filepath.Join(folder, "x.npy:a"), `the extension ".npy:a" is not one of`},
		{filepath.Join(folder, "x.mat.gz:"), "no name of an array after the colon"},
		{filepath.Join(folder, "x.xlsx"), `the extension ".xlsx" is not one of .npy, .npz, .csv, .tsv, .txt, .dat, .asc, .mtx, .mat, .h5, .h5ad, .hdf5, .hdf and .he5`},
		{filepath.Join(folder, "noextension"), "no extension"},
		{filepath.Join(folder, "x.npz:"), "no name of an array"},
	} {
		t.Run(filepath.Base(c.path), func(t *testing.T) {
			_, err := ReadMatrix(c.path, Options{})
			wantError(t, err, OpRead, c.path, c.want)
			_, err = ReadSparse(c.path, Options{})
			wantError(t, err, OpRead, c.path, c.want)
			_, err = ReadLabels(c.path, Options{})
			wantError(t, err, OpRead, c.path, c.want)
		})
	}
	if _, err := ReadMatrix(filepath.Join(folder, "no.npy"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v is not os.ErrNotExist", err)
	}
	if _, err := ReadMatrix("", Options{}); err == nil || err.Error() != `reading "": the path is empty` {
		t.Errorf("empty path: %v", err)
	}
	_, err := ReadMatrix("-", Options{})
	wantError(t, err, OpRead, "-", "reading standard input: there is no standard input here")
}

func TestMemoryLimit(t *testing.T) {
	m := hardMatrix(100, 10) // 8000 bytes
	for _, name := range []string{"x.npy", "x.npz", "x.csv", "x.mtx", "x.mat", "x.csv.gz", "x.csv.zst", "x.npy.zst", "x.mtx.gz", "x.mat.gz"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			save(t, path, m, Options{})
			if _, err := ReadMatrix(path, Options{MaxBytes: 8000}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			_, err := ReadMatrix(path, Options{MaxBytes: 7999})
			wantError(t, err, OpRead, path, "memory limit")
		})
	}
}

func TestReadSharedData(t *testing.T) {
	folder := golden.Data(t)
	a := must.Get(ReadSparse(filepath.Join(folder, "20news-w100.X.mtx"), Options{}))(t)
	if a.Rows != 16242 || a.Cols != 100 || a.NNZ() != 65451 {
		t.Errorf("20news-w100: %d × %d with %d entries", a.Rows, a.Cols, a.NNZ())
	}
	for _, c := range []struct {
		name       string
		rows, cols int
		lo, hi     float64 // as the data's manifest says
	}{
		{"coil20", 1440, 1024, 0, 1}, {"mfeat-pix", 2000, 240, 0, 6}, {"ionosphere", 351, 34, -1, 1}, {"orl64", 400, 4096, 0, 242},
	} {
		m := must.Get(ReadMatrix(filepath.Join(folder, c.name+".X.npy"), Options{}))(t)
		if r, k := m.Dims(); r != c.rows || k != c.cols || mat.Min(m) != c.lo || mat.Max(m) != c.hi {
			t.Errorf("%s: %d × %d, %v … %v", c.name, r, k, mat.Min(m), mat.Max(m))
		}
		y, err := ReadLabels(filepath.Join(folder, c.name+".y.npy"), Options{})
		if err != nil || len(y) != c.rows {
			t.Errorf("%s: %d labels, error %v", c.name, len(y), err)
		}
	}
}
