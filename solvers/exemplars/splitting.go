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

	apart, moved, residual float64 // Σ|Z − C⁺|, Σ|C⁺ − C|, and that of the acceleration

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
