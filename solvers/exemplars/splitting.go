package exemplars

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/projections"
)

// SplitOptions of [Split]. Only Radius has no default.
type SplitOptions struct {
	P      projections.Norm // of the rows of Z
	Radius float64          // τ of Σᵢ ‖zᵢ‖_p ≤ τ
	Mu     float64          // μ, the penalty of Z ≠ C; 0: 0.1
	Delta  float64          // δ ≥ 0, the weight of the squares
	// Accelerated takes Nesterov's steps from C and the multipliers, and begins anew
	// where the residual does not fall (Goldstein et al. 2014).
	Accelerated bool
	Iterations  int     // at most; 0: 500
	Tolerance   float64 // on the means of |Z − C| and of |C⁺ − C|; 0: 1e-7
	Threads     int     // 0: all cores
	Progress    func(done float64)
}

// SplitResult is what [Split] finds.
type SplitResult struct {
	Z *Encoding // its columns are on the simplex
	// C is in the ball, n × n by columns: entry (i, j) is at jn + i.
	C          []float64
	Iterations int
	Converged  bool
}

// Split minimises
//
//	⟨D, Z⟩ + δ/2 ‖Z‖² + δ/2 ‖C‖²   under Z ≥ 0, 1ᵀZ = 1ᵀ, Σᵢ ‖cᵢ‖_p ≤ τ, Z = C
//
// by alternating directions: accelerated, it is A2DM2 (Kadkhodaie et al. 2015); with
// δ = 0 and not accelerated, the constrained DS3 (Elhamifar, Sapiro and Sastry 2016).
// C begins as the row of ones of the medoid, the multipliers at zero.
//
// With B = μZ + L for the multipliers L of a step, both the new C = P(B)/(μ + δ), P the
// projection on the ball of radius (μ + δ)τ, and the new multipliers B − μC are
// functions of the entries of B and of one number a row: two such matrices, three
// accelerated, are all that is kept, 8n² bytes each. O(n²) a step.
func Split(ctx context.Context, d Dissimilarities, o SplitOptions) (*SplitResult, error) {
	if o.Mu == 0 {
		o.Mu = 0.1
	}
	if o.Iterations == 0 {
		o.Iterations = 500
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-7
	}
	if o.Progress == nil {
		o.Progress = func(float64) {}
	}
	s, err := newSplitting(ctx, d, o)
	if err != nil {
		return nil, err
	}
	r := &SplitResult{Z: s.z}
	best, momentum := math.Inf(1), 1.0
	for !r.Converged && r.Iterations < o.Iterations {
		if err := s.step(ctx); err != nil {
			return nil, err
		}
		r.Iterations++
		size := float64(s.n) * float64(s.n)
		r.Converged = s.apart <= o.Tolerance*size && s.moved <= o.Tolerance*size
		s.ahead = 0
		if o.Accelerated {
			if s.residual < 0.999*best {
				next := (1 + math.Sqrt(1+4*momentum*momentum)) / 2
				s.ahead, momentum, best = (momentum-1)/next, next, s.residual
			} else {
				momentum, best = 1, s.residual/0.999
			}
		}
		o.Progress(float64(r.Iterations) / float64(o.Iterations))
	}
	for j := range s.n {
		row := s.now.b[j*s.n : (j+1)*s.n]
		s.now.ball.Apply(row, row)
		blas.Scale(s.inverse, row)
	}
	r.C = s.now.b
	return r, nil
}

// iterate is B of one step and the projection of it.
type iterate struct {
	b    []float64
	ball *projections.Groups
}

// splitting is the state of Split between two steps.
type splitting struct {
	SplitOptions
	d       Dissimilarities
	n       int
	inverse float64 // 1/(μ + δ)
	first   int     // the medoid; −1 after the first step
	ahead   float64 // w of C + w(C − C⁻), and so of the multipliers

	z                *Encoding
	now, before, new iterate

	apart, moved, residual float64 // Σ|Z − C⁺|, Σ|C⁺ − C|, and that of the acceleration

	sums    [][3]float64 // of blocks of columns
	workers []splitWorker
}

type splitWorker struct {
	Writer
	d, v, c, l, z []float64
	plain         []float64 // C of a column, where c is ahead of it
}

func newSplitting(ctx context.Context, d Dissimilarities, o SplitOptions) (*splitting, error) {
	n := d.Order()
	s := &splitting{SplitOptions: o, d: d, n: n, inverse: 1 / (o.Mu + o.Delta), z: NewEncoding(n)}
	var err error
	if s.first, err = medoid(ctx, o.Threads, d); err != nil {
		return nil, err
	}
	for _, to := range []*iterate{&s.now, &s.before, &s.new} {
		to.ball = &projections.Groups{P: o.P, Threads: o.Threads}
		if o.Accelerated || to != &s.before {
			to.b = make([]float64, n*n)
		}
	}
	s.sums = make([][3]float64, (n+columnBlock-1)/columnBlock)
	s.workers = make([]splitWorker, blas.Threads(o.Threads))
	return s, nil
}

// reserve makes the scratch of a worker.
func (w *splitWorker) reserve(n int) {
	if w.v == nil {
		w.d = make([]float64, columnBlock*n)
		w.v, w.c, w.l, w.z, w.plain = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	}
}

// step does one iteration.
func (s *splitting) step(ctx context.Context) error {
	err := blas.For(ctx, s.Threads, s.n, columnBlock, func(worker, lo, hi int) {
		w := &s.workers[worker]
		w.reserve(s.n)
		s.encode(w, lo, hi)
	})
	if err != nil {
		return err
	}
	copy(s.new.ball.Bounds(), s.now.ball.Bounds())
	if _, err := s.new.ball.Project(ctx, s.n, s.n, s.new.b, s.Radius/s.inverse); err != nil {
		return err
	}
	err = blas.For(ctx, s.Threads, s.n, columnBlock, func(worker, lo, hi int) {
		s.sums[lo/columnBlock] = s.measure(&s.workers[worker], lo, hi)
	})
	if err != nil {
		return err
	}
	s.apart, s.moved, s.residual = 0, 0, 0
	for _, sum := range s.sums {
		s.apart, s.moved, s.residual = s.apart+sum[0], s.moved+sum[1], s.residual+sum[2]
	}
	if s.Accelerated {
		s.now, s.before, s.new = s.new, s.now, s.before
	} else {
		s.now, s.new = s.new, s.now
	}
	s.first = -1
	return nil
}

// encode computes columns of the new Z and B.
func (s *splitting) encode(w *splitWorker, lo, hi int) {
	n := s.n
	s.d.Columns(lo, hi, w.d)
	w.Begin()
	for j := lo; j < hi; j++ {
		l := s.new.b[j*n : (j+1)*n]
		s.point(w, j, l)
		for i, d := range w.d[(j-lo)*n : (j-lo+1)*n] {
			w.v[i] = (s.Mu*w.c[i] - w.l[i] - d) * s.inverse
		}
		copy(l, w.l)
		rows, values := w.Simplex(s.z, j, w.v, 1)
		for q, i := range rows {
			l[i] += s.Mu * values[q]
		}
	}
	w.Store(s.z, lo)
}

// point writes column j of C to w.plain, and of the C and multipliers to step from to
// w.c and w.l. scratch holds n numbers.
func (s *splitting) point(w *splitWorker, j int, scratch []float64) {
	n := s.n
	if s.first >= 0 {
		clear(w.plain)
		clear(w.l)
		w.plain[s.first] = 1
		copy(w.c, w.plain)
		return
	}
	b := s.now.b[j*n : (j+1)*n]
	c, l, plain := w.c[:len(b)], w.l[:len(b)], w.plain[:len(b)]
	s.now.ball.Apply(plain, b)
	inverse, mu, ahead := s.inverse, s.Mu, s.ahead
	if ahead == 0 {
		for i, v := range b {
			ci := plain[i] * inverse
			plain[i], c[i], l[i] = ci, ci, v-mu*ci
		}
		return
	}
	old := s.before.b[j*n : (j+1)*n][:len(b)]
	scratch = scratch[:len(b)]
	s.before.ball.Apply(scratch, old)
	for i, v := range b {
		ci, cp := plain[i]*inverse, scratch[i]*inverse
		li, lp := v-mu*ci, old[i]-mu*cp
		plain[i], c[i], l[i] = ci, ci+ahead*(ci-cp), li+ahead*(li-lp)
	}
}

// measure adds up |Z − C⁺|, |C⁺ − C| and μ‖Z − C⁺‖² + μ‖C⁺ − Ĉ‖² of some columns, where
// the first square is that of the multipliers' step, and Ĉ is what was stepped from.
func (s *splitting) measure(w *splitWorker, lo, hi int) (sums [3]float64) {
	n := s.n
	w.reserve(n)
	for j := lo; j < hi; j++ {
		rows, values := s.z.Column(j)
		for q, i := range rows {
			w.z[i] = values[q]
		}
		s.new.ball.Apply(w.v, s.new.b[j*n:(j+1)*n])
		s.point(w, j, w.d[:n])
		z, c, plain, fresh := w.z, w.c[:len(w.z)], w.plain[:len(w.z)], w.v[:len(w.z)]
		var apart, moved, square float64
		for i, z := range z {
			next := fresh[i] * s.inverse
			u, v := z-next, next-c[i]
			apart += math.Abs(u)
			moved += math.Abs(next - plain[i])
			square += u*u + v*v
		}
		for _, i := range rows {
			w.z[i] = 0
		}
		sums[0], sums[1], sums[2] = sums[0]+apart, sums[1]+moved, sums[2]+s.Mu*square
	}
	return sums
}
