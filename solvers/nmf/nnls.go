package nmf

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
)

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

// solve improves w until its residual is at most the tolerance, in so many rounds at most, and
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
// with ‖h_k‖² = G_kk. It has no unit: neither that of the sample nor those of the
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

// fixed makes the right side of the minimum over the passive coordinates: b less what the
// others contribute.
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
