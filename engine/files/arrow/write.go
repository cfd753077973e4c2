package arrow

import (
	"errors"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/orthant-go/orthant/engine/files"
)

// batchBytes is about the size of a record batch.
const batchBytes = 8 << 20

// writer gathers rows into record batches.
type writer struct {
	to      *ipc.FileWriter
	builder *array.RecordBuilder
	single  bool
	rows    int // in the builder
	most    int
}

// writing is what a table being written takes: a batch, and for each column what the
// library keeps. Measured for 8 to 1600 columns.
func writing(cols int) int64 { return 18<<20 + int64(cols)*5<<10 }

func create(w io.Writer, t files.TableType) (files.TableWriter, error) {
	kind := map[files.NumberType]arrow.DataType{
		files.Float64: arrow.PrimitiveTypes.Float64, files.Float32: arrow.PrimitiveTypes.Float32, files.Int64: arrow.PrimitiveTypes.Int64,
	}[t.Type]
	fields := make([]arrow.Field, len(t.Names))
	for j, name := range t.Names {
		fields[j] = arrow.Field{Name: name, Type: kind}
	}
	schema := arrow.NewSchema(fields, nil)
	to, err := ipc.NewFileWriter(w, ipc.WithSchema(schema))
	if err != nil {
		return nil, err
	}
	return &writer{
		to: to, builder: array.NewRecordBuilder(memory.NewGoAllocator(), schema),
		single: t.Type == files.Float32, most: max(16, batchBytes/(8*len(t.Names))),
	}, nil
}

func (w *writer) WriteRow(row []float64) error {
	for j, v := range row {
		if w.single {
			w.builder.Field(j).(*array.Float32Builder).Append(float32(v))
		} else {
			w.builder.Field(j).(*array.Float64Builder).Append(v)
		}
	}
	return w.flushFull()
}

func (w *writer) WriteIntegers(row []int64) error {
	for j, v := range row {
		w.builder.Field(j).(*array.Int64Builder).Append(v)
	}
	return w.flushFull()
}

// flushFull writes the batch when it is complete.
func (w *writer) flushFull() error {
	if w.rows++; w.rows < w.most {
		return nil
	}
	return w.flush()
}

func (w *writer) flush() error {
	if w.rows == 0 {
		return nil
	}
	w.rows = 0
	batch := w.builder.NewRecordBatch()
	defer batch.Release()
	return w.to.Write(batch)
}

func (w *writer) Close() error {
	defer w.builder.Release()
	return errors.Join(w.flush(), w.to.Close())
}
