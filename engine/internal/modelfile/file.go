// Package modelfile reads and writes model files. docs/model-format.md describes the format. Only
// this package knows the names of the arrays and numbers that represent a rule for new samples.
package modelfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/blas/pages"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/sparse"
)

// The format of a model file, all numbers little-endian; docs/model-format.md is the
// reference.
//
//	0   8  Magic
//	8   4  version of the format: 1; 2 if samples were divided; 3 with arrays in compressed
//	       rows; 4 if samples were smoothed; 5 with a penalty on the coordinates of new
//	       samples; 6 if samples were standardised; 7 if they were reduced to principal
//	       components; 8 if neighbours were found by another metric; 9 if coordinates sum to one
//	12  4  length of the header
//	16  8  length of the whole file
//	24  8  zero
//	32     header, JSON, padded with spaces so that the data begin at a multiple of 64
//	       arrays, each padded with zeros to a multiple of 64 bytes
//	       SHA-256 sum of everything before it, 32 bytes
const (
	Magic               = "\x93ORTHANT"
	Version             = 10 // the latest: weighted columns, datasets
	sumToOneVersion     = 9  // coordinates that sum to one
	metricVersion       = 8  // neighbours by a non-Euclidean metric
	reducedVersion      = 7  // reduction to principal components
	standardizedVersion = 6  // standardised samples
	penalisedVersion    = 5  // penalty on the coordinates of new samples
	smoothedVersion     = 4  // smoothed samples
	compressedVersion   = 3  // arrays in compressed rows
	dividedVersion      = 2  // divided samples
	plainVersion        = 1  // none of these
	PreambleSize        = 32
	alignment           = 64

	// MaxHeader bounds the header, which has about 2 KiB.
	MaxHeader = 1 << 20
)

// About is the information about a model in a file, apart from its parts.
type About struct {
	Program  string         `json:"program"` // program that wrote the file
	Method   string         `json:"method"`
	Params   map[string]any `json:"params"`
	Samples  int            `json:"samples"`
	Features int            `json:"features"`
	Dim      int            `json:"dim"`
}

// header is the JSON of the header.
type header struct {
	About
	Kind    string             `json:"kind"`
	Numbers map[string]float64 `json:"numbers"`
	Arrays  []denseArray       `json:"arrays"`

	Compressed []compressedArray `json:"compressed,omitempty"` // after the other arrays
}

// denseArray describes the place and type of an array. Offsets count from the
// beginning of the file's data.
type denseArray struct {
	Name   string `json:"name"`
	Rows   int64  `json:"rows"`
	Cols   int64  `json:"cols"`
	Type   string `json:"type"` // <f8, <f4 or |u1, in NumPy's notation
	Offset int64  `json:"offset"`
	Length int64  `json:"length"`
}

// typeSizes are the sizes of the entry types, in bytes.
var typeSizes = map[string]int64{"<f8": 8, "<f4": 4, "|u1": 1}

func aligned(n int64) int64 { return (n + alignment - 1) &^ (alignment - 1) }

// dataLength returns the length of all arrays, in bytes.
func (h *header) dataLength() int64 {
	var total int64
	for _, a := range h.Arrays {
		total += aligned(a.Length)
	}
	for _, a := range h.Compressed {
		total += a.Length
	}
	return total
}

// preamble returns the bytes before the header.
func preamble(version uint32, headerLength int, fileLength int64) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(Magic), version)
	b = binary.LittleEndian.AppendUint32(b, uint32(headerLength))
	b = binary.LittleEndian.AppendUint64(b, uint64(fileLength))
	return binary.LittleEndian.AppendUint64(b, 0)
}

// check returns an error for a header that does not describe a file of this length. The
// arrays must follow each other without gaps and fill the data exactly, so the memory allocated
// is bounded by the length of the file.
func (h *header) check(data int64) error {
	if h.Method == "" || h.Samples < 1 || h.Features < 1 || h.Dim < 1 {
		return errors.New("its method or its sizes are missing")
	}
	var at int64
	seen := map[string]bool{}
	for _, a := range h.Arrays {
		size, known := typeSizes[a.Type]
		switch {
		case !known:
			return fmt.Errorf("the array %q has the unknown type %q", a.Name, a.Type)
		case seen[a.Name]:
			return fmt.Errorf("the array %q comes twice", a.Name)
		case a.Rows < 1 || a.Cols < 1 || a.Rows > math.MaxInt32 || a.Cols > math.MaxInt32 || a.Rows > data/a.Cols/size+1 || a.Length != a.Rows*a.Cols*size:
			return fmt.Errorf("the array %q of %d × %d is not one of %d bytes", a.Name, a.Rows, a.Cols, a.Length)
		case a.Offset != at || a.Length > data-at:
			return fmt.Errorf("the array %q is not within the data", a.Name)
		}
		seen[a.Name] = true
		at += aligned(a.Length)
	}
	for _, a := range h.Compressed {
		_, known := typeSizes[a.Type]
		switch {
		case !known:
			return fmt.Errorf("the array %q has the unknown type %q", a.Name, a.Type)
		case seen[a.Name]:
			return fmt.Errorf("the array %q comes twice", a.Name)
		case a.Rows < 1 || a.Cols < 1 || a.Rows > math.MaxInt32 || a.Cols > math.MaxInt32 || a.Entries < 0 || a.Entries > data || a.Length != a.lengthOf():
			return fmt.Errorf("the array %q of %d × %d with %d entries is not one of %d bytes", a.Name, a.Rows, a.Cols, a.Entries, a.Length)
		case a.Offset != at || a.Length > data-at:
			return fmt.Errorf("the array %q is not within the data", a.Name)
		}
		seen[a.Name] = true
		at += a.Length
	}
	if at != data {
		return fmt.Errorf("its arrays take %d bytes and there are %d", at, data)
	}
	return nil
}

// wholeParams converts the integers of a header to an integer type, which JSON does not
// distinguish.
func wholeParams(params map[string]any) map[string]any {
	for key, v := range params {
		number, ok := v.(json.Number)
		if !ok {
			continue
		}
		if i, err := number.Int64(); err == nil {
			params[key] = int(i)
		} else if f, err := number.Float64(); err == nil {
			params[key] = f
		}
	}
	return params
}

// SumSize is the length of the checksum at the end of a file.
const SumSize = sha256.Size

// Write writes a model with these parts. Arrays are stored as float64, float32 or bytes, whichever is
// the smallest without loss. The same model gives the same bytes.
func Write(w io.Writer, about About, parts *Parts) error {
	h := header{About: about, Kind: parts.Kind, Numbers: parts.Numbers, Arrays: []denseArray{}}
	var at int64
	for _, name := range slices.Sorted(maps.Keys(parts.Arrays)) {
		a := parts.Arrays[name]
		rows, cols := a.Dims()
		kind := narrowest(a)
		length := int64(rows) * int64(cols) * typeSizes[kind]
		h.Arrays = append(h.Arrays, denseArray{name, int64(rows), int64(cols), kind, at, length})
		at += aligned(length)
	}
	for _, name := range slices.Sorted(maps.Keys(parts.Compressed)) {
		a := parts.Compressed[name]
		about := compressedArray{Name: name, Rows: int64(a.Rows), Cols: int64(a.Cols), Entries: int64(a.NNZ()), Type: narrowestOf(a.Val), Offset: at}
		about.Length = about.lengthOf()
		h.Compressed = append(h.Compressed, about)
		at += about.Length
	}
	var header bytes.Buffer
	encoder := json.NewEncoder(&header)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(h); err != nil {
		return fmt.Errorf("model: its parameters cannot be written: %w", err)
	}
	text := header.Bytes()
	begin := aligned(int64(PreambleSize + len(text)))
	text = append(text, bytes.Repeat([]byte{' '}, int(begin)-PreambleSize-len(text))...)
	if len(text) > MaxHeader {
		return fmt.Errorf("model: its header would take %d bytes where %d are the limit", len(text), MaxHeader)
	}
	sum := sha256.New()
	both := io.MultiWriter(w, sum)
	if _, err := both.Write(append(preamble(parts.version(), len(text), begin+h.dataLength()+SumSize), text...)); err != nil {
		return err
	}
	for _, a := range h.Arrays {
		if err := writeArray(both, parts.Arrays[a.Name], a); err != nil {
			return err
		}
	}
	for _, a := range h.Compressed {
		if err := writeCompressed(both, parts.Compressed[a.Name], a); err != nil {
			return err
		}
	}
	_, err := w.Write(sum.Sum(nil))
	return err
}

// narrowest returns the smallest type that represents every entry exactly.
func narrowest(a *mat.Dense) string {
	rows, _ := a.Dims()
	kind := "|u1"
	for i := range rows {
		if kind = wider(kind, narrowestOf(a.RawRowView(i))); kind == "<f8" {
			break
		}
	}
	return kind
}

// narrowestOf is [narrowest] for a slice.
func narrowestOf(x []float64) string {
	bytes, single := true, true
	for _, v := range x {
		bits := math.Float64bits(v)
		bytes = bytes && v >= 0 && v <= 255 && math.Float64bits(float64(uint8(v))) == bits
		single = single && math.Float64bits(float64(float32(v))) == bits
		if !single && !bytes {
			return "<f8"
		}
	}
	if bytes {
		return "|u1"
	}
	return "<f4"
}

// wider returns the type that represents the entries of both; every type represents bytes.
func wider(a, b string) string {
	if typeSizes[b] > typeSizes[a] {
		return b
	}
	return a
}

// writeArray writes the rows of an array and the padding after them.
func writeArray(w io.Writer, a *mat.Dense, about denseArray) error {
	out := newWriter(w)
	for i := range int(about.Rows) {
		if err := out.numbers(a.RawRowView(i), about.Type); err != nil {
			return err
		}
	}
	return out.end()
}

// writer writes numbers in chunks, and pads arrays.
type writer struct {
	w       io.Writer
	buffer  []byte
	written int64
}

const chunk = 1 << 16

func newWriter(w io.Writer) *writer {
	return &writer{w: w, buffer: make([]byte, 0, chunk+8)}
}

// put replaces the buffer, and writes it if it is full.
func (o *writer) put(buffer []byte) error {
	if o.buffer = buffer; len(buffer) < chunk {
		return nil
	}
	return o.flush()
}

func (o *writer) flush() error {
	_, err := o.w.Write(o.buffer)
	o.written += int64(len(o.buffer))
	o.buffer = o.buffer[:0]
	return err
}

// numbers writes numbers in the given type.
func (o *writer) numbers(x []float64, kind string) error {
	for _, v := range x {
		buffer := o.buffer
		switch kind {
		case "<f8":
			buffer = binary.LittleEndian.AppendUint64(buffer, math.Float64bits(v))
		case "<f4":
			buffer = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(float32(v)))
		default:
			buffer = append(buffer, uint8(v))
		}
		if err := o.put(buffer); err != nil {
			return err
		}
	}
	return nil
}

// end writes the rest of the buffer, padded with zeros.
func (o *writer) end() error {
	total := o.written + int64(len(o.buffer))
	o.buffer = append(o.buffer, make([]byte, aligned(total)-total)...)
	err := o.flush()
	o.written = 0
	return err
}

// Read reads a file written by [Write], up to the end of r, within a memory limit in bytes (0: none).
// It verifies the checksum before it uses the parts. Arrays beyond the limit are refused from the
// header ([run.IsMemory]); others are allocated at once. Without a limit memory is allocated as bytes
// arrive, or at once if r is a regular file of the right length.
func Read(r io.Reader, limit int64) (About, *extend.Extension, error) {
	l := &reader{r: r, sum: sha256.New(), limit: limit}
	var err error
	if l.held, err = remainingBytes(r); err == nil {
		var h *header
		var e *extend.Extension
		if h, e, err = l.load(); err == nil {
			return h.About, e, nil
		}
	}
	return About{}, nil, fmt.Errorf("model: %w", l.explain(err))
}

// reader reads a file and computes its checksum.
type reader struct {
	r      io.Reader
	sum    hash.Hash
	held   int64 // bytes left in the file; −1: unknown
	length int64 // of the file, according to its preamble
	limit  int64 // of memory; 0: none
	done   int64
}

// remainingBytes returns the bytes left in a regular file or a reader of bytes; −1: unknown. After an
// error the position of the reader is undefined.
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

func (l *reader) read(p []byte) error {
	n, err := io.ReadFull(l.r, p)
	l.sum.Write(p[:n])
	l.done += int64(n)
	return err
}

// explain rewords the error of a file that ends too early.
func (l *reader) explain(err error) error {
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if l.done < PreambleSize {
		return errors.New("the file ends within its first bytes: it is not a model, or it is truncated")
	}
	return fmt.Errorf("the file ends after %d of %d bytes (truncated?)", l.done, l.length)
}

func (l *reader) load() (*header, *extend.Extension, error) {
	headerLength, err := l.preamble()
	if err != nil {
		return nil, nil, err
	}
	text := make([]byte, headerLength)
	if err := l.read(text); err != nil {
		return nil, nil, err
	}
	var h header
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&h)
	if err == nil {
		err = h.check(l.length - int64(PreambleSize) - int64(headerLength) - SumSize)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("the header is damaged: %w", err)
	}
	if err := l.fits(&h); err != nil {
		return nil, nil, err
	}
	parts := &Parts{Kind: h.Kind, Arrays: map[string]*mat.Dense{}, Numbers: h.Numbers}
	for _, a := range h.Arrays {
		if parts.Arrays[a.Name], err = l.array(a); err != nil {
			return nil, nil, err
		}
	}
	for _, a := range h.Compressed {
		if parts.Compressed == nil {
			parts.Compressed = map[string]*sparse.CSR{}
		}
		if parts.Compressed[a.Name], err = l.compressed(a); err != nil {
			return nil, nil, err
		}
	}
	if err := l.verify(); err != nil {
		return nil, nil, err
	}
	for name, a := range parts.Compressed { // after the checksum was verified
		if err := checkCompressed(name, a); err != nil {
			return nil, nil, err
		}
	}
	if _, known := modelKinds[h.Kind]; !known {
		return nil, nil, fmt.Errorf("its rule for new samples, %q, is not known to this version; %s wrote it", h.Kind, h.Program)
	}
	h.Params = wholeParams(h.Params)
	e, err := parts.Extension(h.Features)
	return &h, e, err
}

// preamble reads the first bytes, which are the same in every version of the format.
func (l *reader) preamble() (headerLength int, err error) {
	head := make([]byte, PreambleSize)
	if err := l.read(head); err != nil {
		if !bytes.HasPrefix([]byte(Magic), head[:min(l.done, 8)]) && string(head[:8]) != Magic {
			return 0, errors.New("it is not a model of orthant")
		}
		return 0, err
	}
	if string(head[:8]) != Magic {
		return 0, errors.New("it is not a model of orthant")
	}
	version, size := binary.LittleEndian.Uint32(head[8:]), binary.LittleEndian.Uint32(head[12:])
	length := binary.LittleEndian.Uint64(head[16:])
	if version < plainVersion || version > Version {
		return 0, l.otherVersion(version, size)
	}
	if size > MaxHeader || (PreambleSize+size)%alignment != 0 || length > math.MaxInt64/2 ||
		length < uint64(PreambleSize+size+SumSize) || binary.LittleEndian.Uint64(head[24:]) != 0 {
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

// otherVersion returns the error about another version. It names the program that wrote the file,
// which the header has in every version.
func (l *reader) otherVersion(version, size uint32) error {
	writer := ""
	if text := make([]byte, min(size, MaxHeader)); l.read(text) == nil {
		var h struct{ Program string }
		if json.NewDecoder(bytes.NewReader(text)).Decode(&h) == nil && h.Program != "" {
			writer = ", written by " + h.Program
		}
	}
	return fmt.Errorf("it has version %d of the format%s, and this program reads versions up to %d: fit the model again, or use the program that wrote it", version, writer, Version)
}

// fits returns an error for arrays beyond the memory limit.
func (l *reader) fits(h *header) error {
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

// array reads the entries of an array and the padding after them.
func (l *reader) array(a denseArray) (*mat.Dense, error) {
	data, err := readAligned(l, int(a.Rows*a.Cols), int(typeSizes[a.Type]), func(data []float64, from []byte) []float64 {
		return appendNumbers(data, from, a.Type)
	})
	if err != nil {
		return nil, err
	}
	return mat.NewDense(int(a.Rows), int(a.Cols), data), nil
}

// readAligned reads count numbers of a size, and the padding after them. Memory is allocated
// as they arrive, or at once if the length is reliable.
func readAligned[T pages.Number](l *reader, count, size int, take func(data []T, from []byte) []T) ([]T, error) {
	length := int64(count) * int64(size)
	buffer := make([]byte, min(1<<16, aligned(length)))
	var data []T
	if l.held >= 0 || l.limit > 0 {
		data = pages.Make[T](count)[:0]
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
	count := len(from) / int(typeSizes[kind])
	data = slices.Grow(data, count)
	to := data[len(data) : len(data)+count]
	switch kind {
	case "<f8":
		for i := range to {
			to[i] = math.Float64frombits(binary.LittleEndian.Uint64(from[8*i:]))
		}
	case "<f4":
		for i := range to {
			to[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(from[4*i:])))
		}
	default:
		for i, v := range from[:count] {
			to[i] = float64(v)
		}
	}
	return data[:len(data)+count]
}

// verify compares the checksum and checks that nothing follows it.
func (l *reader) verify() error {
	want := l.sum.Sum(nil)
	got := make([]byte, SumSize)
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

// compressedArray describes an array in compressed rows: the start of each row among the
// entries (<i8, rows + 1 numbers), the columns of the entries (<i4) and their values,
// one after the other, each padded.
type compressedArray struct {
	Name    string `json:"name"`
	Rows    int64  `json:"rows"`
	Cols    int64  `json:"cols"`
	Entries int64  `json:"entries"`
	Type    string `json:"type"` // of the values
	Offset  int64  `json:"offset"`
	Length  int64  `json:"length"`
}

// lengthOf returns the length of an array in compressed rows, in bytes.
func (a compressedArray) lengthOf() int64 {
	return aligned(8*(a.Rows+1)) + aligned(4*a.Entries) + aligned(typeSizes[a.Type]*a.Entries)
}

// writeCompressed writes an array in compressed rows.
func writeCompressed(w io.Writer, a *sparse.CSR, about compressedArray) error {
	out := newWriter(w)
	for _, p := range a.Ptr {
		if err := out.put(binary.LittleEndian.AppendUint64(out.buffer, uint64(p))); err != nil {
			return err
		}
	}
	if err := out.end(); err != nil {
		return err
	}
	for _, j := range a.Col {
		if err := out.put(binary.LittleEndian.AppendUint32(out.buffer, uint32(j))); err != nil {
			return err
		}
	}
	if err := out.end(); err != nil {
		return err
	}
	if err := out.numbers(a.Val, about.Type); err != nil {
		return err
	}
	return out.end()
}

// compressed reads an array in compressed rows.
func (l *reader) compressed(about compressedArray) (*sparse.CSR, error) {
	a := &sparse.CSR{Rows: int(about.Rows), Cols: int(about.Cols)}
	var err error
	if a.Ptr, err = readAligned(l, a.Rows+1, 8, func(data []int, from []byte) []int {
		for ; len(from) > 0; from = from[8:] {
			data = append(data, int(binary.LittleEndian.Uint64(from)))
		}
		return data
	}); err != nil {
		return nil, err
	}
	if a.Col, err = readAligned(l, int(about.Entries), 4, func(data []int32, from []byte) []int32 {
		for ; len(from) > 0; from = from[4:] {
			data = append(data, int32(binary.LittleEndian.Uint32(from)))
		}
		return data
	}); err != nil {
		return nil, err
	}
	a.Val, err = readAligned(l, int(about.Entries), int(typeSizes[about.Type]), func(data []float64, from []byte) []float64 {
		return appendNumbers(data, from, about.Type)
	})
	return a, err
}

// checkCompressed returns an error for invalid compressed rows: starts must ascend to the
// number of entries, and columns must ascend within a row.
func checkCompressed(name string, a *sparse.CSR) error {
	if a.Ptr[0] != 0 || a.Ptr[a.Rows] != len(a.Col) {
		return fmt.Errorf("the rows of the array %q do not span its entries", name)
	}
	for i := range a.Rows {
		if a.Ptr[i+1] < a.Ptr[i] || a.Ptr[i+1] > len(a.Col) {
			return fmt.Errorf("row %d (counting from 1) of the array %q ends before it starts", i+1, name)
		}
		last := int32(-1)
		for _, j := range a.Col[a.Ptr[i]:a.Ptr[i+1]] {
			if j <= last || int(j) >= a.Cols {
				return fmt.Errorf("the columns of row %d (counting from 1) of the array %q do not ascend within %d", i+1, name, a.Cols)
			}
			last = j
		}
	}
	return nil
}
