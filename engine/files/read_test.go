package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/internal/must"
)

// A file of float32 is read as it is, others are left alone.
func TestReadSingle(t *testing.T) {
	x := randomMatrix(70, 9)
	for name, o := range map[string]Options{"x.npy": {}, "x.csv": {}, "x.npy.gz": {Float32: true}} {
		if _, _, _, is, err := ReadSingle(written(t, x, name, o), Options{}); is || err != nil {
			t.Errorf("%s: %v, %v", name, is, err)
		}
	}
	path := written(t, x, "x.npy", Options{Float32: true})
	rows, cols, data, is, err := ReadSingle(path, Options{})
	if !is || err != nil || rows != 70 || cols != 9 {
		t.Fatalf("%d × %d, %v, %v", rows, cols, is, err)
	}
	for p, v := range x.RawMatrix().Data {
		if float64(data[p]) != v {
			t.Fatalf("entry %d is %v, not %v", p, data[p], v)
		}
	}
	if _, _, _, _, err := ReadSingle(path, Options{MaxBytes: 1000}); !IsTooLarge(err) {
		t.Errorf("beyond the limit: %v", err)
	}
	raw := must.Get(os.ReadFile(path))(t)
	must.Do(t, os.WriteFile(path, raw[:len(raw)-4], 0o600))
	if _, _, _, is, err := ReadSingle(path, Options{}); is || err == nil || !strings.Contains(err.Error(), "truncated") {
		t.Errorf("truncated: %v, %v", is, err)
	}
	bad := mat.DenseCopyOf(x)
	bad.Set(4, 2, math.NaN())
	must.Refuse(t, "row 5, column 3")(ReadSingle(written(t, bad, "b.npy", Options{Float32: true, AllowNonFinite: true}), Options{}))
}

// Every type and byte order is read as the numbers that ReadAny reads, in its own type where that is
// narrower than float64.
func TestReadStored(t *testing.T) {
	narrow := map[string]string{"f4": "float32", "f2": "float16", "i1": "int8", "u1": "uint8", "b1": "uint8",
		"i2": "int16", "u2": "uint16", "i4": "int32", "u4": "uint32"}
	for _, c := range dtypeCases {
		for mark, order := range map[string]binary.ByteOrder{"<": binary.LittleEndian, ">": binary.BigEndian} {
			data := encoded(order, c.v)
			for fortran, name := range map[string]string{"False": narrow[c.kind], "True": ""} {
				path := write(t, "x.npy", npyArray(mark+c.kind, fortran, "(2, 3)", data))
				got, err := ReadStored(path, Options{})
				want, other := ReadAny(path, Options{})
				if err != nil || other != nil || !mat.Equal(got, want) {
					t.Fatalf("%s%s, Fortran order %s: %v, %v, %v", mark, c.kind, fortran, got, err, other)
				}
				if x, is := got.(*neighbors.Stored); is != (name != "") || is && x.Type() != name {
					t.Errorf("%s%s, Fortran order %s: a %T", mark, c.kind, fortran, got)
				}
			}
			cut := write(t, "cut.npy", npyArray(mark+c.kind, "False", "(2, 3)", data[:len(data)-1]))
			long := write(t, "long.npy", npyArray(mark+c.kind, "False", "(2, 3)", append(data, 0)))
			for _, path := range []string{cut, long, filepath.Join(t.TempDir(), "none.npy")} {
				_, err := ReadStored(path, Options{})
				if _, want := ReadAny(path, Options{}); err == nil || err.Error() != want.Error() {
					t.Errorf("%s%s: error %v, want %v", mark, c.kind, err, want)
				}
			}
		}
	}
	// 7 stands for true as 1 does.
	x, err := ReadStored(write(t, "b.npy", npyArray("|b1", "False", "(1, 3)", []byte{7, 0, 1})), Options{})
	if err != nil || x.At(0, 0) != 1 || x.At(0, 1) != 0 {
		t.Errorf("booleans: %v, %v", x, err)
	}
}

// Files of other kinds, and reading that changes the numbers, take float64.
func TestReadStoredLeavesOthers(t *testing.T) {
	x := randomMatrix(70, 9)
	single := Options{Float32: true}
	for name, o := range map[string]Options{"x.npy": {}, "x.csv": single, "x.npy.gz": single, "x.npz": single} {
		got, err := ReadStored(written(t, x, name, o), Options{})
		if _, is := got.(*mat.Dense); err != nil || !is {
			t.Errorf("%s: a %T, %v", name, got, err)
		}
	}
	path := written(t, x, "x.npy", single)
	for _, o := range []Options{{Missing: true}, {AllowNonFinite: true}, {Columns: []string{"2"}}, {Drop: []string{"2"}}} {
		got, err := ReadStored(path, o)
		if _, is := got.(*mat.Dense); err != nil || !is {
			t.Errorf("%+v: a %T, %v", o, got, err)
		}
	}
}

func TestReadStoredRefuses(t *testing.T) {
	nan := encoded(binary.LittleEndian, []float32{1, 2, 3, 4, float32(math.NaN()), 6})
	half := encoded(binary.BigEndian, []uint16{0x3c00, 0x3c00, 0xfc00, 0x3c00, 0x3c00, 0x7e00})
	for _, c := range []struct {
		path, want string
		missing    bool
	}{
		{write(t, "s.npy", npyArray("<f4", "False", "(2, 3)", nan)), "row 2, column 2 (counting from 1) is NaN", true},
		{write(t, "h.npy", npyArray(">f2", "False", "(3, 2)", half)), "row 2, column 1 (counting from 1) is an infinity", false},
	} {
		_, err := ReadStored(c.path, Options{})
		if _, missing := errors.AsType[*MissingError](err); err == nil || !strings.Contains(err.Error(), c.want) || missing != c.missing {
			t.Errorf("got error %v, want one with %q", err, c.want)
		}
	}
	// The limit counts the bytes of the file, not of float64.
	path := written(t, randomMatrix(700, 90), "x.npy", Options{Float32: true})
	if _, err := ReadStored(path, Options{MaxBytes: 4*700*90 + 1}); err != nil {
		t.Error(err)
	}
	if _, err := ReadStored(path, Options{MaxBytes: 4*700*90 - 1}); !IsTooLarge(err) {
		t.Errorf("beyond the limit: %v", err)
	}
}

// brittle is a file that cannot be read from some place on.
type brittle struct {
	*bytes.Reader
	good int64
}

func (brittle) Stat() (fs.FileInfo, error) { return nil, errors.ErrUnsupported }

func (b brittle) ReadAt(p []byte, at int64) (int, error) {
	if n := max(0, b.good-at); n < int64(len(p)) {
		copied, _ := b.Reader.ReadAt(p[:n], at)
		return copied, fs.ErrPermission
	}
	return b.Reader.ReadAt(p, at)
}

// A large file is read in parts: all of it from where it stands, and up to the first byte that cannot be read.
func TestLargeFilesAreReadInParts(t *testing.T) {
	content := make([]byte, 3*partOfFile+100)
	for i := range content {
		content[i] = byte(i >> 3)
	}
	for _, good := range []int64{int64(len(content)), 2*partOfFile + 33} {
		f := brittle{bytes.NewReader(content), good}
		_, err := f.Seek(7, io.SeekStart)
		must.Do(t, err)
		got := make([]byte, len(content)-10)
		n, err := readFull(source{Reader: f, size: int64(len(content) - 7)}, got)
		if want := min(int(good)-7, len(got)); n != want || (err != nil) != (want < len(got)) || !bytes.Equal(got[:n], content[7:7+n]) {
			t.Errorf("%d of %d bytes, error %v", n, want, err)
		}
		if at, _ := f.Seek(0, io.SeekCurrent); err == nil && at != int64(len(content)-3) {
			t.Errorf("the next byte is %d", at)
		}
	}
}
