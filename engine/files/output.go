package files

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/disk"
	"github.com/orthant-go/orthant/sparse"
)

// Output is a file under construction. [Create] makes a temporary file next to
// the target, one of the Write methods fills it, and [Output.Commit] renames it
// onto the target; until then the target is unchanged. "-"
// is collected in memory and written to standard output on Commit. A target that is not
// a regular file, such as a device or a pipe, is written directly.
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
	temp   string // "": there is no temporary file
	file   disk.File
	buffer *bufio.Writer
	packed io.WriteCloser // between buffer and file; nil: the file is not compressed
	stdout io.Writer
	memory bytes.Buffer // output for standard output
	filled bool         // a Write method was called
	err    error        // the first error of writing
	closed bool         // committed or discarded; guarded by pending
}

// Create begins an output in one of the formats that [ReadMatrix] reads, chosen by
// the extension. "file.npz:name" names the array, by default arr_0, and
// replaces the whole file; so does "file.mat:name". "file.parquet:a,b" names the
// columns, by default x1, x2, …. A second extension .gz or .zst compresses the
// file. stdout receives "-", and may be nil if there
// is no standard output. Errors are an [*Error] with [OpCreate].
func Create(path string, stdout io.Writer) (*Output, error) {
	loc, err := locateOutput(path)
	if err == nil {
		err = loc.nameArray()
	}
	if err != nil {
		return nil, failure(path, OpCreate, err)
	}
	return begin(loc, stdout)
}

// CreateRaw begins an output with any extension whose bytes the caller writes: a
// picture, a model, a table. Otherwise it is like [Create].
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

// Write appends bytes to the output, for pictures and the like. Its errors, like
// the errors of the other Write methods, are an [*Error] with [OpWrite]; the first
// one discards the output.
func (o *Output) Write(p []byte) (int, error) {
	o.filled = true
	if err := o.usable(); err != nil {
		return 0, err
	}
	n, err := o.buffer.Write(p)
	return n, o.fail(err)
}

// usable returns an error if the output cannot be used any more.
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

// File returns the file that the output becomes, with links followed; "" for standard
// output and other targets that are not regular files.
func (o *Output) File() string {
	if o.temp == "" {
		return ""
	}
	return o.target
}

// Discard abandons the output and removes its temporary file. After Commit, or a
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

// WriteMatrix writes m in the format of the output: float64, or float32 if
// opt requests it (.mtx has no such distinction). NaN and infinities are written
// unchanged; a number beyond the range of float32 is an error there. A sparse
// matrix (see [sparse.Of]) stays sparse in .mtx, .mat and an .npz without a name; zeros are filled in
// for other formats.
func (o *Output) WriteMatrix(m mat.Matrix, opt Options) error {
	rows, cols := m.Dims()
	if rows == 0 || cols == 0 {
		return o.fail(emptyMatrix(rows, cols))
	}
	if a, isSparse, err := sparse.Of(m); err != nil {
		return o.fail(err)
	} else if isSparse {
		m = a
	}
	if opt.Float32 {
		if err := checkFloat32(m); err != nil {
			return o.fail(err)
		}
	}
	return o.fill(func() error { return o.loc.format.write(o.buffer, o.loc, m, opt.Float32) })
}

// WriteIntegers writes a rows × cols matrix of integers: int64 if the format has
// types. row returns row i, which need not be valid after the next call; formats by columns
// read the rows once for each column. (A matrix of numbers is read by rows in the same way
// if it is a [mat.RawRowViewer].)
func (o *Output) WriteIntegers(rows, cols int, row func(i int) []int64) error {
	if rows <= 0 || cols <= 0 {
		return o.fail(emptyMatrix(max(rows, 0), max(cols, 0)))
	}
	return o.writeIntegers(integers{rows, cols, []int{rows, cols}, row})
}

// WriteLabels writes one integer for each sample: in .npy and .npz a one-dimensional
// array, as NumPy users expect labels, otherwise a column.
func (o *Output) WriteLabels(v []int64) error {
	if len(v) == 0 {
		return o.fail(errors.New("there are no labels"))
	}
	return o.writeIntegers(listOf(v))
}

// listOf returns one-dimensional integers.
func listOf(v []int64) integers {
	return integers{len(v), 1, []int{len(v)}, func(i int) []int64 { return v[i : i+1] }}
}

func (o *Output) writeIntegers(v integers) error {
	return o.fill(func() error { return o.loc.format.writeIntegers(o.buffer, o.loc, v) })
}

// fill runs the one Write method that an output takes.
func (o *Output) fill(write func() error) error {
	if err := o.usable(); err != nil {
		return err
	}
	if o.loc.format == nil {
		return o.fail(errors.New("the output was created for raw bytes, not for a matrix"))
	}
	if o.filled {
		return o.fail(errors.New("the output has been written before"))
	}
	o.filled = true
	return o.fail(write())
}

// rowReader returns a function that gives row i of m, valid until the next call.
func rowReader(m mat.Matrix) func(i int) []float64 {
	if v, ok := m.(mat.RawRowViewer); ok {
		return v.RawRowView
	}
	_, cols := m.Dims()
	row := make([]float64, cols)
	if a, ok := m.(*sparse.CSR); ok {
		return func(i int) []float64 {
			clear(row)
			at, vals := a.Row(i)
			for p, j := range at {
				row[j] = vals[p]
			}
			return row
		}
	}
	return func(i int) []float64 {
		for j := range row {
			row[j] = m.At(i, j)
		}
		return row
	}
}

// Commit finishes the output: if it returns nil, everything is on the disk and under its
// name. It is [CommitAll] for one output.
func (o *Output) Commit() error { return CommitAll(o) }

// CommitAll finishes several outputs together. All are written and synced to the disk
// before the first is renamed, so an error until then (a full disk, a failing
// one) leaves every target unchanged. Then they are renamed one after the other. Only between two renames can
// some targets be new and others old:
// if the process is killed, the power fails, or a target has become a folder
// meanwhile. In the last case the error names the new and the unchanged targets.
// Finally the folders are synced; if that fails, the outputs are
// in place nevertheless. After any error no temporary file is left. Errors are an
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
		if _, err := o.memory.WriteTo(o.stdout); err != nil { // without the lock, because a pipe may block
			return o.fail(err)
		}
	}
	if err := rename(outputs); err != nil {
		return err
	}
	return syncFolders(outputs)
}

// complete writes the rest of the output and syncs it to the disk.
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
	return o.file.Close() // on systems without locks, open files may not be renamed
}

// rename moves the outputs to their targets. It holds the lock, so an interrupt
// finds all of them or none.
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

// apart returns the error of a rename. If it is not the first rename, the error lists the targets already
// replaced.
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
	e.Err = fmt.Errorf("%w; already replaced: %s; not: %s. Repeat the run, because the files belong together", e.Err, named(written), left)
	return e
}

// named lists outputs by the paths that the user gave.
func named(outputs []*Output) string {
	var names []string
	for _, o := range outputs {
		names = append(names, (&Error{Path: o.loc.path, Op: OpWrite}).name())
	}
	return strings.Join(names, ", ")
}

// syncFolders syncs the folders of the outputs, each once.
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
