package files

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/orthant-go/orthant/engine/disk"
)

// Journal is a file of JSON lines that is only ever appended to, one whole line
// in one write. Whenever the program is killed, all lines but perhaps the last
// are whole, and the next [OpenJournal] cuts off what was torn. What a write that
// fails leaves of a line is cut off before anything else is appended.
type Journal struct {
	file disk.File
	path string
	size int64 // of the whole lines
	torn bool  // something follows them
}

// OpenJournal opens a journal, makes it if need be, and gives every line that is
// there to each; a line that each refuses is passed over, and counted. As long as
// it is open no other process can open it, where the system knows such locks.
// Errors are an [*Error] with [OpCreate].
func OpenJournal(path string, each func(line []byte) error) (j *Journal, refused int, err error) {
	return openJournal(path, each, lock)
}

// OpenClaimedJournal is [OpenJournal] for a journal that is kept from others by something else
// as well: it takes a file system without locks.
func OpenClaimedJournal(path string, each func(line []byte) error) (j *Journal, refused int, err error) {
	return openJournal(path, each, func(file disk.File) error {
		if err := lock(file); err != nil && !disk.NoLocks(errors.Unwrap(err)) {
			return err
		}
		return nil
	})
}

func openJournal(path string, each func(line []byte) error, lock func(disk.File) error) (j *Journal, refused int, err error) {
	file, err := disk.Files().OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, 0, failure(path, OpCreate, err)
	}
	text, err := takeJournal(file, lock)
	if err == nil && len(text) == 0 { // it may have been made just now
		err = disk.SyncFolder(filepath.Dir(path))
	}
	if err != nil {
		file.Close()
		return nil, 0, failure(path, OpCreate, err)
	}
	return &Journal{file: file, path: path, size: int64(len(text))}, JournalLines(text, each), nil
}

// takeJournal locks the file, reads it, and cuts a torn line off.
func takeJournal(file disk.File, lock func(disk.File) error) ([]byte, error) {
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
			return nil, fmt.Errorf("cutting a torn line off: %w", cause(err))
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
// [Journal.Sync] does the same for a machine that loses its power. After an error
// the journal is as it was before, and may be added to. Errors are an [*Error] with
// [OpWrite], as those of Sync and Close.
func (j *Journal) Add(v any) error {
	line, err := json.Marshal(v)
	if err == nil {
		err = j.mend()
	}
	if err != nil {
		return failure(j.path, OpWrite, err)
	}
	line = append(line, '\n')
	if _, err := j.file.Write(line); err != nil {
		j.torn = true
		_ = j.mend() // else the next Add does
		return failure(j.path, OpWrite, err)
	}
	j.size += int64(len(line))
	return nil
}

// mend cuts off what a failed write has left of a line.
func (j *Journal) mend() error {
	if !j.torn {
		return nil
	}
	if err := j.file.Truncate(j.size); err != nil {
		return fmt.Errorf("cutting a torn line off: %w", cause(err))
	}
	j.torn = false
	return nil
}

// Sync has all lines on the disk when it returns.
func (j *Journal) Sync() error { return failure(j.path, OpWrite, disk.Sync(j.file)) }

// Close closes the journal and lets others open it.
func (j *Journal) Close() error {
	_ = j.mend() // else the next OpenJournal does
	return failure(j.path, OpWrite, j.file.Close())
}

// lock keeps other processes out for as long as the file is open, where the system
// knows such locks.
func lock(file disk.File) error {
	if !disk.HasLocks {
		return nil
	}
	err := file.Lock()
	switch {
	case err == nil:
		return nil
	case disk.InUse(err):
		return fmt.Errorf("in use by another run (%w); wait for it, or write elsewhere", err)
	case disk.NoLocks(err):
		return fmt.Errorf("its file system has no locks (%w), by which two runs would keep out of each other's way; write to another file system", err)
	}
	return fmt.Errorf("it could not be locked: %w", err)
}
