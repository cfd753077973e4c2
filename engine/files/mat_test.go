package files

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// matBytes makes .mat files by hand, in either byte order.
type matBytes struct{ order binary.ByteOrder }

func (m matBytes) file(variables ...[]byte) []byte {
	h := make([]byte, 128)
	copy(h, "MATLAB 5.0 MAT-file, by hand")
	m.order.PutUint16(h[124:], 0x0100)
	m.order.PutUint16(h[126:], 'M'<<8|'I')
	return append(h, bytes.Join(variables, nil)...)
}

func (m matBytes) words(v ...uint32) []byte {
	b := make([]byte, 4*len(v))
	for i, x := range v {
		m.order.PutUint32(b[4*i:], x)
	}
	return b
}

// element is one data element, in the tag itself where it is small.
func (m matBytes) element(kind uint32, data []byte) []byte {
	if n := len(data); n > 0 && n <= 4 {
		return append(append(m.words(uint32(n)<<16|kind), data...), make([]byte, 4-n)...)
	}
	b := append(m.words(kind, uint32(len(data))), data...)
	return append(b, make([]byte, -len(data)&7)...)
}

func (m matBytes) matrix(parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	return append(m.words(matMatrix, uint32(len(body))), body...)
}

// head is the beginning of a variable.
func (m matBytes) head(flags uint32, name string, dims ...uint32) []byte {
	b := m.element(matUint32, m.words(flags, 0))
	b = append(b, m.element(matInt32, m.words(dims...))...)
	return append(b, m.element(1, []byte(name))...)
}

func (m matBytes) packed(variable []byte) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write(variable)
	w.Close()
	return append(m.words(matCompressed, uint32(b.Len())), b.Bytes()...)
}

// full is a 2 × 3 variable with the columns (1,2), (3,4), (5,6).
func (m matBytes) full(name string, class, kind uint32, numbers any) []byte {
	return m.matrix(m.head(class, name, 2, 3), m.element(kind, encoded(m.order, numbers)))
}

func TestMATClassesAndOrders(t *testing.T) {
	want := []float64{1, 3, 5, 2, 4, 6}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		m := matBytes{order}
		for _, c := range []struct {
			class, kind uint32
			numbers     any
		}{
			{6, 9, []float64{1, 2, 3, 4, 5, 6}}, {6, 2, []uint8{1, 2, 3, 4, 5, 6}}, {6, 3, []int16{1, 2, 3, 4, 5, 6}}, {7, 7, []float32{1, 2, 3, 4, 5, 6}},
			{8, 1, []int8{1, 2, 3, 4, 5, 6}}, {9, 2, []uint8{1, 2, 3, 4, 5, 6}}, {10, 3, []int16{1, 2, 3, 4, 5, 6}}, {11, 4, []uint16{1, 2, 3, 4, 5, 6}},
			{12, 5, []int32{1, 2, 3, 4, 5, 6}}, {13, 6, []uint32{1, 2, 3, 4, 5, 6}}, {14, 12, []int64{1, 2, 3, 4, 5, 6}}, {15, 13, []uint64{1, 2, 3, 4, 5, 6}},
		} {
			v := m.full("X", c.class, c.kind, c.numbers)
			wantMatrix(t, write(t, "x.mat", m.file(v)), 2, 3, want)
			wantMatrix(t, write(t, "x.mat", m.file(m.packed(v))), 2, 3, want)
		}
		// A logical row whose numbers are within the tag, and a number.
		yes := m.matrix(m.head(9|0x200, "yes", 1, 3), m.element(2, []byte{1, 0, 1}))
		one := m.matrix(m.head(6, "a_name_longer_than_eight", 1, 1), m.element(2, []byte{7}))
		path := write(t, "x.mat", m.file(yes, m.packed(one)))
		wantMatrix(t, path+":yes", 1, 3, []float64{1, 0, 1})
		wantMatrix(t, path+":a_name_longer_than_eight", 1, 1, []float64{7})
		for _, file := range []string{path, write(t, "x.mat.gz", packedBytes(t, gzipped, m.file(yes, one)))} {
			labels, err := ReadLabels(file+":yes", Options{})
			if err != nil || len(labels) != 3 || labels[2] != 1 {
				t.Errorf("labels %v, error %v", labels, err)
			}
			r := must.Get(OpenRows(file+":yes", Options{}))(t)
			data := must.Get(inBlocks(r, 2))(t)
			sameBits(t, data, []float64{1, 0, 1})
			r.Close()
		}
		exact := m.matrix(m.head(14, "y", 2, 1), m.element(12, encoded(order, []int64{math.MaxInt64, math.MinInt64})))
		labels, err := ReadLabels(write(t, "y.mat", m.file(exact)), Options{})
		if err != nil || labels[0] != math.MaxInt64 || labels[1] != math.MinInt64 {
			t.Errorf("labels %v, error %v", labels, err)
		}
	}
}

// sparse is the 3 × 2 matrix with 5 at (1, 1) and −1 at (3, 2), counting from 1.
func (m matBytes) sparse(ir, jc []int32, values []float64) []byte {
	return m.matrix(m.head(5, "S", 3, 2), m.element(5, encoded(m.order, ir)), m.element(5, encoded(m.order, jc)), m.element(9, encoded(m.order, values)))
}

func TestMATSparse(t *testing.T) {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		m := matBytes{order}
		v := m.sparse([]int32{0, 2, 0}, []int32{0, 1, 2}, []float64{5, -1}) // with room for one more
		for _, file := range [][]byte{m.file(v), m.file(m.packed(v))} {
			path := write(t, "s.mat", file)
			wantMatrix(t, path, 3, 2, []float64{5, 0, 0, 0, 0, -1})
			a, err := ReadAny(path+":S", Options{})
			if s, ok := a.(*sparse.CSR); err != nil || !ok || s.NNZ() != 2 || s.At(2, 1) != -1 {
				t.Errorf("%v, error %v", a, err)
			}
			r, err := OpenRows(path, Options{})
			if err != nil || r.Whole() == "" {
				t.Fatal(r, err)
			}
			data := must.Get(inBlocks(r, 2))(t)
			sameBits(t, data, []float64{5, 0, 0, 0, 0, -1})
		}
	}
	// What was written comes back, sparse, with its empty rows and columns.
	a := must.Get(sparse.FromTriplets(40, 30, []sparse.Triplet{{Row: 3, Col: 7, Val: 0.1}, {Row: 39, Col: 0, Val: -2}, {Row: 3, Col: 2, Val: math.Pi}}))(t)
	for _, name := range []string{"s.mat:S", "s.mat.zst"} {
		b, err := ReadSparse(written(t, a, name, Options{}), Options{})
		if err != nil || b.NNZ() != 3 || !mat.Equal(a, b) {
			t.Errorf("%v, error %v", b, err)
		}
	}
	empty := &sparse.CSR{Rows: 2, Cols: 2, Ptr: make([]int, 3)}
	if b, err := ReadSparse(written(t, empty, "s.mat", Options{}), Options{}); err != nil || b.NNZ() != 0 || b.Rows != 2 {
		t.Errorf("%v, error %v", b, err)
	}
}

func TestMATFaults(t *testing.T) {
	m := matBytes{binary.LittleEndian}
	numbers := []float64{1, 2, 3, 4, 5, 6}
	x := m.full("X", 6, 9, numbers)
	good := m.file(x)
	version := bytes.Clone(good)
	version[125] = 2
	v73 := append([]byte("MATLAB 7.3 MAT-file, Platform: GLNXA64"), make([]byte, 500)...)
	other := func(class uint32, name string) []byte {
		return m.matrix(m.head(class, name, 1, 1), m.element(9, make([]byte, 8)))
	}
	opaque := m.matrix(m.element(matUint32, m.words(17, 0)), m.element(1, []byte("tab")), m.element(1, []byte("MCOS")))
	damagedZip := m.packed(x)
	damagedZip[len(damagedZip)-1] ^= 1
	for _, c := range []struct {
		name  string
		file  []byte
		array string
		want  string
	}{
		{"empty", nil, "", "the file is empty"},
		{"text", []byte("1,2,3\n"), "", "or is no .mat file"},
		{"long text", []byte(strings.Repeat("1,2,3\n", 100)), "", `not a .mat file: it begins with "1,2,3`},
		{"7.3", v73, "", "version 7.3 (HDF5), which is read in any order: unpack it first"},
		{"HDF5", append([]byte("\x89HDF\r\n\x1a\n"), make([]byte, 500)...), ":X", "addresses of 0 bytes"},
		{"level 4", m.words(0, 2, 3, 0, 2), "", "level 4"},
		{"version", version, "", "version 0x0200 of the .mat format is not known"},
		{"nothing", m.file(), "", "the file holds no variable"},
		{"which", m.file(x, m.full("Y", 6, 9, numbers)), "", "the file holds 2 arrays (X, Y): name one, as in file.mat:X"},
		{"wrong name", m.file(x, m.full("Y", 6, 9, numbers)), ":Z", `the file has no array "Z"; it has X, Y`},
		{"cell", m.file(x, other(1, "c")), ":c", `variable "c" is a cell array: convert it with cell2mat`},
		{"struct", m.file(other(2, "s")), "", `no matrix of numbers: variable "s" is a struct`},
		{"object", m.file(other(3, "o")), "", "is an object"},
		{"table", m.file(opaque), "", `variable "tab" is an object (a table`},
		{"function", m.file(other(16, "f")), ":f", "is an object"},
		{"char", m.file(other(4, "t")), ":t", "is text: convert it with double"},
		{"complex", m.file(other(6|0x800, "z")), ":z", "is complex: save its real part or magnitudes"},
		{"three dimensions", m.file(m.matrix(m.head(6, "c", 1, 2, 1), m.element(9, make([]byte, 16)))), "", "has 3 dimensions"},
		{"no rows", m.file(m.matrix(m.head(6, "e", 0, 3), m.element(9, nil))), "", `array "e": the matrix is empty: 0 × 3`},
		{"too few numbers", m.file(m.matrix(m.head(6, "X", 3, 3), m.element(9, make([]byte, 64)))), "", `array "X": 64 bytes where 3 × 3 numbers take 72`},
		{"strange numbers", m.file(m.matrix(m.head(6, "X", 1, 1), m.element(99, make([]byte, 8)))), "", "unknown type 99"},
		{"negative", m.file(m.matrix(m.head(6, "X", 1<<31, 1), m.element(9, make([]byte, 8)))), "", "a dimension of -2147483648"},
		{"a claim", m.file(m.matrix(m.head(6, "X", math.MaxInt32, math.MaxInt32, math.MaxInt32))), "", "beyond any memory"},
		{"truncated", good[:len(good)-1], "", "(truncated?)"},
		{"truncated packing", m.file(m.packed(x))[:len(good)-60], ":X", "truncated"},
		{"a bad sum", m.file(damagedZip), "", "checksum of a compressed variable is wrong"},
		{"no variable", m.file(m.element(9, make([]byte, 8))), "", "element of type 9 where a variable belongs"},
		{"junk packed", m.file(append(m.words(matCompressed, 8), "notzlib!"...)), "", "a compressed variable is damaged"},
		{"row", m.file(m.sparse([]int32{0, 3}, []int32{0, 1, 2}, []float64{5, -1})), "", "an entry in row 4 of 3"},
		{"columns", m.file(m.sparse([]int32{0, 1}, []int32{0, 2, 1}, []float64{5, -1})), "", "do not fit its entries"},
		{"more columns", m.file(m.sparse([]int32{0, 1}, []int32{0, 1, 2, 2}, []float64{5, -1})), "", "the file is damaged"},
		{"twice", m.file(m.sparse([]int32{1, 1}, []int32{0, 2, 2}, []float64{5, -1})), "", "row 2, column 1 (counting from 1) has two entries"},
		{"values", m.file(m.sparse([]int32{0, 1}, []int32{0, 1, 2}, []float64{5})), "", "1 values for 2 entries"},
		{"no rows to speak of", m.file(m.matrix(m.head(5, "S", math.MaxInt32, 1), m.element(5, encoded(m.order, []int32{0})), m.element(5, encoded(m.order, []int32{0, 0})), m.element(9, nil))), "", "rows for only 0 entries"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := write(t, "x.mat", c.file) + c.array
			_, err := ReadMatrix(path, Options{})
			wantError(t, err, OpRead, path, c.want)
			_, err = ReadSparse(path, Options{})
			wantError(t, err, OpRead, path, c.want)
			if r, err := OpenRows(path, Options{}); err != nil {
				wantError(t, err, OpRead, path, c.want)
			} else {
				t.Error("rows of it can be read")
				r.Close()
			}
		})
	}
	// Other variables do not stand in the way of the only matrix.
	wantMatrix(t, write(t, "x.mat", m.file(other(1, "c"), opaque, x, other(9, ""))), 2, 3, []float64{1, 3, 5, 2, 4, 6})
}

func TestMATEveryDamage(t *testing.T) {
	m := matBytes{binary.LittleEndian}
	x := m.full("X", 6, 9, []float64{1, 2, 3, 4, 5, 6})
	path := filepath.Join(t.TempDir(), "x.mat")
	for name, good := range map[string][]byte{"plain": m.file(x), "packed": m.file(m.packed(x)), "sparse": m.file(m.sparse([]int32{0, 2}, []int32{0, 1, 2}, []float64{5, -1}))} {
		for n := range good {
			must.Do(t, os.WriteFile(path, good[:n], 0o666))
			if _, err := ReadMatrix(path, Options{}); err == nil {
				t.Errorf("%s: no error with %d of %d bytes", name, n, len(good))
			}
			bad := bytes.Clone(good)
			bad[n] ^= 0x55
			must.Do(t, os.WriteFile(path, bad, 0o666))
			v, err := ReadMatrix(path, Options{AllowNonFinite: true})
			if err == nil && name == "packed" && n > 136 && !mat.Equal(v, mat.NewDense(2, 3, []float64{1, 3, 5, 2, 4, 6})) {
				t.Errorf("byte %d changed gives %v without an error", n, v)
			}
		}
	}
}

func TestMATBytes(t *testing.T) {
	got := must.Get(os.ReadFile(strings.TrimSuffix(written(t, mat.NewDense(2, 1, []float64{1, -2}), "x.mat:ab", Options{}), ":ab")))(t)
	m := matBytes{binary.LittleEndian}
	name := append(m.words(1, 2), "ab\x00\x00\x00\x00\x00\x00"...)
	head := append(m.element(matUint32, m.words(6, 0)), m.element(matInt32, m.words(2, 1))...)
	want := m.file(m.matrix(head, name, m.element(9, encoded(m.order, []float64{1, -2}))))
	if len(got) != len(want) || !bytes.Equal(got[116:], want[116:]) || !bytes.HasPrefix(got, []byte("MATLAB 5.0 MAT-file, written by orthant   ")) {
		t.Errorf("wrote %q, want %q", got, want)
	}
}

func TestMATLabels(t *testing.T) {
	path := filepath.Join(t.TempDir(), "y.mat:y")
	o := create(t, path)
	must.Do(t, o.WriteLabels([]int64{math.MinInt64, 5, math.MaxInt64}))
	must.Do(t, o.Commit())
	v, err := ReadLabels(path, Options{})
	if err != nil || len(v) != 3 || v[0] != math.MinInt64 || v[2] != math.MaxInt64 {
		t.Errorf("%v, error %v", v, err)
	}
}

// scipyProgram writes files of every kind into the folder given, or reads those
// that are there and prints their numbers.
const scipyProgram = `
import sys, numpy as np, scipy.io as io, scipy.sparse as sp
do, folder = sys.argv[1:]
x = np.arange(12, dtype=float).reshape(4, 3) / 7
if do == "write":
    for name, v in {"double": x, "single": x.astype("f4"), "logical": x > 0.5, "sparse": sp.csc_matrix(np.where(x > 1, x, 0)), **{k: np.arange(-3 if k[0] == "i" else 0, 9 if k[0] == "i" else 12).reshape(4, 3).astype(k)
            for k in ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]}}.items():
        for packed in (False, True):
            io.savemat(f"{folder}/{name}.{int(packed)}.mat", {"other": "text", "cell": np.array([{"a": 1}, 2], dtype=object), name: v}, do_compression=packed)
        np.save(f"{folder}/{name}.npy", (v.toarray() if sp.issparse(v) else v).astype(float))
else:
    import glob
    for path in sorted(glob.glob(folder + "/*.mat")):
        v = io.loadmat(path)["V"]
        print(path.split("/")[-1], "sparse" if sp.issparse(v) else v.dtype, v.shape, repr(float(v.sum())), repr(float(v[2, 0])))
`

func scipy(t *testing.T, do, folder string) string {
	t.Helper()
	const python = "/usr/bin/python3"
	if err := exec.Command(python, "-c", "import scipy.io").Run(); err != nil {
		t.Skip("there is no SciPy here to compare with")
	}
	out := must.Get(exec.Command(python, "-c", scipyProgram, do, folder).Output())(t)
	return string(out)
}

func TestMATOfSciPy(t *testing.T) {
	folder := t.TempDir()
	scipy(t, "write", folder)
	files, _ := filepath.Glob(filepath.Join(folder, "*.mat"))
	if len(files) != 24 {
		t.Fatalf("%d files", len(files))
	}
	for _, path := range files {
		name, _, _ := strings.Cut(filepath.Base(path), ".")
		want := must.Get(ReadMatrix(filepath.Join(folder, name+".npy"), Options{}))(t)
		wantMatrix(t, path, 4, 3, want.RawMatrix().Data)
		wantMatrix(t, path+":"+name, 4, 3, want.RawMatrix().Data)
	}
}

func TestMATForSciPy(t *testing.T) {
	folder := t.TempDir()
	x := mat.NewDense(3, 2, []float64{1, 0, 0, 4, 0.5, 8})
	a := must.Get(dropZeros(x))(t)
	save(t, filepath.Join(folder, "a.mat:V"), x, Options{})
	save(t, filepath.Join(folder, "b.mat:V"), x, Options{Float32: true})
	save(t, filepath.Join(folder, "c.mat:V"), a, Options{})
	o := create(t, filepath.Join(folder, "d.mat:V"))
	must.Do(t, o.WriteIntegers(3, 2, byRows(2, 1, 2, 3, 4, 5, -6)))
	must.Do(t, o.Commit())
	got := scipy(t, "read", folder)
	want := "a.mat float64 (3, 2) 13.5 0.5\nb.mat float32 (3, 2) 13.5 0.5\nc.mat sparse (3, 2) 13.5 0.5\nd.mat int64 (3, 2) 9.0 5.0\n"
	if got != want {
		t.Errorf("SciPy reads\n%swant\n%s", got, want)
	}
}

func FuzzMAT(f *testing.F) {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		m := matBytes{order}
		x := m.full("X", 6, 9, []float64{1, 2, 3, 4, 5, 6})
		f.Add(m.file(x))
		f.Add(m.file(m.packed(x)))
		f.Add(m.file(m.full("i", 12, 3, []int16{1, 2, 3, 4, 5, 6}), m.matrix(m.head(2, "s", 1, 1))))
		f.Add(m.file(m.sparse([]int32{0, 2}, []int32{0, 1, 2}, []float64{5, -1})))
		f.Add(m.file(m.packed(m.matrix(m.head(9, "X", 30000, 30000), m.element(2, make([]byte, 2000))))))
		f.Add(m.file(m.packed(m.matrix(m.head(5, "S", 1<<30, 1<<30), m.element(5, make([]byte, 8)), m.words(5, math.MaxUint32)))))
	}
	path := filepath.Join(f.TempDir(), "x.mat")
	f.Fuzz(func(t *testing.T, b []byte) {
		must.Do(t, os.WriteFile(path, b, 0o666))
		// zlib unfolds at most 1032 times, a byte may become a float64, and a
		// sparse matrix may be filled with zeros.
		m := bounded(t, len(b), 1<<21+24*(1<<20)+8*freeCells, 1032*8*8, func() (*mat.Dense, error) {
			return ReadMatrix(path, Options{AllowNonFinite: true})
		})
		rows, err := OpenRows(path, Options{AllowNonFinite: true})
		if (err == nil) != (m != nil) && m != nil {
			t.Fatalf("as a matrix it can be read, by rows not: %v", err)
		}
		if err == nil {
			data, err := inBlocks(rows, 3)
			if m != nil && (err != nil || len(data) != len(m.RawMatrix().Data)) {
				t.Fatalf("%d numbers by rows, error %v", len(data), err)
			}
			rows.Close()
		}
		if m == nil {
			return
		}
		save(t, path, m, Options{})
		again := must.Get(ReadMatrix(path, Options{AllowNonFinite: true}))(t)
		for p, v := range m.RawMatrix().Data {
			if got := again.RawMatrix().Data[p]; got != v && v == v {
				t.Fatalf("entry %d: %v came back as %v", p, v, got)
			}
		}
	})
}
