package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/disk"
)

// inputFile is an open file that supports more than being read to its end: a file of a path,
// or standard input if that is a file.
type inputFile interface {
	io.ReadSeeker
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

// source is an open input. size is the number of bytes that it holds, or −1
// if that is unknown before its end (a pipe).
type source struct {
	io.Reader
	size   int64
	most   int64   // upper bound of the content of a compressed source, whose size is unknown; 0: unknown too
	window float64 // maximal bytes of decompressed data that a decoder keeps
	close  func() error
}

func (s source) Close() error {
	if s.close == nil {
		return nil
	}
	return s.close()
}

// partOfFile is the number of bytes that a thread reads at a time: the time goes into the pages of memory
// that the data need.
const partOfFile = 1 << 23

// readFull is [io.ReadFull] that reads much of a file on all threads. It returns the number of bytes before the first that
// could not be read.
func readFull(r io.Reader, p []byte) (int, error) {
	s, _ := r.(source)
	f, is := s.Reader.(inputFile)
	if !is || s.size < 0 || len(p) <= partOfFile {
		return io.ReadFull(r, p)
	}
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, err
	}
	read, errs := make([]int, (len(p)-1)/partOfFile+1), make([]error, (len(p)-1)/partOfFile+1)
	_ = blas.For(context.Background(), 0, len(p), partOfFile, func(_, lo, hi int) {
		n, err := f.ReadAt(p[lo:hi], at+int64(lo))
		if read[lo/partOfFile] = n; n < hi-lo {
			errs[lo/partOfFile] = err
		}
	})
	for part, err := range errs {
		if err != nil {
			return part*partOfFile + read[part], err
		}
	}
	_, err = f.Seek(at+int64(len(p)), io.SeekStart)
	return len(p), err
}

// openContent opens the uncompressed content of a matrix file, or of
// standard input for "-".
func openContent(loc location, o Options) (source, error) {
	s, err := open(loc.file, o.Stdin)
	if err != nil {
		return source{}, err
	}
	switch f, regular := s.Reader.(inputFile); {
	case loc.file == standard:
		s, err = unpackInput(s, o.budget())
	case loc.packing != unpacked:
		s, err = loc.packing.unpack(s, o.budget())
	case regular && s.size > 0:
		err = checkPlain(f)
	}
	if err != nil {
		s.Close()
		return source{}, err
	}
	return s, nil
}

// fromContent calls read with the uncompressed content of a matrix file.
func fromContent[T any](loc location, o Options, read func(s source, b budget) (T, error)) (T, error) {
	s, err := openContent(loc, o)
	if err != nil {
		var zero T
		return zero, err
	}
	defer s.Close()
	return read(s, o.budget())
}

// open opens a file, or standard input for "-".
func open(path string, stdin io.Reader) (source, error) {
	if path == standard {
		if stdin == nil {
			return source{}, errors.New("there is no standard input here: give a file")
		}
		s := source{Reader: stdin, size: -1}
		if f, ok := stdin.(inputFile); ok {
			s.size = remaining(f)
		}
		return s, nil
	}
	f, err := disk.Open(path)
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
func remaining(f inputFile) int64 {
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

// plausibleRatio bounds the compression ratio up to which an entry gets
// its memory at once; an entry that claims more gets memory as the data arrive.
const plausibleRatio = 32

// openRegular opens a file for random access.
func openRegular(path, what string) (disk.File, int64, error) {
	f, info, err := disk.OpenRegular(path)
	if disk.IsNotRegular(err) {
		err = fmt.Errorf("%s must be a regular file: it is not read in one go", what)
	}
	if err != nil {
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// OpenRaw opens a file of bytes, such as a model, or standard input for "-". size
// is the number of bytes, −1 if it is known only at the end. Errors of opening and
// of reading are an [*Error] with [OpRead].
func OpenRaw(path string, o Options) (r io.ReadCloser, size int64, err error) {
	s, err := open(path, o.Stdin)
	if err != nil {
		return nil, 0, failure(path, OpRead, err)
	}
	return rawReader{path, s}, s.size, nil
}

type rawReader struct {
	path string
	source
}

func (r rawReader) Read(p []byte) (int, error) {
	n, err := r.source.Read(p)
	if err != nil && err != io.EOF {
		err = failure(r.path, OpRead, err)
	}
	return n, err
}

// Seek serves to learn the length of a regular file.
func (r rawReader) Seek(offset int64, whence int) (int64, error) {
	if f, ok := r.Reader.(inputFile); ok && r.size >= 0 {
		at, err := f.Seek(offset, whence)
		return at, failure(r.path, OpRead, err)
	}
	return 0, errors.ErrUnsupported
}

// jsonFolding bounds the memory for decoding a JSON text, relative to its length: an
// object of two bytes becomes strings and numbers, in slices that grow. Measured on
// lists of empty objects.
const jsonFolding = 40

// checkText refuses a text whose decoding, folding times its length, does not fit.
func (b budget) checkText(what string, length, folding int64) error {
	if b.fits(float64(length*folding), 0) {
		return nil
	}
	return &tooLarge{fmt.Sprintf("%s is longer than %s, the most for which there is memory, and %s: raise it, or see whether this is the right file", what, byteCount(b.left()/float64(folding)), b.said())}
}

// ReadJSON reads a whole JSON text, from standard input for "-". A text that cannot be
// decoded within the memory of the options is an error.
func ReadJSON(path string, o Options) ([]byte, error) { return readWhole(path, jsonFolding, o) }

// ReadText reads a whole text, like [ReadJSON], but counts only the text itself.
func ReadText(path string, o Options) ([]byte, error) { return readWhole(path, 4, o) }

// readWhole reads at most as much as fits, so that a device without an end ends.
func readWhole(path string, folding int64, o Options) ([]byte, error) {
	s, err := open(path, o.Stdin)
	if err != nil {
		return nil, failure(path, OpRead, err)
	}
	defer s.Close()
	b := o.budget()
	if err := b.checkText("the text", s.size, folding); err != nil {
		return nil, failure(path, OpRead, err)
	}
	r := s.Reader
	if b.bounded() {
		r = io.LimitReader(r, int64(b.left())/folding+1)
	}
	text, err := io.ReadAll(r)
	if err == nil {
		err = b.checkText("the text", int64(len(text)), folding)
	}
	if err != nil {
		return nil, failure(path, OpRead, err)
	}
	return text, nil
}
