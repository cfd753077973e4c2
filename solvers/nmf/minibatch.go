package nmf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// FactorizeSource factorizes data that need not fit into memory, by solver [MiniBatch]: an
// [Online] learns from the batches of at most o.Iterations passes, in an order by the seed
// where the source can be read in any, else in its own. Then one more pass finds the
// coordinates of every sample, as an [Encoder] does to a residual of encodeTolerance, and
// gives them to out, block by block in the order of the samples; out must not keep them. The
// result has no W. Its trace has the loss of the first batch, of each pass while it learns,
// scaled to all samples, and at the end the loss of all samples with their
// coordinates.
//
// The passes end before the limit once a batch changes H by less than the tolerance, or
// once the loss, smoothed over batches, has had no new minimum for o.Batches.Patience of them
// (as scikit-learn's MiniBatchNMF ends).
//
// Memory does not depend on the number of samples: see [SourceBytes]. Negative entries and
// others that Factorize refuses are a [NegativeError] when they are met.
func FactorizeSource(ctx context.Context, src Source, o Options, encodeTolerance float64, out func(w []float64, rows int) error) (*Result, error) {
	n, err := countRows(ctx, src)
	if err != nil {
		return nil, err
	}
	l, err := NewOnline(n, src.Cols(), o)
	if err != nil {
		return nil, err
	}
	o = l.options
	p := &passes{Online: l, reader: newBatchReader(src, min(o.Batches.Rows, n)), samples: n, res: &Result{Plan: batchPlan, Samples: n}}
	defer p.reader.close()
	if err := p.learn(ctx); err != nil {
		return nil, err
	}
	p.res.H = l.Components()
	if o.Normalize != Never {
		UnitRows(p.res.H, l.m)
	}
	if err := p.encode(ctx, encodeTolerance, out); err != nil {
		return nil, err
	}
	return p.res, nil
}

const batchPlan = "the products of a batch, sums that fade, a step of H for each batch; then one pass that encodes"

// countRows goes through a source that does not know its number of rows.
func countRows(ctx context.Context, src Source) (int, error) {
	n := src.Rows()
	if n > 0 && src.Cols() > 0 {
		return n, nil
	}
	if n == 0 || src.Cols() < 1 {
		return 0, fmt.Errorf("nmf: the data have %d rows and %d columns; give at least one of each", n, src.Cols())
	}
	if err := src.Seek(0); err != nil {
		return 0, &SourceError{err}
	}
	n = 0
	block := make([]float64, max(1, stripBytes/(8*src.Cols()))*src.Cols())
	for {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		rows, err := src.Next(block)
		n += rows
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return 0, &SourceError{err}
		}
	}
}

// passes are those over a source under way.
type passes struct {
	*Online
	reader  *batchReader
	samples int
	res     *Result
	smooth  float64 // the loss of a sample
	least   float64 // of it
	since   int     // batches since then
	batches int
	models  [][]float64 // WH of a block, of each worker
}

// learn passes over the source until something ends it.
func (p *passes) learn(ctx context.Context) error {
	o := p.options
	random := blas.NewStream(o.Seed ^ shuffleSeed)
	for t := 1; t <= o.Iterations; t++ {
		p.reader.begin(random)
		var sums Learned
		for b, err := range p.reader.batches() {
			if err != nil {
				return err
			}
			done, err := p.Step(ctx, b.data)
			if err != nil {
				return b.locate(err)
			}
			if p.batches == 0 {
				p.record(0, done)
			}
			sums.Add(done)
			o.Progress((float64(t-1) + float64(sums.Rows)/float64(p.samples)) / float64(o.Iterations+1))
			if p.res.Converged = p.ended(done); p.res.Converged {
				p.res.Iterations = t
				return nil
			}
		}
		p.res.Iterations = t
		if p.record(t, sums) {
			return nil
		}
	}
	return nil
}

// shuffleSeed separates the random stream of the order of the batches from the stream of the start.
const shuffleSeed = 0x6d696e6962617463

// record enters the loss of some samples, as one of all, and reports whether the watcher ends the
// passes.
func (p *passes) record(pass int, d Learned) bool {
	point := d.Point()
	point.Iteration = pass
	point.Objective *= float64(p.samples) / float64(d.Rows)
	point.Surrogate = point.Objective
	p.res.Trace = append(p.res.Trace, point)
	return p.options.Watch(point)
}

// ended reports whether a batch is the last one. The first does not count: its loss is the loss of
// the start.
func (p *passes) ended(d Learned) bool {
	loss := d.Loss / float64(d.Rows)
	switch p.batches++; p.batches {
	case 1:
		return false
	case 2:
		p.smooth, p.least = loss, loss
	default:
		share := min(1, float64(d.Rows)/float64(p.samples+1))
		p.smooth = (1-share)*p.smooth + share*loss
	}
	if o := p.options; o.Tolerance > 0 && d.Change <= o.Tolerance {
		return true
	}
	p.since++
	if p.smooth < p.least {
		p.least, p.since = p.smooth, 0
	}
	return p.options.Batches.Patience > 0 && p.since >= p.options.Batches.Patience
}

// UnitRows brings components to unit length.
func UnitRows(h []float64, m int) {
	for ; len(h) > 0; h = h[m:] {
		if s := math.Sqrt(blas.Dot(h[:m], h[:m])); s > 0 {
			blas.Scale(1/s, h[:m])
		}
	}
}

// encode finds the coordinates of all samples, and measures them.
func (p *passes) encode(ctx context.Context, tolerance float64, out func(w []float64, rows int) error) error {
	o := p.options
	zero := total(p.res.H) == 0
	var e *Encoder
	if !zero {
		var err error
		if e, err = NewEncoder(p.res.H, p.m, Options{Loss: o.Loss, Solver: MiniBatch, Batches: o.Batches, Iterations: encodeRounds, Tolerance: tolerance, Threads: o.Threads, Kernels: o.Kernels}); err != nil {
			return err
		}
	}
	var whole Learned
	p.reader.begin(nil)
	for b, err := range p.reader.batches() {
		if err != nil {
			return err
		}
		w := make([]float64, b.data.Rows*p.r)
		if e != nil {
			if w, err = e.Encode(ctx, b.data); err != nil {
				return b.locate(err)
			}
		}
		if err := p.measure(ctx, e, b.data, w, &whole); err != nil {
			return err
		}
		if err := out(w, b.data.Rows); err != nil {
			return err
		}
		o.Progress((float64(o.Iterations) + float64(whole.Rows)/float64(p.samples)) / float64(o.Iterations+1))
	}
	if last := len(p.res.Trace) - 1; last > 0 && p.res.Trace[last].Iteration == p.res.Iterations {
		p.res.Trace = p.res.Trace[:last]
	}
	p.record(p.res.Iterations, whole)
	return nil
}

// encodeRounds bounds the rounds of one sample.
const encodeRounds = 200

// SourceBytes is what [FactorizeSource] takes for batches of this many rows with m columns, of
// which entries are stored (0: all, dense). It does not depend on the number of samples.
func SourceBytes(rows, m, entries int, o Options) int64 {
	o.Rank, o.Loss = max(1, o.Rank), o.Loss.orDefault()
	f := sized(Data{Rows: max(1, rows), Cols: max(1, m)}, o)
	f.cutRows()
	r := int64(f.r)
	// H, Hᵀ, their like of the encoder, what H was, the sums of a batch and those that fade.
	numbers := 9*r*int64(f.m) + 4*int64(f.n)*r
	if entries > 0 {
		numbers += (2*3*int64(entries) + 3*int64(entries)) / 2 // two batches and a transpose
	} else {
		numbers += 2*int64(f.n)*int64(f.m) + int64(f.chunks())*r*int64(f.m)
		numbers += int64(f.workers) * int64(f.block) * int64(f.m)
	}
	numbers += int64(f.workers) * (int64(f.block)*6*r + 2*r*r + int64(weightedRows)*r + 3*int64(f.m))
	return 8 * numbers
}

// factorizeMemory is [FactorizeSource] for data in memory, W and all.
func factorizeMemory(ctx context.Context, d Data, o Options) (*Result, error) {
	if d.Weights.Present() {
		return nil, fmt.Errorf("nmf: solver %s takes no weights of the entries; leave them out, or take another solver", MiniBatch)
	}
	if _, err := d.inspect(); err != nil {
		return nil, err
	}
	var w []float64
	res, err := FactorizeSource(ctx, Memory(d), o, memoryTolerance, func(rows []float64, n int) error {
		if w == nil {
			w = make([]float64, 0, d.Rows*(len(rows)/n))
		}
		w = append(w, rows...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	res.W = w
	return res, nil
}

// memoryTolerance is the residual to which the coordinates of data in memory are solved.
const memoryTolerance = 1e-6

// measure adds the loss of samples with their coordinates, and the squares of the residuals,
// which the model itself gives: they are exact however small they are. Of sparse data they
// come from Gram matrices. e is nil where all components are zero.
func (p *passes) measure(ctx context.Context, e *Encoder, d Data, w []float64, sum *Learned) error {
	totals, err := d.inspect()
	if err != nil {
		return err
	}
	sum.Rows += d.Rows
	sum.Data += totals.squares
	if e == nil {
		sum.Squares += totals.squares
		switch {
		case p.loss != KL:
			sum.Loss = sum.Squares
		case totals.sum > 0:
			sum.Loss = math.Inf(1)
		}
		return nil
	}
	f := e.fixed
	f.data, f.n, f.w = d, d.Rows, w
	losses, squares := make([]float64, d.Rows), make([]float64, d.Rows)
	rows := min(d.Rows, p.block)
	if p.models == nil {
		p.models = make([][]float64, p.workers)
	}
	err = blas.For(ctx, f.threads, d.Rows, rows, func(worker, lo, hi int) {
		if d.Sparse != nil {
			f.measureSparse(e.rowSums, lo, hi, losses, squares)
			return
		}
		if len(p.models[worker]) < rows*f.m {
			p.models[worker] = make([]float64, rows*f.m)
		}
		model := p.models[worker][:(hi-lo)*f.m]
		f.modelRows(lo, hi, model)
		for i := lo; i < hi; i++ {
			x, y := f.rows(nil, i, i+1), model[(i-lo)*f.m:(i-lo+1)*f.m]
			squares[i] = blas.SquaredDistance(x, y)
			if f.loss == KL {
				losses[i] = divergenceOf(x, y)
			}
		}
	})
	squared := total(squares)
	sum.Squares += squared
	if f.loss == KL {
		sum.Loss += total(losses)
	} else {
		sum.Loss += squared
	}
	return err
}

// divergenceOf is Σ x log(x/y) − x + y.
func divergenceOf(x, y []float64) float64 {
	var sum float64
	for j, v := range x {
		if sum += y[j] - v; v > 0 {
			sum += v * math.Log(v/max(y[j], denominator))
		}
	}
	return sum
}

// measureSparse is the loss and the squares of the residuals of some rows of sparse data.
func (f *factorization) measureSparse(rowSums []float64, lo, hi int, losses, squares []float64) {
	r := f.r
	for i := lo; i < hi; i++ {
		w := f.w[i*r : (i+1)*r]
		cols, vals := f.data.Sparse.Row(i)
		square, loss := 0.0, blas.Dot(w, rowSums)
		for p, j := range cols {
			x, model := vals[p], blas.Dot(w, f.ht[int(j)*r:int(j)*r+r])
			square += x * (x - 2*model)
			if loss -= x; x > 0 {
				loss += x * math.Log(x/max(model, denominator))
			}
		}
		for k, v := range w {
			square += v * blas.Dot(f.gramH[k*r:(k+1)*r], w)
		}
		losses[i], squares[i] = loss, max(0, square)
	}
}
