package files

import (
	"bufio"
	"errors"
	"fmt"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// marketFormat is MatrixMarket's text, an array or coordinates.
var marketFormat = Format{
	Name: "MatrixMarket", Extensions: []string{".mtx"},
	whole:  "a .mtx file holds its entries in any order",
	extent: func(loc location, o Options) (Extent, error) { return fromContent(loc, o, marketExtent) },
	read: func(loc location, o Options) (matrix, error) {
		market, err := fromContent(loc, o, parseMarket)
		return matrix{market.Dense, market.Sparse}, err
	},
	write: func(w *bufio.Writer, _ location, m mat.Matrix, _ bool) error {
		if a, ok := m.(*sparse.CSR); ok {
			return sparse.WriteMatrixMarket(w, a)
		}
		return sparse.WriteMatrixMarketArray(w, m)
	},
	writeIntegers: func(w *bufio.Writer, _ location, v integers) error {
		return writeIntegerMarket(w, v)
	},
	writeRows: func(w *RowWriter) error {
		w.single = false // there is no float32
		return w.spoolRows(w.writeMarketArray)
	},
}

func parseMarket(s source, b budget) (sparse.Market, error) {
	limit := int64(0)
	if b.bounded() {
		limit = int64(max(1, b.left()-max(0, s.window-free)))
	}
	market, err := sparse.ReadMatrixMarketWithin(s, limit)
	if e, ok := errors.AsType[*sparse.MarketError](err); ok {
		if e.Need > 0 {
			return market, b.exceeded(e.What, e.Need+max(0, s.window-free))
		}
		return market, errors.New(e.Detail())
	}
	return market, err
}

// writeMarketArray writes a MatrixMarket array.
func (w *RowWriter) writeMarketArray() error {
	fmt.Fprintf(w.o.buffer, "%%%%MatrixMarket matrix array real general\n%d %d\n", w.done, w.cols)
	return w.byColumns(func(column []float64) error {
		for _, v := range column {
			w.line = append(strconv.AppendFloat(w.line[:0], v, 'g', -1, 64), '\n')
			if _, err := w.o.buffer.Write(w.line); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeIntegerMarket writes integers as a MatrixMarket array, which goes by
// columns.
func writeIntegerMarket(w *bufio.Writer, v integers) error {
	fmt.Fprintf(w, "%%%%MatrixMarket matrix array integer general\n%d %d\n", v.rows, v.cols)
	var line []byte
	for j := range v.cols {
		for i := range v.rows {
			line = strconv.AppendInt(line[:0], v.row(i)[j], 10)
			if _, err := w.Write(append(line, '\n')); err != nil {
				return err
			}
		}
	}
	return nil
}
