package sddm

import (
	"context"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
	"github.com/orthant-go/orthant/sparse"
)

// factor is (I − N)P(I − N)ᵀ in an order in which each vertex comes after those that it depends on: level by level, of
// which all rows are computed at the same time. N is strictly lower triangular and has the shares of the eliminated edges.
type factor struct {
	order        []int32     // the vertex at each place
	lower, upper *sparse.CSR // N and Nᵀ
	inverse      []float64   // of P; 0: the last vertex of a component that is singular
	levels       []int       // the first place of each, and n
}

// factor puts the columns into the order of levels.
func (e *elimination) factor() *factor {
	n := e.a.Rows
	f := &factor{order: make([]int32, n), inverse: make([]float64, n), levels: make([]int, e.levels+1)}
	e.added, e.queue, e.near, e.items = nil, nil, nil, nil
	for _, l := range e.level {
		f.levels[l+1]++
	}
	for l := range e.levels {
		f.levels[l+1] += f.levels[l]
	}
	next := append([]int(nil), f.levels...)
	place := e.at // of each vertex in the new order
	for _, v := range e.order {
		l := e.level[v]
		place[v] = int32(next[l])
		f.order[next[l]] = v
		next[l]++
	}
	entries := len(e.col)
	f.upper = &sparse.CSR{Rows: n, Cols: n, Ptr: make([]int, n+1), Col: pages.Make[int32](entries), Val: pages.Make[float64](entries)}
	f.lower = &sparse.CSR{Rows: n, Cols: n, Ptr: make([]int, n+2)}
	to, starts := 0, f.lower.Ptr
	for k, v := range f.order {
		if e.pivots[v] > 0 {
			f.inverse[k] = 1 / e.pivots[v]
		}
		column := e.place[v]
		for p := e.ptr[column]; p < e.ptr[column+1]; p++ {
			j := place[e.col[p]]
			f.upper.Col[to], f.upper.Val[to] = j, e.val[p]
			starts[j+2]++
			to++
		}
		f.upper.Ptr[k+1] = to
	}
	e.col, e.val = nil, nil
	for k := range n {
		starts[k+2] += starts[k+1]
	}
	f.lower.Col, f.lower.Val = pages.Make[int32](entries), pages.Make[float64](entries)
	for k := range n {
		cols, vals := f.upper.Row(k)
		for p, j := range cols {
			at := starts[j+1]
			f.lower.Col[at], f.lower.Val[at] = int32(k), vals[p]
			starts[j+1]++
		}
	}
	f.lower.Ptr = starts[:n+1]
	return f
}

// entries is the number of entries of N.
func (f *factor) entries() int64 { return int64(f.upper.NNZ()) }

func (f *factor) bytes() int64 {
	return f.lower.Bytes() + f.upper.Bytes() + 12*int64(len(f.order)) + 8*int64(len(f.levels))
}

const (
	// levelRows is the number of rows of a task, and parallelRows the number of a level from which several threads work on it.
	levelRows, parallelRows = 512, 2048
)

// apply replaces the width columns of X by the solutions of the factor, in its order. sums has room for as much as x.
func (f *factor) apply(threads, width int, x, sums []float64) {
	for l := 1; l+1 < len(f.levels); l++ {
		f.level(threads, l, func(lo, hi int) {
			product(f.lower, width, lo, hi, x, sums)
			for i := lo * width; i < hi*width; i++ {
				x[i] += sums[i]
			}
		})
	}
	for l := len(f.levels) - 2; l >= 0; l-- {
		f.level(threads, l, func(lo, hi int) {
			product(f.upper, width, lo, hi, x, sums)
			for i := lo; i < hi; i++ {
				inverse := f.inverse[i]
				for at := i * width; at < (i+1)*width; at++ {
					x[at] = float64(inverse*x[at]) + sums[at]
				}
			}
		})
	}
}

// level calls do for the rows of a level. No row of a level depends on another one.
func (f *factor) level(threads, l int, do func(lo, hi int)) {
	first, end := f.levels[l], f.levels[l+1]
	if end-first < parallelRows {
		do(first, end)
		return
	}
	_ = blas.For(context.Background(), threads, end-first, levelRows, func(_, lo, hi int) { do(first+lo, first+hi) })
}

// product computes some rows of A·X.
func product(a *sparse.CSR, width, lo, hi int, x, y []float64) {
	if width == 1 {
		blas.MulCSR(lo, hi, a.Ptr, a.Col, a.Val, x, y)
		return
	}
	blas.MulCSRBlock(width, lo, hi, a.Ptr, a.Col, a.Val, x, y)
}
