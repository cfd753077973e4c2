package nmf

import (
	"context"
	"fmt"

	"github.com/orthant-go/orthant/blas"
)

// Encoder finds coordinates under fixed components H, each sample as though it
// were the only one: from the start mean(x)/(r·mean(H)) of its own, and, under
// Correntropy, with its own σ² = θ·mean(e²) in every iteration. So the coordinates of
// a sample do not depend on those that come with it, and those of c·x are c times
// those of x.
//
// It may be used by any number of goroutines at a time.
type Encoder struct {
	fixed   factorization // H, Hᵀ and HHᵀ
	options Options
	rowSums []float64 // of H
}

// NewEncoder prepares r × m components, which must be finite and ≥ 0 and not all zero.
// Of the options it looks at Loss (see [Loss.Encoding]), Solver (HALS solves the
// nonnegative least squares, many sweeps at one product), Iterations, Sigma, Threads
// and Kernels.
func NewEncoder(components []float64, m int, o Options) (*Encoder, error) {
	if m < 1 || len(components) < m || len(components)%m != 0 {
		return nil, fmt.Errorf("nmf: %d numbers are no components of %d columns", len(components), m)
	}
	o.Rank = len(components) / m
	o.Graph, o.Lambda, o.Init, o.Warm = Graph{}, 0, "", 0
	o.Loss = o.Loss.Encoding()
	d := Data{Rows: o.Rank, Cols: m}
	o, err := o.withDefaults(d)
	if err != nil {
		return nil, err
	}
	if err := givenFactor("components", components, o.Rank, m); err != nil {
		return nil, err
	}
	e := &Encoder{fixed: *sized(d, o), options: o}
	e.fixed.allocateComponents(components)
	e.fixed.updateGram()
	e.rowSums = e.fixed.rowSums()
	if sum := total(e.rowSums); !(sum > 0) || sum-sum != 0 {
		return nil, fmt.Errorf("nmf: the components add up to %v; nothing can be encoded with them", sum)
	}
	return e, nil
}

// Encode returns the n × r coordinates of samples. Data that are negative or not
// finite are a [NegativeError]. An iteration takes 2nr² flops under the squared error,
// 4nmr under KL and 6nmr under Correntropy.
func (e *Encoder) Encode(ctx context.Context, d Data) ([]float64, error) {
	f, err := e.prepare(d)
	if err != nil {
		return nil, err
	}
	mean := total(e.rowSums) / float64(len(f.h))
	for i := range f.n {
		f.startRow(i, f.data.rowSum(i)/float64(f.m)/(float64(f.r)*mean))
	}
	return f.w, e.encodeBlocks(ctx, f)
}

// Encode finds the coordinates of samples that are encoded together: from the start
// mean(X)/(r·mean(H)) for all of them (You et al. 2015, section IV), and under
// Correntropy with one σ² for all, computed anew in each iteration unless Sigma.Fixed
// sets it. Where the problem is convex they end at about the same place as by an
// [Encoder], whose options it looks at.
func Encode(ctx context.Context, d Data, components []float64, o Options) ([]float64, error) {
	e, err := NewEncoder(components, d.Cols, o)
	if err != nil {
		return nil, err
	}
	if err := e.options.checkTogether(d); err != nil {
		return nil, err
	}
	f, err := e.prepare(d)
	if err != nil {
		return nil, err
	}
	start := f.totals.mean(d) / (float64(f.r) * (total(f.h) / float64(len(f.h))))
	for i := range f.n {
		f.startRow(i, start)
	}
	if together := f.loss.encodeTogether; together != nil {
		err = together(ctx, e, f)
	} else {
		err = e.encodeBlocks(ctx, f)
	}
	if err != nil {
		return nil, err
	}
	e.options.Progress(1)
	return f.w, nil
}

// prepare checks samples and takes the memory to encode them.
func (e *Encoder) prepare(d Data) (*factorization, error) {
	f := e.fixed
	if d.Cols != f.m {
		return nil, fmt.Errorf("nmf: samples of %d columns where the components have %d", d.Cols, f.m)
	}
	if err := f.loss.checkSparse(d, ""); err != nil {
		return nil, err
	}
	var err error
	if f.totals, err = d.inspect(); err != nil {
		return nil, err
	}
	f.data, f.n = d, d.Rows
	f.cutRows()
	f.w = make([]float64, f.n*f.r)
	f.allocateScratch()
	return &f, nil
}

// encodeBlocks encodes block by block: the samples do not depend on each other.
func (e *Encoder) encodeBlocks(ctx context.Context, f *factorization) error {
	encode := f.loss.algorithms[e.options.Solver].encode
	return blas.For(ctx, f.threads, f.n, f.block, func(worker, lo, hi int) { encode(e, f, &f.scratch[worker], lo, hi) })
}

// startRow fills a row of W.
func (f *factorization) startRow(i int, v float64) {
	for k := range f.r {
		f.w[i*f.r+k] = v
	}
}
