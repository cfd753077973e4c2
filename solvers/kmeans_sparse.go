package solvers

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// KMeansSparse is [KMeans] of the rows of a sparse matrix, which stays sparse. Centres are
// dense. It draws as KMeans does; distances are ‖c‖² and what the stored entries change of
// it, so that samples that are equally near up to rounding may go elsewhere. O(nnz) an
// iteration at least and O(nnz·clusters) at most, 16(n + m·clusters) bytes.
func KMeansSparse(ctx context.Context, a *sparse.CSR, clusters int, o KMeansOptions) (*Partition, error) {
	if err := a.Validate(); err != nil {
		return nil, fmt.Errorf("solvers: %w", err)
	}
	n, m := a.Rows, a.Cols
	if clusters < 1 || clusters > n {
		return nil, fmt.Errorf("solvers: %d clusters asked of %d samples; give a number from 1 to %d", clusters, n, n)
	}
	l := emptyLloyd(n, m, clusters, o.withDefaults())
	l.sparse = &sparseRows{a: a, norm: make([]float64, clusters)}
	mean := make([]float64, m)
	for i := range n {
		l.sparse.add(i, mean)
	}
	blas.Scale(1/float64(n), mean)
	norm := blas.Dot(mean, mean)
	var longest float64
	for i := range n {
		l.radius += squareBetween(a, i, norm, mean) / float64(n)
		_, vals := a.Row(i)
		longest = max(longest, blas.Dot(vals, vals))
	}
	l.radius = math.Sqrt(l.radius)
	l.sparse.loss = 0x1p-46 * longest // no centre is longer than the longest sample
	l.rounding = 0x1p-50 * math.Sqrt(longest)
	return l.best(ctx)
}

// sparseRows are the samples of [KMeansSparse].
type sparseRows struct {
	a    *sparse.CSR
	norm []float64 // ‖c‖² of each centre
	loss float64   // bound on the rounding of a squared distance
}

// squareBetween is ‖x − c‖² by ‖c‖² and the entries of row i.
func squareBetween(a *sparse.CSR, i int, norm float64, c []float64) float64 {
	cols, vals := a.Row(i)
	for q, v := range vals {
		norm += v * (v - 2*c[cols[q]])
	}
	return max(norm, 0)
}

// squareTo is 0 where rounding is all that is left of it, as between equal samples.
func (s *sparseRows) squareTo(i, c int, center []float64) float64 {
	if d := squareBetween(s.a, i, s.norm[c], center); d > s.loss {
		return d
	}
	return 0
}

// add adds sample i to a sum.
func (s *sparseRows) add(i int, sum []float64) {
	cols, vals := s.a.Row(i)
	for q, v := range vals {
		sum[cols[q]] += v
	}
}

// took notes that a centre has moved.
func (s *sparseRows) took(c int, center []float64) { s.norm[c] = blas.Dot(center, center) }

// error bounds the rounding of a squared distance; of dense samples it is none.
func (s *sparseRows) error() float64 {
	if s == nil {
		return 0
	}
	return s.loss
}
