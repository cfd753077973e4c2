package files

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/internal/disk"
)

// Commit finishes the output: everything is on the disk and under its name when
// Commit returns nil. It is [CommitAll] of one output.
func (o *Output) Commit() error { return CommitAll(o) }

// CommitAll finishes several outputs as one. All are written and brought to the disk
// before the first gets its name, so that an error until then (a full disk, a failing
// one) leaves every target as it was. Then they are renamed one after the other. That
// some got their names and another could not is possible between two renames only,
// where the process is killed, the power fails, or a target has become a folder
// meanwhile; in the last case the error names what is new and what is as it was.
// Last, the folders are brought to the disk; where that fails, the outputs are in
// their places all the same. After any error no temporary file is left. Errors are an
// [*Error] with [OpWrite].
func CommitAll(outputs ...*Output) error {
	err := commitAll(outputs)
	if err != nil {
		for _, o := range outputs {
			o.Discard()
		}
	}
	return err
}

func commitAll(outputs []*Output) error {
	for _, o := range outputs {
		if err := o.complete(); err != nil {
			return err
		}
	}
	for _, o := range outputs {
		if o.stdout == nil {
			continue
		}
		if _, err := o.memory.WriteTo(o.stdout); err != nil { // without the lock: a pipe may take its time
			return o.fail(err)
		}
	}
	if err := rename(outputs); err != nil {
		return err
	}
	return syncFolders(outputs)
}

// complete writes what is left of the output and brings it to the disk.
func (o *Output) complete() error {
	if err := o.usable(); err != nil {
		return err
	}
	if !o.filled {
		return o.fail(errors.New("nothing was written"))
	}
	return o.fail(o.flush())
}

func (o *Output) flush() error {
	if err := o.buffer.Flush(); err != nil {
		return err
	}
	if o.packed != nil {
		if err := o.packed.Close(); err != nil {
			return err
		}
	}
	switch {
	case o.file == nil:
		return nil
	case o.temp == "":
		return o.file.Close()
	}
	if err := disk.Sync(o.file); err != nil || disk.HasLocks {
		return err
	}
	return o.file.Close() // where there are no locks, open files may not be renamed
}

// rename puts the outputs in their places. It holds the lock, so that an interrupt
// finds all of them there or none.
func rename(outputs []*Output) error {
	pending.Lock()
	defer pending.Unlock()
	for _, o := range outputs {
		if o.closed {
			return failure(o.loc.path, OpWrite, errDiscarded)
		}
	}
	for i, o := range outputs {
		if o.temp != "" {
			if err := disk.Files().Rename(o.temp, o.target); err != nil {
				o.err = apart(o, err, outputs[:i], outputs[i:])
				return o.err
			}
			delete(pending.outputs, o.target)
			o.file.Close() // not before: the lock goes with it
		}
		o.closed = true
	}
	return nil
}

// apart is the error of a rename, of the first of those after it, which says what it
// sets apart.
func apart(o *Output, err error, before, after []*Output) error {
	e := failure(o.loc.path, OpWrite, err).(*Error)
	// Those without a temporary file had been written before the first rename.
	written := slices.Clone(before)
	for _, other := range after {
		if other.temp == "" {
			written = append(written, other)
		}
	}
	if len(written) == 0 {
		return e
	}
	left := "this one"
	if others := slices.DeleteFunc(slices.Clone(after[1:]), func(o *Output) bool { return o.temp == "" }); len(others) > 0 {
		left += ", " + named(others)
	}
	e.Err = fmt.Errorf("%w; already replaced: %s; not: %s; repeat the run, for they belong together", e.Err, named(written), left)
	return e
}

// named lists outputs as the user gave them.
func named(outputs []*Output) string {
	var names []string
	for _, o := range outputs {
		names = append(names, (&Error{Path: o.loc.path, Op: OpWrite}).name())
	}
	return strings.Join(names, ", ")
}

// syncFolders brings the new names to the disk, each folder once.
func syncFolders(outputs []*Output) (first error) {
	done := map[string]bool{}
	for _, o := range outputs {
		folder := filepath.Dir(o.target)
		if o.temp == "" || done[folder] {
			continue
		}
		done[folder] = true
		if err := disk.SyncFolder(folder); err != nil && first == nil {
			e := failure(o.loc.path, OpWrite, err).(*Error)
			e.Err = fmt.Errorf("%w while its folder was brought to the disk; it is in its place, but a power failure may undo that", e.Err)
			first = e
		}
	}
	return first
}

var errDiscarded = errors.New("the output was committed or discarded before")
