package files

import (
	"encoding/binary"
	"io"
	"math"
)

// columnPanel is about how many bytes of columns are gathered from the spool in
// one pass over it.
const columnPanel = 16 << 20

// byColumns gives the entries of the spool column after column, a long column in
// several parts, so that memory stays within columnPanel.
func (w *RowWriter) byColumns(each func(part []float64) error) error {
	const room = columnPanel / 8
	width := min(w.cols, max(1, room/w.done))
	panel := make([]float64, min(room, width*w.done))
	row := make([]byte, w.rowBytes())
	for first := 0; first < w.cols; first += width {
		data, err := w.spool.rewind()
		if err != nil {
			return err
		}
		width := min(width, w.cols-first)
		for done := 0; done < w.done; {
			rows := min(w.done-done, len(panel)/width)
			for i := range rows {
				if _, err := io.ReadFull(data, row); err != nil {
					return err
				}
				for j := range width {
					panel[j*rows+i] = w.number(row, first+j)
				}
			}
			for j := range width { // with rows left, the width is 1
				if err := each(panel[j*rows : (j+1)*rows]); err != nil {
					return err
				}
			}
			done += rows
		}
	}
	return nil
}

// rowBytes is the length of a row in the spool.
func (w *RowWriter) rowBytes() int {
	if w.single {
		return 4 * w.cols
	}
	return 8 * w.cols
}

// number takes entry j of a row of the spool.
func (w *RowWriter) number(row []byte, j int) float64 {
	if w.single {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(row[4*j:])))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(row[8*j:]))
}
