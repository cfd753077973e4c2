package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

func randomMatrix(rows, cols int) *mat.Dense {
	data := make([]float64, rows*cols)
	blas.NewStream(5).Normals(data)
	for p := range data {
		data[p] = float64(float32(data[p])) // so that float32 loses nothing
	}
	return mat.NewDense(rows, cols, data)
}

// written writes m in one piece and returns the path.
func written(t testing.TB, m mat.Matrix, name string, opt Options) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	o, err := Create(path, nil)
	if err == nil {
		err = errors.Join(o.WriteMatrix(m, opt), o.Commit())
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// inBlocks reads all rows, this many at a time.
func inBlocks(r *RowReader, block int) (data []float64, err error) {
	dst := make([]float64, block*r.Cols())
	for {
		n, err := r.Next(dst)
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return data, err
		}
		if n < 1 || n > block {
			return data, fmt.Errorf("%d rows for a room of %d", n, block)
		}
		data = append(data, dst[:n*r.Cols()]...)
	}
}

// fortran is an .npy file of float32 in Fortran order.
func fortran(m *mat.Dense) []byte {
	rows, cols := m.Dims()
	var b bytes.Buffer
	_ = writeNPYHeader(&b, "<f4", []int{rows, cols})
	content := bytes.Replace(b.Bytes(), []byte("False"), []byte("True "), 1)
	for j := range cols {
		for i := range rows {
			bits := math.Float32bits(float32(m.At(i, j)))
			content = append(content, byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24))
		}
	}
	return content
}

func TestRowsEqualTheWhole(t *testing.T) {
	m := randomMatrix(3001, 7)
	for _, c := range []struct {
		name, path string
		uncounted  bool // the number of rows is not known before the end
		whole      bool // read as a whole
	}{
		{name: "npy", path: written(t, m, "x.npy", Options{})},
		{name: "npy float32", path: written(t, m, "x.npy", Options{Float32: true})},
		{name: "npz", path: written(t, m, "x.npz:a", Options{})},
		{name: "csv", path: written(t, m, "x.csv", Options{}), uncounted: true},
		{name: "tsv", path: written(t, m, "x.tsv", Options{}), uncounted: true},
		{name: "mtx", path: written(t, m, "x.mtx", Options{}), whole: true},
		{name: "npy fortran", path: write(t, "f.npy", fortran(m))},
		{name: "mat", path: written(t, m, "x.mat", Options{})},
		{name: "mat float32", path: written(t, m, "x.mat:v", Options{Float32: true})},
		{name: "mat.gz", path: written(t, m, "x.mat.gz", Options{}), whole: true},
		{name: "npy.gz", path: written(t, m, "x.npy.gz", Options{})},
		{name: "csv.zst", path: written(t, m, "x.csv.zst", Options{}), uncounted: true},
		{name: "mtx.gz", path: written(t, m, "x.mtx.gz", Options{}), whole: true},
		{name: "npy.gz fortran", path: write(t, "f.npy.gz", packedBytes(t, gzipped, fortran(m))), whole: true},
	} {
		for _, block := range []int{1, 64, 1000, 5000} {
			t.Run(fmt.Sprintf("%s by %d", c.name, block), func(t *testing.T) {
				r := must.Get(OpenRows(c.path, Options{}))(t)
				rows := 3001
				if c.uncounted {
					rows = -1
				}
				if r.Rows() != rows || r.Cols() != 7 {
					t.Errorf("%d × %d, want %d × 7", r.Rows(), r.Cols(), rows)
				}
				if (r.Whole() != "") != c.whole {
					t.Errorf("whole: %q", r.Whole())
				}
				data := must.Get(inBlocks(r, block))(t)
				sameBits(t, data, m.RawMatrix().Data)
				if n, err := r.Next(make([]float64, 7)); n != 0 || err != io.EOF {
					t.Errorf("%d rows and %v behind the end", n, err)
				}
				if err := errors.Join(r.Close(), r.Close()); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// A sparse file can be had as it is, until rows were given out dense.
func TestRowsSparse(t *testing.T) {
	const head = "%%MatrixMarket matrix coordinate real general\n3 2 3\n"
	r := must.Get(OpenRows(write(t, "s.mtx", []byte(head+"3 1 5\n1 2 2\n1 1 1\n")), Options{}))(t)
	defer r.Close()
	a := r.Sparse()
	if a == nil || a.NNZ() != 3 || a.At(0, 1) != 2 || a.At(2, 0) != 5 {
		t.Fatalf("%+v", a)
	}
	if n, err := r.Next(make([]float64, 2)); n != 1 || err != nil || r.Sparse() != nil {
		t.Errorf("%d rows, %v, and then %v", n, err, r.Sparse())
	}
	for name, path := range map[string]string{"NaN": write(t, "n.mtx", []byte(head+"3 1 5\n1 2 nan\n1 1 1\n")), "dense": written(t, randomMatrix(4, 2), "x.mtx", Options{})} {
		r := must.Get(OpenRows(path, Options{}))(t)
		if r.Sparse() != nil {
			t.Errorf("%s: sparse rows", name)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestRowsOfStandardInput(t *testing.T) {
	m := randomMatrix(500, 3)
	file := must.Get(os.ReadFile(written(t, m, "x.npy", Options{})))(t)
	for name, content := range map[string][]byte{"C": file, "fortran": fortran(m)} {
		r := must.Get(OpenRows("-", Options{Stdin: bytes.NewReader(content)}))(t)
		data := must.Get(inBlocks(r, 77))(t)
		sameBits(t, data, m.RawMatrix().Data)
		if (r.Whole() != "") != (name == "fortran") {
			t.Errorf("%s: whole %q", name, r.Whole())
		}
	}
}

// Errors count rows from the beginning, whatever the blocks, and come again.
func TestRowsSayWhatIsWrong(t *testing.T) {
	m := randomMatrix(900, 4)
	m.Set(700, 2, math.NaN())
	m.Set(800, 1, math.Inf(1))
	long := strings.Repeat("1,2,3\n", 200_000)
	good, _ := os.ReadFile(written(t, randomMatrix(300, 5), "x.npy", Options{}))
	nan, _ := os.ReadFile(written(t, m, "x.npy", Options{}))
	for _, c := range []struct{ name, path, want string }{
		{"NaN in .npy", written(t, m, "x.npy", Options{}), "row 701, column 3 (counting from 1) is NaN"},
		{"NaN in .csv", written(t, m, "x.csv", Options{}), "row 701, column 3 (counting from 1) is NaN"},
		{"NaN in .npz", written(t, m, "x.npz", Options{}), "row 701, column 3 (counting from 1) is NaN"},
		{"NaN in .mtx", write(t, "x.mtx", []byte("%%MatrixMarket matrix array real general\n2 1\n1\nnan\n")), "x.mtx"},
		{"a word", write(t, "x.csv", []byte(long+"1,two,3\n")), `line 200001, column 2: "two" is not a number`},
		{"a ragged line", write(t, "x.csv", []byte(long+"1,2\n"+long)), "line 200001 has 2 fields where the first row has 3"},
		{"a blank line", write(t, "x.csv", []byte(long+"\n"+long)), "line 200001 is empty"},
		{"truncated", write(t, "x.npy", good[:len(good)-1]), "truncated"},
		{"more", write(t, "x.npy", append(good[:len(good):len(good)], 0)), "1 bytes follow"},
		{"empty", write(t, "x.npy", nil), "the file is empty"},
		{"empty text", write(t, "x.csv", nil), "the file is empty"},
		{"a header alone", write(t, "x.csv", []byte("a,b\n")), "no rows below the header"},
		{"missing", filepath.Join(t.TempDir(), "x.npy"), must.NoFile()},
		{"truncated input", "-" + string(good[:len(good)-1]), "the file ends after 11999 of 12000 data bytes"},
		{"more input", "-" + string(good) + "!", "more bytes follow"},
		{"NaN of input", "-" + string(nan), "row 701, column 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var o Options
			path, content, piped := c.path, "", strings.HasPrefix(c.path, "-")
			if piped {
				path, content = "-", c.path[1:]
				o.Stdin = strings.NewReader(content)
			}
			r, err := OpenRows(path, o)
			if err == nil {
				defer r.Close()
				_, err = inBlocks(r, 128)
				if _, again := r.Next(make([]float64, 100)); again != err {
					t.Errorf("%v after %v", again, err)
				}
			}
			wantError(t, err, OpRead, path, c.want)
		})
	}
}

// A corrupt entry of an archive is found at its end, by its checksum.
func TestRowsOfADamagedArchive(t *testing.T) {
	path := written(t, randomMatrix(300, 5), "x.npz", Options{})
	b, _ := os.ReadFile(path)
	b[5000] ^= 1
	r := must.Get(OpenRows(write(t, "y.npz", b), Options{}))(t)
	defer r.Close()
	must.Refuse(t, "checksum is wrong")(inBlocks(r, 100))
}

// Every format comes out as when it is written in one piece, whether the number
// of rows is known or not.
func TestRowWriterEqualsTheWhole(t *testing.T) {
	m := randomMatrix(1001, 3)
	for _, name := range []string{"y.npy", "y.npz:a", "y.csv", "y.tsv", "y.mtx", "y.mat:a", "y.npy.gz", "y.csv.zst", "-"} {
		for _, known := range []bool{true, false} {
			for _, single := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s known %v float32 %v", name, known, single), func(t *testing.T) {
					want := name
					if name == "-" {
						want = "y.npy"
					}
					file := must.Get(os.ReadFile(strings.TrimSuffix(written(t, m, want, Options{Float32: single}), ":a")))(t)
					var stdout bytes.Buffer
					path := filepath.Join(t.TempDir(), name)
					if name == "-" {
						path = name
					}
					o := must.Get(Create(path, &stdout))(t)
					rows := -1
					if known {
						rows = 1001
					}
					w, err := o.Rows(rows, 3, Options{Float32: single})
					for at := 0; err == nil && at < 1001; at += 200 {
						err = w.Write(m.Slice(at, min(at+200, 1001), 0, 3).(*mat.Dense))
					}
					must.Do(t, errors.Join(err, w.Close(), o.Commit()))
					got := stdout.Bytes()
					if name != "-" {
						got, _ = os.ReadFile(strings.TrimSuffix(path, ":a"))
					}
					if name == "y.npy" && !known { // the header has room for any number
						got, file = got[headerRoom:], file[len(file)-len(got)+headerRoom:]
						back, err := ReadMatrix(path, Options{})
						if err != nil || !mat.Equal(back, m) {
							t.Errorf("%s: read back with error %v", name, err)
						}
					}
					if !bytes.Equal(got, file) {
						t.Errorf("%s, rows known %v, float32 %v: %d bytes differ from the %d of the whole", name, known, single, len(got), len(file))
					}
				})
			}
		}
	}
}

func TestRowWriterRefuses(t *testing.T) {
	two := mat.NewDense(2, 2, []float64{1, 2, 3, 1e300})
	for _, c := range []struct {
		name, want string
		write      func(o *Output) error
	}{
		{"no columns", "0 × 0", func(o *Output) error { _, err := o.Rows(-1, 0, Options{}); return err }},
		{"no rows", "0 × 2", func(o *Output) error {
			w, _ := o.Rows(-1, 2, Options{})
			return w.Close()
		}},
		{"too many", "more than the 1 rows", func(o *Output) error {
			w, _ := o.Rows(1, 2, Options{})
			return w.Write(two)
		}},
		{"too few", "2 rows of the 3", func(o *Output) error {
			w, _ := o.Rows(3, 2, Options{})
			return errors.Join(w.Write(two), w.Close())
		}},
		{"other columns", "2 columns in a matrix of 3", func(o *Output) error {
			w, _ := o.Rows(3, 3, Options{})
			return w.Write(two)
		}},
		{"beyond float32", "row 4, column 2", func(o *Output) error {
			w, _ := o.Rows(-1, 2, Options{Float32: true})
			return errors.Join(w.Write(mat.NewDense(2, 2, nil)), w.Write(two))
		}},
		{"twice", "written before", func(o *Output) error {
			_, _ = o.Rows(-1, 2, Options{})
			_, err := o.Rows(-1, 2, Options{})
			return err
		}},
	} {
		for _, name := range []string{"y.npy", "y.npz", "y.mtx", "y.mat", "y.npy.zst"} {
			if c.name == "beyond float32" && name == "y.mtx" {
				continue // .mtx is written in double precision
			}
			t.Run(c.name+" "+name, func(t *testing.T) {
				dir := t.TempDir()
				o := must.Get(Create(filepath.Join(dir, name), nil))(t)
				must.Refuse(t, c.want)(c.write(o))
				if err := o.Commit(); err == nil {
					t.Errorf("%s: committed", c.name)
				}
				if left, _ := os.ReadDir(dir); len(left) > 0 {
					t.Errorf("%s: left %v", c.name, left)
				}
			})
		}
	}
}

// noise is an endless .npy: its header says how many rows, and they cost nothing.
type noise struct {
	header []byte
	left   int64
}

func (n *noise) Read(p []byte) (int, error) {
	if len(n.header) > 0 {
		c := copy(p, n.header)
		n.header = n.header[c:]
		return c, nil
	}
	if n.left == 0 {
		return 0, io.EOF
	}
	c := int(min(int64(len(p)), n.left))
	for i := range p[:c] {
		p[i] = 1
	}
	n.left -= int64(c)
	return c, nil
}

// 200 000 rows of 20 columns are 32 MB; reading and writing them takes less than 2.
func TestRowsTakeConstantMemory(t *testing.T) {
	const rows, cols = 200_000, 20
	var header bytes.Buffer
	_ = writeNPYHeader(&header, "<f8", []int{rows, cols})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := must.Get(OpenRows("-", Options{Stdin: &noise{header.Bytes(), 8 * rows * cols}}))(t)
	o := must.Get(Create("-", io.Discard))(t)
	w := must.Get(o.Rows(r.Rows(), cols, Options{}))(t)
	block := mat.NewDense(1000, cols, nil)
	for {
		n, err := r.Next(block.RawMatrix().Data)
		if err == io.EOF {
			break
		}
		if err == nil {
			err = w.Write(block.Slice(0, n, 0, cols).(*mat.Dense))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	must.Do(t, errors.Join(w.Close(), o.Commit()))
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 2<<20 {
		t.Errorf("%d bytes were allocated", took)
	}
}
