package exemplars

import (
	"context"

	"github.com/orthant-go/orthant/blas"
)

// Dissimilarities is an n × n matrix D: entry (i, j) is the cost of representing sample j
// by sample i.
type Dissimilarities interface {
	Order() int
	// Columns writes the columns lo ≤ j < hi to dst, one after the other, each of n
	// numbers.
	Columns(lo, hi int, dst []float64)
}

// Full is a matrix with all its entries, row after row, times Scale.
type Full struct {
	N     int
	Data  []float64
	Scale float64
}

// Order returns n.
func (f *Full) Order() int { return f.N }

// Columns implements [Dissimilarities].
func (f *Full) Columns(lo, hi int, dst []float64) {
	transposed(f.N, func(i int) []float64 { return f.Data[i*f.N+lo : i*f.N+hi] }, f.N, dst)
	if f.Scale != 1 {
		blas.Scale(f.Scale, dst[:(hi-lo)*f.N])
	}
}

// Packed is a symmetric matrix by the rows of its upper triangle: row i has the
// entries j ≥ i. It takes 4n² bytes.
type Packed struct {
	N    int
	Data []float64
}

// NewPacked returns a matrix of zeros.
func NewPacked(n int) *Packed { return &Packed{n, make([]float64, n*(n+1)/2)} }

// Order returns n.
func (p *Packed) Order() int { return p.N }

// Row returns the entries j ≥ i of row i.
func (p *Packed) Row(i int) []float64 {
	start := i*p.N - i*(i-1)/2
	return p.Data[start : start+p.N-i]
}

// At returns one entry.
func (p *Packed) At(i, j int) float64 { return p.Row(min(i, j))[max(i, j)-min(i, j)] }

// Columns implements [Dissimilarities].
func (p *Packed) Columns(lo, hi int, dst []float64) {
	n := p.N
	transposed(lo, func(i int) []float64 { return p.Row(i)[lo-i : hi-i] }, n, dst)
	for j := lo; j < hi; j++ {
		column := dst[(j-lo)*n : (j-lo+1)*n]
		copy(column[j:], p.Row(j))
		for i := lo; i < j; i++ {
			column[i] = p.Row(i)[j-i]
		}
	}
}

// transposed writes entry q of the first rows to dst[q·n+i] for row i, some rows at a
// time so that the writes run along cache lines.
func transposed(rows int, row func(i int) []float64, n int, dst []float64) {
	i := 0
	for ; i+4 <= rows; i += 4 {
		a, b, c, d := row(i), row(i+1), row(i+2), row(i+3)
		b, c, d = b[:len(a)], c[:len(a)], d[:len(a)]
		for q, v := range a {
			to := dst[q*n+i : q*n+i+4 : q*n+i+4]
			to[0], to[1], to[2], to[3] = v, b[q], c[q], d[q]
		}
	}
	for ; i < rows; i++ {
		for q, v := range row(i) {
			dst[q*n+i] = v
		}
	}
}

// columnBlock is how many columns are treated together: small enough for the
// second-level cache, and long enough a piece of every packed row.
const columnBlock = 32

// medoid returns the first row of least sum.
func medoid(ctx context.Context, threads int, d Dissimilarities) (int, error) {
	n := d.Order()
	const parts = 16
	size := (n + parts - 1) / parts
	sums := make([][]float64, parts)
	err := blas.For(ctx, threads, n, size, func(_, lo, hi int) {
		sum, buffer := make([]float64, n), make([]float64, columnBlock*n)
		for at := lo; at < hi; at += columnBlock {
			end := min(at+columnBlock, hi)
			d.Columns(at, end, buffer)
			for j := range end - at {
				for i, v := range buffer[j*n : (j+1)*n] {
					sum[i] += v
				}
			}
		}
		sums[lo/size] = sum
	})
	if err != nil {
		return 0, err
	}
	total, best := sums[0], 0
	for _, sum := range sums[1:] {
		for i, v := range sum {
			total[i] += v
		}
	}
	for i, v := range total {
		if v < total[best] {
			best = i
		}
	}
	return best, nil
}

// minDelta is the least weight that [AutoDelta] returns: D with equal columns, where
// any would do, must not be divided by zero.
const minDelta = 1e-8

// AutoDelta returns the mean over the columns of D of the weight δ with which
// [projections.Quadratic] has exactly k nonzero entries: with a column's entries
// ascending, k·d₍k+1₎ − Σ d₍q₎ over q ≤ k. 1 ≤ k < n. O(n²).
func AutoDelta(ctx context.Context, d Dissimilarities, k, threads int) (float64, error) {
	n := d.Order()
	each := make([]float64, n)
	type scratch struct {
		selector
		columns []float64
	}
	workers := make([]scratch, blas.Threads(threads))
	err := blas.For(ctx, threads, n, columnBlock, func(worker, lo, hi int) {
		w := &workers[worker]
		if w.columns == nil {
			w.columns = make([]float64, columnBlock*n)
		}
		d.Columns(lo, hi, w.columns)
		for j := lo; j < hi; j++ {
			next := w.smallest(w.columns[(j-lo)*n:(j-lo+1)*n], -1, k+1)
			for _, v := range w.kept[:k] {
				each[j] += next - v
			}
		}
	})
	var sum float64
	for _, v := range each {
		sum += v
	}
	return max(sum/float64(n), minDelta), err
}
