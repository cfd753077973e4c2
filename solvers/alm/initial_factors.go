package alm

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// InitialFactors is where an iteration starts.
type InitialFactors struct {
	Norm   float64   // the spectral norm of the data before they were divided by it
	W, H   []float64 // as in [Options], of the data divided by Norm
	Filled int       // columns of W that the data do not determine
}

// filling is the size of the entries of columns that no singular pair determines.
const filling = 1e-3

// Start divides the n × m data x, in place, by their spectral norm, which puts the loss
// and the graph term on one scale and keeps the data from outweighing W₊ in the step
// of W, and finds the start of rank r: NNDSVD without fill (Boutsidis and Gallopoulos
// 2008).
//
// Where c exceeds min(n, m), or the number of singular values that are more than
// rounding, the columns of W left over get 1e-3 at every so-many-th sample, each at
// samples of its own, and no components: without them N would be singular, and the
// step of W arbitrary. Data of zeros are left as they are, with norm 1.
//
// For data with negative entries the start is computed from the data less their least
// entry, with the H that fits it best.
func Start(ctx context.Context, n, m int, x []float64, r int, o Options) (*InitialFactors, error) {
	if r < 1 || r > n {
		return nil, fmt.Errorf("alm: rank %d for %d samples; give a number from 1 to %d", r, n, n)
	}
	if err := check(n, m, x); err != nil {
		return nil, err
	}
	if o.Kernels == nil {
		var err error
		if o.Kernels, err = blas.Select(""); err != nil {
			return nil, err
		}
	}
	least := 0.0
	for _, v := range x {
		least = min(least, v)
	}
	if least < 0 {
		norm, err := Normalize(ctx, n, m, x, o)
		if err != nil {
			return nil, err
		}
		begin := &InitialFactors{Norm: norm}
		return begin, begin.startShifted(ctx, n, m, x, r, o)
	}
	begin := &InitialFactors{}
	largest, err := begin.startNNDSVD(ctx, n, m, x, r, o)
	if err != nil {
		return nil, err
	}
	begin.Norm = divide(largest, x)
	root := 1 / math.Sqrt(begin.Norm)
	for i := range n {
		blas.Scale(root, begin.W[i*r:i*r+r-begin.Filled])
	}
	blas.Scale(root, begin.H)
	return begin, nil
}

// ofSVD are the options of the singular vectors.
func (o Options) ofSVD() nmf.Options {
	return nmf.Options{Kernels: o.Kernels, Threads: o.Threads, Seed: 1}
}

// nndsvd sets the start of nonnegative data and returns their spectral norm.
func (b *InitialFactors) startNNDSVD(ctx context.Context, n, m int, x []float64, r int, o Options) (float64, error) {
	rank := min(r, n, m)
	w, h, values, err := nmf.SVDStart(ctx, nmf.Dense(n, m, x), rank, o.ofSVD())
	if err != nil {
		return 0, err
	}
	sure := 0
	for sure < rank && values[sure] > float64(max(n, m))*0x1p-52*values[0] {
		sure++
	}
	b.W, b.H, b.Filled = make([]float64, n*r), make([]float64, r*m), r-sure
	copy(b.H, h[:sure*m])
	for i := range n {
		copy(b.W[i*r:i*r+sure], w[i*rank:])
		if b.Filled > 0 {
			b.W[i*r+sure+i%b.Filled] = filling
		}
	}
	return values[0], nil
}

// shifted sets the start of data of either sign: the start of the data less their least
// entry, with the H that fits the data themselves.
func (b *InitialFactors) startShifted(ctx context.Context, n, m int, x []float64, r int, o Options) error {
	least := slices.Min(x)
	from := make([]float64, len(x))
	for i, v := range x {
		from[i] = v - least
	}
	if _, err := b.startNNDSVD(ctx, n, m, from, r, o); err != nil {
		return err
	}
	o.Rank, o.W, o.H = r, b.W, b.H
	o, err := o.filled(n, m)
	if err != nil {
		return err
	}
	s := newState(n, m, x, o)
	for chunk := range s.chunks {
		lo, hi := s.rows(chunk)
		s.kernels.Gemm(true, false, r, m, hi-lo, 1, s.w[lo*r:], r, x[lo*m:], m, 0, s.partial[chunk], m)
	}
	err = s.stepComponents(ctx)
	b.H = s.h
	return err
}

// SpectralNorm is the norm by which [Normalize] divides: 1 for zeros.
func SpectralNorm(ctx context.Context, n, m int, x []float64, o Options) (float64, error) {
	if err := check(n, m, x); err != nil {
		return 0, err
	}
	if o.Kernels == nil {
		var err error
		if o.Kernels, err = blas.Select(""); err != nil {
			return 0, err
		}
	}
	_, _, values, err := nmf.SVDStart(ctx, nmf.Dense(n, m, x), 1, o.ofSVD())
	if err != nil {
		return 0, err
	}
	if !(values[0] > tiny) {
		return 1, nil
	}
	return values[0], nil
}

// Normalize divides the n × m data x, in place, by their spectral norm, which it
// returns: 1 for zeros.
func Normalize(ctx context.Context, n, m int, x []float64, o Options) (float64, error) {
	norm, err := SpectralNorm(ctx, n, m, x, o)
	if err != nil {
		return 0, err
	}
	return divide(norm, x), nil
}

// divide divides by the largest singular value, unless that is nothing.
func divide(largest float64, x []float64) float64 {
	if !(largest > tiny) {
		return 1
	}
	for i := range x {
		x[i] /= largest
	}
	return largest
}

// check refuses data of the wrong size, or that are not finite.
func check(n, m int, x []float64) error {
	if n < 2 || m < 1 || len(x) != n*m {
		return fmt.Errorf("alm: %d numbers are no %d × %d data; give at least 2 samples and 1 column", len(x), n, m)
	}
	var squares float64
	for at, v := range x {
		if v-v != 0 {
			return fmt.Errorf("alm: row %d, column %d (counting from 1) is %v; remove or fill in non-finite entries", at/m+1, at%m+1, v)
		}
		squares += v * v
	}
	if squares-squares != 0 {
		return fmt.Errorf("alm: the squares of the data overflow; scale the data down")
	}
	return nil
}
