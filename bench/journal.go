package bench

import (
	"encoding/json"
	"fmt"

	"github.com/orthant-go/orthant/engine/files"
)

// journal is a file of JSON lines whose every line is on the disk before the next
// measurement begins.
type journal struct{ *files.Journal }

// openJournal opens a journal and gives every line that is there to each.
func openJournal(path string, each func(line []byte) error) (j *journal, refused int, err error) {
	inner, refused, err := files.OpenJournal(path, files.Options{}, each)
	if err != nil {
		return nil, 0, fmt.Errorf("bench: %w", err)
	}
	return &journal{inner}, refused, nil
}

// add appends one line and has it on the disk when it returns.
func (j *journal) add(v any) error {
	if err := j.Add(v); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	if err := j.Sync(); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	return nil
}

func (j *journal) close() error { return j.Close() }

// ReadRecords returns the records of a file that [Run] writes, in the order in
// which their cases were first recorded; of several for one case the last counts.
// A torn last line is passed over.
func ReadRecords(path string) ([]*Record, error) {
	var found recordSet
	if _, err := files.ReadJournal(path, files.Options{}, found.line); err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
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
