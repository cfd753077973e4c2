package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// journal is a file of JSON lines that is only ever appended to, one whole line
// in one write, and on the disk before the next measurement begins. Whenever the
// program is killed, all lines but perhaps the last are whole.
type journal struct {
	file *os.File
}

// openJournal opens a journal and gives every line that is there to each. What a
// kill tore is cut off; a line that each refuses is passed over, and counted.
func openJournal(path string, each func(line []byte) error) (j *journal, refused int, err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, 0, fmt.Errorf("bench: %w", err)
	}
	if err := lock(file); err != nil {
		file.Close()
		return nil, 0, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		file.Close()
		return nil, 0, fmt.Errorf("bench: %w", err)
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	if whole < len(text) {
		if err := file.Truncate(int64(whole)); err != nil {
			file.Close()
			return nil, 0, fmt.Errorf("bench: cutting a torn line off %s: %w", path, err)
		}
	}
	return &journal{file}, eachLine(text[:whole], each), nil
}

// eachLine gives the lines to each and returns how many it refused.
func eachLine(text []byte, each func(line []byte) error) (refused int) {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && each(line) != nil {
			refused++
		}
	}
	return refused
}

// add appends one line and has it on the disk when it returns.
func (j *journal) add(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	if err := j.file.Sync(); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	return nil
}

func (j *journal) close() error { return j.file.Close() }

// ReadRecords returns the records of a file that [Run] writes, in the order in
// which their cases were first recorded; of several for one case the last counts.
// A torn last line is passed over.
func ReadRecords(path string) ([]*Record, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	var found recordSet
	eachLine(text[:bytes.LastIndexByte(text, '\n')+1], found.line)
	return found.list, nil
}

// recordSet keeps the last record of each case.
type recordSet struct {
	list []*Record
	at   map[[2]string]int
}

func (s *recordSet) line(line []byte) error {
	r := new(Record)
	if err := json.Unmarshal(line, r); err != nil {
		return err
	}
	s.put(r)
	return nil
}

func (s *recordSet) put(r *Record) {
	if s.at == nil {
		s.at = map[[2]string]int{}
	}
	id := [2]string{r.Suite, r.Case}
	if at, found := s.at[id]; found {
		s.list[at] = r
		return
	}
	s.at[id] = len(s.list)
	s.list = append(s.list, r)
}

func (s *recordSet) get(suite, name string) *Record {
	if at, found := s.at[[2]string{suite, name}]; found {
		return s.list[at]
	}
	return nil
}
