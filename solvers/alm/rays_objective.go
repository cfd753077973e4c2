package alm

import (
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// indicators are W, n × r.
func (q *rays) indicators() []float64 {
	w := make([]float64, q.n*q.r)
	for i, c := range q.labels {
		w[i*q.r+int(c)] = q.a[i]
	}
	return w
}

// measure returns Σ ‖xᵢ − wᵢh‖ and the sum of the squares.
func (q *rays) measure() (loss, squares float64) {
	left := make([]float64, q.m)
	for i, c := range q.labels {
		copy(left, q.row(int32(i)))
		blas.Axpy(-q.a[i], q.h[int(c)*q.m:(int(c)+1)*q.m], left)
		d := blas.Dot(left, left)
		loss, squares = loss+math.Sqrt(d), squares+d
	}
	return loss, squares
}

// regularizer is tr(WᵀΦW).
func (q *rays) regularizer(s *sparse.CSR) float64 {
	if s == nil {
		return 0
	}
	var total float64
	for i := range q.n {
		cols, vals := s.Row(i)
		for p, j := range cols {
			if int(j) == i {
				continue
			}
			total += vals[p] * q.a[i] * q.a[i]
			if q.labels[j] == q.labels[i] {
				total -= vals[p] * q.a[i] * q.a[j]
			}
		}
	}
	return total
}

// largestEntries is the partition by the largest entry of each row of w, the first of
// equal ones.
func largestEntries(n, r int, w []float64) []int32 {
	labels := make([]int32, n)
	for i := range labels {
		row := w[i*r : (i+1)*r]
		for k, v := range row {
			if v > row[labels[i]] {
				labels[i] = int32(k)
			}
		}
	}
	return labels
}
