package exemplars

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/projections"
)

// SplitOptions of [Split]. Only Radius has no default.
type SplitOptions struct {
	Norm   projections.Norm // of the rows of Z
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
	Z          *Encoding // its columns are on the simplex
	C          *Encoding // is in the ball
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
// functions of the entries of B and of one number a row. As Z is sparse and multipliers
// vanish where C is inside the bounds, so is B, and nothing else is kept: a step passes
// once over D, and otherwise over these entries. O(n²) a step.
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
	return r, s.finish(ctx, r)
}

// iterate is B of one step and the projection of it.
type iterate struct {
	b    *Encoding
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

	apart, moved, residual float64 // Σ|Z − C⁺|, Σ|C⁺ − C|, and the residual of the acceleration

	sums    [][3]float64 // of blocks of columns
	workers []splitWorker
}

type splitWorker struct {
	z, b Writer
	d, v []float64
	from point
	// Numbers of a column by row, zero between columns.
	dense [4][]float64
}

// ready makes the scratch on first use.
func (w *splitWorker) ready(n int) *splitWorker {
	if w.v == nil {
		w.d, w.v = make([]float64, columnBlock*n), make([]float64, n)
		for q := range w.dense {
			w.dense[q] = make([]float64, n)
		}
	}
	return w
}

func newSplitting(ctx context.Context, d Dissimilarities, o SplitOptions) (*splitting, error) {
	n := d.Order()
	s := &splitting{SplitOptions: o, d: d, n: n, inverse: 1 / (o.Mu + o.Delta), z: NewEncoding(n)}
	var err error
	if s.first, err = medoid(ctx, o.Threads, d); err != nil {
		return nil, err
	}
	for _, to := range []*iterate{&s.now, &s.before, &s.new} {
		*to = iterate{NewEncoding(n), &projections.Groups{Norm: o.Norm, Threads: o.Threads}}
	}
	s.sums = make([][3]float64, (n+columnBlock-1)/columnBlock)
	s.workers = make([]splitWorker, blas.Threads(o.Threads))
	return s, nil
}

// step does one iteration.
func (s *splitting) step(ctx context.Context) error {
	err := blas.For(ctx, s.Threads, s.n, columnBlock, func(worker, lo, hi int) {
		s.encode(s.workers[worker].ready(s.n), lo, hi)
	})
	if err != nil {
		return err
	}
	copy(s.new.ball.Bounds(), s.now.ball.Bounds())
	if _, err := s.new.ball.ProjectSparse(ctx, s.n, s.new.b, s.Radius/s.inverse); err != nil {
		return err
	}
	err = blas.For(ctx, s.Threads, s.n, columnBlock, func(worker, lo, hi int) {
		s.sums[lo/columnBlock] = s.measure(s.workers[worker].ready(s.n), lo, hi)
	})
	if err != nil {
		return err
	}
	s.apart, s.moved, s.residual = 0, 0, 0
	for _, sum := range s.sums {
		s.apart, s.moved, s.residual = s.apart+sum[0], s.moved+sum[1], s.residual+sum[2]
	}
	s.now, s.before, s.new = s.new, s.now, s.before
	s.first = -1
	return nil
}

// finish puts C of the last step into the result, in place of B.
func (s *splitting) finish(ctx context.Context, r *SplitResult) error {
	r.C = s.now.b
	return blas.For(ctx, s.Threads, len(r.C.blocks), 1, func(_, lo, hi int) {
		for b := lo; b < hi; b++ {
			rows, values := r.C.Block(b)
			for q, i := range rows {
				values[q] = s.now.ball.At(i, values[q]) * s.inverse
			}
		}
	})
}

// encode computes columns of the new Z and B.
func (s *splitting) encode(w *splitWorker, lo, hi int) {
	n := s.n
	s.d.Columns(lo, hi, w.d)
	w.z.Begin()
	w.b.Begin()
	for j := lo; j < hi; j++ {
		d := w.d[(j-lo)*n : (j-lo+1)*n]
		for i, v := range d {
			w.v[i] = -v * s.inverse
		}
		s.point(&w.from, j)
		p := &w.from
		for q, i := range p.rows {
			w.v[i] = (s.Mu*p.c[q] - p.l[q] - d[i]) * s.inverse
		}
		rows, values := w.z.Simplex(s.z, j, w.v, 1)
		for q, at := 0, 0; q < len(p.rows) || at < len(rows); {
			switch {
			case at == len(rows) || q < len(p.rows) && p.rows[q] < rows[at]:
				w.b.Add(p.rows[q], p.l[q])
				q++
			case q == len(p.rows) || rows[at] < p.rows[q]:
				w.b.Add(rows[at], s.Mu*values[at])
				at++
			default:
				w.b.Add(rows[at], p.l[q]+s.Mu*values[at])
				q++
				at++
			}
		}
		w.b.End(j)
	}
	w.z.Store(s.z, lo)
	w.b.Store(s.new.b, lo)
}

// point is a column of what a step begins at: C and the multipliers, ahead of the last
// ones where the steps are accelerated, and C itself.
type point struct {
	rows        []int32
	c, l, plain []float64
}

func (p *point) add(row int32, c, l, plain float64) {
	p.rows = append(p.rows, row)
	p.c, p.l, p.plain = append(p.c, c), append(p.l, l), append(p.plain, plain)
}

// point finds column j of it.
func (s *splitting) point(p *point, j int) {
	p.rows, p.c, p.l, p.plain = p.rows[:0], p.c[:0], p.l[:0], p.plain[:0]
	if s.first >= 0 {
		p.add(int32(s.first), 1, 0, 1)
		return
	}
	rows, values := s.now.b.Column(j)
	if s.ahead == 0 {
		for q, i := range rows {
			c, l := s.split(&s.now, i, values[q])
			p.add(i, c, l, c)
		}
		return
	}
	old, oldValues := s.before.b.Column(j)
	for q, at := 0, 0; q < len(rows) || at < len(old); {
		var i int32
		var c, l, cp, lp float64
		takeOld := q == len(rows) || at < len(old) && old[at] <= rows[q]
		takeNew := at == len(old) || q < len(rows) && rows[q] <= old[at]
		if takeOld {
			i = old[at]
			cp, lp = s.split(&s.before, i, oldValues[at])
			at++
		}
		if takeNew {
			i = rows[q]
			c, l = s.split(&s.now, i, values[q])
			q++
		}
		p.add(i, c+s.ahead*(c-cp), l+s.ahead*(l-lp), c)
	}
}

// split returns C and the multiplier of an entry of B.
func (s *splitting) split(of *iterate, i int32, b float64) (c, l float64) {
	inside := of.ball.At(i, b)
	c = inside * s.inverse
	return c, b - inside + s.Delta*c // B − μC, exactly 0 where it is
}

// measure adds up |Z − C⁺|, |C⁺ − C| and μ‖Z − C⁺‖² + μ‖C⁺ − Ĉ‖² of some columns, where
// the first square belongs to the multipliers' step, and Ĉ is the point stepped from.
func (s *splitting) measure(w *splitWorker, lo, hi int) (sums [3]float64) {
	z, next, from, plain := w.dense[0], w.dense[1], w.dense[2], w.dense[3]
	for j := lo; j < hi; j++ {
		var apart, moved, square float64
		// An entry counts when it is first met, and is zero from then on.
		take := func(rows []int32) {
			for _, i := range rows {
				c := next[i]
				u, v := z[i]-c, c-from[i]
				apart += math.Abs(u)
				moved += math.Abs(c - plain[i])
				square += u*u + v*v
				z[i], next[i], from[i], plain[i] = 0, 0, 0, 0
			}
		}
		zr, zv := s.z.Column(j)
		for q, i := range zr {
			z[i] = zv[q]
		}
		br, bv := s.new.b.Column(j)
		for q, i := range br {
			next[i] = s.new.ball.At(i, bv[q]) * s.inverse
		}
		s.point(&w.from, j)
		for q, i := range w.from.rows {
			from[i], plain[i] = w.from.c[q], w.from.plain[q]
		}
		take(zr)
		take(br)
		take(w.from.rows)
		sums[0], sums[1], sums[2] = sums[0]+apart, sums[1]+moved, sums[2]+s.Mu*square
	}
	return sums
}
