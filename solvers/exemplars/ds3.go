package exemplars

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/projections"
)

// DS3Options of [DS3].
type DS3Options struct {
	Norm projections.Norm // of the rows of Z: Max, or Euclidean
	// Tau bounds Σᵢ ‖zᵢ‖_p: at least 1 with p = ∞, √n with p = 2. 0: the sum is
	// a term of the objective instead.
	Tau float64
	// Alpha is the weight of that term, as a share of the least one that leaves a
	// single representative; 0: 0.1.
	Alpha      float64
	Mu         float64 // the penalty; 0: 0.1
	Iterations int     // at most; 0: 3000
	Tolerance  float64 // on the means of |Z − C| and of |C⁺ − C|; 0: 1e-7
	// Representatives are this many at most, those with the largest rows; 0: as many as there are.
	Representatives int
	Threads         int // 0: all cores
	Progress        func(done float64)
}

// DS3Result is what [DS3] finds.
type DS3Result struct {
	// Representatives are the samples that represent others: those whose row of Z has
	// an entry of at least a tenth of the largest, by the norm of that row, descending.
	Representatives []int
	// Labels gives each sample the representative with the largest share in it, numbered
	// from 0 in the order of Representatives, those that represent none left out.
	Labels     []int64
	Exemplars  []int     // the representative of each label
	Z          []float64 // n × n, row after row; every column sums to 1
	Objective  float64   // ⟨D, Z⟩ with the largest entry of D scaled to 1
	RhoMax     float64   // of the regularised form, the weight that Alpha is a share of
	Iterations int
	Converged  bool
}

// DS3 selects representatives by dissimilarities (Elhamifar, Sapiro and Sastry 2016):
// d is n × n, row after row, finite, entry (i, j) the cost of representing sample j
// by sample i; it need not be symmetric. With D = d/max d,
//
//	min ⟨D, Z⟩                     under Z ≥ 0, 1ᵀZ = 1ᵀ and Σᵢ ‖zᵢ‖_p ≤ τ, or
//	min ⟨D, Z⟩ + ρ Σᵢ ‖zᵢ‖_p       under Z ≥ 0, 1ᵀZ = 1ᵀ,  ρ = α ρ_max,
//
// solved by alternating directions. O(n²) per iteration; in addition to d, two n × n matrices in
// the regularised form, and Z.
func DS3(ctx context.Context, d []float64, n int, o DS3Options) (*DS3Result, error) {
	if err := checkDS3(d, n, &o); err != nil {
		return nil, err
	}
	full := &Full{N: n, Data: d, Scale: 1}
	if top := slices.Max(d); top > 0 {
		full.Scale = 1 / top
	}
	var r *DS3Result
	var err error
	if o.Tau > 0 {
		r, err = minimizeConstrained(ctx, full, o)
	} else {
		r, err = minimizeRegularized(ctx, full, o)
	}
	if err != nil {
		return nil, err
	}
	for at, z := range r.Z {
		r.Objective += z * d[at]
	}
	r.Objective *= full.Scale
	r.represent(d, n, o.Representatives)
	return r, nil
}

func checkDS3(d []float64, n int, o *DS3Options) error {
	if n < 1 || len(d) != n*n {
		return fmt.Errorf("ds3: %d dissimilarities of %d samples; give n² of n ≥ 1", len(d), n)
	}
	for at, v := range d {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("ds3: the dissimilarity in row %d, column %d (counting from 1) is %v; give finite numbers", at/n+1, at%n+1, v)
		}
	}
	least := 1.0
	if o.Norm == projections.Euclidean {
		least = math.Sqrt(float64(n))
	}
	switch {
	case math.IsNaN(o.Tau) || o.Tau < 0 || math.IsInf(o.Tau, 1):
		return fmt.Errorf("ds3: tau is %v; give a number ≥ %.6g, or 0 for the regularised form", o.Tau, least)
	case o.Tau > 0 && o.Tau < least*(1-1e-12):
		return fmt.Errorf("ds3: no Z has columns that sum to 1 and rows whose norms sum to %v only; give tau ≥ %.6g", o.Tau, least)
	case !(o.Alpha >= 0) || math.IsInf(o.Alpha, 1) || !(o.Mu >= 0) || math.IsInf(o.Mu, 1):
		return fmt.Errorf("ds3: alpha = %v, mu = %v; give positive numbers", o.Alpha, o.Mu)
	case o.Iterations < 0 || o.Representatives < 0 || !(o.Tolerance >= 0):
		return fmt.Errorf("ds3: %d iterations, tolerance %v, %d representatives; give numbers ≥ 0", o.Iterations, o.Tolerance, o.Representatives)
	}
	o.Alpha, o.Mu = cmp.Or(o.Alpha, 0.1), cmp.Or(o.Mu, 0.1)
	o.Iterations, o.Tolerance = cmp.Or(o.Iterations, 3000), cmp.Or(o.Tolerance, 1e-7)
	if o.Progress == nil {
		o.Progress = func(float64) {}
	}
	return nil
}

// minimizeConstrained minimizes with a bound on the norms.
func minimizeConstrained(ctx context.Context, d Dissimilarities, o DS3Options) (*DS3Result, error) {
	s, err := Split(ctx, d, SplitOptions{Norm: o.Norm, Radius: o.Tau, Mu: o.Mu, Iterations: o.Iterations,
		Tolerance: o.Tolerance, Threads: o.Threads, Progress: o.Progress})
	if err != nil {
		return nil, err
	}
	return &DS3Result{Z: s.Z.Dense(), Iterations: s.Iterations, Converged: s.Converged}, nil
}

// rhoMax is the least weight with which the first sample of least row sum, l, represents
// all: with vᵢ = dᵢ − d_l, max ‖vᵢ‖₁/2 for p = ∞, max √n ‖vᵢ‖²/(2·1ᵀvᵢ) for p = 2.
func rhoMax(d *Full, norm projections.Norm, l int) float64 {
	n := d.N
	most, least := 0.0, d.Data[l*n:(l+1)*n]
	for i := range n {
		var one, two, sum float64
		for j, v := range d.Data[i*n : (i+1)*n] {
			v = (v - least[j]) * d.Scale
			one, two, sum = one+math.Abs(v), two+v*v, sum+v
		}
		switch {
		case norm == projections.Max:
			most = max(most, one/2)
		case sum > 1e-14*one: // not zero but for rounding
			most = max(most, math.Sqrt(float64(n))*two/(2*sum))
		}
	}
	return most
}

// represent chooses the representatives and labels all samples.
func (r *DS3Result) represent(d []float64, n, most int) {
	tops, norms := make([]float64, n), make([]float64, n)
	for i := range n {
		for _, v := range r.Z[i*n : (i+1)*n] {
			tops[i] = max(tops[i], math.Abs(v))
			norms[i] += v * v
		}
	}
	largest := slices.Max(tops)
	for i, top := range tops {
		if top >= 0.1*largest {
			r.Representatives = append(r.Representatives, i)
		}
	}
	slices.SortStableFunc(r.Representatives, func(a, b int) int { return cmp.Compare(norms[b], norms[a]) })
	if most > 0 && len(r.Representatives) > most {
		r.Representatives = r.Representatives[:most]
	}
	of := make([]int, n)
	number := make([]int64, len(r.Representatives))
	for j := range n {
		best := -1
		for q, i := range r.Representatives {
			if z := r.Z[i*n+j]; z > 0 && (best < 0 || z > r.Z[r.Representatives[best]*n+j]) {
				best = q
			}
		}
		if best < 0 {
			// Only samples that were not chosen represent this one: it goes to the chosen
			// one of least cost.
			best = 0
			for q, i := range r.Representatives {
				if d[i*n+j] < d[r.Representatives[best]*n+j] {
					best = q
				}
			}
		}
		of[j], number[best] = best, 1
	}
	next := int64(0)
	for q, used := range number {
		if used > 0 {
			number[q] = next
			next++
			r.Exemplars = append(r.Exemplars, r.Representatives[q])
		}
	}
	r.Labels = make([]int64, n)
	for j, q := range of {
		r.Labels[j] = number[q]
	}
}

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
