package nmf

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

const (
	// nonnegativeTolerance is the residual at which [NonnegativeLeastSquares] ends, by default,
	// and nonnegativeRounds how many rounds of sweeps and steps it takes at most.
	nonnegativeTolerance = 1e-10
	nonnegativeRounds    = 200
)

// NonnegativeLeastSquares minimises ‖Ax − b‖ over x ≥ 0 for many right sides b. A is rows ×
// cols, with entries of any sign, and b has a right side in every row: sides × rows numbers,
// both by rows. It returns the solutions, sides × cols, and the largest residual among them:
//
//	max over k of |min(x_k‖a_k‖/‖b‖, g_k/(‖a_k‖‖b‖))|,  g = Aᵀ(Ax − b),  a_k the columns of A,
//
// which has no unit and is 0 at the minimum alone. A solution is sought until its residual
// is at most the tolerance (0: 1e-10), in 200 rounds at most: eight sweeps of coordinate
// descent, then a step to the minimum over the coordinates that are positive (after Lawson
// and Hanson, Solving Least Squares Problems, 1974, chapter 23). A column of zeros has the
// coefficient 0; of columns that depend on each other one solution of several is found.
//
// It works with AᵀA, 2·rows·cols² flops, and then needs A no more: a right side takes
// 2·rows·cols flops for its products and at most cols³/3 for a step. The condition of A counts
// squared, so that columns that agree to eight digits count as equal. The number of threads
// (0: all cores) changes no bit.
//
// It refuses shapes that contradict each other, numbers that are not finite, and those whose
// squares are not.
func NonnegativeLeastSquares(ctx context.Context, rows, cols int, a []float64, sides int, b []float64, tolerance float64, threads int) (x []float64, residual float64, err error) {
	switch {
	case rows < 1 || cols < 1 || len(a) != rows*cols:
		return nil, 0, fmt.Errorf("nmf: %d numbers are no %d × %d matrix A; give at least one row and one column", len(a), rows, cols)
	case sides < 1 || len(b) != sides*rows:
		return nil, 0, fmt.Errorf("nmf: %d numbers are no %d right sides of %d numbers each; give one right side at least", len(b), sides, rows)
	case !(tolerance >= 0) || math.IsInf(tolerance, 0):
		return nil, 0, fmt.Errorf("nmf: the tolerance is %v; give a finite number ≥ 0", tolerance)
	}
	for name, list := range map[string][]float64{"A": a, "the right sides": b} {
		if squares := blas.Dot(list, list); squares-squares != 0 {
			return nil, 0, fmt.Errorf("nmf: the squares of %s add up to %v; remove what is not finite, and scale what is large", name, squares)
		}
	}
	setPositive(&tolerance, nonnegativeTolerance)
	kernels, err := blas.Select("")
	if err != nil {
		return nil, 0, err
	}
	gram, products := make([]float64, cols*cols), make([]float64, sides*cols)
	kernels.SyrkParallel(threads, true, cols, rows, 1, a, cols, 0, gram, cols)
	mirror(cols, gram)
	kernels.GemmParallel(threads, false, false, sides, cols, rows, 1, b, rows, a, cols, 0, products, cols)
	x = make([]float64, sides*cols)
	workers := make([]*leastSquares, blas.Threads(threads))
	residuals := make([]float64, sides)
	err = blas.For(ctx, threads, sides, 64, func(worker, lo, hi int) {
		if workers[worker] == nil {
			workers[worker] = newLeastSquares(cols)
		}
		for i := lo; i < hi; i++ {
			side := b[i*rows : (i+1)*rows]
			residuals[i] = workers[worker].solve(gram, products[i*cols:(i+1)*cols], x[i*cols:(i+1)*cols],
				math.Sqrt(blas.Dot(side, side)), tolerance, nonnegativeRounds)
		}
	})
	for _, v := range residuals {
		residual = max(residual, v)
	}
	return x, residual, err
}

// SolveProducts returns the nonnegative coordinates, n × r, of samples of which only their
// products with the components are known: Gram is HHᵀ, of r components, products are
// XHᵀ, n × r, and squares ‖x‖² of every sample. Each is the minimum of ‖x − wH‖² over w ≥ 0,
// to a residual of tolerance (see [NewEncoder]) or 200 rounds.
func SolveProducts(ctx context.Context, gram, products, squares []float64, r int, tolerance float64, threads int) ([]float64, error) {
	w := make([]float64, len(products))
	workers := make([]*leastSquares, blas.Threads(threads))
	err := blas.For(ctx, threads, len(squares), 64, func(worker, lo, hi int) {
		if workers[worker] == nil {
			workers[worker] = newLeastSquares(r)
			workers[worker].stop = func() bool { return ctx.Err() != nil }
		}
		for i := lo; i < hi; i++ {
			workers[worker].solve(gram, products[i*r:(i+1)*r], w[i*r:(i+1)*r], math.Sqrt(squares[i]), tolerance, 200)
		}
	})
	return w, err
}

// leastSquares minimizes ½ wᵀGw − bᵀw over w ≥ 0 for a positive semidefinite G: sweeps of
// coordinate descent find the coordinates that are positive, and a step towards the
// minimum over these alone, as far as they stay so, finds their values (after Lawson and
// Hanson 1974). Both lower the objective. It is one worker's scratch.
type leastSquares struct {
	factor    []float64 // of G over the positive coordinates, r × r
	target    []float64 // the minimum over them
	passive   []int     // them
	positions int       // r

	stop func() bool // which ends the work, at no minimum; nil: nothing does
}

func newLeastSquares(r int) *leastSquares {
	return &leastSquares{factor: make([]float64, r*r), target: make([]float64, r), passive: make([]int, 0, r), positions: r}
}

// sweepsBetween is the number of sweeps before a step over the positive coordinates.
const sweepsBetween = 8

// solve improves w until its residual is at most the tolerance, in this many rounds at most, and
// returns the residual. size is ‖x‖, of which w are the coordinates.
func (q *leastSquares) solve(gram, b, w []float64, size, tolerance float64, rounds int) float64 {
	if size == 0 {
		clear(w)
		return 0
	}
	residual := q.residual(gram, b, w, size)
	for range rounds {
		if residual <= tolerance {
			break
		}
		for range sweepsBetween {
			if q.stopped() {
				return residual
			}
			q.descend(gram, b, w)
		}
		q.step(gram, b, w)
		residual = q.residual(gram, b, w, size)
	}
	return residual
}

func (q *leastSquares) stopped() bool { return q.stop != nil && q.stop() }

// residual is max over k of |min(w_k‖h_k‖/‖x‖, g_k/(‖h_k‖‖x‖))| for the gradient g = Gw − b,
// with ‖h_k‖² = G_kk. It is dimensionless: it depends on the unit neither of the sample nor of the
// components. It is 0 at the minimum alone.
func (q *leastSquares) residual(gram, b, w []float64, size float64) float64 {
	r := q.positions
	var most float64
	for k, v := range w {
		length := math.Sqrt(gram[k*r+k])
		if length == 0 {
			continue
		}
		g := blas.Dot(gram[k*r:(k+1)*r], w) - b[k]
		most = max(most, math.Abs(min(v*length/size, g/(length*size))))
	}
	return most
}

// descend minimizes over the coordinates one after the other. A component that is zero
// has the coordinate zero.
func (q *leastSquares) descend(gram, b, w []float64) {
	r := q.positions
	for k := range w {
		row := gram[k*r : (k+1)*r]
		if row[k] <= 0 {
			w[k] = 0
			continue
		}
		if w[k] = max(0, w[k]+(b[k]-blas.Dot(row, w))/row[k]); w[k] < vanished {
			w[k] = 0
		}
	}
}

// step goes towards the minimum over the positive coordinates until one of them would be
// negative, which becomes zero, and again without it, until none would.
func (q *leastSquares) step(gram, b, w []float64) {
	for range q.positions {
		if q.stopped() {
			return
		}
		q.passive = q.passive[:0]
		for k, v := range w {
			if v > 0 {
				q.passive = append(q.passive, k)
			}
		}
		q.factorize(gram)
		q.fixed(gram, b, w)
		q.substitute()
		share, first := 1.0, -1
		for a, k := range q.passive {
			if z := q.target[a]; z <= 0 {
				if s := w[k] / (w[k] - z); s < share {
					share, first = s, k
				}
			}
		}
		for a, k := range q.passive {
			w[k] = max(0, w[k]+share*(q.target[a]-w[k]))
		}
		if first < 0 {
			return
		}
		w[first] = 0
	}
}

// fixed makes the right side of the minimum over the passive coordinates: b minus the contributions
// of the others.
func (q *leastSquares) fixed(gram, b, w []float64) {
	r := q.positions
	z := q.target[:len(q.passive)]
	for a, k := range q.passive {
		z[a] = b[k] - blas.Dot(gram[k*r:(k+1)*r], w)
		for _, l := range q.passive {
			z[a] += gram[k*r+l] * w[l]
		}
	}
}

// singularShare: a pivot below this share of its diagonal entry counts as zero.
const singularShare = 1e-13

// factorize is Cholesky's factorisation of G over the passive coordinates. One that
// depends on those before it is passive no longer.
func (q *leastSquares) factorize(gram []float64) {
	r := q.positions
	kept := 0
	for _, k := range q.passive {
		if q.stopped() {
			break
		}
		row := q.factor[kept*r : kept*r+kept+1]
		for c, l := range q.passive[:kept] {
			other := q.factor[c*r : c*r+c+1]
			row[c] = (gram[k*r+l] - blas.Dot(row[:c], other[:c])) / other[c]
		}
		pivot := gram[k*r+k] - blas.Dot(row[:kept], row[:kept])
		if !(pivot > singularShare*gram[k*r+k]) {
			continue
		}
		row[kept] = math.Sqrt(pivot)
		q.passive[kept] = k
		kept++
	}
	q.passive = q.passive[:kept]
}

// substitute solves for the target, which has the right side.
func (q *leastSquares) substitute() {
	r := q.positions
	z := q.target[:len(q.passive)]
	for a := range z {
		row := q.factor[a*r : a*r+a+1]
		z[a] = (z[a] - blas.Dot(row[:a], z[:a])) / row[a]
	}
	for a := len(z) - 1; a >= 0; a-- {
		z[a] /= q.factor[a*r+a]
		blas.Axpy(-z[a], q.factor[a*r:a*r+a], z[:a])
	}
}
