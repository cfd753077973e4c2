package files

import (
	"bufio"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

// writeText writes numbers with as many digits as give the same bits back, one
// row a line, without a header.
func writeText(w *bufio.Writer, m mat.Matrix, sep byte, single bool) error {
	bits := textBits(single)
	rows, _ := m.Dims()
	row := rowReader(m)
	var line []byte
	for i := range rows {
		line = appendLine(line[:0], row(i), sep, bits)
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// textBits is the size of the numbers that the digits must tell apart.
func textBits(single bool) int {
	if single {
		return 32
	}
	return 64
}

// appendLine appends a row as a line.
func appendLine(line []byte, row []float64, sep byte, bits int) []byte {
	for j, v := range row {
		if j > 0 {
			line = append(line, sep)
		}
		line = strconv.AppendFloat(line, v, 'g', -1, bits)
	}
	return append(line, '\n')
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
