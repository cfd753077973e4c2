package parquet_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	library "github.com/parquet-go/parquet-go"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/files"
	_ "github.com/orthant-go/orthant/engine/files/parquet"
)

func matrix(rows, cols int) *mat.Dense {
	m := mat.NewDense(rows, cols, nil)
	blas.NewStream(3).Normals(m.RawMatrix().Data)
	return m
}

func save(t testing.TB, path string, m mat.Matrix, o files.Options) {
	t.Helper()
	out, err := files.Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(out.WriteMatrix(m, o), out.Commit()); err != nil {
		t.Fatal(err)
	}
}

// table writes rows of a struct by the library.
func table[T any](t testing.TB, rows []T, o ...library.WriterOption) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.parquet")
	if err := library.WriteFile(path, rows, o...); err != nil {
		t.Fatal(err)
	}
	return path
}

func wantMatrix(t *testing.T, path string, want *mat.Dense) {
	t.Helper()
	got, err := files.ReadMatrix(path, files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(got, want) {
		t.Errorf("%s: %v, want %v", filepath.Base(path), mat.Formatted(got), mat.Formatted(want))
	}
}

func wantError(t *testing.T, path, want string) {
	t.Helper()
	_, err := files.ReadMatrix(path, files.Options{})
	if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "reading "+path+": ") {
		t.Errorf("error %v, want one that says %q", err, want)
	}
	var e *files.Error
	if !errors.As(err, &e) || e.Op != files.OpRead {
		t.Errorf("%T is no error of reading", err)
	}
}

func TestRoundTrip(t *testing.T) {
	folder := t.TempDir()
	for _, shape := range [][2]int{{1, 1}, {3, 12}, {700, 5}, {5000, 40}} {
		m := matrix(shape[0], shape[1])
		path := filepath.Join(folder, "x.parquet")
		save(t, path, m, files.Options{})
		wantMatrix(t, path, m)
		m.Apply(func(_, _ int, v float64) float64 { return float64(float32(v)) }, m)
		save(t, path, m, files.Options{Float32: true})
		wantMatrix(t, path, m)
	}
}

// Several row groups, in blocks that do not fit them.
func TestRows(t *testing.T) {
	const n, d = 20_000, 400 // 32 MiB are 10485 rows
	m := matrix(n, d)
	path := filepath.Join(t.TempDir(), "x.parquet")
	out, err := files.Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := out.Rows(-1, d, files.Options{})
	for at := 0; err == nil && at < n; at += 3333 {
		err = w.Write(m.Slice(at, min(at+3333, n), 0, d).(*mat.Dense))
	}
	if err = errors.Join(err, w.Close(), out.Commit()); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, _ := f.Stat()
	if p, err := library.OpenFile(f, info.Size()); err != nil || len(p.RowGroups()) != 2 {
		t.Fatalf("%v, error %v", p, err)
	}
	r, err := files.OpenRows(path+":x400,x2", files.Options{})
	if err != nil || r.Rows() != n || r.Cols() != 2 || r.Whole() != "" {
		t.Fatal(r, err)
	}
	defer r.Close()
	block, at := make([]float64, 2*777), 0
	for {
		k, err := r.Next(block)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range k {
			if block[2*i] != m.At(at+i, 399) || block[2*i+1] != m.At(at+i, 1) {
				t.Fatalf("row %d is %v", at+i, block[2*i:2*i+2])
			}
		}
		at += k
	}
	if at != n {
		t.Errorf("%d rows", at)
	}
	wantMatrix(t, path, m)
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
	wantMatrix(t, path, want)
	wantMatrix(t, path+":in.q,b", mat.DenseCopyOf(stacked(want, 9, 0)))
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
	wantError(t, path+":name", `column "name" holds no numbers but string`)
	wantError(t, path+":when", `column "when" holds no numbers but timestamp`)
	wantError(t, path+":no", `the table has no column "no"; it has name, b, i8`)
	wantError(t, path+":b,b", `the column "b" is listed twice`)
	wantError(t, path+":b,", "is no list of columns")
	_, err := files.ReadLabels(path+":f64", files.Options{})
	if err == nil || !strings.Contains(err.Error(), "labels are whole numbers") {
		t.Error(err)
	}
	_, err = files.ReadLabels(path, files.Options{})
	if err == nil || !strings.Contains(err.Error(), "labels are one column, and the table has 10: name one") {
		t.Error(err)
	}
}

// stacked gives some columns of m.
func stacked(m *mat.Dense, cols ...int) *mat.Dense {
	rows, _ := m.Dims()
	s := mat.NewDense(rows, len(cols), nil)
	for j, c := range cols {
		s.SetCol(j, mat.Col(nil, c, m))
	}
	return s
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
	wantError(t, path+":a,b", `row 433, column "b" is null: remove or impute missing values first`)
	wantError(t, path+":c", `row 18, column "c" is null`)
	one := mat.NewDense(500, 1, slices.Repeat([]float64{1}, 500))
	wantMatrix(t, path+":a", one)
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
	wantMatrix(t, path, want)
	wantMatrix(t, path+":old,id", stacked(want, 4, 5, 0))
	rows[250].Emb = []float32{1, 2}
	rows[251].Emb = []float32{1, 2, 3, 4}
	wantError(t, table(t, rows)+":emb", `column "emb": the list of row 25`)
	rows[251].Emb = nil
	wantError(t, table(t, rows)+":emb", `column "emb"`)
}

func TestLabels(t *testing.T) {
	path := filepath.Join(t.TempDir(), "y.parquet:label")
	out, err := files.Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(out.WriteLabels([]int64{math.MaxInt64, -3}), out.Commit()); err != nil {
		t.Fatal(err)
	}
	v, err := files.ReadLabels(path, files.Options{})
	if err != nil || !slices.Equal(v, []int64{math.MaxInt64, -3}) {
		t.Errorf("%v, error %v", v, err)
	}
}

// The columns written keep their order and their names, those of the path too.
func TestNames(t *testing.T) {
	folder := t.TempDir()
	m := matrix(3, 11)
	save(t, filepath.Join(folder, "x.parquet"), m, files.Options{})
	wantMatrix(t, filepath.Join(folder, "x.parquet")+":x11,x2", stacked(m, 10, 1))
	two := stacked(m, 0, 1)
	save(t, filepath.Join(folder, `y.parquet:zeta,"alpha, beta"`), two, files.Options{})
	wantMatrix(t, filepath.Join(folder, "y.parquet"), two)
	wantMatrix(t, filepath.Join(folder, `y.parquet:"alpha, beta"`), stacked(m, 1))
	out, err := files.Create(filepath.Join(folder, "z.parquet:a"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := out.WriteMatrix(two, files.Options{}); err == nil || !strings.Contains(err.Error(), "the path names 1 column, and there are 2 to write") {
		t.Error(err)
	}
}

func TestFaults(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "x.parquet")
	put := func(b []byte) {
		t.Helper()
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	save(t, path, matrix(30, 3), files.Options{})
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, filepath.Join(folder, "no.parquet"), "no such file")
	wantError(t, path+".gz", "have a compression of their own")
	put(nil)
	wantError(t, path, "the file is empty")
	put([]byte("a,b\n1,2\n"))
	wantError(t, path, "not a Parquet file")
	put([]byte("PAR1"))
	wantError(t, path, "truncated")
	put(bytes.Repeat([]byte("PAR1"), 5))
	wantError(t, path, "truncated")
	save(t, path, matrix(100, 10), files.Options{})
	if _, err := files.ReadMatrix(path, files.Options{MaxBytes: 7999}); err == nil || !strings.Contains(err.Error(), "memory limit") {
		t.Error(err)
	}
	type word struct {
		S string `parquet:"s"`
	}
	wantError(t, table(t, []word{{"a"}}), "no column holds numbers (s)")
	type nan struct {
		X float64 `parquet:"x"`
	}
	wantError(t, table(t, []nan{{1}, {math.NaN()}}), "row 2, column 1 (counting from 1) is NaN")
	wantError(t, table(t, []nan(nil)), "empty")
	type price struct {
		P int64 `parquet:"p,decimal(2:10)"`
		Q int64 `parquet:"q"`
	}
	wantError(t, table(t, []price{{1, 2}}), `column "p" holds decimal numbers`)
	wantMatrix(t, table(t, []price{{1, 2}})+":q", mat.NewDense(1, 1, []float64{2}))

	// Every truncation is an error, and no changed byte does worse.
	for n := range good {
		put(good[:n])
		if _, err := files.ReadMatrix(path, files.Options{}); err == nil {
			t.Errorf("no error with %d of %d bytes", n, len(good))
		}
		bad := bytes.Clone(good)
		bad[n] ^= 0x55
		put(bad)
		_, _ = files.ReadMatrix(path, files.Options{MaxBytes: 1 << 20})
	}
}

// A list in the metadata that claims more than there is must not be believed.
func TestLyingFooter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.parquet")
	// Field 2, the schema, as a list of 2³² − 1 structures.
	footer := []byte{0x15, 0x02, 0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x00}
	file := append([]byte("PAR1"), footer...)
	file = append(file, byte(len(footer)), 0, 0, 0)
	if err := os.WriteFile(path, append(file, "PAR1"...), 0o666); err != nil {
		t.Fatal(err)
	}
	wantError(t, path, "its metadata are damaged")
}

func FuzzParquet(f *testing.F) {
	path := filepath.Join(f.TempDir(), "x.parquet")
	for _, rows := range []int{1, 20} {
		save(f, path, matrix(rows, 2), files.Options{})
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	type row struct {
		A *float64 `parquet:"a,optional,dict,snappy"`
		L []int32  `parquet:"l,list"`
	}
	one := 1.0
	b, err := os.ReadFile(table(f, []row{{&one, []int32{1, 2}}, {nil, []int32{3, 4}}}))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		m, err := files.ReadMatrix(path, files.Options{MaxBytes: 1 << 24, AllowNonFinite: true})
		if err == nil {
			if rows, cols := m.Dims(); rows == 0 || cols == 0 {
				t.Fatalf("%d × %d without an error", rows, cols)
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	path := filepath.Join(b.TempDir(), "x.parquet")
	save(b, path, matrix(100_000, 20), files.Options{})
	b.SetBytes(8 * 100_000 * 20)
	for b.Loop() {
		if _, err := files.ReadMatrix(path, files.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
