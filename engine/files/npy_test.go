package files

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/must"
)

// npyFile makes an .npy file of any version from the text of its header.
func npyFile(version byte, header string, data []byte) []byte {
	b := append([]byte(npyMagic), version, 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	}
	return append(append(b, header...), data...)
}

// npyArray is npyFile with a header as NumPy writes it.
func npyArray(descr, order, shape string, data []byte) []byte {
	return npyFile(1, fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr, order, shape), data)
}

// nativeOrder is the byte order of this machine.
var nativeOrder binary.ByteOrder = binary.NativeEndian

// encoded gives numbers as bytes by the standard library's own encoder.
func encoded(order binary.ByteOrder, v any) []byte {
	var b bytes.Buffer
	if err := binary.Write(&b, order, v); err != nil {
		panic(err)
	}
	return b.Bytes()
}

var dtypeCases = []struct {
	kind string
	v    any
	want []float64
}{
	{"f8", []float64{1.5, -2, 1e300, 5e-324, 0.1, 6}, []float64{1.5, -2, 1e300, 5e-324, 0.1, 6}},
	{"f4", []float32{1.5, -2, 1e30, 0.1, 5, 6}, []float64{1.5, -2, float64(float32(1e30)), float64(float32(0.1)), 5, 6}},
	// 1, −2, the largest, the smallest subnormal, the largest subnormal, 1/3.
	{"f2", []uint16{0x3c00, 0xc000, 0x7bff, 0x0001, 0x03ff, 0x3555}, []float64{1, -2, 65504, 0x1p-24, 0x1p-14 - 0x1p-24, 0.333251953125}},
	{"i1", []int8{1, -2, 127, -128, 5, 6}, []float64{1, -2, 127, -128, 5, 6}},
	{"i2", []int16{1, -2, 32767, -32768, 5, 6}, []float64{1, -2, 32767, -32768, 5, 6}},
	{"i4", []int32{1, -2, math.MaxInt32, math.MinInt32, 5, 6}, []float64{1, -2, math.MaxInt32, math.MinInt32, 5, 6}},
	{"i8", []int64{1, -2, 1 << 53, math.MinInt64, 5, 6}, []float64{1, -2, 1 << 53, math.MinInt64, 5, 6}},
	{"u1", []uint8{1, 2, 255, 0, 5, 6}, []float64{1, 2, 255, 0, 5, 6}},
	{"u2", []uint16{1, 2, 65535, 0, 5, 6}, []float64{1, 2, 65535, 0, 5, 6}},
	{"u4", []uint32{1, 2, math.MaxUint32, 0, 5, 6}, []float64{1, 2, math.MaxUint32, 0, 5, 6}},
	{"u8", []uint64{1, 2, math.MaxUint64, 0, 5, 6}, []float64{1, 2, math.MaxUint64, 0, 5, 6}},
	{"b1", []uint8{1, 0, 1, 1, 0, 1}, []float64{1, 0, 1, 1, 0, 1}},
}

func TestNPYTypesAndOrders(t *testing.T) {
	for _, c := range dtypeCases {
		for mark, order := range map[string]binary.ByteOrder{"<": binary.LittleEndian, ">": binary.BigEndian, "=": binary.NativeEndian, "": binary.NativeEndian} {
			data := encoded(order, c.v)
			if strings.HasSuffix(c.kind, "1") && mark == "=" {
				mark = "|"
			}
			wantMatrix(t, write(t, "c.npy", npyArray(mark+c.kind, "False", "(2, 3)", data)), 2, 3, c.want)
			w := c.want
			wantMatrix(t, write(t, "f.npy", npyArray(mark+c.kind, "True", "(2, 3)", data)), 2, 3,
				[]float64{w[0], w[2], w[4], w[1], w[3], w[5]})
		}
	}
}

// TestNPYLarge goes through more than one buffer and more than one panel of
// columns, from a file and from a stream that gives what it likes.
func TestNPYLarge(t *testing.T) {
	const rows, cols = 5003, 21
	small := make([]int16, rows*cols)
	want := make([]float64, rows*cols)
	turned := make([]float64, rows*cols)
	for p := range small {
		small[p] = int16(p * 7919)
		want[p] = float64(small[p])
		turned[p%rows*cols+p/rows] = want[p]
	}
	for _, c := range []struct {
		order string
		want  []float64
	}{{"False", want}, {"True", turned}} {
		for _, file := range [][]byte{
			npyArray(">i2", c.order, "(5003, 21)", encoded(binary.BigEndian, small)),
			npyArray("<f8", c.order, "(5003, 21)", encoded(binary.LittleEndian, want)),
		} {
			wantMatrix(t, write(t, "x.npy", file), rows, cols, c.want)
			m := must.Get(ReadMatrix("-", Options{Stdin: iotest.HalfReader(bytes.NewReader(file))}))(t)
			sameBits(t, m.RawMatrix().Data, c.want)
		}
	}
}

func TestNPYShapesAndVersions(t *testing.T) {
	data := encoded(binary.LittleEndian, []float64{1, 2, 3})
	header := "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }"
	for version := byte(1); version <= 3; version++ {
		wantMatrix(t, write(t, "x.npy", npyFile(version, header, data)), 3, 1, []float64{1, 2, 3})
	}
	for _, c := range []struct {
		header     string
		rows, cols int
	}{
		{"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 3)}", 1, 3},
		{"{'descr': '<f8', 'fortran_order': True, 'shape': (3, 1), }   \n", 3, 1},
		{`{ "shape" : ( 3L , ) , "descr":"<f8","fortran_order":True }`, 3, 1},
	} {
		wantMatrix(t, write(t, "x.npy", npyFile(1, c.header, data)), c.rows, c.cols, []float64{1, 2, 3})
	}
	wantMatrix(t, write(t, "x.npy", npyArray("<f8", "False", "()", data[:8])), 1, 1, []float64{1})
}

var npyFaults = []struct {
	name string
	file []byte
	want string
}{
	{"empty", nil, "the file is empty"},
	{"half a magic", []byte("\x93NU"), "ends within its header"},
	{"other file", []byte("hello, world, this is text"), `not an .npy file: it begins with "hello, wor"`},
	{"short other file", []byte("hi"), "not an .npy file"},
	{"archive", []byte("PK\x03\x04 and so on and on"), "name it .npz"},
	{"no version", []byte(npyMagic), "ends within its header"},
	{"version", npyFile(9, "{}", nil), "version 9.0 of the .npy format is not known"},
	{"half a length", append([]byte(npyMagic), 2, 0, 1, 0), "ends within its header"},
	{"cut header", npyArray("<f8", "False", "(1,)", nil)[:40], "ends within its header"},
	{"long header", append([]byte(npyMagic), 2, 0, 255, 255, 255, 255), "the header claims a length of"},
	{"long header 2", append([]byte(npyMagic), 2, 0, 0, 0, 2, 0), "the header claims a length of 131072 bytes"},
	{"no dictionary", npyFile(1, "hello", nil), "not a Python dictionary"},
	{"open dictionary", npyFile(1, "{'descr': '<f8'", nil), "not a Python dictionary"},
	{"open string", npyFile(1, "{'descr: <f8}", nil), "not a Python dictionary"},
	{"after the dictionary", npyFile(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), } x", make([]byte, 8)), "not a Python dictionary"},
	{"key missing", npyFile(1, "{'descr': '<f8', 'shape': (1,), }", make([]byte, 8)), `lacks the key "fortran_order"`},
	{"unknown key", npyFile(1, "{'descr': '<f8', 'colour': 'red'}", nil), `unknown key "colour"`},
	{"order", npyArray("<f8", "Maybe", "(1,)", make([]byte, 8)), "not a Python dictionary"},
	{"shape text", npyArray("<f8", "False", "(x,)", make([]byte, 8)), "not a Python dictionary"},
	{"shape number", npyArray("<f8", "False", "3", make([]byte, 8)), "not a Python dictionary"},
	{"shape open", npyArray("<f8", "False", "(3", make([]byte, 8)), "not a Python dictionary"},
	{"negative", npyArray("<f8", "False", "(-1, 8)", make([]byte, 8)), `the shape holds "-1"`},
	{"beyond int", npyArray("<f8", "False", "(99999999999999999999, 8)", make([]byte, 8)), `the shape holds "99999999999999999999"`},
	{"product overflows", npyArray("<f8", "False", "(4294967296, 4294967296)", make([]byte, 8)), "the shape (4294967296, 4294967296) is beyond any memory"},
	{"product wraps to small", npyArray("<f8", "False", "(9223372036854775807, 2)", make([]byte, 8)), "is beyond any memory"},
	{"no rows", npyArray("<f8", "False", "(0, 3)", nil), "the array is empty: shape (0, 3)"},
	{"no columns", npyArray("<f8", "False", "(3, 0)", nil), "the array is empty: shape (3, 0)"},
	{"empty vector", npyArray("<f8", "False", "(0,)", nil), "the array is empty: shape (0,)"},
	{"three dimensions", npyArray("<f8", "False", "(2, 3, 4)", make([]byte, 192)), "the array has 3 dimensions, shape (2, 3, 4): reshape it to two"},
	{"truncated", npyArray("<f8", "False", "(16, 8)", make([]byte, 812)), "the file ends after 812 of 1024 data bytes (truncated?)"},
	{"truncated columns", npyArray(">i4", "True", "(16, 8)", make([]byte, 100)), "the file ends after 100 of 512 data bytes (truncated?)"},
	{"no data", npyArray("<f8", "False", "(2,)", nil), "the file ends after 0 of 16 data bytes"},
	{"lying shape", npyArray("<f8", "False", "(100000000000, 3)", make([]byte, 80)), "the file ends after 80 of 2400000000000 data bytes"},
	{"trailing", npyArray("<f8", "False", "(2,)", make([]byte, 17)), "the data of the shape (2,) that the header declares"},
	{"complex", npyArray("<c16", "False", "(1,)", make([]byte, 16)), "complex numbers (<c16) are not supported"},
	{"objects", npyArray("|O", "False", "(1,)", make([]byte, 16)), "Python objects"},
	{"text", npyArray("<U3", "False", "(1,)", make([]byte, 12)), "text (<U3)"},
	{"bytes", npyArray("|S3", "False", "(1,)", make([]byte, 3)), "text (|S3)"},
	{"dates", npyArray("<M8[ns]", "False", "(1,)", make([]byte, 8)), "dates or durations"},
	{"long double", npyArray("<f16", "False", "(1,)", make([]byte, 16)), `the data type "<f16" is not supported`},
	{"odd size", npyArray("<i3", "False", "(1,)", make([]byte, 3)), `the data type "<i3" is not supported`},
	{"no type", npyArray("", "False", "(1,)", make([]byte, 8)), "is not known"},
	{"two marks", npyArray("<>f8", "False", "(1,)", make([]byte, 8)), "is not known"},
	{"structured", npyFile(1, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }", make([]byte, 8)), "the array is structured"},
}

func TestNPYFaults(t *testing.T) {
	for _, c := range npyFaults {
		t.Run(c.name, func(t *testing.T) {
			path := write(t, "x.npy", c.file)
			_, err := ReadMatrix(path, Options{})
			wantError(t, err, OpRead, path, c.want)
			_, err = ReadSparse(path, Options{})
			wantError(t, err, OpRead, path, c.want)
			// The same from a stream, whose length nobody knows.
			_, err = ReadMatrix("-", Options{Stdin: io.MultiReader(bytes.NewReader(c.file))})
			wantError(t, err, OpRead, "-", c.want)
		})
	}
}

// TestNPYEveryTruncation cuts a file at every place: each must be an error.
func TestNPYEveryTruncation(t *testing.T) {
	file := npyArray("<i4", "True", "(3, 4)", make([]byte, 48))
	for n := range file {
		if _, err := readNPYMatrix(source{Reader: bytes.NewReader(file[:n]), size: int64(n)}, budget{}); err == nil {
			t.Errorf("no error with %d of %d bytes", n, len(file))
		}
		if _, err := readNPYMatrix(source{Reader: bytes.NewReader(file[:n]), size: -1}, budget{}); err == nil {
			t.Errorf("no error with %d of %d streamed bytes", n, len(file))
		}
	}
}

func TestNPYFromRedirectedFile(t *testing.T) {
	path := write(t, "x.npy", npyArray("<f8", "False", "(2,)", encoded(binary.LittleEndian, []float64{4, 5})))
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	m, err := ReadMatrix("-", Options{Stdin: f})
	if err != nil || m.At(1, 0) != 5 {
		t.Errorf("%v, error %v", m, err)
	}
}

func TestNPYPassesReadError(t *testing.T) {
	file := npyArray("<f8", "False", "(20, 3)", make([]byte, 480))
	for _, n := range []int{0, 8, 50, len(file) - 100, len(file)} {
		r := io.MultiReader(bytes.NewReader(file[:n]), iotest.ErrReader(os.ErrClosed))
		_, err := ReadMatrix("-", Options{Stdin: r})
		wantError(t, err, OpRead, "-", os.ErrClosed.Error())
	}
}

// TestNPYBytes checks what is written to the byte.
func TestNPYBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	save(t, path, hardMatrix(3, 4), Options{})
	got := must.Get(os.ReadFile(path))(t)
	head := "\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }"
	head += strings.Repeat(" ", 127-len(head)) + "\n"
	want := append([]byte(head), encoded(binary.LittleEndian, hardMatrix(3, 4).RawMatrix().Data)...)
	if !bytes.Equal(got, want) {
		t.Errorf("wrote %q, want %q", got, want)
	}
	for n := range 40 { // whatever the length of the shape's text
		var b bytes.Buffer
		must.Do(t, writeNPYHeader(&b, "<f8", []int{int(math.Pow10(n % 19)), int(math.Pow10(n / 2 % 19))}))
		if b.Len()%64 != 0 || b.Bytes()[b.Len()-1] != '\n' {
			t.Errorf("a header of %d bytes", b.Len())
		}
	}
}

func TestWriteViewsAndOtherMatrices(t *testing.T) {
	whole := hardMatrix(6, 7)
	view := whole.Slice(1, 5, 2, 6) // rows with gaps between them
	for _, m := range []mat.Matrix{view, view.T(), mat.NewVecDense(3, []float64{1, 2, 3})} {
		rows, cols := m.Dims()
		want := make([]float64, 0, rows*cols)
		for i := range rows {
			for j := range cols {
				want = append(want, m.At(i, j))
			}
		}
		for _, name := range []string{"x.npy", "x.csv", "x.mtx", "x.npz"} {
			path := filepath.Join(t.TempDir(), name)
			save(t, path, m, Options{})
			wantMatrix(t, path, rows, cols, want)
		}
	}
}
