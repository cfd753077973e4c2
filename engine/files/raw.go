package files

import (
	"errors"
	"io"
)

// OpenRaw opens a file of bytes, such as a model, or standard input for "-". size
// is the number of bytes, −1 where only the end will tell. Errors of opening and
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
