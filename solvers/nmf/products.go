package nmf

import (
	"context"
	"iter"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// beyond is how many numbers behind a factor of r columns, stored row by row, may be read where its
// rows are taken in whole vectors. The products of these numbers are dropped.
const beyond = 8

// withBeyond is memory of n numbers for such a factor.
func withBeyond(n int) []float64 { return make([]float64, n+beyond)[:n] }

// vectors is the number of columns of a panel of whole vectors that r columns are part of.
func vectors(r int) int { return (r + 7) / 8 * 8 }

// panels are the panels in which entries are multiplied with r columns, the last one first:
// what it writes behind the end of a row is written once more by the first of the next row.
func panels(r int) iter.Seq2[int, int] {
	return func(yield func(first, columns int) bool) {
		eights := vectors(r) / 8
		count := (8*eights + blas.StackWidth - 1) / blas.StackWidth
		for i := count - 1; i >= 0; i-- {
			lo, hi := eights*i/count, eights*(i+1)/count
			if !yield(8*lo, 8*(hi-lo)) {
				return
			}
		}
	}
}

// times computes the rows of A·B for B with r columns.
func times(a *sparse.CSR, r, lo, hi int, b, to []float64) {
	whole := 0 // rows whose panels end within to
	if cap(b) >= a.Cols*r+beyond {
		b = b[:a.Cols*r+beyond]
		whole = max(0, hi-lo-(vectors(r)-1)/r)
		e := blas.WideEntries(a.Ptr[lo:hi+1], a.Col, a.Val, a.Cols)
		for first, columns := range panels(r) {
			e.Products(0, whole, columns, b[first:], r, to[first:], r, false)
		}
	}
	clear(to[whole*r : (hi-lo)*r])
	for i := lo + whole; i < hi; i++ {
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
	return o.startsBySVD() || o.Warm > 0 || o.Collection == nil && !o.Loss.orDefault().memory.byRows
}

// sumSparse computes WᵀX by the rows of Xᵀ, and WᵀW.
func (f *factorization) sumSparse(ctx context.Context) error {
	r, a := f.r, f.data.transpose
	w := f.w[:min(cap(f.w), f.n*r+beyond)]
	e := blas.WideEntries(a.Ptr, a.Col, a.Val, f.n)
	err := f.byColumns(ctx, func(_, from, end int, to []float64) {
		if len(w) < f.n*r+beyond {
			for p, i := range a.Col[from:end] {
				blas.Axpy(a.Val[from+p], w[int(i)*r:int(i)*r+r], to)
			}
			return
		}
		for first, columns := range panels(r) {
			e.AddPart(from, end, columns, w[first:], r, to[first:])
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
// some entries of Xᵀ, of row j, give to a panel of whole vectors, of which r numbers count. All columns of a worker take the entries in a strip of
// rows before any takes the next, as W as a whole is in no cache. A column's entries
// are in the order of its rows.
func (f *factorization) byColumns(ctx context.Context, add func(j, from, end int, to []float64)) error {
	r, a := f.r, f.data.transpose
	ld, strip := vectors(r), max(64, stripNumbers/r)
	return blas.For(ctx, f.threads, f.m, f.columns, func(_, lo, hi int) {
		sums, next := make([]float64, (hi-lo)*ld), append([]int(nil), a.Ptr[lo:hi]...)
		for end := strip; ; end += strip {
			for j := lo; j < hi; j++ {
				from, to := next[j-lo], a.Ptr[j+1]
				if end < f.n {
					for to = from; to < a.Ptr[j+1] && int(a.Col[to]) < end; {
						to++
					}
				}
				add(j, from, to, sums[(j-lo)*ld:(j-lo+1)*ld])
				next[j-lo] = to
			}
			if end >= f.n {
				break
			}
		}
		for j := lo; j < hi; j++ {
			for k, v := range sums[(j-lo)*ld : (j-lo)*ld+r] {
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
