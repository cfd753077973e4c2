package files

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"gonum.org/v1/gonum/mat"
)

// Options are what a caller may set about reading and writing. The zero value
// reads files only, wants finite entries, and writes float64.
type Options struct {
	Stdin          io.Reader // what "-" reads; nil where there is no standard input
	Float32        bool      // write float32
	AllowNonFinite bool      // let NaN and infinities through
	MaxBytes       int64     // refuse to read a matrix that would take more memory; 0: no limit
}

// ReadMatrix reads a matrix as dense float64, one sample a row. A file with one
// dimension gives n × 1, a single number 1 × 1; integers, booleans, float16 and
// float32 are converted (integers beyond 2⁵³ are rounded), and a sparse file is
// filled with zeros.
//
// NaN or an infinity is an error that names the first row and column, counting
// from 1, unless o allows them. A matrix without rows or columns is an error.
// Every error is an [*Error] with [OpRead].
//
// It takes the memory of the result; that of a file in Fortran order, of a CSV
// file and of standard input may for a while be twice as large.
func ReadMatrix(path string, o Options) (*mat.Dense, error) {
	m, err := readMatrix(path, o)
	if err != nil {
		return nil, failure(path, OpRead, err)
	}
	return m, nil
}

func readMatrix(path string, o Options) (*mat.Dense, error) {
	loc, err := locate(path)
	if err != nil {
		return nil, err
	}
	m, err := readDense(loc, o)
	if err != nil {
		return nil, err
	}
	if !o.AllowNonFinite {
		if err := checkFinite(m); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// readDense reads a file of any format as it is.
func readDense(loc location, o Options) (*mat.Dense, error) {
	switch loc.format {
	case formatMarket, formatMAT:
		m, err := readEither(loc, o)
		if err != nil {
			return nil, err
		}
		return m.dense(o.MaxBytes)
	case formatNPZ:
		return fromArchive(loc, func(s source) (*mat.Dense, error) { return readNPYMatrix(s, o.MaxBytes) })
	case formatTable:
		return readTableMatrix(loc, o.MaxBytes)
	}
	s, err := openContent(loc, o)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if loc.format == formatNPY {
		return readNPYMatrix(s, o.MaxBytes)
	}
	return readCSV(s, loc.format, o.MaxBytes)
}

// source is an open input. size is the number of bytes that it holds, or −1
// where that is not known before its end (a pipe).
type source struct {
	io.Reader
	size  int64
	close func() error
}

func (s source) Close() error {
	if s.close == nil {
		return nil
	}
	return s.close()
}

// openContent opens the content of a matrix file, without its packing, or that of
// standard input for "-".
func openContent(loc location, o Options) (source, error) {
	s, err := open(loc.file, o.Stdin)
	if err != nil {
		return source{}, err
	}
	switch f, regular := s.Reader.(*os.File); {
	case loc.file == standard:
		s, err = unpackInput(s, o.MaxBytes)
	case loc.packing != unpacked:
		s, err = loc.packing.unpack(s, o.MaxBytes)
	case regular && s.size > 0:
		err = checkPlain(f)
	}
	if err != nil {
		s.Close()
		return source{}, err
	}
	return s, nil
}

// open opens a file, or standard input for "-".
func open(path string, stdin io.Reader) (source, error) {
	if path == standard {
		if stdin == nil {
			return source{}, errors.New("there is no standard input here: give a file")
		}
		s := source{Reader: stdin, size: -1}
		if f, ok := stdin.(*os.File); ok {
			s.size = remaining(f)
		}
		return s, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return source{}, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("it is a folder, not a file")
	}
	if err != nil {
		f.Close()
		return source{}, err
	}
	return source{Reader: f, size: remaining(f), close: f.Close}, nil
}

// remaining returns the bytes between the position of a regular file and its
// end, and −1 for anything else.
func remaining(f *os.File) int64 {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return -1
	}
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil || at > info.Size() {
		return -1
	}
	return info.Size() - at
}

// checkFinite names the first entry, row by row, that is not finite.
func checkFinite(m *mat.Dense) error {
	raw := m.RawMatrix() // as read: without gaps between rows
	for p, v := range raw.Data {
		if v-v != 0 {
			return nonFinite(p/raw.Cols, p%raw.Cols, v)
		}
	}
	return nil
}

func nonFinite(i, j int, v float64) error {
	what := "an infinity"
	if math.IsNaN(v) {
		what = "NaN"
	}
	return fmt.Errorf("row %d, column %d (counting from 1) is %s: remove or impute such entries first", i+1, j+1, what)
}

func emptyMatrix(rows, cols int) error {
	return fmt.Errorf("the matrix is empty: %d × %d", rows, cols)
}

// checkMemory refuses rows × cols float64 numbers beyond the limit, if there is
// one.
func checkMemory(rows, cols int, limit int64) error {
	if need := 8 * float64(rows) * float64(cols); limit > 0 && need > float64(limit) {
		return fmt.Errorf("as float64 the %d × %d matrix needs %s, and the memory limit is %s",
			rows, cols, byteCount(need), byteCount(float64(limit)))
	}
	return nil
}

// byteCount renders a number of bytes with a binary unit.
func byteCount(n float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	u := 0
	for n >= 1024 && u < len(units)-1 {
		n /= 1024
		u++
	}
	return fmt.Sprintf("%.4g %s", n, units[u])
}
