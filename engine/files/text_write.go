package files

import (
	"bufio"
	"fmt"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

// writeText writes numbers with as many digits as give the same bits back, one
// row a line, without a header.
func writeText(w *bufio.Writer, m mat.Matrix, sep byte, single bool) error {
	bits := 64
	if single {
		bits = 32
	}
	rows, _ := m.Dims()
	row := rowReader(m)
	var line []byte
	for i := range rows {
		line = line[:0]
		for j, v := range row(i) {
			if j > 0 {
				line = append(line, sep)
			}
			line = strconv.AppendFloat(line, v, 'g', -1, bits)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// writeIntegerText is writeText for integers.
func writeIntegerText(w *bufio.Writer, cols int, v []int64, sep byte) error {
	var line []byte
	for ; len(v) > 0; v = v[cols:] {
		line = line[:0]
		for j, x := range v[:cols] {
			if j > 0 {
				line = append(line, sep)
			}
			line = strconv.AppendInt(line, x, 10)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// writeIntegerMarket writes integers as a MatrixMarket array, which goes by
// columns.
func writeIntegerMarket(w *bufio.Writer, rows, cols int, v []int64) error {
	fmt.Fprintf(w, "%%%%MatrixMarket matrix array integer general\n%d %d\n", rows, cols)
	var line []byte
	for j := range cols {
		for i := range rows {
			line = strconv.AppendInt(line[:0], v[i*cols+j], 10)
			if _, err := w.Write(append(line, '\n')); err != nil {
				return err
			}
		}
	}
	return nil
}
