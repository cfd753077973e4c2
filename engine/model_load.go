package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/sparse"
)

// LoadModel reads a model that [Model.Save] wrote, to the end of r. A file holds numbers and a
// description of them, and nothing that is run. The checksum is verified before the model is returned.
// Memory is taken as the bytes are read, or at once if r is a regular file of the right length. Errors
// are an unknown version of the format, a damaged or truncated file, and an unknown rule for new
// samples; [Model.Prepare] checks whether the parts fit together.
func LoadModel(r io.Reader) (*Model, error) { return LoadModelWithin(r, 0) }

// LoadModelWithin is [LoadModel] within a limit of memory in bytes, 0 for none: a model
// whose arrays would take more is refused by its header ([IsMemory]), and one that fits
// gets its memory at once.
func LoadModelWithin(r io.Reader, limit int64) (*Model, error) {
	l := &modelReader{r: r, sum: sha256.New(), limit: limit}
	var err error
	if l.held, err = remainingBytes(r); err == nil {
		var m *Model
		if m, err = l.load(); err == nil {
			return m, nil
		}
	}
	return nil, fmt.Errorf("model: %w", l.explain(err))
}

// modelReader reads a file and sums it up on the way.
type modelReader struct {
	r      io.Reader
	sum    hash.Hash
	held   int64 // bytes of the file, −1: not known
	length int64 // of the file, by its preamble
	limit  int64 // of memory, 0: none
	done   int64
}

// remainingBytes returns how much a regular file, or a reader of bytes, has left; −1:
// not known. After an error the reader is not where it was.
func remainingBytes(r io.Reader) (int64, error) {
	s, ok := r.(io.Seeker)
	if !ok {
		return -1, nil
	}
	at, err := s.Seek(0, io.SeekCurrent)
	if err != nil {
		return -1, nil
	}
	end, err := s.Seek(0, io.SeekEnd)
	if err != nil {
		return -1, nil
	}
	if _, err := s.Seek(at, io.SeekStart); err != nil {
		return 0, err
	}
	if end < at {
		return -1, nil
	}
	return end - at, nil
}

func (l *modelReader) read(p []byte) error {
	n, err := io.ReadFull(l.r, p)
	l.sum.Write(p[:n])
	l.done += int64(n)
	return err
}

// explain words an end that comes too early.
func (l *modelReader) explain(err error) error {
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if l.done < modelPreamble {
		return errors.New("the file ends within its first bytes: it is no model, or truncated")
	}
	return fmt.Errorf("the file ends after %d of %d bytes (truncated?)", l.done, l.length)
}

func (l *modelReader) load() (*Model, error) {
	headerLength, err := l.preamble()
	if err != nil {
		return nil, err
	}
	text := make([]byte, headerLength)
	if err := l.read(text); err != nil {
		return nil, err
	}
	var h modelHeader
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&h)
	if err == nil {
		err = h.check(l.length - int64(modelPreamble) - int64(headerLength) - sumSize)
	}
	if err != nil {
		return nil, fmt.Errorf("the header is damaged: %w", err)
	}
	if err := l.fits(&h); err != nil {
		return nil, err
	}
	e := &extend.Extension{Kind: h.Kind, Arrays: map[string]*mat.Dense{}, Numbers: h.Numbers}
	for _, a := range h.Arrays {
		if e.Arrays[a.Name], err = l.array(a); err != nil {
			return nil, err
		}
	}
	for _, a := range h.Compressed {
		if e.Compressed == nil {
			e.Compressed = map[string]*sparse.CSR{}
		}
		if e.Compressed[a.Name], err = l.compressed(a); err != nil {
			return nil, err
		}
	}
	if err := l.verify(); err != nil {
		return nil, err
	}
	for name, a := range e.Compressed { // once the sum has shown that they are what was written
		if err := checkCompressed(name, a); err != nil {
			return nil, err
		}
	}
	if !extend.Known(h.Kind) {
		return nil, fmt.Errorf("its rule for new samples, %q, is not known to this version; %s wrote it", h.Kind, h.Program)
	}
	return &Model{Method: h.Method, Params: wholeParams(h.Params), Samples: h.Samples, Features: h.Features, Dim: h.Dim, Program: h.Program, extension: e}, nil
}

// preamble reads the first bytes, which every version of the format has.
func (l *modelReader) preamble() (headerLength int, err error) {
	head := make([]byte, modelPreamble)
	if err := l.read(head); err != nil {
		if !bytes.HasPrefix([]byte(modelMagic), head[:min(l.done, 8)]) && string(head[:8]) != modelMagic {
			return 0, errors.New("it is not a model of orthant")
		}
		return 0, err
	}
	if string(head[:8]) != modelMagic {
		return 0, errors.New("it is not a model of orthant")
	}
	version, size := binary.LittleEndian.Uint32(head[8:]), binary.LittleEndian.Uint32(head[12:])
	length := binary.LittleEndian.Uint64(head[16:])
	if version < plainVersion || version > modelVersion {
		return 0, l.otherVersion(version, size)
	}
	if size > maxModelHeader || (modelPreamble+size)%modelAlignment != 0 || length > math.MaxInt64/2 ||
		length < uint64(modelPreamble+size+sumSize) || binary.LittleEndian.Uint64(head[24:]) != 0 {
		return 0, errors.New("its first bytes are damaged")
	}
	if l.length = int64(length); l.held >= 0 && l.held != l.length {
		if l.held < l.length {
			return 0, fmt.Errorf("the file ends after %d of %d bytes (truncated?)", l.held, l.length)
		}
		return 0, fmt.Errorf("%d bytes follow its %d: the file is damaged", l.held-l.length, l.length)
	}
	return int(size), nil
}

// otherVersion says who wrote a file of another version, which stands in its
// header in every version.
func (l *modelReader) otherVersion(version, size uint32) error {
	writer := ""
	if text := make([]byte, min(size, maxModelHeader)); l.read(text) == nil {
		var h struct{ Program string }
		if json.NewDecoder(bytes.NewReader(text)).Decode(&h) == nil && h.Program != "" {
			writer = ", written by " + h.Program
		}
	}
	return fmt.Errorf("it has version %d of the format%s, and this program reads versions up to %d: fit the model again, or use the program that wrote it", version, writer, modelVersion)
}

// fits refuses arrays beyond the limit.
func (l *modelReader) fits(h *modelHeader) error {
	need := 0.0
	for _, a := range h.Arrays {
		need += 8 * float64(a.Rows) * float64(a.Cols)
	}
	for _, a := range h.Compressed {
		need += 8*float64(a.Rows+1) + 12*float64(a.Entries)
	}
	if l.limit > 0 && need > float64(l.limit) {
		return run.Refusal("its arrays take %s where the memory limit has room for %s: raise it, or fit the model with landmarks",
			limits.FormatBytes(int64(need)), limits.FormatBytes(l.limit))
	}
	return nil
}

// array reads the entries of an array and the zeros behind it.
func (l *modelReader) array(a modelArray) (*mat.Dense, error) {
	data, err := readAligned(l, int(a.Rows*a.Cols), int(modelTypes[a.Type]), func(data []float64, from []byte) []float64 {
		return appendNumbers(data, from, a.Type)
	})
	if err != nil {
		return nil, err
	}
	return mat.NewDense(int(a.Rows), int(a.Cols), data), nil
}

// readAligned reads so many numbers of a size, and the zeros behind them. Memory is taken
// as they come, or at once where the length is vouched for.
func readAligned[T any](l *modelReader, count, size int, take func(data []T, from []byte) []T) ([]T, error) {
	length := int64(count) * int64(size)
	buffer := make([]byte, min(1<<16, aligned(length)))
	var data []T
	if l.held >= 0 || l.limit > 0 {
		data = make([]T, 0, count)
	}
	for len(data) < count {
		n := min(count-len(data), len(buffer)/size)
		if err := l.read(buffer[:n*size]); err != nil {
			return nil, err
		}
		data = take(data, buffer[:n*size])
	}
	return data, l.read(buffer[:aligned(length)-length])
}

func appendNumbers(data []float64, from []byte, kind string) []float64 {
	size := int(modelTypes[kind])
	data = slices.Grow(data, len(from)/size)
	for ; len(from) > 0; from = from[size:] {
		switch kind {
		case "<f8":
			data = append(data, math.Float64frombits(binary.LittleEndian.Uint64(from)))
		case "<f4":
			data = append(data, float64(math.Float32frombits(binary.LittleEndian.Uint32(from))))
		default:
			data = append(data, float64(from[0]))
		}
	}
	return data
}

// verify compares the sum and sees that nothing follows.
func (l *modelReader) verify() error {
	want := l.sum.Sum(nil)
	got := make([]byte, sumSize)
	if err := l.read(got); err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return errors.New("its checksum is wrong: the file is damaged; copy it again, or fit the model again")
	}
	if n, err := io.ReadFull(l.r, got[:1]); n > 0 || err != io.EOF {
		if n > 0 {
			return errors.New("more bytes follow its end: the file is damaged")
		}
		return err
	}
	return nil
}
