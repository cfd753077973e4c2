package nmf

import (
	"context"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// times computes the rows of A·B for B with r columns.
func times(a *sparse.CSR, r, lo, hi int, b, to []float64) {
	clear(to[:(hi-lo)*r])
	for i := lo; i < hi; i++ {
		cols, vals := a.Row(i)
		row := to[(i-lo)*r : (i-lo+1)*r]
		for p, j := range cols {
			blas.Axpy(vals[p], b[int(j)*r:int(j)*r+r], row)
		}
	}
}

// dataProducts computes rows of X·Hᵀ.
func (f *factorization) dataProducts(s *scratch, lo, hi int, to []float64) {
	if f.products != nil {
		copy(to, f.products[lo*f.r:hi*f.r])
		return
	}
	if f.data.Sparse != nil {
		times(f.data.Sparse, f.r, lo, hi, f.ht, to)
		return
	}
	f.kernels.Gemm(false, false, hi-lo, f.r, f.m, 1, f.rows(s, lo, hi), f.m, f.ht, f.r, 0, to, f.r)
}

// multiplyOnce forms X·Hᵀ for the H that stays; [factorization.dataProducts] takes it from
// there. Under the squared error no iteration needs the data then.
func (f *factorization) multiplyOnce(ctx context.Context) error {
	products := make([]float64, f.n*f.r)
	err := f.overRows(ctx, func(worker, lo, hi int) { f.dataProducts(&f.scratch[worker], lo, hi, products[lo*f.r:hi*f.r]) })
	f.products = products
	return err
}

// sample is row i of the data. A compressed one is expanded into scratch, valid until the next call.
func (f *factorization) sample(s *scratch, i int) []float64 {
	a := f.data.Sparse
	if a == nil {
		return f.rows(s, i, i+1)
	}
	if s.laidOf != i+1 {
		if s.laidOf > 0 {
			cols, _ := a.Row(s.laidOf - 1)
			for _, j := range cols {
				s.laid[j] = 0
			}
		}
		cols, vals := a.Row(i)
		for p, j := range cols {
			s.laid[j] = vals[p]
		}
		s.laidOf = i + 1
	}
	return s.laid
}

// wantsTranspose reports whether a fit to sparse data needs their transpose: for the step of H,
// also if warm iterations with such a step come first, or for singular vectors.
func (o Options) wantsTranspose() bool {
	bySVD := o.Init != "" && o.Init != RandomStart && o.Init != Given
	return bySVD || o.Warm > 0 || !o.Loss.orDefault().memory.byRows
}

// sumSparse computes WᵀX by the rows of Xᵀ, and WᵀW.
func (f *factorization) sumSparse(ctx context.Context) error {
	err := f.byColumns(ctx, func(_ int, rows []int32, vals, to []float64) {
		for p, i := range rows {
			blas.Axpy(vals[p], f.w[int(i)*f.r:int(i)*f.r+f.r], to)
		}
	})
	if err != nil {
		return err
	}
	f.kernels.SyrkParallel(f.threads, true, f.r, f.n, 1, f.w, f.r, 0, f.sums.gram, f.r)
	mirror(f.r, f.sums.gram)
	return nil
}

// stripNumbers bounds the rows of W that the columns of a worker are summed over at a time:
// a quarter of a MiB, which stays in the second-level cache.
const stripNumbers = 1 << 15

// byColumns fills the r × m numerators of the step of H, column by column: add adds what
// some entries of a column of X give. All columns of a worker take the entries in a strip of
// rows before any takes the next, as W as a whole is in no cache. A column's entries
// are in the order of its rows.
func (f *factorization) byColumns(ctx context.Context, add func(j int, rows []int32, vals, to []float64)) error {
	r, a := f.r, f.data.transpose
	strip := max(64, stripNumbers/r)
	return blas.For(ctx, f.threads, f.m, f.columns, func(_, lo, hi int) {
		sums, next := make([]float64, (hi-lo)*r), append([]int(nil), a.Ptr[lo:hi]...)
		for end := strip; ; end += strip {
			for j := lo; j < hi; j++ {
				from, to := next[j-lo], a.Ptr[j+1]
				if end < f.n {
					for to = from; to < a.Ptr[j+1] && int(a.Col[to]) < end; {
						to++
					}
				}
				add(j, a.Col[from:to], a.Val[from:to], sums[(j-lo)*r:(j-lo+1)*r])
				next[j-lo] = to
			}
			if end >= f.n {
				break
			}
		}
		for j := lo; j < hi; j++ {
			for k, v := range sums[(j-lo)*r : (j-lo+1)*r] {
				f.sums.num[k*f.width+j] = v
			}
		}
	})
}

// gramDenominators is (WᵀW)·H.
func (f *factorization) gramDenominators() []float64 {
	if f.denominatorsH == nil {
		f.denominatorsH = make([]float64, f.r*f.m)
	}
	f.kernels.GemmParallel(f.threads, false, false, f.r, f.m, f.r, 1, f.sums.gram, f.r, f.h, f.m, 0, f.denominatorsH, f.m)
	return f.denominatorsH
}

// gramResidual is ‖X − WH‖² from the Gram matrices, for sums over the present W.
func (f *factorization) gramResidual() float64 {
	if f.products != nil {
		return f.productResidual()
	}
	return max(0, f.totals.squares-2*blas.Dot(f.sums.num[:f.r*f.m], f.h)+blas.Dot(f.sums.gram, f.gramH))
}

// productResidual is ‖X − WH‖² by X·Hᵀ.
func (f *factorization) productResidual() float64 {
	f.crossGram(f.n, f.w, f.w, f.sums.gram)
	return max(0, f.totals.squares-2*blas.Dot(f.w, f.products)+blas.Dot(f.sums.gram, f.gramH))
}
