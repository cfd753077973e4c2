package nmf

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/projections"
)

// Rows of W that sum to one, as the abundances of materials in a pixel do (Options.SumToOne): a step of W
// goes over the simplex.
//
//   - Of the squared error, with [HALS], a row is moved by projected gradients with momentum (Beck and Teboulle
//     2009) in the Gram form ½wGwᵀ − cwᵀ, G = HHᵀ, c = xHᵀ; a step that rises is taken again from its start
//     without momentum, where it cannot rise.
//   - Of KL, the majorizer Σ aₖwₖ − bₖ log wₖ of a multiplicative step, a the row sums of H and b = w∘((x/wH)Hᵀ),
//     is minimized over the simplex: wₖ = bₖ/(aₖ + λ), with λ by Newton's rule, which comes up to it from below. With
//     the ridges qₖ of smooth components wₖ is the root ≥ 0 of qw² + (a + λ)w − b, which falls and is convex in λ, too.
//
// Neither raises the objective.

// checkSumToOne refuses options that do not go with rows of W that sum to one.
func (o Options) checkSumToOne() error {
	switch {
	case !o.SumToOne:
		return nil
	case o.Loss == Frobenius && o.Solver != HALS:
		return fmt.Errorf("nmf: rows of W that sum to one are for solver %s of loss %s; take that solver", HALS, Frobenius)
	case o.Loss != Frobenius && o.Loss != KL || o.Solver == MiniBatch:
		return fmt.Errorf("nmf: rows of W that sum to one are for loss %s with solver %s and loss %s with solver %s; take one of these", Frobenius, HALS, KL, Multiplicative)
	case o.Fixed == WFixed:
		return fmt.Errorf("nmf: rows of W that sum to one are learned; leave out the fixed W")
	case o.Lambda > 0 && o.Graph.present():
		return fmt.Errorf("nmf: rows of W that sum to one go with no graph term; leave out one of them")
	case o.Penalties.W > 0:
		return fmt.Errorf("nmf: rows of W that sum to one go with no penalty on W; leave out one of them")
	case o.Extrapolate:
		return fmt.Errorf("nmf: rows of W that sum to one go with no extrapolation; leave out one of them")
	case o.Order != BasisFirst:
		return fmt.Errorf("nmf: rows of W that sum to one go with order %s; leave out the order", BasisFirst)
	case o.Stop == Violation && o.Tolerance > 0:
		return fmt.Errorf("nmf: stop %s is about rows of W that are free; take stop %s or %s where they sum to one", Violation, Change, RelativeDecrease)
	case o.Normalize != Never:
		return fmt.Errorf("nmf: rows of W that sum to one set the scale of the components; take normalise %s", Never)
	}
	return nil
}

// startOnSimplex makes the rows of the start sum to one.
func (f *factorization) startOnSimplex() {
	for i := 0; i < len(f.w); i += f.r {
		toSimplex(f.w[i : i+f.r])
	}
}

// toSimplex divides numbers ≥ 0 by their sum. Zeros become equal numbers.
func toSimplex(w []float64) {
	sum := total(w)
	for k := range w {
		if sum > 0 {
			w[k] /= sum
		} else {
			w[k] = 1 / float64(len(w))
		}
	}
}

// simplexSteps is the most projected gradients of a row to one product with the data.
const simplexSteps = 20

// lipschitz is a bound of the largest eigenvalue of a Gram matrix: its largest row sum.
func lipschitz(r int, gram []float64) (most float64) {
	for k := range r {
		most = max(most, total(gram[k*r:(k+1)*r]))
	}
	return most
}

// simplexRow is the scratch memory of one row that moves over the simplex.
type simplexRow struct{ ahead, next, slope []float64 }

// simplexRowOf takes memory that a worker has: of its numerators of other rows.
func simplexRowOf(r int, from []float64) simplexRow {
	return simplexRow{from[:r], from[r : 2*r], from[2*r : 3*r]}
}

// descend lowers ½wGwᵀ − cwᵀ over the simplex from w, by at most this many projected gradients, until one
// moves w by less than settle times the first.
func (s simplexRow) descend(w, c, gram []float64, bound float64, steps int, settle float64, stopped func() bool) {
	if bound == 0 {
		return
	}
	r := len(w)
	value := func(w []float64) float64 { // and the slope
		var sum float64
		for k, v := range w {
			g := blas.Dot(gram[k*r:(k+1)*r], w) - c[k]
			s.slope[k] = g
			sum += v * (g - c[k]) / 2
		}
		return sum
	}
	before, t, first := value(w), 1.0, 0.0
	copy(s.ahead, w)
	for step := range steps {
		if stopped() {
			return
		}
		_ = value(s.ahead)
		for k, v := range s.ahead {
			s.next[k] = v - s.slope[k]/bound
		}
		projections.Simplex(s.next, s.next, 1)
		now := value(s.next)
		if now > before { // momentum went too far
			if t == 1 {
				return // rounding
			}
			t = 1
			copy(s.ahead, w)
			continue
		}
		before = now
		momentum := (t - 1) / ((1 + math.Sqrt(1+4*t*t)) / 2)
		t = (1 + math.Sqrt(1+4*t*t)) / 2
		var moved float64
		for k, v := range s.next {
			d := v - w[k]
			moved += d * d
			s.ahead[k] = v + momentum*d
			w[k] = v
		}
		if step == 0 {
			first = moved
		}
		if moved <= settle*settle*first {
			return
		}
	}
}

// simplexRows moves a block of rows of W over the simplex, by the products of the data with the components, whose
// Gram matrix has the ridges of smooth components.
func (u *coordinateDescent) simplexRows(worker, lo, hi int, gram []float64) {
	r := u.r
	s := &u.scratch[worker]
	num := s.num[:(hi-lo)*r]
	u.dataProducts(s, lo, hi, num)
	row, bound := simplexRowOf(r, u.panels[worker].simplex), lipschitz(r, gram)
	for i := lo; i < hi; i++ {
		row.descend(u.w[i*r:(i+1)*r], num[(i-lo)*r:(i-lo+1)*r], gram, bound, simplexSteps, sweepSettle, u.stopped)
	}
}

// divergenceOnSimplex minimizes Σ aₖwₖ − bₖ log wₖ + ½qₖwₖ² over the simplex; no q: 0. b is overwritten by w.
func divergenceOnSimplex(a, b, q []float64) {
	cost := func(k int) float64 { // of all in one
		if q == nil {
			return a[k]
		}
		return a[k] + q[k]/2
	}
	least, lambda := 0, math.Inf(-1)
	var whole float64
	for k, v := range b {
		whole += v
		if cost(k) < cost(least) {
			least = k
		}
		if q != nil && q[k] > 0 {
			lambda = max(lambda, v-a[k]-q[k])
		} else if v > 0 {
			lambda = max(lambda, v-a[k])
		}
	}
	if !(whole > 0) { // a sample without entries: where it costs least
		clear(b)
		b[least] = 1
		return
	}
	minimum := func(k int, v float64) (w, slope float64) { // of one entry at the present λ
		s := a[k] + lambda
		switch {
		case q != nil && q[k] > 0:
			w = divergenceMinimum(s, v, q[k])
			if root := math.Sqrt(float64(s*s) + 4*q[k]*v); root > 0 {
				slope = w / root
			}
		case v > 0:
			w = v / s
			slope = w / s
		}
		return w, slope
	}
	for range simplexRounds {
		var sum, slope float64
		for k, v := range b {
			w, d := minimum(k, v)
			sum += w
			slope += d
		}
		next := lambda + (sum-1)/slope
		if !(sum > 1) || !(next > lambda) {
			break
		}
		lambda = next
	}
	for k, v := range b {
		w, _ := minimum(k, v)
		b[k] = flushTiny(w)
	}
	toSimplex(b)
}

// simplexRounds bounds the rounds of Newton's rule, which converges from below.
const simplexRounds = 100

// encodeOnSimplex finds coordinates that sum to one, of each sample by itself: until the residual
//
//	squares      max over k of |min(wₖ, (gₖ − λ)/‖hₖ‖²)|
//	divergence   max over k of |min(wₖ, (gₖ − λ)/(sₖ + |λ|))|,   λ = Σ wₖgₖ
//
// is at most the tolerance, or for the iterations of the encoder. Without a tolerance it is for these.
func encodeOnSimplex(e *Encoder, f *factorization, s *scratch, lo, hi int) {
	r := f.r
	if f.loss == KL {
		u := divergence{factorization: f, rowSumsH: e.rowSums}
		for i := lo; i < hi; i++ {
			toSimplex(f.w[i*r : (i+1)*r])
			for range e.options.Iterations {
				if f.stopped() {
					return
				}
				residual := u.simplexStep(s, i)
				if e.settled(residual) {
					break
				}
			}
			e.note(s, u.simplexResidual(s, i))
		}
		return
	}
	bound := lipschitz(r, f.gramH)
	row, num := simplexRowOf(r, make([]float64, 3*r)), s.num[:(hi-lo)*r]
	f.dataProducts(s, lo, hi, num)
	for i := lo; i < hi; i++ {
		w, c := f.w[i*r:(i+1)*r], num[(i-lo)*r:(i-lo+1)*r]
		toSimplex(w)
		var last float64
		for range e.options.Iterations {
			if f.stopped() {
				return
			}
			row.descend(w, c, f.gramH, bound, simplexSteps, 0, f.stopped)
			var lambda, most float64
			for k, v := range w {
				row.slope[k] = blas.Dot(f.gramH[k*r:(k+1)*r], w) - c[k]
				lambda += v * row.slope[k]
			}
			for k, v := range w {
				if g := f.gramH[k*r+k]; g > 0 {
					most = max(most, math.Abs(min(v, (row.slope[k]-lambda)/g)))
				}
			}
			if last = most; e.settled(most) {
				break
			}
		}
		e.note(s, last)
	}
}

// settled reports whether a residual ends the encoding of a sample.
func (e *Encoder) settled(residual float64) bool {
	return e.options.Tolerance > 0 && residual <= e.options.Tolerance
}

// note keeps the residual of a sample.
func (e *Encoder) note(s *scratch, residual float64) {
	if s.code != nil {
		s.code.worst = max(s.code.worst, residual)
	}
}

// simplexStep moves a row of W over the simplex, and returns the residual before.
func (u *divergence) simplexStep(s *scratch, i int) (residual float64) {
	residual = u.simplexResidual(s, i)
	w := u.w[i*u.r : (i+1)*u.r]
	for k, f := range s.num[:u.r] {
		w[k] *= f
	}
	divergenceOnSimplex(u.rowSumsH, w, nil)
	return residual
}

// simplexResidual is the residual of a row of W, and leaves its numerators in the scratch.
func (u *divergence) simplexResidual(s *scratch, i int) (residual float64) {
	r := u.r
	w, num := u.w[i*r:(i+1)*r], s.num[:r]
	u.numerators(s, i, i+1, num)
	var lambda float64
	for k, v := range w {
		lambda += v * (u.rowSumsH[k] - num[k])
	}
	for k, v := range w {
		if size := u.rowSumsH[k] + math.Abs(lambda); size > 0 {
			residual = max(residual, math.Abs(min(v, (u.rowSumsH[k]-num[k]-lambda)/size)))
		}
	}
	return residual
}
