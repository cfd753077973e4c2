package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/engine/disk"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/jsonkeys"
)

// jobLine is one line of a jobs file: an object, its keys in their order.
type jobLine struct {
	number int // counting from 1
	keys   []string
	values map[string]any // string, json.Number, bool, nil, []any or map[string]any
}

// wrongf is an error about the line, which the user can mend.
func (l *jobLine) wrongf(format string, args ...any) error {
	return wrong("line %d: %w", l.number, fmt.Errorf(format, args...))
}

// readJobLines reads a jobs file, "-" being standard input.
func readJobLines(path string, stdin io.Reader) ([]*jobLine, error) {
	text, err := readText(path, stdin)
	if err != nil {
		return nil, err
	}
	var lines []*jobLine
	number := 0
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte("\ufeff"))) {
		number++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		l := &jobLine{number: number, values: map[string]any{}}
		if err := l.parse(line); err != nil {
			return nil, wrong("%s, line %d: %w", nameOf(path), number, err)
		}
		lines = append(lines, l)
	}
	if len(lines) == 0 {
		return nil, wrong(`%s holds no jobs; give one JSON object a line, such as {"command": "embed", "method": "lle", "in": "x.npy", "out": "y.npy"}`, nameOf(path))
	}
	return lines, nil
}

func readText(path string, stdin io.Reader) ([]byte, error) {
	if path != "-" {
		text, err := disk.ReadFile(path)
		if pathError, ok := errors.AsType[*os.PathError](err); ok {
			err = &files.Error{Path: path, Op: files.OpRead, Err: pathError.Err}
		}
		return text, err
	}
	if stdin == nil {
		return nil, wrong("there is no standard input here; give a file of jobs")
	}
	text, err := io.ReadAll(stdin)
	if err != nil {
		return nil, &files.Error{Path: path, Op: files.OpRead, Err: err}
	}
	return text, nil
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
		l.keys = append(l.keys, name)
		l.values[name] = value
	}
	if _, err := decoder.Token(); err != nil {
		return malformed(err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something after the object; give one job a line")
	}
	if key, found := jsonkeys.Repeated(line); found {
		return fmt.Errorf("%q is given twice; keep one of them", key)
	}
	return nil
}

func malformed(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the object does not end on its line; give one whole job a line")
	}
	return fmt.Errorf("this is no JSON: %w", err)
}
