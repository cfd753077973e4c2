package samples

import (
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// rowsOf copies some rows of a compressed matrix.
func rowsOf(a *sparse.CSR, which []int) *sparse.CSR {
	entries := 0
	for _, i := range which {
		entries += a.Ptr[i+1] - a.Ptr[i]
	}
	part := &sparse.CSR{Rows: len(which), Cols: a.Cols, Ptr: make([]int, 1, len(which)+1), Col: make([]int32, 0, entries), Val: make([]float64, 0, entries)}
	for _, i := range which {
		cols, vals := a.Row(i)
		part.Col, part.Val = append(part.Col, cols...), append(part.Val, vals...)
		part.Ptr = append(part.Ptr, len(part.Col))
	}
	return part
}

// compressedHash is [rowHash] of the entries that are not 0.
func compressedHash(cols []int32, vals []float64) uint64 {
	h := uint64(0xcbf29ce484222325)
	for q, v := range vals {
		if v != 0 {
			h = (h ^ uint64(cols[q])) * 0x100000001b3
			h = (h ^ math.Float64bits(v)) * 0x100000001b3
			h ^= h >> 29
		}
	}
	return h
}

// merged calls f with the entries of rows i and j of two compressed matrices in every
// column that either has one in, ascending.
func merged(a *sparse.CSR, i int, b *sparse.CSR, j int, f func(v, w float64)) {
	cols, vals := a.Row(i)
	others, entries := b.Row(j)
	p, q := 0, 0
	for p < len(cols) || q < len(others) {
		switch {
		case q == len(others) || p < len(cols) && cols[p] < others[q]:
			f(vals[p], 0)
			p++
		case p == len(cols) || others[q] < cols[p]:
			f(0, entries[q])
			q++
		default:
			f(vals[p], entries[q])
			p, q = p+1, q+1
		}
	}
}

// sameEntries tells whether two compressed rows are equal.
func sameEntries(a *sparse.CSR, i, j int) bool {
	same := true
	merged(a, i, a, j, func(v, w float64) { same = same && v == w })
	return same
}

// SquaredDistance is that of two samples. O(m), of compressed samples of their entries.
func (x Samples) SquaredDistance(i, j int) float64 {
	if x.compressed == nil {
		return blas.SquaredDistance(x.Row(i), x.Row(j))
	}
	var sum float64
	merged(x.compressed, i, x.compressed, j, func(v, w float64) { sum += (v - w) * (v - w) })
	return sum
}

// Dot is the product of two samples. O(m), of compressed samples of their entries.
func (x Samples) Dot(i, j int) float64 { return x.DotOf(i, x, j) }

// DotOf is the product of sample i with sample j of others in the same form.
func (x Samples) DotOf(i int, z Samples, j int) float64 {
	if x.compressed == nil {
		return blas.Dot(x.Row(i), z.Row(j))
	}
	var sum float64
	merged(x.compressed, i, z.compressed, j, func(v, w float64) { sum += v * w })
	return sum
}

// Longest is the number of entries of the longest compressed row; of dense samples the
// number of columns.
func (x Samples) Longest() int {
	if x.compressed == nil {
		return x.m
	}
	longest := 0
	for i := range x.n {
		longest = max(longest, x.compressed.Ptr[i+1]-x.compressed.Ptr[i])
	}
	return longest
}
