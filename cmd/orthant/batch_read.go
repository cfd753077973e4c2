package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/disk"
)

// What a job takes until it is done: the object that its line holds, at most so many
// bytes for each of the line's, and the command that is made of it. Measured on 50 000
// lines of 114 bytes: 2400 bytes each.
const (
	jobBytes    = 1536
	lineFolding = 16
)

// jobsText gives the lines of a jobs file, within a limit of memory.
type jobsText struct {
	path  string
	r     *bufio.Reader
	limit int64 // 0: none
	taken int64 // by the lines so far
	line  []byte
	count int
}

// openJobs opens a jobs file, "-" being standard input.
func openJobs(path string, stdin io.Reader, limit int64) (*jobsText, func(), error) {
	if path != "-" {
		f, err := disk.Open(path)
		if err != nil {
			return nil, nil, readingJobs(path, err)
		}
		return &jobsText{path: path, r: bufio.NewReaderSize(f, 1<<16), limit: limit}, func() { f.Close() }, nil
	}
	if stdin == nil {
		return nil, nil, wrong("there is no standard input here; give a file of jobs")
	}
	return &jobsText{path: path, r: bufio.NewReaderSize(stdin, 1<<16), limit: limit}, func() {}, nil
}

func readingJobs(path string, err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		err = e.Err
	}
	return &files.Error{Path: path, Op: files.OpRead, Err: err}
}

// next returns the next line, without a mark of the byte order before the first; nil is
// the end.
func (t *jobsText) next() ([]byte, error) {
	t.count++
	t.line = t.line[:0]
	for {
		part, err := t.r.ReadSlice('\n')
		t.line = append(t.line, part...)
		if err := t.check(); err != nil {
			return nil, err
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, readingJobs(t.path, err)
		}
		if len(t.line) == 0 {
			return nil, nil
		}
		if t.count == 1 {
			return bytes.TrimPrefix(t.line, []byte("\ufeff")), nil
		}
		return t.line, nil
	}
}

// keep accounts for the line given last.
func (t *jobsText) keep() { t.taken += jobBytes + lineFolding*int64(len(t.line)) }

// check refuses what there is no room for. Twice, as the buffer of the line moves when
// it grows.
func (t *jobsText) check() error {
	if need := t.taken + (lineFolding+2)*int64(len(t.line)); t.limit > 0 && need > t.limit {
		return wrong("%s takes more than %s up to line %d; raise --memory, or give the jobs in several files, one object a line",
			nameOf(t.path), limits.FormatBytes(t.limit), t.count)
	}
	return nil
}
