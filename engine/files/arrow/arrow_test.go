package arrow_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/files"
	_ "github.com/orthant-go/orthant/engine/files/arrow"
	"github.com/orthant-go/orthant/engine/files/internal/tabletest"
	"github.com/orthant-go/orthant/internal/must"
)

// tables makes files by the library from batches that add builds: in the file
// format and as a stream, with and without compression.
func tables(t testing.TB, fields []arrow.Field, batches int, add func(b *array.RecordBuilder, batch int)) map[string]string {
	t.Helper()
	schema := arrow.NewSchema(fields, nil)
	paths := map[string]string{}
	for name, o := range map[string][]ipc.Option{"file": nil, "lz4": {ipc.WithLZ4()}, "zstd": {ipc.WithZstd()}, "stream": nil, "stream lz4": {ipc.WithLZ4()}} {
		var content bytes.Buffer
		var w interface {
			Write(arrow.RecordBatch) error
			Close() error
		}
		if strings.HasPrefix(name, "stream") {
			w = ipc.NewWriter(&content, append(o, ipc.WithSchema(schema))...)
		} else {
			f := must.Get(ipc.NewFileWriter(&content, append(o, ipc.WithSchema(schema))...))(t)
			w = f
		}
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for k := range batches {
			add(b, k)
			must.Do(t, w.Write(b.NewRecordBatch()))
		}
		must.Do(t, w.Close())
		paths[name] = filepath.Join(t.TempDir(), "x.arrow")
		must.Do(t, os.WriteFile(paths[name], content.Bytes(), 0o666))
	}
	return paths
}

func TestRoundTrip(t *testing.T) {
	for _, name := range []string{"x.arrow", "X.FEATHER"} {
		tabletest.RoundTrip(t, filepath.Join(t.TempDir(), name), [2]int{1, 1}, [2]int{3, 12}, [2]int{700, 5}, [2]int{70000, 20})
	}
}

// Several batches, in blocks that do not fit them.
func TestRows(t *testing.T) {
	m := tabletest.Matrix(20_000, 300) // a batch is 3495 rows
	path := filepath.Join(t.TempDir(), "x.feather")
	tabletest.SaveRows(t, path, m, 3333)
	tabletest.WantRows(t, path+":x300,x2", tabletest.Columns(m, 299, 1), 777)
}

func TestTypes(t *testing.T) {
	p := arrow.PrimitiveTypes
	fields := []arrow.Field{
		{Name: "f64", Type: p.Float64}, {Name: "f32", Type: p.Float32}, {Name: "i8", Type: p.Int8}, {Name: "i16", Type: p.Int16}, {Name: "i32", Type: p.Int32},
		{Name: "i64", Type: p.Int64}, {Name: "u8", Type: p.Uint8}, {Name: "u16", Type: p.Uint16}, {Name: "u32", Type: p.Uint32}, {Name: "u64", Type: p.Uint64},
		{Name: "b", Type: arrow.FixedWidthTypes.Boolean}, {Name: "word", Type: arrow.BinaryTypes.String}, {Name: "day", Type: p.Date32},
		{Name: "__index_level_0__", Type: p.Int64}, {Name: "nullable", Type: p.Float64, Nullable: true},
	}
	want := mat.NewDense(150, 12, nil)
	for i := range 150 {
		v := float64(i)
		want.SetRow(i, []float64{v / 3, float64(float32(v / 3)), -float64(i % 100), -v, -v, -v, v, v, v, v, float64(i % 2), v})
	}
	for name, path := range tables(t, fields, 3, func(b *array.RecordBuilder, batch int) {
		for i := 50 * batch; i < 50*batch+50; i++ {
			b.Field(0).(*array.Float64Builder).Append(float64(i) / 3)
			b.Field(1).(*array.Float32Builder).Append(float32(float64(i) / 3))
			b.Field(2).(*array.Int8Builder).Append(-int8(i % 100))
			b.Field(3).(*array.Int16Builder).Append(-int16(i))
			b.Field(4).(*array.Int32Builder).Append(-int32(i))
			b.Field(5).(*array.Int64Builder).Append(-int64(i))
			b.Field(6).(*array.Uint8Builder).Append(uint8(i))
			b.Field(7).(*array.Uint16Builder).Append(uint16(i))
			b.Field(8).(*array.Uint32Builder).Append(uint32(i))
			b.Field(9).(*array.Uint64Builder).Append(uint64(i))
			b.Field(10).(*array.BooleanBuilder).Append(i%2 == 1)
			b.Field(11).(*array.StringBuilder).Append("x")
			b.Field(12).(*array.Date32Builder).Append(1)
			b.Field(13).(*array.Int64Builder).Append(1)
			b.Field(14).(*array.Float64Builder).Append(float64(i))
		}
	}) {
		t.Run(name, func(t *testing.T) {
			tabletest.WantMatrix(t, path, want)
			tabletest.WantMatrix(t, path+":b,f64", tabletest.Columns(want, 10, 0))
			labels, err := files.ReadLabels(path+":u64", files.Options{})
			if err != nil || len(labels) != 150 || labels[149] != 149 {
				t.Errorf("%v, error %v", labels, err)
			}
			labels, err = files.ReadLabels(path+":nullable", files.Options{})
			if err != nil || len(labels) != 150 || labels[149] != 149 {
				t.Errorf("%v, error %v", labels, err)
			}
			tabletest.WantError(t, path+":word", `column "word" holds no numbers but utf8`)
			tabletest.WantError(t, path+":no", `the table has no column "no"; it has f64, f32`)
		})
	}
}

func TestNulls(t *testing.T) {
	fields := []arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}, {Name: "b", Type: arrow.PrimitiveTypes.Float64, Nullable: true}}
	for _, path := range tables(t, fields, 3, func(b *array.RecordBuilder, batch int) {
		for i := range 40 {
			b.Field(0).(*array.Int64Builder).Append(math.MaxInt64)
			if batch == 1 && i == 7 {
				b.Field(1).AppendNull()
			} else {
				b.Field(1).(*array.Float64Builder).Append(1)
			}
		}
	}) {
		tabletest.WantError(t, path, `row 48, column "b" is null: remove or impute missing values first`)
		v, err := files.ReadLabels(path+":a", files.Options{})
		if err != nil || len(v) != 120 || v[0] != math.MaxInt64 {
			t.Errorf("%v, error %v", v, err)
		}
	}
}

func TestLists(t *testing.T) {
	fields := []arrow.Field{
		{Name: "fixed", Type: arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float32)}, {Name: "id", Type: arrow.PrimitiveTypes.Int32},
		{Name: "list", Type: arrow.ListOf(arrow.PrimitiveTypes.Float64)},
	}
	want := mat.NewDense(60, 6, nil)
	for i := range 60 {
		want.SetRow(i, []float64{float64(i), 5, float64(i), 1, 2, float64(-i)})
	}
	build := func(short int) func(b *array.RecordBuilder, batch int) {
		return func(b *array.RecordBuilder, batch int) {
			for i := 20 * batch; i < 20*batch+20; i++ {
				f := b.Field(0).(*array.FixedSizeListBuilder)
				f.Append(true)
				f.ValueBuilder().(*array.Float32Builder).AppendValues([]float32{float32(i), 5}, nil)
				b.Field(1).(*array.Int32Builder).Append(int32(i))
				l := b.Field(2).(*array.ListBuilder)
				l.Append(true)
				values := []float64{1, 2, float64(-i)}
				if i == short {
					values = values[:2]
				}
				l.ValueBuilder().(*array.Float64Builder).AppendValues(values, nil)
			}
		}
	}
	for _, path := range tables(t, fields, 3, build(-1)) {
		tabletest.WantMatrix(t, path, want)
		tabletest.WantMatrix(t, path+":list", tabletest.Columns(want, 3, 4, 5))
	}
	for _, path := range tables(t, fields, 3, build(33)) {
		tabletest.WantError(t, path, `column "list": the list of row 34 has another length than the first, 3`)
		tabletest.WantMatrix(t, path+":fixed", tabletest.Columns(want, 0, 1))
	}
}

func TestNamesAndLabels(t *testing.T) {
	folder := t.TempDir()
	m := tabletest.Matrix(3, 2)
	tabletest.Save(t, filepath.Join(folder, `y.arrow:zeta,"alpha, beta"`), m, files.Options{})
	tabletest.WantMatrix(t, filepath.Join(folder, "y.arrow"), m)
	tabletest.WantMatrix(t, filepath.Join(folder, `y.arrow:"alpha, beta"`), tabletest.Columns(m, 1))
	tabletest.Labels(t, filepath.Join(folder, "l.feather:label"))
}

func TestFaults(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "x.arrow")
	tabletest.WantError(t, filepath.Join(folder, "no.feather"), "no such file")
	tabletest.WantError(t, path+".zst", "have a compression of their own")
	tabletest.Put(t, path, nil)
	tabletest.WantError(t, path, "the file is empty")
	tabletest.Put(t, path, []byte("a,b\n1,2\n"))
	tabletest.WantError(t, path, "neither an Arrow file nor a stream")
	tabletest.Put(t, path, []byte("FEA1 and more"))
	tabletest.WantError(t, path, "version 1 of Feather")
	tabletest.Put(t, path, []byte("ARROW1"))
	tabletest.WantError(t, path, "truncated")
	tabletest.Save(t, path, tabletest.Matrix(100, 10), files.Options{})
	must.Refuse(t, "memory limit")(files.ReadMatrix(path, files.Options{MaxBytes: 7999}))
	one := []arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float64}}
	for _, empty := range tables(t, one, 0, nil) {
		tabletest.WantError(t, empty, "empty")
	}
	for _, nan := range tables(t, one, 2, func(b *array.RecordBuilder, batch int) {
		b.Field(0).(*array.Float64Builder).AppendValues([]float64{1, math.NaN()}[:batch+1], nil)
	}) {
		tabletest.WantError(t, nan, "row 3, column 1 (counting from 1) is NaN")
	}
	for _, text := range tables(t, []arrow.Field{{Name: "s", Type: arrow.BinaryTypes.String}}, 1, func(b *array.RecordBuilder, _ int) { b.Field(0).(*array.StringBuilder).Append("x") }) {
		tabletest.WantError(t, text, "no column holds numbers (s)")
	}

	// Every truncation is an error, and no changed byte does worse.
	for name, good := range tables(t, one, 2, func(b *array.RecordBuilder, _ int) {
		b.Field(0).(*array.Float64Builder).AppendValues(tabletest.Matrix(20, 1).RawMatrix().Data, nil)
	}) {
		t.Run(name, func(t *testing.T) {
			tabletest.Damage(t, path, tabletest.Get(t, good))
			tabletest.Lengths(t, path, tabletest.Get(t, good))
		})
	}
}

// seedTables are small files of every kind of column that is read or passed over.
func seedTables(f *testing.F) (list [][]byte) {
	fields := []arrow.Field{
		{Name: "x", Type: arrow.PrimitiveTypes.Float64, Nullable: true}, {Name: "l", Type: arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int16)},
		{Name: "s", Type: arrow.BinaryTypes.String},
	}
	for _, path := range tables(f, fields, 2, func(b *array.RecordBuilder, _ int) {
		b.Field(0).(*array.Float64Builder).AppendValues([]float64{1, 2}, []bool{true, true})
		for i := range 2 {
			l := b.Field(1).(*array.FixedSizeListBuilder)
			l.Append(true)
			l.ValueBuilder().(*array.Int16Builder).AppendValues([]int16{int16(i), 7}, nil)
			b.Field(2).(*array.StringBuilder).Append("text")
		}
	}) {
		list = append(list, tabletest.Get(f, path))
	}
	slices.SortFunc(list, bytes.Compare) // a map has made them
	return list
}

func FuzzArrow(f *testing.F) {
	for _, text := range seedTables(f) {
		f.Add(text)
	}
	tabletest.Fuzz(f, ".arrow")
}

func FuzzDamagedArrow(f *testing.F) { tabletest.FuzzDamage(f, ".arrow", seedTables(f)) }

func BenchmarkRead(b *testing.B) { tabletest.BenchmarkRead(b, ".arrow") }

// Columns that are not numbers are passed over, whatever the metadata say of them.
func TestOtherColumns(t *testing.T) {
	about := arrow.NewMetadata([]string{"unit"}, []string{"m"})
	union := arrow.DenseUnionOf([]arrow.Field{{Name: "i", Type: arrow.PrimitiveTypes.Int32}}, []arrow.UnionTypeCode{5})
	fields := []arrow.Field{
		{Name: "a", Type: arrow.PrimitiveTypes.Float64, Metadata: about},
		{Name: "kind", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}},
		{Name: "any", Type: union},
		{Name: "words", Type: arrow.ListOf(arrow.BinaryTypes.String)},
		{Name: "nested", Type: arrow.ListOf(arrow.ListOf(arrow.PrimitiveTypes.Int8))},
	}
	for name, path := range tables(t, fields, 2, func(b *array.RecordBuilder, _ int) {
		for i := range 5 {
			b.Field(0).(*array.Float64Builder).Append(float64(i))
			must.Do(t, b.Field(1).(*array.BinaryDictionaryBuilder).AppendString("x"))
			u := b.Field(2).(*array.DenseUnionBuilder)
			u.Append(5)
			u.Child(0).(*array.Int32Builder).Append(1)
			l := b.Field(3).(*array.ListBuilder)
			l.Append(true)
			l.ValueBuilder().(*array.StringBuilder).Append("x")
			b.Field(4).(*array.ListBuilder).AppendEmptyValue()
		}
	}) {
		t.Run(name, func(t *testing.T) {
			tabletest.WantMatrix(t, path, mat.NewDense(10, 1, []float64{0, 1, 2, 3, 4, 0, 1, 2, 3, 4}))
			tabletest.WantError(t, path+":words", "holds lists that are not of numbers")
			tabletest.WantError(t, path+":nested", "holds lists that are not of numbers")
			tabletest.WantError(t, path+":kind", "holds no numbers but utf8")
		})
	}
}

func TestDecimalsAreNotPassedOver(t *testing.T) {
	fields := []arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Float64}, {Name: "price", Type: &arrow.Decimal128Type{Precision: 10, Scale: 2}}}
	for _, path := range tables(t, fields, 1, func(b *array.RecordBuilder, _ int) {
		b.Field(0).(*array.Float64Builder).Append(1)
		b.Field(1).AppendEmptyValue()
	}) {
		tabletest.WantError(t, path, `column "price" holds decimal numbers, which are not supported`)
	}
}

// Lists of no length, with holes in them, and batches without rows.
func TestListsWithHoles(t *testing.T) {
	fields := []arrow.Field{{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Float64)}}
	for want, valid := range map[string][]bool{
		`column "l" begins with an empty list`:                                  {},
		`row 3, column "l" is null: remove or impute missing values first`:      {true, false},
		`column "l": the list of row 3 has another length than the first, 2`:    {true, true, true},
		`row 3, column "l" is null: remove or impute missing values first, too`: nil,
	} {
		want, whole := strings.CutSuffix(want, ", too")
		for _, path := range tables(t, fields, 3, func(b *array.RecordBuilder, batch int) {
			l := b.Field(0).(*array.ListBuilder)
			add := func(valid ...bool) {
				l.Append(true)
				l.ValueBuilder().(*array.Float64Builder).AppendValues(make([]float64, len(valid)), valid)
			}
			switch {
			case batch == 1: // no rows
			case batch == 0 && len(valid) == 0 && !whole:
				add()
			case batch == 0:
				add(true, true)
				add(true, true)
			case whole:
				l.AppendNull()
			default:
				add(valid...)
			}
		}) {
			tabletest.WantError(t, path, want)
		}
	}
}

func TestLabelsBeyondInt64(t *testing.T) {
	for _, path := range tables(t, []arrow.Field{{Name: "u", Type: arrow.PrimitiveTypes.Uint64}}, 1, func(b *array.RecordBuilder, _ int) {
		b.Field(0).(*array.Uint64Builder).Append(math.MaxUint64)
	}) {
		must.Refuse(t, "beyond the largest int64")(files.ReadLabels(path, files.Options{}))
	}
}

func TestReadingWithFaults(t *testing.T) {
	one := []arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float64}}
	for name, path := range tables(t, one, 3, func(b *array.RecordBuilder, _ int) {
		b.Field(0).(*array.Float64Builder).AppendValues(tabletest.Matrix(20, 1).RawMatrix().Data, nil)
	}) {
		t.Run(name, func(t *testing.T) { tabletest.Faults(t, path) })
	}
}
