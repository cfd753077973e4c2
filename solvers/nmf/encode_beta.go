package nmf

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

// solveBeta minimizes the β-divergence of a block of samples, one by one: a few multiplicative
// steps, then projected Newton steps (Bertsekas 1982) until the residual is at most the
// tolerance. Both lower the divergence. It is convex for 1 ≤ β ≤ 2; else the minimum is the
// one that the start of [Encoder] leads to.
func solveBeta(e *Encoder, f *factorization, s *scratch, lo, hi int) {
	r, m := f.r, f.m
	rule := newBetaRule(f.shape, false)
	for i := lo; i < hi; i++ {
		d := newtonBeta{betaRule: &rule, f: f, c: s.code, w: f.w[i*r : (i+1)*r]}
		if a := f.data.Sparse; a != nil {
			d.x = s.code.spare[:m]
			clear(d.x)
			for j, v := range positive(a.Row(i)) {
				d.x[j] = v
			}
		} else {
			d.x = f.rows(s, i, i+1)
		}
		s.code.worst = max(s.code.worst, d.solve(e.options.Tolerance, e.options.Iterations))
	}
}

// newtonBeta is the penalised divergence of one sample as it is minimized.
type newtonBeta struct {
	*betaRule
	f *factorization
	c *codeScratch
	w []float64
	x []float64
}

// value is the divergence at w, and leaves wH in the scratch.
func (d *newtonBeta) value(w []float64) float64 {
	m, r := d.f.m, d.f.r
	d.f.kernels.Gemm(false, false, 1, m, r, 1, w, r, d.f.h, m, 0, d.c.model, m)
	return d.divergence(d.x, d.c.model[:m]) + d.f.penaltyW.value(w)
}

// gradient writes the gradient at the w of the last value, and what it has without the sample:
// s = Y^(β−1)Hᵀ + l1 + l2·w. It returns the residual: max over k of |min(w_k s_k/Σ w_l s_l,
// g_k/s_k)|, which has no unit.
func (d *newtonBeta) gradient() float64 {
	r := d.f.r
	g, s, p := d.c.right, d.c.next, d.f.penaltyW
	clear(s)
	clear(g)
	for j, x := range d.x {
		y := d.model(d.c.model[j])
		t := d.power(y)
		row := d.f.ht[j*r : (j+1)*r]
		blas.Axpy(y*t, row, s)
		if x > 0 {
			blas.Axpy(-x*t, row, g)
		}
	}
	var whole, most float64
	for k, v := range d.w {
		s[k] += p.l1 + p.l2*v
		g[k] += s[k]
		whole += v * s[k]
	}
	for k, v := range d.w {
		if s[k] > 0 && whole > 0 {
			most = max(most, math.Abs(min(v*s[k]/whole, g[k]/s[k])))
		}
	}
	return most
}

func (d *newtonBeta) solve(tolerance float64, steps int) float64 {
	if total(d.x) == 0 {
		clear(d.w)
		return 0
	}
	value := d.value(d.w)
	residual := d.gradient()
	for t := range steps {
		if residual <= tolerance || d.f.stopped() {
			break
		}
		if t < multiplicativeFirst || !d.newton(residual, value) {
			d.multiply()
		}
		value = d.value(d.w)
		residual = d.gradient()
	}
	return residual
}

// multiply takes a multiplicative step.
func (d *newtonBeta) multiply() {
	p := d.f.penaltyW
	for k, s := range d.c.next {
		num := max(0, s-d.c.right[k])
		d.c.move[k], d.c.next[k] = num, max(0, s-p.l1-p.l2*d.w[k])
	}
	d.move(d.w, d.c.move, d.c.next, p, vanished)
}

// newton takes a projected Newton step from w, and tells whether one lowers the value. Of the
// second derivative y^(β−3)((β−1)y + (2−β)x) the parts below zero, which β < 1 and β > 2 have,
// are left out.
func (d *newtonBeta) newton(residual, value float64) bool {
	r, c, p := d.f.r, d.c, d.f.penaltyW
	q, g := c.squares, c.right
	var whole, scale float64
	for j, x := range d.x {
		y := d.model(c.model[j])
		t := d.power(y)
		c.root[j] = math.Sqrt(max(0, (d.beta-1)*t) + max(0, (2-d.beta)*x*t/y))
		scale += math.Abs(y * y * t)
	}
	d.f.weightedGram(c, c.root[:len(d.x)], nil)
	for k, s := range c.next {
		whole += d.w[k] * s
	}
	q.passive = q.passive[:0]
	clear(c.move)
	for k, s := range c.next {
		c.gram[k*r+k] += p.l2
		switch near := d.w[k]*s <= min(nearBound, residual)*whole; {
		case s == 0:
		case near && g[k] > 0:
			c.move[k] = -d.w[k]
		default:
			q.passive = append(q.passive, k)
			c.gram[k*r+k] *= 1 + damping
		}
	}
	c.solvePassive()
	slack := 1e-15 * (math.Abs(value) + scale)
	for length := 1.0; length > 1/float64(int(1)<<halvings); length /= 2 {
		promised := c.step(d.w, length)
		if promised < 0 && d.value(c.next) <= value+armijo*promised+slack {
			copy(d.w, c.next)
			return true
		}
	}
	_ = d.value(d.w)
	_ = d.gradient() // of the last value, with what it has without the sample
	return false
}
