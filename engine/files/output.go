package files

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/orthant-go/orthant/internal/disk"
)

// Output is a file under construction. [Create] makes a temporary file beside
// the target, one of the Write methods fills it, and [Output.Commit] renames it
// onto the target; until then whatever was at the target stays as it was. "-"
// is gathered in memory and goes to standard output on Commit. A target that is
// no regular file, such as a device or a pipe, is written directly.
//
// An Output belongs to one goroutine; [DiscardAll] may be called from any.
//
//	out, err := files.Create("y.npy", os.Stdout)
//	if err != nil { … }
//	defer out.Discard() // does nothing after Commit
//	… hours of work …
//	if err := out.WriteMatrix(y, files.Options{}); err != nil { … }
//	return out.Commit()
type Output struct {
	loc    location
	target string // absolute, links followed
	temp   string // "" where there is no temporary file
	file   disk.File
	buffer *bufio.Writer
	packed io.WriteCloser // between buffer and file, nil where the file is not packed
	stdout io.Writer
	memory bytes.Buffer // what is to go to standard output
	filled bool         // by a Write method
	err    error        // the first error of writing
	closed bool         // committed or discarded; guarded by pending
}

// Create begins an output in one of the formats that [ReadMatrix] reads, told by
// the extension; "file.npz:name" names the array, which is arr_0 otherwise, and
// replaces the whole file, "file.mat:name" likewise, and "file.parquet:a,b" the
// columns, which are x1, x2, … otherwise. A second extension .gz or .zst has the
// file compressed. stdout is where "-" goes, and may be nil where there
// is no standard output. Errors are an [*Error] with [OpCreate].
func Create(path string, stdout io.Writer) (*Output, error) {
	loc, err := locate(path)
	if err == nil {
		err = loc.nameArray()
	}
	if err != nil {
		return nil, failure(path, OpCreate, err)
	}
	return begin(loc, stdout)
}

// CreateRaw begins an output of any extension whose bytes the caller writes: a
// picture, a model, a table. In other respects it is like [Create].
func CreateRaw(path string, stdout io.Writer) (*Output, error) {
	if path == "" {
		return nil, failure(path, OpCreate, errors.New("the path is empty"))
	}
	return begin(location{path: path, file: path}, stdout)
}

func begin(loc location, stdout io.Writer) (*Output, error) {
	o := &Output{loc: loc}
	if loc.file == standard {
		if stdout == nil {
			return nil, failure(loc.path, OpCreate, errors.New("there is no standard output here: give a file"))
		}
		o.stdout = stdout
		o.buffer = bufio.NewWriter(&o.memory)
		return o, nil
	}
	if err := o.open(); err != nil {
		return nil, failure(loc.path, OpCreate, err)
	}
	o.buffer = bufio.NewWriterSize(o.file, 1<<16)
	if loc.packing != unpacked {
		var err error
		if o.packed, err = loc.packing.pack(o.file); err != nil {
			o.Discard()
			return nil, failure(loc.path, OpCreate, err)
		}
		o.buffer.Reset(o.packed)
	}
	return o, nil
}

// Write appends bytes to the output, for pictures and the like. Its errors, as
// those of the other Write methods, are an [*Error] with [OpWrite]; the first
// one discards the output.
func (o *Output) Write(p []byte) (int, error) {
	o.filled = true
	if err := o.usable(); err != nil {
		return 0, err
	}
	n, err := o.buffer.Write(p)
	return n, o.fail(err)
}

// usable returns the error that makes further work on the output pointless.
func (o *Output) usable() error {
	pending.Lock()
	defer pending.Unlock()
	if o.err == nil && o.closed {
		return failure(o.loc.path, OpWrite, errDiscarded)
	}
	return o.err
}

// fail keeps the first error and discards the output.
func (o *Output) fail(err error) error {
	if err == nil {
		return nil
	}
	o.err = failure(o.loc.path, OpWrite, err)
	o.Discard()
	return o.err
}

// File returns the file that the output becomes, links followed; "" for standard
// output and what else is no regular file.
func (o *Output) File() string {
	if o.temp == "" {
		return ""
	}
	return o.target
}

// Discard gives the output up and removes its temporary file. After Commit, or a
// second time, it does nothing.
func (o *Output) Discard() {
	pending.Lock()
	defer pending.Unlock()
	o.abandon()
}

// abandon is Discard for a caller that holds the lock.
func (o *Output) abandon() {
	if o.closed {
		return
	}
	o.closed = true
	if o.file != nil {
		o.file.Close()
	}
	if o.temp != "" {
		removeTemporary(o.temp, o.target)
		delete(pending.outputs, o.target)
	}
}
