package exemplars

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/eigen"
)

const (
	// restTolerance: the data are used up where this share of their Frobenius norm is left.
	restTolerance = 1e-10
	// alongTolerance: a sample with less than this share of its length off those
	// chosen before it adds no direction.
	alongTolerance = 1e-10
	// staleShare: once so little of the trace is left since a Gram matrix was formed, it is
	// formed anew from what is left of the data. The rounding of the old one, 10⁻¹⁶ of its
	// trace, stays below 10⁻¹¹ of the new one that way.
	staleShare = 1e-5
	// tieShare: scores this close are equal, so that the copies of a sample are taken
	// by their index and not by rounding.
	tieShare = 1e-10
)

// ProjectionResult is what [Projection] chooses.
type ProjectionResult struct {
	Indices []int     // in the order of choice
	Filled  int       // the last of them, which were chosen as the farthest from the others
	Rest    []float64 // ‖R‖_F/‖X‖_F at the start and after each one but the filled
	Inexact int       // choices by a direction that missed its residual
}

// Projection chooses count of the n rows of x by iterative projection and matching
// (Zaeemzadeh, Joneidi, Rahnavard and Shah 2019): with R what is left of the rows off
// the span of those chosen, and u the leading right singular vector of R, the row xᵢ
// with the largest |uᵀxᵢ|/‖xᵢ‖ is next. Rows are not centred. Rows of zeros come last. Where
// ‖R‖_F ≤ 10⁻¹⁰‖X‖_F the rows are spanned, and those farthest from the chosen ones fill up.
//
// R is never formed for a choice, only the smaller of RᵀR and RRᵀ, of order
// p = min(n, m), from which every choice takes a rank-two or rank-one update; u is its
// leading eigenvector by block Lanczos. O(n m p) once and O(n m + p² · products)
// a choice, 8(n m + p²) bytes.
func Projection(ctx context.Context, x blas.Rows, count int, o Options) (*ProjectionResult, error) {
	if count < 1 || count > x.N {
		return nil, fmt.Errorf("exemplars: %d exemplars requested of %d samples; give a number from 1 to %d", count, x.N, x.N)
	}
	if err := o.fill(); err != nil {
		return nil, err
	}
	s := newSpan(x, o)
	if math.IsNaN(s.whole) || math.IsInf(s.whole, 0) {
		return nil, fmt.Errorf("exemplars: the samples hold entries that are not finite, or too large to square")
	}
	p := &ProjectionResult{Rest: []float64{1}}
	if s.whole == 0 {
		p.Rest[0] = 0
	}
	for len(p.Indices) < count {
		if s.rest <= restTolerance*restTolerance*s.whole {
			break
		}
		i, err := s.next(ctx)
		if err != nil {
			return nil, err
		}
		if i < 0 {
			break
		}
		p.Indices = append(p.Indices, i)
		if err := s.take(ctx, i); err != nil {
			return nil, err
		}
		p.Rest = append(p.Rest, math.Sqrt(s.rest/s.whole))
		o.Progress(float64(len(p.Indices)) / float64(count))
	}
	p.Filled, p.Inexact = count-len(p.Indices), s.inexact
	var err error
	p.Indices, err = Farthest(ctx, o.Threads, x, p.Indices, count)
	return p, err
}

// span is the span of the samples chosen so far, and what is left of the others.
type span struct {
	options Options
	x       blas.Rows
	length  []float64 // of each sample
	chosen  []bool
	basis   []float64 // orthonormal rows

	columns bool      // gram is RᵀR, else RRᵀ
	order   int       // of gram
	gram    []float64 // both triangles
	formed  float64   // its trace when it was formed
	rest    float64   // ‖R‖²
	whole   float64   // ‖X‖²

	inexact   int       // directions that missed their residual
	direction []float64 // m
	image     []float64 // of the direction under gram, or of the samples on it
	score     []float64 // n
}

func newSpan(x blas.Rows, o Options) *span {
	s := &span{options: o, x: x, columns: x.M <= x.N, order: min(x.N, x.M),
		length: make([]float64, x.N), chosen: make([]bool, x.N), direction: make([]float64, x.M), score: make([]float64, x.N)}
	s.gram, s.image = make([]float64, s.order*s.order), make([]float64, s.order)
	for i := range x.N {
		s.length[i] = norm(x.Row(i))
		s.whole += s.length[i] * s.length[i]
	}
	s.rest = s.whole
	s.form(x.Data)
	return s
}

// form computes the Gram matrix of what is left of the data.
func (s *span) form(rest []float64) {
	n, m, p := s.x.N, s.x.M, s.order
	s.options.Kernels.SyrkParallel(s.options.Threads, s.columns, p, n+m-p, 1, rest, m, 0, s.gram, p)
	for i := range p {
		for j := range i {
			s.gram[i*p+j] = s.gram[j*p+i]
		}
	}
	s.formed = s.rest
}

// renew measures what is left of the data exactly, and forms its Gram matrix.
func (s *span) renew(ctx context.Context) error {
	n, m := s.x.N, s.x.M
	rest := append([]float64(nil), s.x.Data[:n*m]...)
	squares := make([]float64, n)
	err := blas.For(ctx, s.options.Threads, n, blockRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row := rest[i*m : (i+1)*m]
			blas.OrthogonalizeRows(s.basis, row)
			squares[i] = blas.Dot(row, row)
		}
	})
	if err != nil {
		return err
	}
	s.rest = 0
	for _, v := range squares {
		s.rest += v
	}
	if s.rest > restTolerance*restTolerance*s.whole {
		s.form(rest)
	}
	return nil
}

// next is the sample most along the leading direction of what is left, −1 where none has
// a part on it.
func (s *span) next(ctx context.Context) (int, error) {
	p := s.order
	e, err := eigen.Largest(ctx, eigen.Operator{Order: p, Multiply: func(width int, v, y []float64) {
		s.options.Kernels.GemmParallel(s.options.Threads, false, false, p, width, p, 1, s.gram, p, v, width, 0, y, width)
	}}, 1, eigen.Options{Kernels: s.options.Kernels, Threads: s.options.Threads, Seed: s.options.Seed})
	if err != nil {
		return 0, err
	}
	if !e.Converged {
		s.inexact++
	}
	u := e.Vectors[0]
	err = blas.For(ctx, s.options.Threads, s.x.N, blockRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			switch {
			case s.chosen[i] || s.length[i] == 0:
				s.score[i] = -1
			case s.columns:
				s.score[i] = math.Abs(blas.Dot(u, s.x.Row(i))) / s.length[i]
			default:
				// u here is the vector of the rows, and uᵀxᵢ in proportion to its entry.
				s.score[i] = math.Abs(u[i]) / s.length[i]
			}
		}
	})
	if err != nil {
		return 0, err
	}
	best := s.score[largestEntry(s.score)]
	if !(best > 0) {
		return -1, nil
	}
	for i, v := range s.score {
		if v >= best*(1-tieShare) {
			return i, nil
		}
	}
	return -1, nil
}

// take adds a sample to the span.
func (s *span) take(ctx context.Context, i int) error {
	s.chosen[i] = true
	copy(s.direction, s.x.Row(i))
	if orthonormalize(s.direction, s.basis) <= alongTolerance*s.length[i] {
		return nil
	}
	s.basis = append(s.basis, s.direction...)
	if err := s.deflate(ctx); err != nil {
		return err
	}
	s.rest = 0
	for j := range s.order {
		s.rest += max(s.gram[j*s.order+j], 0)
	}
	if s.rest <= staleShare*s.formed {
		return s.renew(ctx)
	}
	return nil
}

// deflate takes the last direction q out of the Gram matrix G: with g = Gq of RᵀR,
// (I − qqᵀ)G(I − qqᵀ) = G − qzᵀ − zqᵀ for z = g − ½(qᵀg)q; with g = Rq, RRᵀ − ggᵀ.
func (s *span) deflate(ctx context.Context) error {
	p, g, q := s.order, s.image, s.direction
	rows := s.x.Row
	if s.columns {
		rows = func(i int) []float64 { return s.gram[i*p : (i+1)*p] }
	}
	err := blas.For(ctx, s.options.Threads, p, blockRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			g[i] = blas.Dot(rows(i), q) // Rq = Xq, as q is off the span
		}
	})
	if err != nil {
		return err
	}
	if s.columns {
		blas.Axpy(-blas.Dot(q, g)/2, q, g)
	}
	return blas.For(ctx, s.options.Threads, p, blockRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row := s.gram[i*p : (i+1)*p]
			if s.columns {
				blas.Axpy(-q[i], g, row)
				blas.Axpy(-g[i], q, row)
			} else {
				blas.Axpy(-g[i], g, row)
			}
		}
	})
}
