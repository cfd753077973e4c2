package neighbours

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/orthant-go/orthant/blas"
)

// array is a matrix in an .npy file whose rows are read from the file: the largest sets are never completely in the memory
// of this process.
type array struct {
	file       *os.File
	begin      int64 // of the entries
	rows, cols int
	decode     func(dst []float64, src []byte)
	size       int // of an entry
}

// shapes reads the header of an .npy file of two dimensions.
var shapes = regexp.MustCompile(`'descr': '([^']+)', 'fortran_order': False, 'shape': \((\d+), (\d+)\)`)

// openArray opens a matrix of float32 or of integers.
func openArray(path string) (*array, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	a := &array{file: file}
	if err := a.readHeader(path); err != nil {
		file.Close()
		return nil, err
	}
	return a, nil
}

func (a *array) readHeader(path string) error {
	start := make([]byte, 10)
	if _, err := io.ReadFull(a.file, start); err != nil {
		return fmt.Errorf("%s has no header: %w", path, err)
	}
	if string(start[:8]) != magic {
		return fmt.Errorf("%s is not an .npy file of version 1.0", path)
	}
	header := make([]byte, binary.LittleEndian.Uint16(start[8:]))
	if _, err := io.ReadFull(a.file, header); err != nil {
		return fmt.Errorf("%s ends in its header: %w", path, err)
	}
	a.begin = int64(len(start) + len(header))
	part := shapes.FindStringSubmatch(string(header))
	if part == nil {
		return fmt.Errorf("%s has another header than a matrix: %q", path, header)
	}
	a.rows, _ = strconv.Atoi(part[2])
	a.cols, _ = strconv.Atoi(part[3])
	switch part[1] {
	case "<f4":
		a.size, a.decode = 4, func(dst []float64, src []byte) {
			for j := range dst {
				dst[j] = float64(math.Float32frombits(binary.LittleEndian.Uint32(src[4*j:])))
			}
		}
	case "<i8":
		a.size, a.decode = 8, func(dst []float64, src []byte) {
			for j := range dst {
				dst[j] = float64(int64(binary.LittleEndian.Uint64(src[8*j:])))
			}
		}
	default:
		return fmt.Errorf("%s holds %s; want float32 or int64", path, part[1])
	}
	return nil
}

const magic = "\x93NUMPY\x01\x00"

// read reads as many rows as fit into dst, from the given one on.
func (a *array) read(dst []float64, row int) error {
	b := make([]byte, a.size*len(dst))
	if _, err := a.file.ReadAt(b, a.begin+int64(a.size)*int64(row)*int64(a.cols)); err != nil {
		return fmt.Errorf("row %d of %s: %w", row, a.file.Name(), err)
	}
	a.decode(dst, b)
	return nil
}

func (a *array) close() { a.file.Close() }

// writeArray writes a float32 matrix, block by block: fill computes the rows from lo to hi.
func writeArray(path string, rows, cols int, fill func(lo, hi int, dst []float64)) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	w := bufio.NewWriterSize(file, 1<<20)
	if _, err := w.WriteString(header("<f4", fmt.Sprintf("(%d, %d)", rows, cols))); err != nil {
		return err
	}
	block := min(rows, max(1, entriesAtATime/cols))
	values, bytes := make([]float64, block*cols), make([]byte, 0, 4*block*cols)
	for lo := 0; lo < rows; lo += block {
		hi := min(lo+block, rows)
		part := values[:(hi-lo)*cols]
		fill(lo, hi, part)
		bytes = bytes[:0]
		for _, v := range part {
			bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(float32(v)))
		}
		if _, err := w.Write(bytes); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return file.Close()
}

// entriesAtATime bounds a block of rows.
const entriesAtATime = 1 << 22

// header is the beginning of an .npy file: the entries begin at a multiple of 64 bytes.
func header(entry, shape string) string {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", entry, shape)
	text += strings.Repeat(" ", (64-(10+len(text)+1)%64)%64) + "\n"
	return magic + string(binary.LittleEndian.AppendUint16(nil, uint16(len(text)))) + text
}

// writeRows writes a list of rows for the script.
func writeRows(path string, rows []int) error {
	b := []byte(header("<i8", fmt.Sprintf("(%d,)", len(rows))))
	for _, i := range rows {
		b = binary.LittleEndian.AppendUint64(b, uint64(i))
	}
	return os.WriteFile(path, b, 0o666)
}

// drawRows draws count different rows of n, in ascending order: one from each of count parts of about equal size.
func drawRows(n, count int) []int {
	random, rows := blas.NewStream(rowSeed), make([]int, min(n, count))
	for i := range rows {
		lo, hi := i*n/len(rows), (i+1)*n/len(rows)
		rows[i] = lo + random.Below(hi-lo)
	}
	return rows
}

const rowSeed = 55
