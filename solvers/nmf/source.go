package nmf

import (
	"errors"
	"io"
	"iter"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// Source gives the rows of a matrix X that need not be in memory. It is read many times.
// One goroutine uses it at a time.
type Source interface {
	Rows() int // −1: not known before the end
	Cols() int
	// Sparse reports whether the rows are compressed: Append gives them then, else Next.
	Sparse() bool
	// Starts are the rows, ascending from 0, at which reading can begin; nil: at every
	// row. They cut the matrix into pieces.
	Starts() []int
	// Seek goes to a row at which reading can begin.
	Seek(row int) error
	// Next fills dst with as many of the following rows as it likes, at least one, and
	// returns their number. The end is io.EOF with 0.
	Next(dst []float64) (rows int, err error)
	// Append is Next for compressed rows: it appends at least one and at most this many to
	// the matrix.
	Append(to *sparse.CSR, most int) (rows int, err error)
}

// Memory is the source of data that are in memory.
func Memory(d Data) Source { return &memorySource{data: d} }

type memorySource struct {
	data Data
	at   int // the next row
}

func (s *memorySource) Rows() int     { return s.data.Rows }
func (s *memorySource) Cols() int     { return s.data.Cols }
func (s *memorySource) Sparse() bool  { return s.data.Sparse != nil }
func (s *memorySource) Starts() []int { return nil }

func (s *memorySource) Seek(row int) error {
	s.at = row
	return nil
}

func (s *memorySource) Next(dst []float64) (int, error) {
	m := s.data.Cols
	n := min(len(dst)/m, s.data.Rows-s.at)
	if n <= 0 {
		return 0, io.EOF
	}
	if s.data.Single != nil {
		widened(s.data.Single[s.at*m:(s.at+n)*m], dst)
	} else {
		copy(dst, s.data.Dense[s.at*m:(s.at+n)*m])
	}
	s.at += n
	return n, nil
}

func (s *memorySource) Append(to *sparse.CSR, most int) (int, error) {
	n := min(most, s.data.Rows-s.at)
	if n <= 0 {
		return 0, io.EOF
	}
	for i := s.at; i < s.at+n; i++ {
		cols, vals := s.data.Sparse.Row(i)
		to.Col, to.Val = append(to.Col, cols...), append(to.Val, vals...)
		to.Ptr = append(to.Ptr, len(to.Col))
	}
	to.Rows += n
	s.at += n
	return n, nil
}

// stripBytes is about the number of bytes read at a time if reading can begin at every row. A batch
// has many strips, from all over the matrix, so that it is a sample of it even where the
// rows are sorted, and a strip is long enough for the disk.
const stripBytes = 1 << 18

// batch is some of the rows of a source.
type batch struct {
	data Data
	from []stretch
}

// stretch says that the rows of a batch from one index on are the rows of the source from another on.
type stretch struct{ at, row int }

// locate turns the place of a refused entry in a batch into that in the source.
func (b *batch) locate(err error) error {
	bad, is := errors.AsType[*NegativeError](err)
	if !is {
		return err
	}
	row := bad.Row
	for _, s := range b.from {
		if s.at <= bad.Row {
			row = s.row + bad.Row - s.at
		}
	}
	return &NegativeError{row, bad.Col, bad.Value}
}

// SourceError is an error of a [Source], as it came.
type SourceError struct{ Err error }

func (e *SourceError) Error() string { return e.Err.Error() }

// Unwrap gives the error of the source.
func (e *SourceError) Unwrap() error { return e.Err }

// batchReader reads batches of this many rows, the next one while the last is in use.
type batchReader struct {
	src     Source
	rows    int // of a batch
	starts  []int
	spare   []*batch
	current *batch      // given out
	pending chan filled // nil: nothing is being read

	order []int // the pieces of the pass, by their places in starts
	next  int   // in order
	inside,
	ended bool // reading is within a piece; the pass is over
	row  int // the next one of the source
	stop int // the end of the piece; −1: the end of the source
}

// filled is a batch that was read: nil at the end of a pass.
type filled struct {
	batch *batch
	err   error
	panic any
}

func newBatchReader(src Source, rows int) *batchReader {
	if n := src.Rows(); n >= 0 {
		rows = min(rows, n)
	}
	r := &batchReader{src: src, rows: rows, starts: src.Starts()}
	if r.starts != nil {
		return r
	}
	strip := min(rows, max(1, stripBytes/(8*src.Cols())))
	for row := 0; row < src.Rows(); row += strip {
		r.starts = append(r.starts, row)
	}
	return r
}

// begin begins a pass, in an order by the random stream, or in the order of the source for nil.
func (r *batchReader) begin(random *blas.Stream) {
	r.close()
	r.order = r.order[:0]
	for p := range r.starts {
		r.order = append(r.order, p)
	}
	if random != nil {
		for p := len(r.order) - 1; p > 0; p-- {
			q := random.Below(p + 1)
			r.order[p], r.order[q] = r.order[q], r.order[p]
		}
	}
	r.next, r.inside, r.ended = 0, false, false
	r.ahead()
}

// ahead reads the next batch meanwhile.
func (r *batchReader) ahead() {
	b := &batch{data: Data{Cols: r.src.Cols()}}
	if last := len(r.spare) - 1; last >= 0 {
		b, r.spare = r.spare[last], r.spare[:last]
	}
	pending := make(chan filled, 1)
	r.pending = pending
	go func() {
		var f filled
		defer func() {
			f.panic = recover()
			pending <- f
		}()
		f.batch = b
		if err := r.fill(b); err != nil {
			f.err = &SourceError{err}
		}
	}()
}

// read returns the next batch, which is good until the next call; nil: the pass is over.
func (r *batchReader) read() (*batch, error) {
	if r.pending == nil {
		return nil, nil
	}
	f := <-r.pending
	r.pending = nil
	if f.panic != nil {
		panic(f.panic)
	}
	r.giveBack()
	if f.err != nil || f.batch.data.Rows == 0 {
		r.spare = append(r.spare, f.batch)
		return nil, f.err
	}
	if r.current = f.batch; !r.ended {
		r.ahead()
	}
	return f.batch, nil
}

// batches are the batches of the pass, each valid until the next; an error is the last.
func (r *batchReader) batches() iter.Seq2[*batch, error] {
	return func(yield func(*batch, error) bool) {
		for {
			b, err := r.read()
			if b == nil && err == nil || !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// giveBack has the batch that was given out be filled again.
func (r *batchReader) giveBack() {
	if r.current != nil {
		r.spare, r.current = append(r.spare, r.current), nil
	}
}

// close waits until the source is no longer in use.
func (r *batchReader) close() {
	if r.pending != nil {
		f := <-r.pending
		r.spare, r.pending = append(r.spare, f.batch), nil
	}
	r.giveBack()
}

// fill reads the next rows of the pass.
func (r *batchReader) fill(b *batch) error {
	m := r.src.Cols()
	b.from = b.from[:0]
	b.data.Rows = 0
	if r.src.Sparse() {
		if b.data.Sparse == nil {
			b.data.Sparse = &sparse.CSR{Cols: m}
		}
		a := b.data.Sparse
		a.Rows, a.Ptr, a.Col, a.Val = 0, append(a.Ptr[:0], 0), a.Col[:0], a.Val[:0]
	} else if b.data.Dense == nil {
		b.data.Dense = make([]float64, r.rows*m)
	}
	b.data.Dense = b.data.Dense[:cap(b.data.Dense)]
	for b.data.Rows < r.rows {
		if !r.inside {
			if r.next == len(r.order) {
				r.ended = true
				break
			}
			if err := r.enter(r.order[r.next]); err != nil {
				return err
			}
			r.next++
			b.from = append(b.from, stretch{b.data.Rows, r.row})
		} else if b.data.Rows == 0 {
			b.from = append(b.from, stretch{0, r.row})
		}
		if err := r.more(b); err != nil {
			return err
		}
	}
	b.data.Dense = b.data.Dense[:min(len(b.data.Dense), b.data.Rows*m)]
	return nil
}

// enter goes to the beginning of a piece.
func (r *batchReader) enter(piece int) error {
	r.row, r.stop, r.inside = r.starts[piece], r.src.Rows(), true
	if piece+1 < len(r.starts) {
		r.stop = r.starts[piece+1]
	}
	return r.src.Seek(r.row)
}

// more reads some rows of the piece.
func (r *batchReader) more(b *batch) error {
	m, room := r.src.Cols(), r.rows-b.data.Rows
	if r.stop >= 0 {
		room = min(room, r.stop-r.row)
	}
	var n int
	var err error
	if b.data.Sparse != nil {
		n, err = r.src.Append(b.data.Sparse, room)
	} else {
		n, err = r.src.Next(b.data.Dense[b.data.Rows*m : (b.data.Rows+room)*m])
	}
	b.data.Rows += n
	r.row += n
	switch {
	case errors.Is(err, io.EOF) && (r.stop < 0 || r.row == r.stop):
		r.inside, err = false, nil
	case errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
	case err == nil && n == 0:
		err = io.ErrNoProgress
	case r.row == r.stop:
		r.inside = false
	}
	return err
}
