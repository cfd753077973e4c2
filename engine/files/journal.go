package files

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/orthant-go/orthant/internal/disk"
)

// Journal is a file of JSON lines that is only ever appended to, one whole line
// in one write. Whenever the program is killed, all lines but perhaps the last
// are whole, and the next [OpenJournal] cuts off what was torn.
type Journal struct {
	file disk.File
}

// OpenJournal opens a journal, makes it if need be, and gives every line that is
// there to each; a line that each refuses is passed over, and counted. As long as
// it is open no other process can open it, where the system knows such locks.
// Errors are an [*Error] with [OpCreate].
func OpenJournal(path string, each func(line []byte) error) (j *Journal, refused int, err error) {
	file, err := disk.Files().OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, 0, failure(path, OpCreate, err)
	}
	text, err := takeJournal(file)
	if err != nil {
		file.Close()
		return nil, 0, failure(path, OpCreate, err)
	}
	return &Journal{file}, JournalLines(text, each), nil
}

// takeJournal locks the file, reads it, and cuts a torn line off.
func takeJournal(file disk.File) ([]byte, error) {
	if info, err := file.Stat(); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errors.New("this is no regular file, to which a journal could be appended")
	}
	if err := lock(file); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	if whole < len(text) {
		if err := file.Truncate(int64(whole)); err != nil {
			return nil, fmt.Errorf("cutting a torn line off: %w", err)
		}
	}
	return text[:whole], nil
}

// JournalLines gives the lines of a journal's text to each, but for empty ones
// and one without an end, and returns how many it refused.
func JournalLines(text []byte, each func(line []byte) error) (refused int) {
	for line := range bytes.Lines(text[:bytes.LastIndexByte(text, '\n')+1]) {
		if line = bytes.TrimSpace(line); len(line) > 0 && each(line) != nil {
			refused++
		}
	}
	return refused
}

// Add appends v as one line. When it returns, killing the process loses nothing;
// [Journal.Sync] does the same for a machine that loses its power. Errors are an
// [*Error] with [OpWrite], as those of Sync and Close.
func (j *Journal) Add(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return failure(j.file.Name(), OpWrite, err)
	}
	_, err = j.file.Write(append(line, '\n'))
	return failure(j.file.Name(), OpWrite, err)
}

// Sync has all lines on the disk when it returns.
func (j *Journal) Sync() error { return failure(j.file.Name(), OpWrite, j.file.Sync()) }

// Close closes the journal and lets others open it.
func (j *Journal) Close() error { return failure(j.file.Name(), OpWrite, j.file.Close()) }

// lock keeps other processes out for as long as the file is open, where the system
// knows such locks.
func lock(file disk.File) error {
	if !disk.HasLocks {
		return nil
	}
	if err := file.Lock(); err != nil {
		return fmt.Errorf("in use by another run (%w); wait for it, or give another --out", err)
	}
	return nil
}
