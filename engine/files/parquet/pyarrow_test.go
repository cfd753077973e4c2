package parquet_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/files/internal/tabletest"
	"github.com/orthant-go/orthant/internal/must"
)

// pyarrow names a file that another library wrote, with the script next to it.
func pyarrow(name string) string {
	return filepath.Join("..", "..", "..", "testdata", "parquet", name+".parquet")
}

const pyarrowRows = 45

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
	{"f32", func(i int) float64 { return float64(i%13) / 4 }},
	{"f64", func(i int) float64 { return float64(i%10) / 7 }},
	{"mixed", func(i int) float64 { return float64(i*2654435761%(1<<32)) / (1 << 32) }},
	{"list.1", func(i int) float64 { return float64(i) }},
	{"list.2", func(i int) float64 { return float64(i % 2) }},
}

// pyarrowMatrix holds the columns that the names begin, or all.
func pyarrowMatrix(names ...string) *mat.Dense {
	var columns []func(int) float64
	for _, c := range pyarrowColumns {
		if names == nil {
			columns = append(columns, c.value)
		}
		for _, name := range names {
			if c.name == name {
				columns = append(columns, c.value)
			}
		}
	}
	m := mat.NewDense(pyarrowRows, len(columns), nil)
	m.Apply(func(i, j int, _ float64) float64 { return columns[j](i) }, m)
	return m
}

// Every codec, version of pages, and type, with a dictionary and without.
func TestPyarrow(t *testing.T) {
	whole := pyarrowMatrix()
	for _, codec := range []string{"none", "snappy", "gzip", "brotli", "zstd", "lz4"} {
		for _, version := range []string{"v1", "v2"} {
			for _, values := range []string{"plain", "dictionary"} {
				name := fmt.Sprintf("%s-%s-%s", codec, version, values)
				t.Run(name, func(t *testing.T) {
					tabletest.WantMatrix(t, pyarrow(name), whole)
					tabletest.WantRows(t, pyarrow(name), whole, 7)
					tabletest.WantRows(t, pyarrow(name)+":mixed,i8", tabletest.Columns(whole, 11, 1), 20)
					wantLabels(t, pyarrow(name))
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

func TestPyarrowEncodings(t *testing.T) {
	for name, want := range map[string]*mat.Dense{
		"delta-v1": pyarrowMatrix("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"),
		"delta-v2": pyarrowMatrix("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"),
		"split-v1": pyarrowMatrix("i32", "i64", "f32", "f64", "mixed"),
		"split-v2": pyarrowMatrix("i32", "i64", "f32", "f64", "mixed"),
		"groups":   pyarrowMatrix("b", "i32", "f64"),
		"fallback": pyarrowMatrix("mixed"),
	} {
		t.Run(name, func(t *testing.T) {
			tabletest.WantMatrix(t, pyarrow(name), want)
			tabletest.WantRows(t, pyarrow(name), want, 10)
		})
	}
	unused := mat.NewDense(pyarrowRows, 1, nil)
	unused.Apply(func(i, _ int, _ float64) float64 { return float64(i%3) / 8 }, unused)
	tabletest.WantMatrix(t, pyarrow("unused"), unused)
}

// A page of one value over and over folds as far as its codec can.
func TestPyarrowConstant(t *testing.T) {
	want := mat.NewDense(20000, 1, nil)
	want.Apply(func(_, _ int, _ float64) float64 { return 0.1 }, want)
	for _, codec := range []string{"snappy", "gzip", "brotli", "zstd", "lz4"} {
		t.Run(codec, func(t *testing.T) { tabletest.WantMatrix(t, pyarrow("constant-"+codec), want) })
	}
}

// Pages that hardly fold: the codec may not give up the memory it was handed.
func TestPyarrowLarge(t *testing.T) {
	want := mat.NewDense(700, 1, nil)
	want.Apply(func(i, _ int, _ float64) float64 { return pyarrowColumns[11].value(i) }, want)
	for _, name := range []string{"large-v1-plain", "large-v1-dictionary", "large-v2-plain", "large-v2-dictionary"} {
		t.Run(name, func(t *testing.T) { tabletest.WantMatrix(t, pyarrow(name), want) })
	}
}

// Numbers of 16 bits would be missed if they were passed over.
func TestPyarrowHalf(t *testing.T) {
	tabletest.WantError(t, pyarrow("half"), `column "x" holds numbers of 16 bits, which are not supported: write it as float`)
	tabletest.WantError(t, pyarrow("half")+":x", `column "x" holds numbers of 16 bits`)
	want := mat.NewDense(pyarrowRows, 1, nil)
	want.Apply(func(i, _ int, _ float64) float64 { return float64(i) }, want)
	tabletest.WantMatrix(t, pyarrow("half")+":y", want)
}

func TestPyarrowNull(t *testing.T) {
	for _, version := range []string{"v1", "v2"} {
		tabletest.WantError(t, pyarrow("null-"+version), `row 21, column "x" is null`)
	}
}

// Every truncation of such a file is an error, and no changed byte does worse.
func TestPyarrowDamage(t *testing.T) {
	for _, name := range []string{"unused", "constant-brotli", "constant-gzip", "constant-zstd"} {
		path := filepath.Join(t.TempDir(), "x.parquet")
		good := must.Get(os.ReadFile(pyarrow(name)))(t)
		tabletest.Damage(t, path, good)
	}
}
