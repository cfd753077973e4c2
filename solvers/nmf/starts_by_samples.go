package nmf

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/kmeans"
)

// Starts whose components are samples, or means of samples: what the components stand for is then of the
// size and the shape of the data from the first iteration on. The coordinates are those of nonnegative least
// squares, up to a few sweeps.

const (
	// averagedRows is the number of samples whose mean is a component of the start [Rows].
	averagedRows = 20
	// centreIterations bounds Lloyd's iterations of the start [Centres], each of which costs at most half an
	// iteration of the squared error.
	centreIterations = 10
	// startSweeps bounds the sweeps of coordinate descent over the coordinates of a start.
	startSweeps = 5
	// faintRow is the share of the mean sum of a sample below which it is no extreme one: its direction is noise.
	faintRow = 0.1
	// startFill is the size of the entries in place of zeros that multiplicative updates would keep, relative
	// to the mean of the factor.
	startFill = 0.01
)

// startFromRows fills H by samples, and W by the coordinates of the samples in it.
func (f *factorization) startFromRows(ctx context.Context, o Options, random *blas.Stream) error {
	if o.Init != Rows && f.r > f.n {
		return fmt.Errorf("nmf: init %s takes its components from the samples, and %d are fewer than the rank %d; give at most %d, or init %s", o.Init, f.n, f.r, f.n, RandomStart)
	}
	clear(f.h)
	var err error
	switch o.Init {
	case Centres:
		err = f.centres(ctx, random)
	case Extremes:
		err = f.extremes(ctx, random)
	default:
		err = f.meansOfRows(ctx, random)
	}
	if err != nil {
		return err
	}
	if err := f.coordinatesOfStart(ctx); err != nil {
		return err
	}
	f.leaveZero(o, random)
	return nil
}

// addRow adds a multiple of a sample to a component.
func (f *factorization) addRow(i int, scale float64, k int) {
	to := f.h[k*f.m : (k+1)*f.m]
	if f.data.Sparse == nil {
		blas.Axpy(scale, f.data.Dense[i*f.m:(i+1)*f.m], to)
		return
	}
	cols, vals := f.data.Sparse.Row(i)
	for p, j := range cols {
		to[j] += float64(scale * vals[p])
	}
}

// meansOfRows makes each component the mean of samples that are drawn without repeats.
func (f *factorization) meansOfRows(ctx context.Context, random *blas.Stream) error {
	order := make([]int, f.n)
	for i := range order {
		order[i] = i
	}
	count := min(averagedRows, f.n)
	for k := range f.r {
		if err := ctx.Err(); err != nil {
			return err
		}
		for at := range count {
			other := at + random.Below(f.n-at)
			order[at], order[other] = order[other], order[at]
			f.addRow(order[at], 1/float64(count), k)
		}
	}
	return nil
}

// centres makes the components the centres of clusters: one k-means++ start with the best of several draws
// for each centre, and a few of Lloyd's iterations.
func (f *factorization) centres(ctx context.Context, random *blas.Stream) error {
	var x mat.Matrix = f.data.Sparse
	if f.data.Sparse == nil {
		x = mat.NewDense(f.n, f.m, f.data.Dense)
	}
	o := kmeans.KMeansFromOptions{Iterations: centreIterations, Kernels: f.kernels, Threads: f.threads}
	g := kmeans.Greedy{First: random.Below(f.n), Trials: 2 + int(math.Log(float64(f.r)))}
	g.Draws = make([]float64, (f.r-1)*g.Trials)
	random.Uniforms(g.Draws)
	chosen, err := kmeans.GreedyStart(ctx, x, f.r, g, o)
	if err != nil {
		return err
	}
	for k, i := range chosen {
		f.addRow(i, 1, k)
	}
	found, err := kmeans.KMeansFrom(ctx, x, mat.NewDense(f.r, f.m, append([]float64(nil), f.h...)), o)
	if err != nil {
		return err
	}
	for at, v := range found.Centers {
		f.h[at] = max(0, v)
	}
	return nil
}

// extremes makes the components samples: of samples of unit sum, one after the other is taken that is
// farthest from the span of those before it. Of separable data without noise these are the components.
// Where nothing is left, the rest are samples at random.
func (f *factorization) extremes(ctx context.Context, random *blas.Stream) error {
	scale, left := make([]float64, f.n), make([]float64, f.n)
	least := faintRow * f.totals.sum / float64(f.n)
	for i := range scale {
		sum := f.data.rowSum(i)
		if !(sum >= least) || sum == 0 {
			continue
		}
		scale[i] = 1 / sum
		var squares float64
		vals := f.data.Dense
		if f.data.Sparse != nil {
			_, vals = f.data.Sparse.Row(i)
		} else {
			vals = vals[i*f.m : (i+1)*f.m]
		}
		for _, v := range vals {
			squares += float64(v * scale[i] * v * scale[i])
		}
		left[i] = squares
	}
	var first float64
	var basis [][]float64
	products := make([]float64, f.n)
	for k := range f.r {
		far := 0
		for i, v := range left {
			if v > left[far] {
				far = i
			}
		}
		if k == 0 {
			first = left[far]
		}
		if !(left[far] > 1e-12*first) {
			f.addRow(random.Below(f.n), 1, k)
			continue
		}
		f.addRow(far, 1, k)
		direction := append([]float64(nil), f.h[k*f.m:(k+1)*f.m]...)
		unit(direction)
		before := 1.0
		for range 2 {
			blas.Orthogonalize(basis, direction)
			before = math.Sqrt(blas.Dot(direction, direction))
			if !(before > 0) {
				break
			}
			blas.Scale(1/before, direction)
		}
		left[far] = 0
		if !(before > 0) {
			continue
		}
		basis = append(basis, direction)
		if err := f.apply(ctx, false, direction, products); err != nil {
			return err
		}
		for i, v := range products {
			part := v * scale[i]
			left[i] = max(0, left[i]-float64(part*part))
		}
		left[far] = 0
	}
	return nil
}

// coordinatesOfStart fits W to the components by nonnegative least squares: from the best multiple of XHᵀ,
// by a few sweeps.
func (f *factorization) coordinatesOfStart(ctx context.Context) error {
	f.updateGram()
	r := f.r
	type panel struct{ num, wt, turned, t []float64 }
	panels := make([]panel, blas.Threads(f.threads))
	return blas.For(ctx, f.threads, f.n, f.block, func(worker, lo, hi int) {
		rows, p := hi-lo, &panels[worker]
		if p.num == nil {
			*p = panel{make([]float64, f.block*r), make([]float64, f.block*r), make([]float64, f.block*r), make([]float64, f.block)}
		}
		num, w := p.num[:rows*r], f.w[lo*r:hi*r]
		if f.data.Sparse != nil {
			times(f.data.Sparse, r, lo, hi, f.ht, num)
		} else {
			f.kernels.Gemm(false, false, rows, r, f.m, 1, f.rows(nil, lo, hi), f.m, f.ht, r, 0, num, r)
		}
		f.kernels.Gemm(false, false, rows, r, r, 1, num, r, f.gramH, r, 0, w, r)
		for at := 0; at < len(w); at += r {
			a := num[at : at+r]
			step := 0.0
			if curved := blas.Dot(a, w[at:at+r]); curved > 0 {
				step = blas.Dot(a, a) / curved
			}
			for k, v := range a {
				w[at+k] = v * step
			}
		}
		transpose(rows, r, num, p.turned)
		transpose(rows, r, w, p.wt)
		f.sweep(0, rows, p.wt, rows, p.turned, rows, f.gramH, 0, startSweeps, p.t)
		transpose(r, rows, p.wt, w)
	})
}

// leaveZero puts small random numbers in place of zeros where the updates are multiplicative, which keep
// zeros. Coordinates at the floor of the sweeps count as zero.
func (f *factorization) leaveZero(o Options, random *blas.Stream) {
	for _, x := range [][]float64{f.w, f.h} {
		fill := 0.0
		if o.Solver == Multiplicative || o.Loss == KL {
			fill = startFill * total(x) / float64(len(x))
		}
		for i, v := range x {
			if v > denominator {
				continue
			}
			if x[i] = 0; fill > 0 {
				x[i] = fill * random.Uniform()
			}
		}
	}
}
