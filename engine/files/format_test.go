package files

import (
	"bytes"
	"errors"
	"io"

	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/must"
)

// eachFormat runs a test of every format of this package.
func eachFormat(t *testing.T, test func(t *testing.T, f *Format)) {
	for _, f := range builtIn {
		t.Run(f.Name, func(t *testing.T) { test(t, registered(f.Extensions[0])) })
	}
}

func TestFormatsAreComplete(t *testing.T) {
	eachFormat(t, func(t *testing.T, f *Format) {
		if f.read == nil || f.readLabels == nil || f.openRows == nil || f.extent == nil {
			t.Error("it lacks a reader")
		}
		if f.write == nil || f.writeIntegers == nil || f.writeRows == nil {
			t.Error("it lacks a writer")
		}
		if (f.holds == namedArrays) != (f.checkName != nil) {
			t.Error("names of arrays are checked where there are any, and only there")
		}
		if f.Name == "" || f.Open != nil || f.Create != nil {
			t.Error("it has a name and, without named columns, no tables")
		}
		for _, ext := range f.Extensions {
			if registered(ext) != f || ext != strings.ToLower(ext) || !strings.HasPrefix(ext, ".") {
				t.Errorf("extension %q", ext)
			}
		}
	})
}

func TestFormatsRoundTrip(t *testing.T) {
	m := hardMatrix(13, 5)
	eachFormat(t, func(t *testing.T, f *Format) {
		path := filepath.Join(t.TempDir(), "x"+f.Extensions[0])
		t.Run("matrix", func(t *testing.T) {
			save(t, path, m, Options{})
			wantMatrix(t, path, 13, 5, m.RawMatrix().Data)
		})
		t.Run("sparse", func(t *testing.T) {
			a, err := ReadSparse(path, Options{})
			if err != nil || !mat.Equal(a, m) {
				t.Errorf("%v, error %v", a, err)
			}
		})
		t.Run("rows", func(t *testing.T) {
			r := must.Get(OpenRows(path, Options{}))(t)
			defer r.Close()
			data := must.Get(inBlocks(r, 4))(t)
			sameBits(t, data, m.RawMatrix().Data)
		})
		t.Run("labels", func(t *testing.T) {
			want := []int64{3, -1, 1 << 53}
			o := create(t, path)
			must.Do(t, errors.Join(o.WriteLabels(want), o.Commit()))
			if got, err := ReadLabels(path, Options{}); err != nil || !slices.Equal(got, want) {
				t.Errorf("%v, error %v", got, err)
			}
		})
		t.Run("integers", func(t *testing.T) {
			o := create(t, path)
			must.Do(t, errors.Join(o.WriteIntegers(2, 3, byRows(3, 1, 2, 3, -4, 5, 6)), o.Commit()))
			wantMatrix(t, path, 2, 3, []float64{1, 2, 3, -4, 5, 6})
		})
	})
}

// A colon selects of a file what its format names, and is part of the path elsewhere.
func TestFormatsSelect(t *testing.T) {
	eachFormat(t, func(t *testing.T, f *Format) {
		path := "x" + f.Extensions[0]
		loc, err := locate(path + ":v")
		switch f.holds {
		case namedArrays:
			if err != nil || loc.file != path || loc.array != "v" {
				t.Errorf("%+v, error %v", loc, err)
			}
		case namedColumns:
			if err != nil || loc.file != path || !slices.Equal(loc.columns, []string{"v"}) {
				t.Errorf("%+v, error %v", loc, err)
			}
		default:
			if err == nil || loc.file != path+":v" {
				t.Errorf("%+v, error %v", loc, err)
			}
		}
		_, err = locate(path + ".gz")
		if (err != nil) != f.compressed {
			t.Errorf("compressed inside: %v, compressed outside: error %v", f.compressed, err)
		}
	})
}

func TestOneFormatIsStandard(t *testing.T) {
	count := 0
	for _, f := range builtIn {
		if f.standard {
			count++
		}
	}
	if count != 1 {
		t.Fatalf("%d formats of standard input and output", count)
	}
	m := hardMatrix(2, 3)
	var stdout bytes.Buffer
	o := must.Get(Create("-", &stdout))(t)
	must.Do(t, errors.Join(o.WriteMatrix(m, Options{}), o.Commit()))
	got := must.Get(ReadMatrix("-", Options{Stdin: &stdout}))(t)
	sameBits(t, got.RawMatrix().Data, m.RawMatrix().Data)
}

// countTable is a table of one column with the numbers 1, 2, 3.
type countTable struct{ at int }

func (c *countTable) Names() []string { return []string{"n"} }
func (c *countTable) Rows() int       { return 3 }
func (c *countTable) Integer() bool   { return false }
func (c *countTable) Close() error    { return nil }

func (c *countTable) Next(dst []float64) (int, error) {
	if c.at == 3 {
		return 0, nil
	}
	c.at++
	dst[0] = float64(c.at)
	return 1, nil
}

func (c *countTable) NextIntegers([]int64) (int, error) { return 0, errors.New("not asked for") }

// A format of tables is one like the others once it brings how tables are opened.
func TestFormatOfTables(t *testing.T) {
	f := Format{Name: "Count", Open: func(*io.SectionReader, Choice, *Memory) (Table, error) { return &countTable{}, nil }}
	f.derive()
	if f.holds != namedColumns || !f.compressed {
		t.Errorf("%+v", f)
	}
	loc := location{file: write(t, "x.count", []byte("x")), format: &f}
	t.Run("matrix", func(t *testing.T) {
		m := must.Get(f.read(loc, Options{}))(t)
		sameBits(t, m.dense.RawMatrix().Data, []float64{1, 2, 3})
	})
	t.Run("labels", func(t *testing.T) {
		if v, err := f.readLabels(loc, Options{}); err != nil || !slices.Equal(v, []int64{1, 2, 3}) {
			t.Errorf("%v, error %v", v, err)
		}
	})
	t.Run("rows", func(t *testing.T) {
		r := &RowReader{}
		must.Do(t, f.openRows(r, loc, Options{}))
		defer r.Close()
		data := must.Get(inBlocks(r, 2))(t)
		sameBits(t, data, []float64{1, 2, 3})
	})
}

func TestRegisterRefusesWhatIsTaken(t *testing.T) {
	eachFormat(t, func(t *testing.T, f *Format) {
		defer func() {
			if p := recover(); p != "files: a format for "+f.Extensions[0]+" is registered already" {
				t.Errorf("panic %v", p)
			}
		}()
		Register(Format{Name: "another", Extensions: f.Extensions})
	})
}
