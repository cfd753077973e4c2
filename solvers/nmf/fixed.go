package nmf

import (
	"context"
	"fmt"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// Factors of a given start that stay as they are, of [Options].
const (
	NoneFixed = "none"
	WFixed    = "w" // H is learned for the given W
	HFixed    = "h" // W is learned for the given H
)

// checkFixed refuses options that a fixed factor does not support.
func (o Options) checkFixed() error {
	if o.Fixed == NoneFixed {
		return nil
	}
	name, given := "W", o.W
	if o.Fixed == HFixed {
		name, given = "H", o.H
	}
	switch {
	case !o.Loss.algorithms[Multiplicative].fixes:
		return fmt.Errorf("nmf: a fixed factor is for loss %s; leave it out for %s", namesInText(func(l *Loss) bool { return l.algorithms[Multiplicative].fixes }), o.Loss)
	case o.Init != Given || given == nil:
		return fmt.Errorf("nmf: %s is to be fixed and is not given; give it, with init %s", name, Given)
	case o.Lambda > 0 && o.Graph.present():
		return fmt.Errorf("nmf: a fixed factor goes with no graph term; leave out one of them")
	case o.Extrapolate:
		return fmt.Errorf("nmf: a fixed factor goes with no extrapolation; leave out one of them")
	case o.Order == CodesFirst:
		return fmt.Errorf("nmf: order %s scales the start, and a fixed factor stays as it is; take another order", CodesFirst)
	case o.Normalize != Never:
		return fmt.Errorf("nmf: a fixed factor stays as it is; take normalise %s", Never)
	}
	return nil
}

// givenStart takes the factors that are given. Of one that is not the entries are
// 2·mean(X)/(r·mean(A))·uniform(0.001, 1), where A is the other: WH has about the mean of the
// data.
func (f *factorization) givenStart(o Options, mean float64, random *blas.Stream, res *Result) error {
	if o.W == nil && o.H == nil {
		return fmt.Errorf("nmf: init %s wants W or H, and neither is given", Given)
	}
	for _, c := range []struct {
		name       string
		from, to   []float64
		rows, cols int
	}{{"coordinates", o.W, f.w, f.n, f.r}, {"components", o.H, f.h, f.r, f.m}} {
		if c.from == nil {
			continue
		}
		if err := givenFactor(c.name, c.from, c.rows, c.cols); err != nil {
			return err
		}
		copy(c.to, c.from)
	}
	switch {
	case o.W == nil:
		randomBeside(f.w, f.h, mean/float64(f.r), random)
	case o.H == nil:
		randomBeside(f.h, f.w, mean/float64(f.r), random)
	}
	f.unitStart()
	learned := func(a []float64, fixed string) bool { return o.Fixed != fixed && slices.Contains(a, 0) }
	if o.Solver == Multiplicative && (learned(f.w, WFixed) || learned(f.h, HFixed)) {
		res.Warnings = append(res.Warnings, "the given start has zeros, which multiplicative updates keep")
	}
	return nil
}

// randomBeside fills a factor such that its products with entries of the other have the mean.
func randomBeside(a, other []float64, mean float64, random *blas.Stream) {
	if size := total(other) / float64(len(other)); size > 0 {
		mean /= size
	}
	for i := range a {
		a[i] = 2 * mean * (0.001 + 0.999*random.Uniform())
	}
}

// learned are the factors that are not fixed.
func (f *factorization) learned() [][]float64 {
	switch f.fixed {
	case WFixed:
		return [][]float64{f.h}
	case HFixed:
		return [][]float64{f.w}
	}
	return [][]float64{f.w, f.h}
}

// multiplyOnce forms X·Hᵀ for the H that stays; [factorization.dataProducts] takes it from
// there. Under the squared error no iteration needs the data then.
func (f *factorization) multiplyOnce(ctx context.Context) error {
	products := make([]float64, f.n*f.r)
	err := f.overRows(ctx, func(worker, lo, hi int) { f.dataProducts(&f.scratch[worker], lo, hi, products[lo*f.r:hi*f.r]) })
	f.products = products
	return err
}

// overRows calls do for every block of rows.
func (f *factorization) overRows(ctx context.Context, do func(worker, lo, hi int)) error {
	return blas.For(ctx, f.threads, f.n, f.block, do)
}

// productResidual is ‖X − WH‖² by X·Hᵀ.
func (f *factorization) productResidual() float64 {
	f.crossGram(f.n, f.w, f.w, f.sums.gram)
	return max(0, f.totals.squares-2*blas.Dot(f.w, f.products)+blas.Dot(f.sums.gram, f.gramH))
}
