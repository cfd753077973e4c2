package layout

import (
	"context"

	"github.com/orthant-go/orthant/blas"
)

// bands lists the vertices by the band of the grid that they are in.
type bands struct {
	ptr    []int32
	order  []int32
	counts []int32 // blocks × bands
	which  []int32
}

const bandBlock = 4096 // vertices that a worker counts at a time

func (b *bands) count() int       { return len(b.ptr) - 1 }
func (b *bands) of(k int) []int32 { return b.order[b.ptr[k]:b.ptr[k+1]] }

// sort puts the vertices in the order of their bands, and of their numbers within.
func (b *bands) sort(ctx context.Context, threads, n, count int, bandOf func(i int) int) error {
	blocks := (n + bandBlock - 1) / bandBlock
	b.ptr, b.order, b.which = resized(b.ptr, count+1), resized(b.order, n), resized(b.which, n)
	b.counts = resized(b.counts, blocks*count)
	err := blas.For(ctx, threads, n, bandBlock, func(_, lo, hi int) {
		counts := b.counts[lo/bandBlock*count:][:count]
		clear(counts)
		for i := lo; i < hi; i++ {
			k := bandOf(i)
			b.which[i] = int32(k)
			counts[k]++
		}
	})
	if err != nil {
		return err
	}
	var next int32
	for k := range count {
		b.ptr[k] = next
		for block := range blocks {
			next, b.counts[block*count+k] = next+b.counts[block*count+k], next
		}
	}
	b.ptr[count] = next
	return blas.For(ctx, threads, n, bandBlock, func(_, lo, hi int) {
		next := b.counts[lo/bandBlock*count:][:count]
		for i := lo; i < hi; i++ {
			k := b.which[i]
			b.order[next[k]] = int32(i)
			next[k]++
		}
	})
}
