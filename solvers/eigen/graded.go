package eigen

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// mixedShare times what was added to a singular matrix is the value up to which vectors may have been mixed by that.
const mixedShare = 1e4

// gradedOrder is the order up to which all pairs of a graded pencil are found by rotations where many are wanted.
const gradedOrder = 1000

// equilibrated solves a graded pencil that has been equilibrated. M is not divided out, which would bring the grading back.
func (s *pencil) equilibrated(ctx context.Context) (*Eigen, error) {
	if s.n > denseOrder && (s.n > gradedOrder || s.wanted <= s.n/denseShare) {
		return s.massShiftInvert(ctx)
	}
	e, err := s.allGraded(ctx, s.Sigma)
	if err != nil {
		return nil, err
	}
	s.norm = s.scaling.least
	if err := s.above(e); err != nil {
		return nil, err
	}
	if len(e.Values) > s.count {
		e.Next, e.Values, e.Vectors = e.Values[s.count], e.Values[:s.count], e.Vectors[:s.count]
	}
	return e, nil
}

// allGraded finds all pairs of a small equilibrated pencil with A − σM semidefinite: with A − σM = LLᵀ and M = TTᵀ the
// eigenvalues λ − σ are squares of the singular values of T⁻¹L, which one-sided rotations find to the accuracy of the
// equilibrated matrix, however small they are compared with the largest (Demmel and Veselić 1992).
// Where A − σM is not semidefinite the error is a [sparse.NotPositiveDefiniteError].
func (s *pencil) allGraded(ctx context.Context, sigma float64) (*Eigen, error) {
	n := s.n
	s.plan.Solver, s.plan.Reason = "dense", fmt.Sprintf("%d pairs of order %d, with rows of very different sizes", s.wanted, n)
	s.plan.Bytes = 64 * int64(n) * int64(n)
	if err := s.announce(); err != nil {
		return nil, err
	}
	b, err := sparse.Add(1, s.given, -sigma, s.mass.matrix)
	if err != nil {
		return nil, err
	}
	full := b.Dense().RawMatrix().Data
	// The null vectors go to the other end of the spectrum of what is factorised.
	images := make([][]float64, len(s.known))
	for q, z := range s.known {
		images[q] = make([]float64, n)
		s.mass.multiply(s.Threads, 1, z, images[q])
		size := 0.0
		for _, v := range images[q] {
			size = max(size, math.Abs(v))
		}
		for i, v := range images[q] {
			blas.Axpy(v/size/size, images[q], full[i*n:i*n+n])
		}
	}
	lower, added, err := s.lower(full)
	if err != nil {
		return nil, err
	}
	half := s.mass.matrix.Dense().RawMatrix().Data
	if column, pivot := triangle(half, n, 0); column >= 0 {
		return nil, notDefinite(column, pivot, "pivot")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// (T⁻¹L)ᵀ, whose columns have the lengths of the rows: well conditioned but for these.
	c := slices.Clone(lower)
	for i := range n {
		for j := range i {
			blas.Axpy(-half[i*n+j], c[j*n:j*n+n], c[i*n:i*n+n])
		}
		blas.Scale(1/half[i*n+i], c[i*n:i*n+n])
	}
	turned := make([]float64, n*n)
	for to, i := range longestFirst(c, n) {
		for j, v := range c[i*n : i*n+n] {
			turned[j*n+to] = v
		}
	}
	singular, left, _ := rotated(turned, n)
	e := &Eigen{Converged: true, Next: math.NaN()}
	overlap, vectors := make([]float64, n), make([][]float64, n)
	for j, x := range left { // L⁻ᵀ, which knows the entries of heavy rows from the others
		for i := n - 1; i >= 0; i-- {
			x[i] /= lower[i*n+i]
			blas.Axpy(-x[i], lower[i*n:i*n+i], x[:i])
		}
		s.mass.remove(vectors[:j], x)
		blas.Scale(1/s.mass.length(x), x)
		for _, image := range images {
			overlap[j] += square(blas.Dot(image, x))
		}
		vectors[j] = x
	}
	kept := slices.Clone(overlap)
	slices.Sort(kept)
	limit := math.Inf(1)
	if q := len(s.known); q > 0 {
		limit = kept[n-q]
	}
	for j, x := range vectors {
		if overlap[j] >= limit {
			continue
		}
		e.Values, e.Vectors = append(e.Values, square(singular[j])+sigma), append(e.Vectors, x)
	}
	if added > 0 {
		if err := s.ritz(e, added); err != nil {
			return nil, err
		}
	}
	s.inverted = true
	s.Progress(1)
	return e, ctx.Err()
}

// longestFirst orders the rows of an n × n matrix by their lengths.
func longestFirst(a []float64, n int) []int {
	order, length := make([]int, n), make([]float64, n)
	for i := range n {
		order[i], length[i] = i, blas.Dot(a[i*n:i*n+n], a[i*n:i*n+n])
	}
	slices.SortStableFunc(order, func(i, j int) int {
		if length[i] > length[j] {
			return -1
		} else if length[i] < length[j] {
			return 1
		}
		return 0
	})
	return order
}

// lower is the Cholesky factor of a full equilibrated matrix. Where that is singular within rounding it is the one of a
// matrix to whose diagonal as much was added.
func (s *pencil) lower(full []float64) (lower []float64, added float64, err error) {
	n, least := s.n, 0.0
	for i := range n {
		least = max(least, math.Abs(full[i*n+i]))
	}
	least *= float64(n) * 0x1p-52
	lower = slices.Clone(full)
	if column, _ := triangle(lower, n, least); column < 0 {
		return lower, 0, nil
	}
	copy(lower, full)
	for i := range n {
		lower[i*n+i] += 4 * least
	}
	column, pivot := triangle(lower, n, 0)
	if column < 0 {
		return lower, 4 * least, nil
	}
	return nil, 0, &sparse.NotPositiveDefiniteError{Column: column, Pivot: pivot}
}

// ritz turns the leading vectors, which what was added to a singular matrix has mixed, into Ritz vectors of A itself: those
// whose values are not far above what was added. The values become Rayleigh quotients.
func (s *pencil) ritz(e *Eigen, added float64) error {
	n := s.n
	images, m := make([][]float64, len(e.Vectors)), 0
	for j, x := range e.Vectors {
		images[j] = make([]float64, n)
		s.byA(1, x, images[j])
		e.Values[j] = blas.Dot(x, images[j])
		if e.Values[j] <= mixedShare*added*blas.Dot(x, x) {
			m = j + 1
		}
	}
	if m == 0 {
		return nil
	}
	h, values := make([]float64, m*m), make([]float64, m)
	for i := range m {
		for j := range i + 1 {
			h[i*m+j] = (blas.Dot(e.Vectors[i], images[j]) + blas.Dot(e.Vectors[j], images[i])) / 2
			h[j*m+i] = h[i*m+j]
		}
	}
	if err := s.Kernels.SymEig(m, h, m, values, new(blas.Work)); err != nil {
		return err
	}
	turned := make([][]float64, m)
	for j := range m {
		turned[j] = make([]float64, n)
		for i := range m {
			blas.Axpy(h[j*m+i], e.Vectors[i], turned[j])
		}
	}
	copy(e.Values, values)
	copy(e.Vectors, turned)
	return nil
}

// triangle replaces a full positive definite matrix by its Cholesky factor, with zeros above the diagonal. It returns
// the first column whose pivot is not above a least one, and −1 where every pivot is above it.
func triangle(a []float64, n int, least float64) (column int, pivot float64) {
	for j := range n {
		for i := j; i < n; i++ {
			v := a[i*n+j] - blas.Dot(a[i*n:i*n+j], a[j*n:j*n+j])
			switch {
			case i > j:
				a[i*n+j] = v / a[j*n+j]
			case !(v > least):
				return j, v
			default:
				a[j*n+j] = math.Sqrt(v)
			}
		}
		clear(a[j*n+j+1 : j*n+n])
	}
	return -1, 0
}
