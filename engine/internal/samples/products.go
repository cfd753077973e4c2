package samples

import (
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// SquaredDistance returns that of two samples. O(m), or for compressed samples O(their entries).
func (x Samples) SquaredDistance(i, j int) float64 {
	if x.compressed == nil {
		return blas.SquaredDistance(x.Row(i), x.Row(j))
	}
	var sum float64
	merged(x.compressed, i, x.compressed, j, func(v, w float64) { sum += (v - w) * (v - w) })
	return sum
}

// Dot returns the product of two samples. O(m), or for compressed samples O(their entries).
func (x Samples) Dot(i, j int) float64 { return x.DotOf(i, x, j) }

// DotOf returns the product of sample i with sample j of others in the same form.
func (x Samples) DotOf(i int, z Samples, j int) float64 {
	if x.compressed == nil {
		return blas.Dot(x.Row(i), z.Row(j))
	}
	var sum float64
	merged(x.compressed, i, z.compressed, j, func(v, w float64) { sum += v * w })
	return sum
}

// merged calls f with the entries of rows i and j of two compressed matrices in every
// column in which either has an entry, ascending.
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
