package files

import (
	"errors"
	"fmt"
	"io"
)

// ReadSingle reads a matrix that is stored in float32 as it is, in half the memory that
// [ReadMatrix] takes: an .npy file in C order. is tells whether the file is one; nothing is
// read of others. The conditions on entries, and the errors, are those of ReadMatrix.
func ReadSingle(path string, o Options) (rows, cols int, data []float32, is bool, err error) {
	loc, err := locate(path)
	if err != nil || loc.format.Name != npyFormat.Name || loc.file == standard {
		return 0, 0, nil, false, failure(path, OpRead, err)
	}
	s, err := openContent(loc, o)
	if err != nil {
		return 0, 0, nil, false, failure(path, OpRead, err)
	}
	defer s.Close()
	h, err := readNPYHeader(s)
	if err != nil {
		return 0, 0, nil, false, failure(path, OpRead, err)
	}
	if h.dtype.kind != 'f' || h.dtype.size != 4 || h.byColumns() || s.size < 0 {
		return 0, 0, nil, false, nil
	}
	data, err = readSingles(s, h, o)
	return h.rows, h.cols, data, err == nil, failure(path, OpRead, err)
}

// readSingles reads the data behind a header.
func readSingles(s source, h npyHeader, o Options) ([]float32, error) {
	if err := o.budget().check(fmt.Sprintf("the %d × %d matrix", h.rows, h.cols), 4*float64(h.rows)*float64(h.cols), 0); err != nil {
		return nil, err
	}
	total, err := dataBytes(s, h)
	if err != nil {
		return nil, err
	}
	data := make([]float32, h.rows*h.cols)
	raw := bytesOf(data)
	if n, err := io.ReadFull(s, raw); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, truncated(int64(n), total)
	} else if err != nil {
		return nil, err
	}
	if h.dtype.swap {
		swapBytes(raw, 4)
	}
	if !o.AllowNonFinite {
		for p, v := range data {
			if v-v != 0 {
				return nil, nonFinite(p/h.cols, p%h.cols, float64(v))
			}
		}
	}
	return data, atEnd(s, h)
}
