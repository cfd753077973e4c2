package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// Transformer is a model that is ready to map samples, block after block. The
// coordinates of a sample do not depend on the others in its block or on the
// number of threads: the same model, sample and backend give the same bits.
type Transformer struct {
	model   *Model
	mapping *extend.Mapping
	run     *run.Run // made from the options, without a context
	options method.Options
}

// Reporting returns the same transformer with another callback for progress.
func (t *Transformer) Reporting(progress func(method.Progress)) *Transformer {
	same := *t
	same.options.Progress = progress
	same.run = method.NewRun(t.run.Context(), t.model.Method, t.run.Kernels(), same.options, run.NewClock())
	return &same
}

// Apply returns the coordinates of the rows of x, one row each. The columns must
// be those of the fit. Entries must be finite (in a model fitted with missing=weight, NaN
// means missing) and below 1e150 in magnitude, or below 1e150 times the largest training entry if
// the fit was to samples of unusual magnitude. A sparse matrix (see [sparse.Of]) stays sparse
// if the model is of a factorisation by squares or divergence without a shift, or was fitted to
// samples that stayed sparse; otherwise it is made dense, a block at a time.
func (t *Transformer) Apply(ctx context.Context, x mat.Matrix) (*mat.Dense, error) {
	switch {
	case ctx == nil:
		return nil, run.ErrNoContext
	case param.Absent(x):
		return nil, samples.ErrAbsent
	}
	a, isSparse, err := sparse.Of(x)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.model.Method, err)
	}
	n, cols := x.Dims()
	if err := t.checkColumns(cols); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, fmt.Errorf("%s: no samples to map", t.model.Method)
	}
	y := mat.NewDense(n, t.model.Dim, nil)
	if isSparse {
		return y, t.applySparse(ctx, a, y, 0)
	}
	return y, t.apply(ctx, samples.Of(x).Points(), y, 0)
}

func (t *Transformer) checkColumns(cols int) error {
	if cols != t.model.Features {
		return fmt.Errorf("%s: samples of %d columns where the model was fitted to %d; give the same columns in the same order", t.model.Method, cols, t.model.Features)
	}
	return nil
}

// apply maps points, a block at a time; first is the row number of the first point in the input.
func (t *Transformer) apply(ctx context.Context, points neighbors.Points, y *mat.Dense, first int) error {
	if err := largeEntry(points, t.largest(), t.mapping.Missing); err != nil {
		return t.ofRow(err, first)
	}
	return t.inBlocks(points.N, y, first, func(lo, hi int, part *mat.Dense) error {
		return t.mapping.Apply(ctx, neighbors.Points{N: hi - lo, M: points.M, Data: points.Data[lo*points.M : hi*points.M]}, part)
	})
}

// mapBytes is the approximate memory for mapping a block of rows, in addition to their entries and
// coordinates.
const mapBytes = 32 << 20

// inBlocks maps n rows, a block at a time; first is the row number of the first in the input.
func (t *Transformer) inBlocks(n int, y *mat.Dense, first int, apply func(lo, hi int, part *mat.Dense) error) error {
	rows := int(max(mapBytes/max(t.mapping.RowBytes, 1), 1))
	for lo := 0; lo < n; lo += rows {
		hi := min(lo+rows, n)
		if err := apply(lo, hi, y.Slice(lo, hi, 0, t.model.Dim).(*mat.Dense)); err != nil {
			return t.ofRow(err, first+lo)
		}
	}
	return nil
}

// ofRow changes the row number in an error from the block to the input.
func (t *Transformer) ofRow(err error, first int) error {
	if e, ok := err.(*extend.RowError); ok {
		err = fmt.Errorf("%s: %w", t.model.Method, &extend.RowError{Row: first + e.Row, What: e.What})
	}
	return err
}

// applySparse maps compressed rows; first is the row number of the first in the input.
func (t *Transformer) applySparse(ctx context.Context, a *sparse.CSR, y *mat.Dense, first int) error {
	if err := largeSparseEntry(a, t.largest(), t.mapping.Missing); err != nil {
		return t.ofRow(err, first)
	}
	return t.inBlocks(a.Rows, y, first, func(lo, hi int, part *mat.Dense) error {
		return t.mapping.Map(ctx, samples.OfCompressed(a.RowRange(lo, hi)), part)
	})
}

// largestEntry bounds the entries of new samples, so that no squared
// distance overflows.
const largestEntry = 1e150

// largest returns that bound in the unit of the data.
func (t *Transformer) largest() float64 {
	if t.mapping.Standard != "" { // the bound applies to the standardised entries
		return math.MaxFloat64
	}
	return min(magnitude.Times(largestEntry, t.mapping.Exponent), math.MaxFloat64)
}

// largeEntry returns an error for an entry that is not finite or too large; NaN may mean missing.
func largeEntry(x neighbors.Points, largest float64, missing bool) error {
	for at, v := range x.Data[:x.N*x.M] {
		if !(math.Abs(v) <= largest) && !(missing && math.IsNaN(v)) {
			return largeEntryAt(at/x.M, at%x.M, v, largest)
		}
	}
	return nil
}

func largeSparseEntry(a *sparse.CSR, largest float64, missing bool) error {
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for q, v := range vals {
			if !(math.Abs(v) <= largest) && !(missing && math.IsNaN(v)) {
				return largeEntryAt(i, int(cols[q]), v, largest)
			}
		}
	}
	return nil
}

func largeEntryAt(row, col int, v, largest float64) error {
	return &extend.RowError{Row: row, What: fmt.Sprintf("has %v in column %d; remove or fill in non-finite entries, and rescale entries not below %.4g", v, col+1, largest)}
}

// RowSource gives the rows of a matrix in order. files.RowReader implements it.
type RowSource interface {
	Cols() int
	Rows() int // −1: unknown
	// Next fills dst with at least one and any number of the following rows, and returns
	// their number; at the end it returns 0 and io.EOF.
	Next(dst []float64) (int, error)
}

// SparseRowSource is a RowSource that may already hold all its rows in compressed form, as
// files.RowReader does for a MatrixMarket file of coordinates. Sparse returns them if
// no row has been read yet; nil: it does not hold them.
type SparseRowSource interface {
	RowSource
	Sparse() *sparse.CSR
}

// RowSink takes the rows of a matrix in order. files.RowWriter implements it. It must
// not keep the matrix.
type RowSink interface {
	Write(rows *mat.Dense) error
}

// Streamed describes a finished stream: the number of samples mapped, and the seconds of its three
// stages "read", "transform" and "write", which overlap.
type Streamed struct {
	Rows    int
	Seconds run.Seconds
}

// streamBytes is the approximate memory of one block of samples. There are
// streamBlocks of them: one being read, one mapped, one written.
const (
	streamBytes  = 4 << 20
	streamBlocks = 3
)

// BlockRows returns the number of samples mapped at a time: enough to
// keep the workers busy, but within a few MiB unless single samples, their coordinates and
// their working memory are larger.
func (t *Transformer) BlockRows() int {
	each := t.rowBytes() + t.mapping.RowBytes
	rows := max(streamBytes/each, min(16, 8*streamBytes/each), 1)
	return int(min(rows, int64(max(4096, 512*blas.Threads(t.run.Threads())))))
}

// rowBytes returns the memory of a sample and its coordinates.
func (t *Transformer) rowBytes() int64 { return 8 * (int64(t.model.Features) + int64(t.model.Dim)) }

// block is a block of samples in the pipeline.
type block struct {
	first, n int // rows of the input
	x        []float64
	y        *mat.Dense
	err      error // instead of rows
}

// stream is the state of one call of Stream.
type stream struct {
	*Transformer
	ctx    context.Context
	cancel context.CancelFunc
	free   chan *block
	read   chan *block
	mapped chan *block
	wait   sync.WaitGroup

	mu      sync.Mutex
	err     error // first error of the writing side
	crash   any   // panic of in or out
	seconds run.Seconds
}

// Stream maps all rows of in and writes them to out. It reads, maps and writes concurrently; its
// memory does not grow with the number of rows. It stops at the first error or when ctx is cancelled.
// Errors of in and out are returned unchanged, and rows are counted from the beginning of in. Stream
// returns only when in and out are no longer in use; after a cancellation it waits for their running
// calls. The rows of a [SparseRowSource] stay compressed if the model allows it (see
// [Transformer.Apply]).
func (t *Transformer) Stream(ctx context.Context, in RowSource, out RowSink) (Streamed, error) {
	if ctx == nil {
		return Streamed{}, run.ErrNoContext
	}
	if param.Absent(in) || param.Absent(out) {
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
		mapped: make(chan *block, streamBlocks), seconds: run.Seconds{"read": 0, "transform": 0, "write": 0}}
	s.ctx, s.cancel = context.WithCancel(ctx)
	defer s.cancel()
	rows := t.BlockRows()
	if known := in.Rows(); known > 0 {
		rows = min(rows, known)
	}
	for range streamBlocks {
		s.free <- &block{x: make([]float64, rows*in.Cols()), y: mat.NewDense(rows, t.model.Dim, nil)}
	}
	s.startSide(func() { s.reading(in) })
	s.startSide(func() { s.writing(out) })
	done, err := s.mapAndWait(in.Rows())
	if s.crash != nil {
		panic(s.crash)
	}
	if s.err != nil {
		err = s.err // the first error, which cancelled the rest
	} else if ctx.Err() != nil {
		err = ctx.Err()
	}
	return Streamed{done, s.seconds}, err
}

// startSide runs one side of the stream and keeps its panic for the caller.
func (s *stream) startSide(side func()) {
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

// reading fills blocks until the end of in, which it passes on as an error.
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
		s.read <- b // the channel has room for all blocks
		if b.err != nil {
			return
		}
	}
}

// mapAndWait maps the blocks and waits for both sides to end, even after a panic, so that the caller
// can use in and out again.
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

// mapAll maps the blocks in order.
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

// writing writes the blocks in order.
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

// sparseBlock is the number of compressed rows mapped at a time.
const sparseBlock = 4096

// streamSparse maps compressed rows block after block. They are already in memory, so reading needs
// no goroutine.
func (t *Transformer) streamSparse(ctx context.Context, a *sparse.CSR, out RowSink) (Streamed, error) {
	done := Streamed{Seconds: run.Seconds{"read": 0, "transform": 0, "write": 0}}
	rows := int(max(min(streamBytes/(8*int64(t.model.Dim)), sparseBlock), 1))
	y := mat.NewDense(min(a.Rows, rows), t.model.Dim, nil)
	for done.Rows < a.Rows {
		n := min(rows, a.Rows-done.Rows)
		part := y.Slice(0, n, 0, t.model.Dim).(*mat.Dense)
		started := time.Now()
		if err := t.applySparse(ctx, a.RowRange(done.Rows, done.Rows+n), part, done.Rows); err != nil {
			return done, err
		}
		mapped := time.Now()
		if err := out.Write(part); err != nil {
			return done, err
		}
		done.Seconds["transform"] += mapped.Sub(started).Seconds()
		done.Seconds["write"] += time.Since(mapped).Seconds()
		done.Rows += n
		t.run.Counting("transform", run.Rows, a.Rows)(float64(done.Rows) / float64(a.Rows))
	}
	return done, ctx.Err()
}
