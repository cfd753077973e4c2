package files

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	storage "github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

func TestMarket(t *testing.T) {
	path := write(t, "x.mtx", []byte("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 2\n3 1 -1\n3 1 0.5\n"))
	want := []float64{2, 0, -0.5, 0, 0, 0, -0.5, 0, 0}
	wantMatrix(t, path, 3, 3, want)
	a, err := ReadSparse(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if a.NNZ() != 3 || !mat.Equal(a, mat.NewDense(3, 3, want)) {
		t.Errorf("%d entries: %v", a.NNZ(), mat.Formatted(a))
	}
	path = write(t, "x.mtx", []byte("%%MatrixMarket matrix array integer general\n2 2\n1\n0\n0\n4\n"))
	wantMatrix(t, path, 2, 2, []float64{1, 0, 0, 4})
	if a, err = ReadSparse(path, Options{}); err != nil || a.NNZ() != 2 || a.At(1, 1) != 4 {
		t.Errorf("%v, error %v", a, err)
	}
}

func TestMarketFaults(t *testing.T) {
	const head = "%%MatrixMarket matrix coordinate real general\n"
	for _, c := range []struct{ text, want string }{
		{"", "line 1: the first line does not begin with %%MatrixMarket"},
		{"1,2\n3,4\n", "not a MatrixMarket file"},
		{"%%MatrixMarket matrix array complex general\n1 1\n1 1\n", "complex and Hermitian matrices are not supported"},
		{head + "2 2 1\n3 1 1\n", "line 3: the entry (3, 1) is outside a 2 × 2 matrix"},
		{head + "2 2 2\n1 1 1\n", "the file ends after 1 of 2 entries"},
		{head + "2 2 1\n1 1 nan\n", "row 1, column 1 (counting from 1) is NaN"},
		{head + "0 2 0\n", "the matrix is empty: 0 × 2"},
		{head + "2 0 0\n", "the matrix is empty: 2 × 0"},
	} {
		path := write(t, "x.mtx", []byte(c.text))
		_, err := ReadMatrix(path, Options{})
		wantError(t, err, OpRead, path, c.want)
		_, err = ReadSparse(path, Options{})
		wantError(t, err, OpRead, path, c.want)
	}
	// Fine while it stays sparse, but not as a dense matrix of 7.5 TiB.
	path := write(t, "x.mtx", []byte(head+"1000000 1000000 1\n1 1 1\n"))
	_, err := ReadMatrix(path, Options{})
	wantError(t, err, OpRead, path, "the 1000000 × 1000000 matrix with 1 entries is too sparse to be made dense (7.276 TiB)")
	a, err := ReadSparse(path, Options{})
	if err != nil || a.NNZ() != 1 || a.Rows != 1000000 {
		t.Errorf("%v, error %v", a, err)
	}
}

// A matrix of another package is written as the own one is, in every format, and comes
// back in that package's type.
func TestWriteStorage(t *testing.T) {
	a := &sparse.CSR{Rows: 2, Cols: 3, Ptr: []int{0, 2, 3}, Col: []int32{0, 2, 1}, Val: []float64{1, 4, 0.5}}
	folder := t.TempDir()
	for _, format := range []string{"mtx", "mat", "npy", "csv"} {
		var want []byte
		for name, x := range map[string]mat.Matrix{
			"": a, "csr": a.Storage(), "csc": a.Storage().ToCSC(), "dok": a.Storage().ToDOK(),
			"coo": storage.NewCOO(2, 3, []int{1, 0, 0, 0}, []int{1, 2, 0, 2}, []float64{0.5, 3, 1, 1}),
		} {
			path := filepath.Join(folder, "x"+name+"."+format)
			o := create(t, path)
			must.Do(t, o.WriteMatrix(x, Options{}))
			must.Do(t, o.Commit())
			content := must.Get(os.ReadFile(path))(t)
			if want == nil {
				want = content
			}
			if !bytes.Equal(content, want) {
				t.Errorf("%s of %T: %q, want %q", format, x, content, want)
			}
			again, err := ReadSparse(path, Options{})
			if err != nil || !mat.Equal(again.Storage(), a) {
				t.Errorf("%s of %T reads as %v, %v", format, x, again, err)
			}
		}
	}
	path := filepath.Join(folder, "bad.mtx")
	err := create(t, path).WriteMatrix(storage.NewCOO(2, 3, []int{0}, []int{3}, []float64{1}), Options{})
	wantError(t, err, OpWrite, path, "row 1, column 4 (counting from 1) has an entry outside the 2 × 3 matrix")
}

// ReadAny keeps a sparse file sparse and a dense one dense.
func TestReadAny(t *testing.T) {
	sparseFile := write(t, "s.mtx", []byte("%%MatrixMarket matrix coordinate real general\n2 3 2\n1 2 0.5\n2 3 4\n"))
	for path, want := range map[string]bool{
		sparseFile: true,
		write(t, "d.mtx", []byte("%%MatrixMarket matrix array real general\n2 3\n0\n0\n0.5\n0\n0\n4\n")): false,
		write(t, "d.csv", []byte("0,0.5,0\n0,0,4\n")):                                                    false,
	} {
		x := must.Get(ReadAny(path, Options{}))(t)
		if _, is := x.(*sparse.CSR); is != want || x.At(0, 1) != 0.5 || x.At(1, 2) != 4 || x.At(1, 1) != 0 {
			t.Errorf("%s: %T", path, x)
		}
	}
	for _, text := range []string{"", "%%MatrixMarket matrix coordinate real general\n0 3 0\n", "%%MatrixMarket matrix array real general\n0 3\n",
		"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 nan\n", "%%MatrixMarket matrix array real general\n1 1\ninf\n"} {
		x, err := ReadAny(write(t, "bad.mtx", []byte(text)), Options{})
		if _, ok := errors.AsType[*Error](err); !ok {
			t.Errorf("%q: %v, %v", text, x, err)
		}
	}
	if _, err := ReadAny(filepath.Join(t.TempDir(), "none.mtx"), Options{}); err == nil {
		t.Error("a file that is not there was read")
	}
}
