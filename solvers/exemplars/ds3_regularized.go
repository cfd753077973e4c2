package exemplars

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/projections"
)

// minimizeRegularized minimizes with the norms in the objective. With U the multipliers over μ
// and Y = C − U − D/μ, an iteration is Z = the rows of Y shrunk, C = the columns of Z + U
// projected, U ← Z + U − C: U and Y are kept, by columns.
func minimizeRegularized(ctx context.Context, d *Full, o DS3Options) (*DS3Result, error) {
	n := d.N
	l, err := medoid(ctx, o.Threads, d)
	if err != nil {
		return nil, err
	}
	r := &DS3Result{RhoMax: rhoMax(d, o.Norm, l)}
	s := &shrinking{d: d, n: n, mu: o.Mu, rows: projections.Groups{Norm: o.Norm, Threads: o.Threads},
		u: make([]float64, n*n), y: make([]float64, n*n), c: NewEncoding(n),
		workers: make([]shrinkWorker, blas.Threads(o.Threads)), sums: make([][2]float64, (n+columnBlock-1)/columnBlock)}
	if err := s.begin(ctx, o.Threads, l); err != nil {
		return nil, err
	}
	limit := o.Tolerance * float64(n) * float64(n)
	for !r.Converged && r.Iterations < o.Iterations {
		if err := s.rows.Shrink(ctx, n, n, s.y, o.Alpha*r.RhoMax/o.Mu); err != nil {
			return nil, err
		}
		err := blas.For(ctx, o.Threads, n, columnBlock, func(worker, lo, hi int) {
			s.sums[lo/columnBlock] = s.columns(&s.workers[worker], lo, hi)
		})
		if err != nil {
			return nil, err
		}
		var apart, moved float64
		for _, sum := range s.sums {
			apart, moved = apart+sum[0], moved+sum[1]
		}
		r.Iterations++
		r.Converged = apart <= limit && moved <= limit
		o.Progress(float64(r.Iterations) / float64(o.Iterations))
	}
	r.Z = s.c.Dense()
	return r, nil
}

// shrinking is the state of the regularised form.
type shrinking struct {
	d       *Full
	n       int
	mu      float64
	rows    projections.Groups
	u, y    []float64
	c       *Encoding
	workers []shrinkWorker
	sums    [][2]float64
}

type shrinkWorker struct {
	Writer
	d, v, l, c, z []float64
}

func (w *shrinkWorker) reserve(n int) {
	if w.v == nil {
		w.d = make([]float64, columnBlock*n)
		w.v, w.l, w.c, w.z = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	}
}

// begin sets C to the row of ones of sample l, and Y.
func (s *shrinking) begin(ctx context.Context, threads, l int) error {
	return blas.For(ctx, threads, s.n, columnBlock, func(worker, lo, hi int) {
		w := &s.workers[worker]
		w.reserve(s.n)
		y := s.y[lo*s.n : hi*s.n]
		s.d.Columns(lo, hi, y)
		blas.Scale(-1/s.mu, y)
		w.Begin()
		w.v[l] = 1
		for j := lo; j < hi; j++ {
			y[(j-lo)*s.n+l]++
			w.Simplex(s.c, j, w.v, 1)
		}
		w.v[l] = 0
		w.Store(s.c, lo)
	})
}

// columns does an iteration for some columns, and adds up |Z − C| and |C⁺ − C|.
func (s *shrinking) columns(w *shrinkWorker, lo, hi int) (sums [2]float64) {
	n := s.n
	w.reserve(n)
	s.d.Columns(lo, hi, w.d)
	w.Begin()
	for j := lo; j < hi; j++ {
		u, y := s.u[j*n:(j+1)*n], s.y[j*n:(j+1)*n]
		d := w.d[(j-lo)*n : (j-lo+1)*n]
		s.rows.Apply(w.l, y)
		for i, z := range w.l {
			u[i] += z
		}
		old, oldValues := s.c.Column(j)
		rows, values := w.Simplex(s.c, j, u, 1)
		for q, i := range rows {
			w.z[i] = values[q]
		}
		for q, i := range old {
			w.c[i] = oldValues[q]
		}
		for i, z := range w.l {
			c := w.z[i]
			u[i] -= c
			y[i] = c - u[i] - d[i]/s.mu
			sums[0] += math.Abs(z - c)
			sums[1] += math.Abs(c - w.c[i])
		}
		for _, i := range rows {
			w.z[i] = 0
		}
		for _, i := range old {
			w.c[i] = 0
		}
	}
	w.Store(s.c, lo)
	return sums
}
