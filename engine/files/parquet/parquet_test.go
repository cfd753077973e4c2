package parquet_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	library "github.com/parquet-go/parquet-go"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/files/internal/tabletest"
	_ "github.com/orthant-go/orthant/engine/files/parquet"
	"github.com/orthant-go/orthant/internal/must"
)

// table writes rows of a struct by the library.
func table[T any](t testing.TB, rows []T, o ...library.WriterOption) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.parquet")
	must.Do(t, library.WriteFile(path, rows, o...))
	return path
}

func TestRoundTrip(t *testing.T) {
	tabletest.RoundTrip(t, filepath.Join(t.TempDir(), "x.parquet"), [2]int{1, 1}, [2]int{3, 12}, [2]int{700, 5}, [2]int{5000, 40})
}

// Several row groups, in blocks that do not fit them.
func TestRows(t *testing.T) {
	m := tabletest.Matrix(5_000, 400) // 8 MiB are 2621 rows
	path := filepath.Join(t.TempDir(), "x.parquet")
	tabletest.SaveRows(t, path, m, 833)
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	info, _ := f.Stat()
	if p, err := library.OpenFile(f, info.Size()); err != nil || len(p.RowGroups()) != 2 {
		t.Fatalf("no two groups of rows, error %v", err)
	}
	tabletest.WantRows(t, path+":x400,x2", tabletest.Columns(m, 399, 1), 777)
	tabletest.WantMatrix(t, path, m)
}

func TestTypes(t *testing.T) {
	type inner struct {
		Q float64 `parquet:"q"`
	}
	type row struct {
		Name  string    `parquet:"name"`
		B     bool      `parquet:"b"`
		I8    int8      `parquet:"i8"`
		I32   int32     `parquet:"i32,dict"`
		U32   uint32    `parquet:"u32"`
		I64   int64     `parquet:"i64,delta"`
		U64   uint64    `parquet:"u64,dict"`
		F32   float32   `parquet:"f32,split"`
		F64   float64   `parquet:"f64,dict,snappy"`
		O     *float64  `parquet:"o,optional,zstd"`
		In    inner     `parquet:"in"`
		When  time.Time `parquet:"when"`
		Index int64     `parquet:"__index_level_0__"`
	}
	rows := make([]row, 300)
	want := mat.NewDense(300, 10, nil)
	for i := range rows {
		o := float64(i) / 3
		rows[i] = row{"x", i%3 == 0, int8(-i % 100), int32(-i % 7), math.MaxUint32 - uint32(i), int64(i) << 40, uint64(i % 5), float32(i) / 4, float64(i%11) / 7, &o, inner{float64(i)}, time.Now(), int64(i)}
		b := 0.0
		if i%3 == 0 {
			b = 1
		}
		want.SetRow(i, []float64{b, float64(-i % 100), float64(-i % 7), float64(math.MaxUint32 - i), float64(i << 40), float64(i % 5), float64(float32(i) / 4), float64(i%11) / 7, o, float64(i)})
	}
	path := table(t, rows, library.PageBufferSize(100), library.MaxRowsPerRowGroup(77))
	tabletest.WantMatrix(t, path, want)
	tabletest.WantMatrix(t, path+":in.q,b", tabletest.Columns(want, 9, 0))
	for _, name := range []string{"i64", "u64", "i32", "u32", "i8", "b"} {
		labels, err := files.ReadLabels(path+":"+name, files.Options{})
		x, other := files.ReadMatrix(path+":"+name, files.Options{})
		if err = errors.Join(err, other); err != nil || len(labels) != 300 {
			t.Fatal(err)
		}
		for i, v := range labels {
			if float64(v) != x.At(i, 0) {
				t.Fatalf("%s: label %d is %d, want %v", name, i, v, x.At(i, 0))
			}
		}
	}
	tabletest.WantError(t, path+":name", `column "name" holds no numbers but string`)
	tabletest.WantError(t, path+":when", `column "when" holds no numbers but timestamp`)
	tabletest.WantError(t, path+":no", `the table has no column "no" (did you mean "o"?); it has name, b, i8`)
	tabletest.WantError(t, path+":b,b", `the column "b" is listed twice`)
	tabletest.WantError(t, path+":b,", "is not a list of columns")
	_, err := files.ReadLabels(path+":f64", files.Options{})
	if err == nil || !strings.Contains(err.Error(), "labels are whole numbers") {
		t.Error(err)
	}
	_, err = files.ReadLabels(path, files.Options{})
	if err == nil || !strings.Contains(err.Error(), "labels are one column, and the table has 10: name one") {
		t.Error(err)
	}
}

func TestNulls(t *testing.T) {
	type row struct {
		A float64  `parquet:"a"`
		B *float64 `parquet:"b,optional"`
		C *int64   `parquet:"c,optional,dict"`
	}
	rows := make([]row, 500)
	for i := range rows {
		b, c := float64(i), int64(i)
		rows[i] = row{1, &b, &c}
	}
	rows[432].B, rows[17].C = nil, nil
	path := table(t, rows, library.MaxRowsPerRowGroup(200), library.PageBufferSize(64))
	tabletest.WantError(t, path+":a,b", `row 433, column "b" is null: remove or impute missing values first`)
	tabletest.WantError(t, path+":c", `row 18, column "c" is null`)
	one := mat.NewDense(500, 1, slices.Repeat([]float64{1}, 500))
	tabletest.WantMatrix(t, path+":a", one)
	r, err := files.OpenRows(path+":b", files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for block := make([]float64, 50); err == nil; _, err = r.Next(block) {
	}
	if !strings.Contains(err.Error(), `row 433, column "b" is null`) {
		t.Error(err)
	}
}

func TestLists(t *testing.T) {
	type row struct {
		ID  int32     `parquet:"id"`
		Emb []float32 `parquet:"emb,list"`
		Old []float64 `parquet:"old"`
	}
	rows := make([]row, 301)
	want := mat.NewDense(301, 6, nil)
	for i := range rows {
		rows[i] = row{int32(i), []float32{float32(i), 2, -float32(i)}, []float64{7, float64(i)}}
		want.SetRow(i, []float64{float64(i), float64(i), 2, -float64(i), 7, float64(i)})
	}
	path := table(t, rows, library.PageBufferSize(50), library.MaxRowsPerRowGroup(120))
	tabletest.WantMatrix(t, path, want)
	tabletest.WantMatrix(t, path+":old,id", tabletest.Columns(want, 4, 5, 0))
	rows[250].Emb = []float32{1, 2}
	rows[251].Emb = []float32{1, 2, 3, 4}
	tabletest.WantError(t, table(t, rows)+":emb", `column "emb": the list of row 25`)
	rows[251].Emb = nil
	tabletest.WantError(t, table(t, rows)+":emb", `column "emb"`)
}

func TestLabels(t *testing.T) {
	tabletest.Labels(t, filepath.Join(t.TempDir(), "y.parquet:label"))
}

// The columns written keep their order and their names, those of the path too.
func TestNames(t *testing.T) {
	folder := t.TempDir()
	m := tabletest.Matrix(3, 11)
	tabletest.Save(t, filepath.Join(folder, "x.parquet"), m, files.Options{})
	tabletest.WantMatrix(t, filepath.Join(folder, "x.parquet")+":x11,x2", tabletest.Columns(m, 10, 1))
	two := tabletest.Columns(m, 0, 1)
	tabletest.Save(t, filepath.Join(folder, `y.parquet:zeta,"alpha, beta"`), two, files.Options{})
	tabletest.WantMatrix(t, filepath.Join(folder, "y.parquet"), two)
	tabletest.WantMatrix(t, filepath.Join(folder, `y.parquet:"alpha, beta"`), tabletest.Columns(m, 1))
	out := must.Get(files.Create(filepath.Join(folder, "z.parquet:a"), nil))(t)
	must.Refuse(t, "the path names 1 column, and there are 2 to write")(out.WriteMatrix(two, files.Options{}))
}

func TestFaults(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "x.parquet")
	tabletest.Save(t, path, tabletest.Matrix(30, 3), files.Options{})
	good := tabletest.Get(t, path)
	tabletest.WantError(t, filepath.Join(folder, "no.parquet"), "no such file")
	tabletest.WantError(t, path+".gz", "have a compression of their own")
	tabletest.Put(t, path, nil)
	tabletest.WantError(t, path, "the file is empty")
	tabletest.Put(t, path, []byte("a,b\n1,2\n"))
	tabletest.WantError(t, path, "not a Parquet file")
	tabletest.Put(t, path, []byte("PAR1"))
	tabletest.WantError(t, path, "truncated")
	tabletest.Put(t, path, bytes.Repeat([]byte("PAR1"), 5))
	tabletest.WantError(t, path, "truncated")
	tabletest.Save(t, path, tabletest.Matrix(100, 10), files.Options{})
	must.Refuse(t, "memory limit")(files.ReadMatrix(path, files.Options{MaxBytes: 7999}))
	type word struct {
		S string `parquet:"s"`
	}
	tabletest.WantError(t, table(t, []word{{"a"}}), "no column holds numbers (s)")
	type nan struct {
		X float64 `parquet:"x"`
	}
	tabletest.WantError(t, table(t, []nan{{1}, {math.NaN()}}), "row 2, column 1 (counting from 1) is NaN")
	tabletest.WantError(t, table(t, []nan(nil)), "empty")
	type price struct {
		P int64 `parquet:"p,decimal(2:10)"`
		Q int64 `parquet:"q"`
	}
	tabletest.WantError(t, table(t, []price{{1, 2}}), `column "p" holds decimal numbers`)
	tabletest.WantMatrix(t, table(t, []price{{1, 2}})+":q", mat.NewDense(1, 1, []float64{2}))

	// Every truncation is an error, and no changed byte does worse.
	tabletest.Damage(t, path, good)
	tabletest.Lengths(t, path, good)
}

// A list in the metadata that claims more than there is must not be believed.
func TestLyingFooter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.parquet")
	// Field 2, the schema, as a list of 2³² − 1 structures.
	footer := []byte{0x15, 0x02, 0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x00}
	file := append([]byte("PAR1"), footer...)
	file = append(file, byte(len(footer)), 0, 0, 0)
	tabletest.Put(t, path, append(file, "PAR1"...))
	tabletest.WantError(t, path, "its metadata are damaged")
}

// seedTables are small files: numbers alone, and a dictionary, a compressed column and a list.
func seedTables(f *testing.F) (list [][]byte) {
	path := filepath.Join(f.TempDir(), "x.parquet")
	for _, rows := range []int{1, 20} {
		tabletest.Save(f, path, tabletest.Matrix(rows, 2), files.Options{})
		list = append(list, tabletest.Get(f, path))
	}
	type row struct {
		A *float64 `parquet:"a,optional,dict,snappy"`
		L []int32  `parquet:"l,list"`
	}
	one := 1.0
	return append(list, tabletest.Get(f, table(f, []row{{&one, []int32{1, 2}}, {nil, []int32{3, 4}}})))
}

func FuzzParquet(f *testing.F) {
	for _, text := range seedTables(f) {
		f.Add(text)
	}
	tabletest.Fuzz(f, ".parquet")
}

func FuzzDamagedParquet(f *testing.F) { tabletest.FuzzDamage(f, ".parquet", seedTables(f)) }

func BenchmarkRead(b *testing.B) { tabletest.BenchmarkRead(b, ".parquet") }
