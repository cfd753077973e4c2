package sparse

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

// WriteMatrixMarket writes a in coordinates (real, general), row by row, with
// as many digits as give the same bits back. Stored zeros are written too.
func WriteMatrixMarket(w io.Writer, a *CSR) error {
	b := bufio.NewWriterSize(w, 1<<16)
	fmt.Fprintf(b, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", a.Rows, a.Cols, a.NNZ())
	var line []byte
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for p, j := range cols {
			line = strconv.AppendInt(line[:0], int64(i)+1, 10)
			line = append(line, ' ')
			line = strconv.AppendInt(line, int64(j)+1, 10)
			line = append(line, ' ')
			line = strconv.AppendFloat(line, vals[p], 'g', -1, 64)
			if _, err := b.Write(append(line, '\n')); err != nil {
				return err
			}
		}
	}
	return b.Flush()
}

// WriteMatrixMarketArray writes a dense matrix as an array (real, general):
// every entry on a line of its own, column by column, with as many digits as
// give the same bits back.
func WriteMatrixMarketArray(w io.Writer, m mat.Matrix) error {
	rows, cols := m.Dims()
	b := bufio.NewWriterSize(w, 1<<16)
	fmt.Fprintf(b, "%%%%MatrixMarket matrix array real general\n%d %d\n", rows, cols)
	var line []byte
	for j := range cols {
		for i := range rows {
			line = strconv.AppendFloat(line[:0], m.At(i, j), 'g', -1, 64)
			if _, err := b.Write(append(line, '\n')); err != nil {
				return err
			}
		}
	}
	return b.Flush()
}
