package blas

import "math"

// secularLimit bounds the steps for one root. A handful is usual; every other
// step after the ninth halves the interval.
const secularLimit = 150

// secularRoot finds root i, counted from 0, of
//
//	1/rho + Σⱼ zⱼ²/(dⱼ − λ) = 0,
//
// d ascending, rho > 0 and ‖z‖ = 1, and writes all dⱼ − λ to delta with full
// relative accuracy, by taking the nearest pole as the origin. It returns λ.
// The step is the zero of a rational function with the two neighbouring poles
// that agrees in value and slopes (Li 1993, "middle way"), inside an interval
// that always holds the root.
func secularRoot(i int, d, z []float64, rho float64, delta []float64) float64 {
	k := len(d)
	if k == 1 {
		delta[0] = -rho * z[0] * z[0]
		return d[0] - delta[0]
	}
	last := i == k-1
	r := secular{d: d, z: z, delta: delta, inverse: 1 / rho, split: i}
	var width float64
	if last {
		// The root lies in (d_{k−1}, d_{k−1} + rho]; the poles at its left lead.
		r.split, r.pole, width = k-2, i, rho
		r.lo, r.hi = 0, rho*(1+8*ulp) // ‖z‖ is 1 up to rounding
	} else {
		width = d[i+1] - d[i]
		r.pole = i
		r.evaluate(width / 2)
		if r.f < 0 { // the root is in the right half
			r.pole = i + 1
			r.lo, r.hi = -width/2, 0
		} else {
			r.lo, r.hi = 0, width/2
		}
	}
	tau := r.start(i, last, width)
	for trial := range secularLimit {
		r.evaluate(tau)
		if math.Abs(r.f) <= r.bound {
			break
		}
		if r.f < 0 {
			r.lo = tau
		} else {
			r.hi = tau
		}
		next := tau + r.step(last)
		if !(next > r.lo && next < r.hi) || trial > 8 && trial%2 == 0 {
			next = r.halve()
		}
		if math.Abs(next-tau) <= ulp/2*math.Abs(next) {
			tau = next
			break
		}
		tau = next
	}
	if tau != r.tau {
		r.shift(tau)
	}
	return d[r.pole] + tau
}

// secular is the search for one root: λ = d[pole] + tau.
type secular struct {
	d, z, delta []float64
	inverse     float64 // 1/rho
	split       int     // poles up to this one belong to psi, the others to phi
	pole        int
	lo, hi      float64 // tau's interval: f < 0 at lo, f > 0 at hi
	tau         float64
	f, bound    float64 // value and its rounding
	dpsi, dphi  float64
}

// shift fills delta for a given tau.
func (r *secular) shift(tau float64) {
	origin := r.d[r.pole]
	for j, v := range r.d {
		r.delta[j] = (v - origin) - tau
	}
	r.tau = tau
}

// evaluate computes f and its slopes at tau.
func (r *secular) evaluate(tau float64) {
	r.tau = tau
	origin := r.d[r.pole]
	sum := func(from, to int) (value, slope float64) {
		d, z, delta := r.d[from:to], r.z[from:to], r.delta[from:to]
		for j, v := range d {
			x := (v - origin) - tau
			delta[j] = x
			t := z[j] / x
			value += z[j] * t
			slope += t * t
		}
		return
	}
	psi, dpsi := sum(0, r.split+1)
	phi, dphi := sum(r.split+1, len(r.d))
	r.f, r.dpsi, r.dphi = r.inverse+psi+phi, dpsi, dphi
	r.bound = ulp * (2*(r.inverse+math.Abs(psi)+math.Abs(phi)) + math.Abs(tau)*(dpsi+dphi)/2)
}

// start is the first guess: poles i and i+1 kept, the others' sum taken from
// the middle of the interval.
func (r *secular) start(i int, last bool, width float64) float64 {
	if last {
		return r.halve()
	}
	// evaluate has been called at the middle, with whichever pole as origin.
	left, right := r.z[i]*r.z[i], r.z[i+1]*r.z[i+1]
	c := r.f + 2*left/width - 2*right/width
	// c + left/(−x) + right/(width−x) = 0 with x measured from d[i], or, from
	// d[i+1], c + left/(−width−x) + right/(−x) = 0.
	var a, b float64
	if r.pole == i {
		a, b = c*width+left+right, left*width
	} else {
		a, b = -c*width+left+right, -right*width
	}
	var x float64
	root := math.Sqrt(math.Abs(a*a - 4*b*c))
	if a <= 0 {
		x = (a - root) / (2 * c)
	} else {
		x = 2 * b / (a + root)
	}
	if !(x > r.lo && x < r.hi) {
		x = r.halve()
	}
	return x
}

// step is the way to the zero of the rational model.
func (r *secular) step(last bool) float64 {
	left, right := r.delta[r.split], r.delta[r.split+1]
	slope := r.dpsi + r.dphi
	c := r.f - left*r.dpsi - right*r.dphi
	a := (left+right)*r.f - left*right*slope
	b := left * right * r.f
	root := math.Sqrt(math.Abs(a*a - 4*b*c))
	var x float64
	switch {
	case last && a >= 0:
		x = (a + root) / (2 * math.Abs(c))
	case last:
		x = 2 * b / (a - root)
	case a <= 0:
		x = (a - root) / (2 * c)
	default:
		x = 2 * b / (a + root)
	}
	if !(x*r.f < 0) {
		x = -r.f / slope
	}
	return x
}

// halve cuts the interval in the middle, on a logarithmic scale where it spans
// orders of magnitude beside the pole.
func (r *secular) halve() float64 {
	lo, hi := r.lo, r.hi
	switch {
	case lo > 0 && hi > 16*lo:
		return math.Sqrt(lo) * math.Sqrt(hi)
	case hi < 0 && lo < 16*hi:
		return -math.Sqrt(-lo) * math.Sqrt(-hi)
	case lo == 0 && hi > 0:
		return hi / 16
	case hi == 0 && lo < 0:
		return lo / 16
	}
	return lo + (hi-lo)/2
}
