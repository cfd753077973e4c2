package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/disk"
	"github.com/orthant-go/orthant/internal/jsonkeys"
)

// jobLine is one line of a jobs file: an object, its keys in their order.
type jobLine struct {
	number int // counting from 1
	keys   []string
	values map[string]any // string, json.Number, bool, nil, []any or map[string]any
	label  string         // what messages call its job; "" is its number
}

// wrongf is an error about the line, which the user can correct.
func (l *jobLine) wrongf(format string, args ...any) error {
	return wrong("line %d: %w", l.number, fmt.Errorf(format, args...))
}

// readJobLines reads a jobs file, "-" being standard input, within a limit of memory, 0
// for none.
func readJobLines(path string, stdin io.Reader, limit int64) ([]*jobLine, error) {
	text, done, err := openJobs(path, stdin, limit)
	if err != nil {
		return nil, err
	}
	defer done()
	var lines []*jobLine
	for {
		line, err := text.next()
		if err != nil {
			return nil, err
		}
		if line == nil {
			break
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		l := &jobLine{number: text.count, values: map[string]any{}}
		if err := l.parse(line); err != nil {
			return nil, wrong("%s, line %d: %w", nameOf(path), text.count, err)
		}
		text.keep()
		lines = append(lines, l)
	}
	if len(lines) == 0 {
		return nil, wrong(`%s holds no jobs; give one JSON object a line, such as {"command": "embed", "method": "lle", "in": "x.npy", "out": "y.npy"}`, nameOf(path))
	}
	return lines, nil
}

// nameOf is how messages name the jobs file.
func nameOf(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// parse takes the object apart. Of a key given twice encoding/json would keep the
// last one and say nothing.
func (l *jobLine) parse(line []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	if first, err := decoder.Token(); err != nil || first != json.Delim('{') {
		return errors.New("this is no JSON object; give one job a line, between { and }")
	}
	nested := false
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return malformed(err)
		}
		name := strings.ReplaceAll(key.(string), "_", "-") // as the reports of --json spell flags
		var value any
		if err := decoder.Decode(&value); err != nil {
			return malformed(err)
		}
		if slices.Contains(l.keys, name) {
			return fmt.Errorf("%q is given twice; keep one of them", name)
		}
		switch value.(type) {
		case map[string]any, []any:
			nested = true
		}
		l.keys = append(l.keys, name)
		l.values[name] = value
	}
	if _, err := decoder.Token(); err != nil {
		return malformed(err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something after the object; give one job a line")
	}
	if nested { // the keys of the line itself are known to differ
		if key, found := jsonkeys.Repeated(line); found {
			return fmt.Errorf("%q is given twice; keep one of them", key)
		}
	}
	return nil
}

func malformed(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the object does not end on its line; give one whole job a line")
	}
	return fmt.Errorf("this is no JSON: %w", err)
}

// What a job takes until it is done: the object that its line holds, at most this many
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
