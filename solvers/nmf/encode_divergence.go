package nmf

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

// solveDivergence minimizes the Kullback–Leibler divergence of a block of samples, one by
// one: a few multiplicative steps, then projected Newton steps (Bertsekas 1982) until the
// residual is at most the tolerance. Both lower the divergence.
func solveDivergence(e *Encoder, f *factorization, s *scratch, lo, hi int) {
	r := f.r
	for i := lo; i < hi; i++ {
		d := newtonDivergence{f: f, c: s.code, sums: f.sumsOf(i, e.slopes, s.code), l2: f.penaltyW.l2, w: f.w[i*r : (i+1)*r]}
		if a := f.data.Sparse; a != nil {
			d.columns, d.x = a.Row(i)
		} else {
			d.x = f.rows(s, i, i+1)
		}
		s.code.worst = max(s.code.worst, d.solve(e.options.Tolerance, e.options.Iterations))
	}
}

// newtonDivergence is the divergence of one sample, f(w) = Σ s_k w_k + l2/2 Σ w_k² −
// Σ x_j log (wH)_j, s the row sums of H and the l1 of a penalty, as it is minimized. Zeros of the sample add no logarithm, nor do
// columns in which all components are zero.
type newtonDivergence struct {
	f       *factorization
	c       *codeScratch
	sums    []float64
	l2      float64
	w       []float64
	x       []float64
	columns []int32 // of x; nil: all
	total   float64 // Σ x_j of the columns that count
}

// multiplicativeFirst is the number of multiplicative steps before Newton's.
const multiplicativeFirst = 10

// row is the column j of H as x counts them.
func (d *newtonDivergence) row(q int) []float64 {
	if d.columns != nil {
		q = int(d.columns[q])
	}
	return d.f.ht[q*d.f.r : (q+1)*d.f.r]
}

// value is f(w), and leaves wH in the scratch; +Inf where (wH)_j = 0 and x_j is not.
func (d *newtonDivergence) value(w []float64) float64 {
	value := blas.Dot(d.sums, w)
	if d.l2 > 0 {
		value += d.l2 / 2 * blas.Dot(w, w)
	}
	for q, v := range d.x {
		if v <= 0 {
			continue
		}
		model := blas.Dot(d.row(q), w)
		d.c.model[q] = model
		if model > 0 {
			value -= v * math.Log(model)
		} else if !d.empty(q) {
			return math.Inf(1)
		}
	}
	return value
}

// empty tells whether all components are zero in a column.
func (d *newtonDivergence) empty(q int) bool {
	for _, h := range d.row(q) {
		if h > 0 {
			return false
		}
	}
	return true
}

// gradient writes the gradient s + l2·w − H(x/wH) at the w of the last value, and returns the
// residual: max over k of |min(w_k s_k/Σx, g_k/s_k)|, s_k with l2·w_k. It has no unit: neither
// that of the sample nor those of the components.
func (d *newtonDivergence) gradient() float64 {
	g := d.c.right
	copy(g, d.sums)
	if d.l2 > 0 {
		blas.Axpy(d.l2, d.w, g)
	}
	for q, v := range d.x {
		if model := d.c.model[q]; v > 0 && model > 0 {
			blas.Axpy(-v/model, d.row(q), g)
		}
	}
	var most float64
	for k, v := range d.w {
		if s := d.sums[k] + d.l2*v; s > 0 {
			most = max(most, math.Abs(min(v*s/d.total, g[k]/s)))
		}
	}
	return most
}

func (d *newtonDivergence) solve(tolerance float64, steps int) float64 {
	d.total = 0
	for q, v := range d.x {
		if v > 0 && !d.empty(q) {
			d.total += v
		}
	}
	if d.total == 0 {
		clear(d.w)
		return 0
	}
	for k, s := range d.sums {
		if s == 0 {
			d.w[k] = 0
		}
	}
	value := d.value(d.w)
	residual := d.gradient()
	for t := range steps {
		if residual <= tolerance || d.f.stopped() {
			break
		}
		if t < multiplicativeFirst || !d.newton(residual, value) {
			// w ∘ (s − g)/s: the step of Lee and Seung, or with an l2 that of [divergenceStep].
			for k, s := range d.sums {
				if d.l2 > 0 {
					w := d.w[k]
					d.w[k] = divergenceStep(s, w*max(s+d.l2*w-d.c.right[k], 0), d.l2)
				} else if s > 0 {
					if d.w[k] *= max(s-d.c.right[k], 0) / s; d.w[k] < vanished {
						d.w[k] = 0
					}
				}
			}
		}
		value = d.value(d.w)
		residual = d.gradient()
	}
	return residual
}

// newton takes a projected Newton step from w, and tells whether one lowers the value.
func (d *newtonDivergence) newton(residual, value float64) bool {
	r, c := d.f.r, d.c
	q, g := c.squares, c.right
	for at, v := range d.x {
		c.root[at] = 0
		if model := c.model[at]; v > 0 && model > 0 {
			c.root[at] = math.Sqrt(v) / model
		}
	}
	d.f.weightedGram(c, c.root[:len(d.x)], d.columns)
	q.passive = q.passive[:0]
	clear(c.move)
	for k, s := range d.sums {
		c.gram[k*r+k] += d.l2
		s += d.l2 * d.w[k]
		switch near := d.w[k]*s <= min(nearBound, residual)*d.total; {
		case s == 0:
		case near && g[k] > 0:
			c.move[k] = -g[k] / s * d.total / s
		default:
			q.passive = append(q.passive, k)
			c.gram[k*r+k] *= 1 + damping
		}
	}
	c.solvePassive()
	slack := 1e-15 * (math.Abs(value) + d.total)
	for length := 1.0; length > 1/float64(int(1)<<halvings); length /= 2 {
		promised := c.step(d.w, length)
		if promised < 0 && d.value(c.next) <= value+armijo*promised+slack {
			copy(d.w, c.next)
			return true
		}
	}
	_ = d.value(d.w) // the gradient is of the last value
	return false
}
