package parquet

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/orthant-go/orthant/engine/files"
)

// groupBytes is about the size of a row group.
const groupBytes = 8 << 20

// maxColumns is what the library can count.
const maxColumns = 1<<16 - 2

// batch is how many rows go to the library at a time.
const batch = 256

// writer gathers rows for the library.
type writer struct {
	*parquet.Writer
	cols   int
	single bool
	rows   []parquet.Row
	values []parquet.Value
}

// writing is what a table being written takes: rows of a group as they come, and for
// each column what the library keeps. Measured for 8 to 16 000 columns.
func writing(cols int) int64 { return 24<<20 + int64(cols)*19<<10 }

func create(w io.Writer, t files.TableType) (files.TableWriter, error) {
	cols := len(t.Names)
	if cols > maxColumns {
		return nil, fmt.Errorf("a Parquet file holds %d columns at most, and there are %d to write: write .npy", maxColumns, cols)
	}
	return &writer{
		Writer: parquet.NewWriter(w, parquet.NewSchema("table", newTable(t)), parquet.CreatedBy("orthant", "", ""),
			parquet.MaxRowsPerRowGroup(int64(max(batch, groupBytes/(8*cols)))), parquet.Compression(&parquet.Uncompressed)),
		cols: cols, single: t.Type == files.Float32, values: make([]parquet.Value, 0, batch*cols),
	}, nil
}

func (w *writer) WriteRow(row []float64) error {
	for j, v := range row {
		value := parquet.DoubleValue(v)
		if w.single {
			value = parquet.FloatValue(float32(v))
		}
		w.values = append(w.values, value.Level(0, 0, j))
	}
	return w.flushFull()
}

func (w *writer) WriteIntegers(row []int64) error {
	for j, v := range row {
		w.values = append(w.values, parquet.Int64Value(v).Level(0, 0, j))
	}
	return w.flushFull()
}

// flushFull passes a batch on when it is complete.
func (w *writer) flushFull() error {
	if len(w.values) < batch*w.cols {
		return nil
	}
	return w.flush()
}

func (w *writer) flush() error {
	w.rows = w.rows[:0]
	for at := 0; at < len(w.values); at += w.cols {
		w.rows = append(w.rows, w.values[at:at+w.cols])
	}
	_, err := w.WriteRows(w.rows)
	w.values = w.values[:0]
	return err
}

func (w *writer) Close() error {
	if err := w.flush(); err != nil {
		return err
	}
	return w.Writer.Close()
}
