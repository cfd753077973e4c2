package files

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/orthant-go/orthant/internal/disk"
)

// Journal is a file of JSON lines that is only ever appended to, one whole line
// in one write. If the program is killed, all lines except perhaps the last
// are whole, and the next [OpenJournal] removes an incomplete line. The remainder of a failed
// write is removed before anything else is appended.
type Journal struct {
	file disk.File
	path string
	size int64 // of the whole lines
	torn bool  // something follows them
}

// OpenJournal opens a journal, creating it if necessary, and passes every existing line to each, which must not
// keep it. A line that each refuses is skipped and counted;
// after fs.SkipAll no more lines are read. A line that cannot be decoded within the memory
// of the options is an error. While
// the journal is open no other process can open it, if the system supports such locks.
// Errors are an [*Error] with [OpCreate].
func OpenJournal(path string, o Options, each func(line []byte) error) (j *Journal, refused int, err error) {
	return openJournal(path, o, each, lock)
}

// OpenClaimedJournal is [OpenJournal] for a journal that is protected from other processes by other means
// too: it accepts a file system without locks.
func OpenClaimedJournal(path string, o Options, each func(line []byte) error) (j *Journal, refused int, err error) {
	return openJournal(path, o, each, func(file disk.File) error {
		if err := lock(file); err != nil && !disk.NoLocks(errors.Unwrap(err)) {
			return err
		}
		return nil
	})
}

// ReadJournal passes the lines of a journal to each, as [OpenJournal] does, without changing the
// journal. Errors are an [*Error] with [OpRead].
func ReadJournal(path string, o Options, each func(line []byte) error) (refused int, err error) {
	file, _, err := disk.OpenRegular(path)
	if err != nil {
		return 0, failure(path, OpRead, err)
	}
	defer file.Close()
	_, _, refused, err = readJournal(file, o.budget(), each)
	return refused, failure(path, OpRead, err)
}

func openJournal(path string, o Options, each func(line []byte) error, lock func(disk.File) error) (j *Journal, refused int, err error) {
	file, err := disk.Files().OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, 0, failure(path, OpCreate, err)
	}
	size, refused, err := takeJournal(file, o.budget(), each, lock)
	if err == nil && size == 0 { // it may have been made just now
		err = disk.SyncFolder(filepath.Dir(path))
	}
	if err != nil {
		file.Close()
		return nil, 0, failure(path, OpCreate, err)
	}
	return &Journal{file: file, path: path, size: size}, refused, nil
}

// takeJournal locks the file, reads its lines, and removes an incomplete one. It returns the size of the others.
func takeJournal(file disk.File, b budget, each func(line []byte) error, lock func(disk.File) error) (size int64, refused int, err error) {
	if info, err := file.Stat(); err != nil {
		return 0, 0, err
	} else if !info.Mode().IsRegular() {
		return 0, 0, errors.New("not a regular file, to which a journal could be appended")
	}
	if err := lock(file); err != nil {
		return 0, 0, err
	}
	size, rest, refused, err := readJournal(file, b, each)
	if err == nil && rest > 0 {
		if err = file.Truncate(size); err != nil {
			err = fmt.Errorf("cutting a torn line off: %w", cause(err))
		}
	}
	return size, refused, err
}

// ReadLines passes each line of a file of JSON lines to each, with its number from 1. Empty lines are
// counted and skipped, and whole is false for a last line without an end of line. It holds one line at a
// time. A line that cannot be decoded within the memory of the options is an error. An error of each is
// returned unchanged. Other errors are an [*Error] with [OpRead].
func ReadLines(path string, o Options, each func(number int, line []byte, whole bool) error) error {
	file, _, err := disk.OpenRegular(path)
	if err != nil {
		return failure(path, OpRead, err)
	}
	defer file.Close()
	var refusal error
	err = readLines(file, o.budget(), func(number, _ int, line []byte, whole bool) error {
		refusal = nil
		if len(line) > 0 {
			refusal = each(number, line, whole)
		}
		return refusal
	})
	if refusal != nil {
		return refusal
	}
	return failure(path, OpRead, err)
}

// readLines passes each line to each, with its number, its bytes, and its text without surrounding space. It holds one
// line at a time, because such files grow as long as a run continues.
func readLines(r io.Reader, b budget, each func(number, size int, line []byte, whole bool) error) error {
	in := bufio.NewReaderSize(r, 1<<16)
	var long []byte // a line that is longer than the buffer
	for number := 1; ; {
		part, err := in.ReadSlice('\n')
		if err := b.checkText(fmt.Sprintf("line %d", number), int64(len(long)+len(part)), jsonFolding); err != nil {
			return err
		}
		if err == bufio.ErrBufferFull {
			long = append(long, part...)
			continue
		}
		if err != nil && err != io.EOF {
			return err
		}
		line := part
		if len(long) > 0 {
			long = append(long, part...)
			line = long
		}
		if whole := err == nil; whole || len(line) > 0 {
			if err := each(number, len(line), bytes.TrimSpace(line), whole); err != nil || !whole {
				return err
			}
		} else {
			return nil
		}
		number++
		long = long[:0]
	}
}

// readJournal passes the whole lines to each. It returns their bytes, the bytes after them, and the number of
// lines that each refused.
func readJournal(r io.Reader, b budget, each func(line []byte) error) (size, rest int64, refused int, err error) {
	err = readLines(r, b, func(_, bytes int, line []byte, whole bool) error {
		if !whole {
			rest = int64(bytes)
			return nil
		}
		size += int64(bytes)
		if len(line) == 0 {
			return nil
		}
		switch err := each(line); {
		case errors.Is(err, fs.SkipAll):
			return fs.SkipAll
		case err != nil:
			refused++
		}
		return nil
	})
	if err == fs.SkipAll {
		err = nil
	}
	return size, rest, refused, err
}

// JournalLines passes the lines of a journal's text to each, except empty ones
// and one without an end of line, and returns the number that each refused.
func JournalLines(text []byte, each func(line []byte) error) (refused int) {
	_, _, refused, _ = readJournal(bytes.NewReader(text), budget{}, each) // reading from memory does not fail
	return refused
}

// Add appends v as one line. When it returns, the line survives if the program is killed;
// [Journal.Sync] makes it survive a power failure. After an error
// the journal is unchanged and can be appended to. Errors are an [*Error] with
// [OpWrite], as for Sync and Close.
func (j *Journal) Add(v any) error {
	line, err := json.Marshal(v)
	if err == nil {
		err = j.removeTorn()
	}
	if err != nil {
		return failure(j.path, OpWrite, err)
	}
	line = append(line, '\n')
	if _, err := j.file.Write(line); err != nil {
		j.torn = true
		_ = j.removeTorn() // if this fails, the next Add repeats it
		return failure(j.path, OpWrite, err)
	}
	j.size += int64(len(line))
	return nil
}

// removeTorn removes the incomplete line of a failed write.
func (j *Journal) removeTorn() error {
	if !j.torn {
		return nil
	}
	if err := j.file.Truncate(j.size); err != nil {
		return fmt.Errorf("cutting a torn line off: %w", cause(err))
	}
	j.torn = false
	return nil
}

// Sync writes all lines to the disk.
func (j *Journal) Sync() error { return failure(j.path, OpWrite, disk.Sync(j.file)) }

// Close closes and unlocks the journal.
func (j *Journal) Close() error {
	_ = j.removeTorn() // if this fails, the next OpenJournal does it
	return failure(j.path, OpWrite, j.file.Close())
}

// lock excludes other processes as long as the file is open, if the system
// supports such locks.
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
