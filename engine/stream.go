package engine

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// RowSource gives the rows of a matrix in order, as files.RowReader does.
type RowSource interface {
	Cols() int
	Rows() int // −1: not known
	// Next fills dst with as many of the following rows as it likes, at least one,
	// and returns their number; the end is io.EOF with 0.
	Next(dst []float64) (int, error)
}

// SparseRowSource is a RowSource that may hold all its rows compressed already, as
// files.RowReader does of a MatrixMarket file in coordinates. Sparse returns them while
// none has been given out; nil: it does not hold them.
type SparseRowSource interface {
	RowSource
	Sparse() *sparse.CSR
}

// RowSink takes the rows of a matrix in order, as files.RowWriter does. It must
// not keep the matrix.
type RowSink interface {
	Write(rows *mat.Dense) error
}

// Streamed is what a stream did: the samples mapped, and the seconds of its three
// stages, "read", "transform" and "write", which overlap.
type Streamed struct {
	Rows    int
	Seconds Seconds
}

// streamBytes is about the memory of one block of samples, of which there are
// streamBlocks: one being read, one mapped, one written.
const (
	streamBytes  = 4 << 20
	streamBlocks = 3
)

// BlockRows returns the number of samples that are mapped at a time: enough to
// keep the workers busy, within a few MiB where the samples, their coordinates and what a
// sample takes while it is mapped are not larger.
func (t *Transformer) BlockRows() int {
	each := t.rowBytes() + t.mapping.RowBytes
	rows := max(streamBytes/each, min(16, 8*streamBytes/each), 1)
	return int(min(rows, int64(max(4096, 512*blas.Threads(t.run.Threads())))))
}

// rowBytes is the memory of a sample and its coordinates.
func (t *Transformer) rowBytes() int64 { return 8 * (int64(t.model.Features) + int64(t.model.Dim)) }

// block is a stretch of samples on its way.
type block struct {
	first, n int // rows of the input
	x        []float64
	y        *mat.Dense
	err      error // in place of rows
}

// stream is one Stream under way.
type stream struct {
	*Transformer
	ctx    context.Context
	cancel context.CancelFunc
	free   chan *block
	read   chan *block
	mapped chan *block
	wait   sync.WaitGroup

	mu      sync.Mutex
	err     error // the first of the writing side
	crash   any   // a panic of in or out
	seconds Seconds
}

// Stream maps all rows of in and writes them to out. It reads, maps and writes at the same time, in
// memory that does not grow with the number of rows. The first error, or the end of ctx, stops it.
// Errors of in and out are returned unchanged, and rows are counted from the beginning of in. Stream
// returns only when in and out are no longer in use; after a cancellation it waits for their running
// call. The rows of a [SparseRowSource] stay compressed where the model can take them so (see
// [Transformer.Apply]).
func (t *Transformer) Stream(ctx context.Context, in RowSource, out RowSink) (Streamed, error) {
	if ctx == nil {
		return Streamed{}, errNoContext
	}
	if run.Absent(in) || run.Absent(out) {
		return Streamed{}, errors.New("engine: no rows to stream, or nowhere to write them; give both a source and a sink")
	}
	if err := t.checkColumns(in.Cols()); err != nil {
		return Streamed{}, err
	}
	if s, ok := in.(SparseRowSource); ok && t.mapping.ApplySparse != nil {
		if a := s.Sparse(); a != nil {
			return t.streamSparse(ctx, a, out)
		}
	}
	s := &stream{Transformer: t, free: make(chan *block, streamBlocks), read: make(chan *block, streamBlocks),
		mapped: make(chan *block, streamBlocks), seconds: Seconds{"read": 0, "transform": 0, "write": 0}}
	s.ctx, s.cancel = context.WithCancel(ctx)
	defer s.cancel()
	rows := t.BlockRows()
	if known := in.Rows(); known > 0 {
		rows = min(rows, known)
	}
	for range streamBlocks {
		s.free <- &block{x: make([]float64, rows*in.Cols()), y: mat.NewDense(rows, t.model.Dim, nil)}
	}
	s.goes(func() { s.reading(in) })
	s.goes(func() { s.writing(out) })
	done, err := s.mapAndWait(in.Rows())
	if s.crash != nil {
		panic(s.crash)
	}
	if s.err != nil {
		err = s.err // which has cancelled the rest
	} else if ctx.Err() != nil {
		err = ctx.Err()
	}
	return Streamed{done, s.seconds}, err
}

// goes runs one side of the stream; its panic becomes the caller's.
func (s *stream) goes(side func()) {
	s.wait.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				s.mu.Lock()
				s.crash = p
				s.mu.Unlock()
				s.cancel()
			}
		}()
		side()
	})
}

// busy adds to the time of a stage.
func (s *stream) busy(stage string, since time.Time) {
	s.mu.Lock()
	s.seconds[stage] += time.Since(since).Seconds()
	s.mu.Unlock()
}

// reading fills blocks until the end, which it passes on as an error.
func (s *stream) reading(in RowSource) {
	cols, at := in.Cols(), 0
	for {
		var b *block
		select {
		case b = <-s.free:
		case <-s.ctx.Done():
			return
		}
		started := time.Now()
		b.first, b.n, b.err = at, 0, nil
		for b.err == nil && b.n < len(b.x)/cols {
			var n int
			n, b.err = in.Next(b.x[b.n*cols:])
			b.n += n
		}
		s.busy("read", started)
		at += b.n
		s.read <- b // there is room for all blocks
		if b.err != nil {
			return
		}
	}
}

// mapAndWait maps the blocks and waits for both sides to end, after a panic too: in and
// out are the caller's again.
func (s *stream) mapAndWait(total int) (done int, err error) {
	mapped := false
	defer func() {
		if !mapped || err != nil {
			s.cancel()
		}
		close(s.mapped)
		s.wait.Wait()
	}()
	done, err = s.mapAll(total)
	mapped = true
	return done, err
}

// mapAll maps the blocks in their order.
func (s *stream) mapAll(total int) (done int, err error) {
	for {
		var b *block
		select {
		case b = <-s.read:
		case <-s.ctx.Done():
			return done, s.ctx.Err()
		}
		if b.n > 0 {
			started := time.Now()
			points := neighbors.Points{N: b.n, M: s.model.Features, Data: b.x[:b.n*s.model.Features]}
			if err := s.apply(s.ctx, points, b.y, b.first); err != nil {
				return done, err
			}
			s.busy("transform", started)
			done += b.n
			if total > 0 {
				s.run.Counting("transform", run.Rows, total)(float64(done) / float64(total))
			}
		}
		end := b.err
		s.mapped <- b
		if errors.Is(end, io.EOF) {
			return done, nil
		}
		if end != nil {
			return done, end
		}
	}
}

// writing writes the blocks in their order.
func (s *stream) writing(out RowSink) {
	for b := range s.mapped {
		if b.n > 0 && s.ctx.Err() == nil {
			started := time.Now()
			err := out.Write(b.y.Slice(0, b.n, 0, s.model.Dim).(*mat.Dense))
			s.busy("write", started)
			if err != nil {
				s.mu.Lock()
				s.err = err
				s.mu.Unlock()
				s.cancel()
			}
		}
		s.free <- b
	}
}
