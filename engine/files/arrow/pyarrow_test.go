package arrow_test

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/files/internal/tabletest"
	"github.com/orthant-go/orthant/internal/must"
)

// pyarrow names a file that another library wrote, with the script next to it.
func pyarrow(name string) string {
	return filepath.Join("..", "..", "..", "testdata", "arrow", name+".arrow")
}

const pyarrowRows = 45

func mixed(i int) float64 { return float64(i*2654435761%(1<<32)) / (1 << 32) }

// pyarrowColumns are the columns of those files as the script makes them.
var pyarrowColumns = []struct {
	name  string
	value func(i int) float64
}{
	{"b", func(i int) float64 { return float64(1 - i/11%2) }},
	{"i8", func(i int) float64 { return float64(i%7 - 3) }},
	{"i16", func(i int) float64 { return float64(-1000 * (i % 5)) }},
	{"i32", func(i int) float64 { return float64(16777216*(i%11) - 5) }},
	{"i64", func(i int) float64 { return float64((i%9 - 4) << 40) }},
	{"u8", func(i int) float64 { return float64(255 - i%3) }},
	{"u16", func(i int) float64 { return float64(65535 - i%6) }},
	{"u32", func(i int) float64 { return float64(math.MaxUint32 - i%4) }},
	{"u64", func(i int) float64 { return float64(1<<63 + uint64(i%4)<<20) }},
	{"f16", func(i int) float64 { return float64(i%13)/4 - 1 }},
	{"f32", func(i int) float64 { return float64(i%13) / 4 }},
	{"f64", func(i int) float64 { return float64(i%10) / 7 }},
	{"mixed", mixed},
	{"list.1", func(i int) float64 { return float64(i) }},
	{"list.2", func(i int) float64 { return float64(i % 2) }},
	{"pair.1", func(i int) float64 { return float64(i) }},
	{"pair.2", func(i int) float64 { return float64(-i) }},
}

func matrixOf(rows int, columns ...func(i int) float64) *mat.Dense {
	m := mat.NewDense(rows, len(columns), nil)
	m.Apply(func(i, j int, _ float64) float64 { return columns[j](i) }, m)
	return m
}

// Every codec and type, as a file and as a stream, with dictionaries and without.
func TestPyarrow(t *testing.T) {
	var columns []func(int) float64
	for _, c := range pyarrowColumns {
		columns = append(columns, c.value)
	}
	whole := matrixOf(pyarrowRows, columns...)
	for _, codec := range []string{"none", "lz4", "zstd"} {
		for _, layout := range []string{"file", "stream"} {
			for _, values := range []string{"plain", "dictionary"} {
				name := fmt.Sprintf("%s-%s-%s", codec, layout, values)
				t.Run(name, func(t *testing.T) {
					tabletest.WantMatrix(t, pyarrow(name), whole)
					tabletest.WantRows(t, pyarrow(name), whole, 7)
					tabletest.WantRows(t, pyarrow(name)+":mixed,i8", tabletest.Columns(whole, 12, 1), 20)
					wantLabels(t, pyarrow(name))
					tabletest.WantError(t, pyarrow(name)+":word", `column "word" holds no numbers but utf8`)
				})
			}
		}
	}
}

// wantLabels reads the columns of integers as such.
func wantLabels(t *testing.T, path string) {
	t.Helper()
	for _, c := range pyarrowColumns[:8] {
		labels, err := files.ReadLabels(path+":"+c.name, files.Options{})
		if err != nil || len(labels) != pyarrowRows {
			t.Fatalf("%s: %d labels, error %v", c.name, len(labels), err)
		}
		for i, v := range labels {
			if float64(v) != c.value(i) {
				t.Fatalf("%s: label %d is %d, want %v", c.name, i, v, c.value(i))
			}
		}
	}
	must.Refuse(t, "beyond the largest int64")(files.ReadLabels(path+":u64", files.Options{}))
}

// Buffers that fold far, and some that hardly do.
func TestPyarrowBuffers(t *testing.T) {
	constant := func(int) float64 { return 0.1 }
	for codec, rows := range map[string][2]int{"none": {200, 700}, "lz4": {20000, 9000}, "zstd": {20000, 700}} {
		t.Run(codec, func(t *testing.T) {
			tabletest.WantMatrix(t, pyarrow("constant-"+codec), matrixOf(rows[0], constant))
			tabletest.WantMatrix(t, pyarrow("large-"+codec), matrixOf(rows[1], mixed))
		})
	}
	few := filepath.Join("..", "..", "..", "testdata", "arrow", "few.feather")
	tabletest.WantMatrix(t, few, matrixOf(pyarrowRows, pyarrowColumns[0].value, pyarrowColumns[3].value, pyarrowColumns[11].value))
}

// A stream may add to a dictionary, or replace it.
func TestPyarrowDictionaries(t *testing.T) {
	grown := matrixOf(30, func(i int) float64 { return float64(i % 10 % (i/10 + 2)) })
	tabletest.WantMatrix(t, pyarrow("delta"), grown)
	replaced := matrixOf(30, func(i int) float64 { return float64(i/10 + i%10%2) })
	tabletest.WantMatrix(t, pyarrow("replaced"), replaced)
	tabletest.WantMatrix(t, pyarrow("unused-null"), matrixOf(pyarrowRows, func(i int) float64 { return 1.5 + float64(i%2) }))
}

func TestPyarrowNull(t *testing.T) {
	for _, name := range []string{"none", "lz4", "zstd", "half", "place", "entry", "list"} {
		tabletest.WantError(t, pyarrow("null-"+name), `row 21, column "x" is null: remove or impute missing values first`)
	}
}

// Numbers that are not read would be missed if they were passed over.
func TestPyarrowLost(t *testing.T) {
	for name, want := range map[string]string{"runs": "numbers encoded by runs", "decimal": "decimal numbers"} {
		tabletest.WantError(t, pyarrow(name), `column "x" holds `+want+", which are not supported: write it")
		tabletest.WantMatrix(t, pyarrow(name)+":y", matrixOf(pyarrowRows, func(i int) float64 { return float64(i) }))
	}
}

// Every truncation of such a file is an error, and no changed byte does worse.
func TestPyarrowDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.arrow")
	for _, name := range []string{"unused-null", "constant-zstd"} {
		tabletest.Damage(t, path, tabletest.Get(t, pyarrow(name)))
	}
}
