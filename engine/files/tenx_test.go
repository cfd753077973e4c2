package files

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/must"
)

// A folder of 10x is read compressed and plain, of either version; repeated genes get numbers.
func TestTenx(t *testing.T) {
	const counts = "%%MatrixMarket matrix coordinate integer general\n2 3 3\n1 1 5\n2 3 7\n1 2 1\n"
	for name, features := range map[string]string{"features.tsv.gz": "E1\tB\tGene Expression\nE2\tB\tGene Expression\n", "genes.tsv": "E1\tB\nE2\tB\n"} {
		folder := filepath.Join(t.TempDir(), "sample.1")
		must.Do(t, os.Mkdir(folder, 0o777))
		for file, text := range map[string]string{"matrix.mtx.gz": counts, "barcodes.tsv.gz": "x\ny\nz\n", name: features} {
			f := must.Get(os.Create(filepath.Join(folder, file)))(t)
			if strings.HasSuffix(file, ".gz") {
				z := gzip.NewWriter(f)
				must.Get(z.Write([]byte(text)))(t)
				must.Do(t, z.Close())
			} else {
				must.Get(f.WriteString(text))(t)
			}
			must.Do(t, f.Close())
		}
		x := must.Get(ReadAny(folder, Options{}))(t)
		if want := mat.NewDense(3, 2, []float64{5, 0, 1, 0, 0, 7}); !mat.Equal(x, want) {
			t.Errorf("%v", mat.Formatted(x))
		}
		noted := ""
		n := must.Get(NamesOf(folder, Options{Note: func(text string) { noted = text }}))(t)
		if !slices.Equal(n.Rows, []string{"x", "y", "z"}) || !slices.Equal(n.Columns, []string{"B", "B-1"}) || !strings.Contains(noted, "genes × cells are transposed") || IsImages(folder) || !HasNames(folder) {
			t.Errorf("%+v", n)
		}
		if e := must.Get(ExtentOf(folder))(t); e.Rows != 3 || e.Cols != 2 || e.Entries != 3 {
			t.Errorf("%+v", e)
		}
		if _, err := ReadAny(folder, Options{MaxBytes: 100}); !IsTooLarge(err) {
			t.Errorf("error %v", err)
		}
		if n := must.Get(NamesOf(folder, Options{Transpose: true}))(t); !slices.Equal(n.Rows, []string{"B", "B-1"}) {
			t.Errorf("%+v", n)
		}
	}
}

func TestDistinctNames(t *testing.T) {
	if got := distinct([]string{"a", "a", "a-1", "a", "b"}); !slices.Equal(got, []string{"a", "a-2", "a-1", "a-3", "b"}) {
		t.Errorf("%q", got)
	}
}

// Every format is read transposed; errors name the places in the file.
func TestTranspose(t *testing.T) {
	m := hardMatrix(67, 41)
	eachFormat(t, func(t *testing.T, f *Format) {
		path := filepath.Join(t.TempDir(), "x"+f.Extensions[0])
		save(t, path, m, Options{})
		o := Options{Transpose: true}
		for _, by := range []func(string, Options) (mat.Matrix, error){
			func(path string, o Options) (mat.Matrix, error) { return ReadMatrix(path, o) }, ReadAny, ReadStored,
			func(path string, o Options) (mat.Matrix, error) { return ReadSparse(path, o) },
		} {
			if x := must.Get(by(path, o))(t); !mat.Equal(x, m.T()) {
				t.Error("not transposed")
			}
		}
		r := must.Get(OpenRows(path, o))(t)
		defer r.Close()
		data := must.Get(inBlocks(r, 4))(t)
		sameBits(t, data, mat.DenseCopyOf(m.T()).RawMatrix().Data)
		if _, err := ReadMatrix(path, Options{Transpose: true, MaxBytes: 12 * 67 * 41}); !IsTooLarge(err) {
			t.Errorf("error %v", err)
		}
	})
	path := write(t, "x.csv", []byte("1,2,nan\n4,5,6\n"))
	if _, err := ReadMatrix(path, Options{Transpose: true}); err == nil || !strings.Contains(err.Error(), "3") {
		t.Errorf("error %v", err)
	}
}

// Names of columns come one a line, as the second field of lines with tabs, or as a column of a table; equal ones are numbered.
func TestReadNames(t *testing.T) {
	folder := t.TempDir()
	for _, c := range []struct{ name, text, selected, want string }{
		{"names.txt", "A\nB b\n\nA\n", "", "A,B b,A-1"},
		{"features.tsv", "ENSG1\tA\tGene Expression\nENSG2\tB\tGene Expression\n", "", "A,B"},
		{"table.csv", "id,name\n1,A\n2,B\n", ":name", "A,B"},
	} {
		path := filepath.Join(folder, c.name)
		must.Do(t, os.WriteFile(path, []byte(c.text), 0o666))
		if got := strings.Join(must.Get(ReadNames(path+c.selected, Options{}))(t), ","); got != c.want {
			t.Errorf("%s names %q, want %q", c.name, got, c.want)
		}
		must.Refuse(t, "names")(ReadNames(path, Options{MaxBytes: 20}))
	}
	must.Refuse(t, "none.txt")(ReadNames(filepath.Join(folder, "none.txt"), Options{}))
	must.Do(t, os.WriteFile(filepath.Join(folder, "empty.txt"), []byte("\n"), 0o666))
	must.Refuse(t, "empty")(ReadNames(filepath.Join(folder, "empty.txt"), Options{}))
}
