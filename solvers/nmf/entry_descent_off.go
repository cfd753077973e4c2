package nmf

import (
	"context"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// mostOff is the share of dense weights that may differ from 1 where the entries of weight 1
// are taken together: beyond it that saves nothing.
const mostOff = 0.5

// offEntries are dense weights of which most are 1: what the others lack, by rows and by
// columns.
type offEntries struct {
	w, h    entrySide
	longest int // row of either
}

// newOffEntries returns nil for weights of which too many are not 1.
func newOffEntries(f *factorization) *offEntries {
	others, most := 0, int(mostOff*float64(f.n)*float64(f.m))
	for _, v := range f.data.known.v {
		if v != 1 {
			others++
		}
	}
	if others > most {
		return nil
	}
	q := &sparse.CSR{Rows: f.n, Cols: f.m, Ptr: make([]int, 1, f.n+1), Col: make([]int32, 0, others), Val: make([]float64, 0, others)}
	for i := range f.n {
		for j, v := range f.data.known.v[i*f.m : (i+1)*f.m] {
			if v != 1 {
				q.Col, q.Val = append(q.Col, int32(j)), append(q.Val, 1-v)
			}
		}
		q.Ptr = append(q.Ptr, len(q.Col))
	}
	u := &offEntries{w: entrySide{rows: f.n, q: q, own: f.w, other: f.ht, gram: f.gramH, penalty: f.penaltyW},
		h: entrySide{rows: f.m, q: transposeSparse(q), own: f.ht, other: f.w, gram: f.sums.gram, penalty: f.penaltyH}}
	for _, side := range []*entrySide{&u.w, &u.h} {
		for i := range side.rows {
			u.longest = max(u.longest, side.q.Ptr[i+1]-side.q.Ptr[i])
		}
	}
	return u
}

// stepOff is a step where most weights are 1: products with V∘X as without weights, and
// Gram matrices, less what the others lack.
func (u *entryDescent) stepOff(ctx context.Context) error {
	m, r := u.m, u.r
	err := u.pass(ctx, func(s *scratch, lo, hi int, sum *partialSums) {
		w := u.w[lo*r : hi*r]
		u.kernels.Gemm(true, false, r, m, hi-lo, 1, w, r, u.rows(s, lo, hi), m, sum.beta, sum.num, m)
		u.kernels.Gemm(true, false, r, r, hi-lo, 1, w, r, w, r, 1, sum.gram, r)
	})
	if err != nil {
		return err
	}
	err = blas.For(ctx, u.threads, m, u.columns, func(worker, lo, hi int) {
		s := &u.workers[worker]
		for j := lo; j < hi; j++ {
			for k := range s.base {
				s.base[k] = u.sums.num[k*m+j]
			}
			u.descendOff(&u.off.h, j, s)
		}
	})
	if err != nil {
		return err
	}
	transpose(m, r, u.ht, u.h)
	u.updateGram()
	return blas.For(ctx, u.threads, u.n, u.block, func(worker, lo, hi int) {
		s := &u.workers[worker]
		num := u.scratch[worker].num[:(hi-lo)*r]
		u.dataProducts(&u.scratch[worker], lo, hi, num)
		for i := lo; i < hi; i++ {
			copy(s.base, num[(i-lo)*r:(i-lo+1)*r])
			u.descendOff(&u.off.w, i, s)
		}
	})
}
