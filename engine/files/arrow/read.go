package arrow

import (
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/orthant-go/orthant/engine/files"
)

func init() {
	files.Register(files.Format{Name: "Arrow", Extensions: []string{".arrow", ".feather"}, Open: open, Create: create, Writing: writing})
}

// reader is a file being read, a record batch after the other.
type reader struct {
	next    func() (arrow.RecordBatch, error) // io.EOF at the end
	rows    int
	close   func() error
	columns []*column
	names   []string
	integer bool
	width   int // of the matrix
	batch   arrow.RecordBatch
	at      int // rows given out of the batch
	done    int // rows given out
}

func open(file *io.SectionReader, columns files.Choice, m *files.Memory) (_ files.Table, err error) {
	defer tooLarge(&err)
	var start [6]byte
	n, err := file.ReadAt(start[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if string(start[:min(n, 4)]) == "FEA1" {
		return nil, errors.New("it is of version 1 of Feather: write version 2, as pandas does")
	}
	size := file.Size()
	options := []ipc.Option{
		ipc.WithAllocator(bounded{memory.NewGoAllocator(), int(max(freeBytes, min(size, 1<<40)*maxRatio)), m}),
		ipc.WithBodySizeLimit(size), ipc.WithMetadataSizeLimit(size),
	}
	r := &reader{integer: true}
	var schema *arrow.Schema
	var rows int64
	if string(start[:n]) == fileMark {
		if rows, err = checkFile(file); err == nil {
			schema, err = r.openFile(file, options)
		}
	} else if rows, err = checkStream(file); err == nil {
		schema, err = r.openStream(file, options)
	} else if n < 4 || [4]byte(start[:4]) != [4]byte{0xff, 0xff, 0xff, 0xff} {
		err = errors.New("neither an Arrow file nor a stream")
	}
	r.rows = int(rows)
	if err == nil {
		err = r.choose(schema, columns)
	}
	if err == nil { // the first batch has the length of lists
		err = r.nextBatch()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, errors.Join(err, r.Close())
	}
	for _, c := range r.columns {
		c.offset = r.width
		r.width += c.width
		for place := range c.width {
			if c.list {
				r.names = append(r.names, fmt.Sprintf("%s.%d", c.name, place+1))
			} else {
				r.names = append(r.names, c.name)
			}
		}
	}
	return r, nil
}

// openFile reads the footer of the file format.
func (r *reader) openFile(file *io.SectionReader, options []ipc.Option) (*arrow.Schema, error) {
	f, err := ipc.NewFileReader(file, options...)
	if err != nil {
		return nil, err
	}
	r.close = f.Close
	batch := 0
	r.next = func() (arrow.RecordBatch, error) {
		if batch == f.NumRecords() {
			return nil, io.EOF
		}
		batch++
		return f.RecordBatchAt(batch - 1)
	}
	return f.Schema(), nil
}

// openStream reads the schema at the beginning of the stream format.
func (r *reader) openStream(file *io.SectionReader, options []ipc.Option) (*arrow.Schema, error) {
	s, err := ipc.NewReader(file, options...)
	if err != nil {
		return nil, err
	}
	r.close = func() error { s.Release(); return nil }
	r.next = func() (arrow.RecordBatch, error) {
		if !s.Next() {
			if err := s.Err(); err != nil && !errors.Is(err, io.EOF) {
				return nil, err
			}
			return nil, io.EOF
		}
		batch := s.RecordBatch()
		batch.Retain()
		return batch, nil
	}
	return s.Schema(), nil
}

func (r *reader) choose(schema *arrow.Schema, columns files.Choice) error {
	var described []files.Column
	for _, f := range schema.Fields() {
		not, lost := numbers(f.Type)
		described = append(described, files.Column{Name: f.Name, Not: not, Lost: lost})
	}
	chosen, err := files.ChooseColumns(described, columns)
	if err != nil {
		return err
	}
	for _, at := range chosen {
		c := &column{name: schema.Field(at).Name, at: at, width: 1}
		kind := schema.Field(at).Type
		if list, ok := kind.(arrow.ListLikeType); ok {
			c.list, kind = true, list.Elem()
		}
		if dictionary, ok := kind.(*arrow.DictionaryType); ok {
			kind = dictionary.ValueType
		}
		r.integer = r.integer && !arrow.IsFloating(kind.ID())
		r.columns = append(r.columns, c)
	}
	return nil
}

// nextBatch goes to the next batch that has rows.
func (r *reader) nextBatch() error {
	for {
		r.release()
		batch, err := r.next()
		if err != nil {
			return err
		}
		r.batch = batch
		if batch.NumRows() == 0 {
			continue
		}
		for _, c := range r.columns {
			if err := c.begin(batch.Column(c.at), r.done); err != nil {
				return err
			}
		}
		return nil
	}
}

func (r *reader) release() {
	if r.batch != nil {
		r.batch.Release()
		r.batch = nil
	}
	r.at = 0
}

func (r *reader) Names() []string { return r.names }
func (r *reader) Rows() int       { return r.rows }
func (r *reader) Integer() bool   { return r.integer }

func (r *reader) Close() error {
	r.release()
	if r.close == nil {
		return nil
	}
	err := r.close()
	r.close = nil
	return err
}

func (r *reader) Next(dst []float64) (n int, err error) {
	defer tooLarge(&err)
	return next(r, dst)
}

func (r *reader) NextIntegers(dst []int64) (n int, err error) {
	defer tooLarge(&err)
	return next(r, dst)
}

// next fills rows of dst within one batch.
func next[D number](r *reader, dst []D) (int, error) {
	if r.batch == nil || r.at == int(r.batch.NumRows()) {
		if err := r.nextBatch(); errors.Is(err, io.EOF) {
			return 0, nil
		} else if err != nil {
			return 0, err
		}
	}
	n := min(len(dst)/r.width, int(r.batch.NumRows())-r.at)
	for _, c := range r.columns {
		if err := fill(c, dst, r.at, n, r.width); err != nil {
			return 0, err
		}
	}
	r.at += n
	r.done += n
	return n, nil
}
