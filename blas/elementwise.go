package blas

import "math"

// The loops of weighted and Kullback–Leibler factorisations, which pass over every
// entry of the data between two products. Each entry is computed as the generic
// code spells it out, whatever the instruction level.

// leastExponent bounds the exponents of [GaussWeights] from below: what is smaller
// counts for nothing beside other entries, and its products could be denormal.
const leastExponent = -400

// GaussWeights writes the weights max(e^−c(x[i]−t[i])², e^−400) to p[i], p[i]·x[i]
// to u[i] and p[i]·t[i] to v[i], over the length of x, for c ≥ 0. p may be t.
func GaussWeights(c float64, x, t, p, u, v []float64) {
	n := len(x)
	t, p, u, v = t[:n], p[:n], u[:n], v[:n]
	i := 0
	if q := n &^ 7; isa == isaAVX512 && q > 0 {
		for ; i < q; i += spanTerms {
			gaussWeightsAVX512(min(q-i, spanTerms), c, &x[i], &t[i], &p[i], &u[i], &v[i])
		}
		i = q
	}
	var weights [128]float64
	for ; i < n; i += len(weights) {
		end := min(i+len(weights), n)
		w := weights[:end-i]
		gaussArguments(w, c, x[i:end], t[i:end])
		Exp(w, w)
		Weigh(w, x[i:end], t[i:end], u[i:end], v[i:end])
		copy(p[i:end], w)
	}
}

// gaussArguments writes max(−c·(x[i] − t[i])², leastExponent) to dst[i].
func gaussArguments(dst []float64, c float64, x, t []float64) {
	i := 0
	if q := len(x) &^ 3; isa >= isaAVX2 && q > 0 {
		gaussArgumentsAVX2(q, c, leastExponent, &x[0], &t[0], &dst[0])
		i = q
	}
	for ; i < len(x); i++ {
		d := x[i] - t[i]
		a := float64(d*d) * -c
		if !(a > leastExponent) {
			a = leastExponent
		}
		dst[i] = a
	}
}

// Weigh writes p[i]·x[i] to u[i] and p[i]·t[i] to v[i] over the length of x; u and
// v may be any of the three.
func Weigh(p, x, t, u, v []float64) {
	p, t, u, v = p[:len(x)], t[:len(x)], u[:len(x)], v[:len(x)]
	i := 0
	if q := len(x) &^ 3; isa >= isaAVX2 && q > 0 {
		for ; i < q; i += spanTerms {
			weighAVX2(min(q-i, spanTerms), &p[i], &x[i], &t[i], &u[i], &v[i])
		}
		i = q
	}
	for ; i < len(x); i++ {
		f, a, b := p[i], x[i], t[i]
		u[i], v[i] = f*a, f*b
	}
}

// Multiply writes x[i]·t[i] to dst[i] over the length of x; dst may be x or t.
func Multiply(dst, x, t []float64) {
	t, dst = t[:len(x)], dst[:len(x)]
	i := 0
	if q := len(x) &^ 3; isa >= isaAVX2 && q > 0 {
		for ; i < q; i += spanTerms {
			multiplyAVX2(min(q-i, spanTerms), &x[i], &t[i], &dst[i])
		}
		i = q
	}
	for ; i < len(x); i++ {
		dst[i] = x[i] * t[i]
	}
}

// Quotients writes x[i] / max(t[i], floor) to dst[i] over the length of x; dst may
// be x or t.
func Quotients(dst []float64, floor float64, x, t []float64) {
	t, dst = t[:len(x)], dst[:len(x)]
	i := 0
	if q := len(x) &^ 3; isa >= isaAVX2 && q > 0 {
		for ; i < q; i += spanTerms {
			quotientsAVX2(min(q-i, spanTerms), floor, &x[i], &t[i], &dst[i])
		}
		i = q
	}
	for ; i < len(x); i++ {
		d := t[i]
		if !(d > floor) {
			d = floor
		}
		dst[i] = x[i] / d
	}
}

// Roots writes √max(x[i], floor) to dst[i] over the length of x, for floor ≥ 0; dst may be x.
func Roots(dst []float64, floor float64, x []float64) {
	dst = dst[:len(x)]
	i := 0
	if q := len(x) &^ 3; isa >= isaAVX2 && q > 0 {
		for ; i < q; i += spanTerms {
			rootsAVX2(min(q-i, spanTerms), floor, &x[i], &dst[i])
		}
		i = q
	}
	for ; i < len(x); i++ {
		v := x[i]
		if !(v > floor) {
			v = floor
		}
		dst[i] = math.Sqrt(v)
	}
}

// MultiplyRatios is one multiplicative step: y[i] ← y[i]·(num[i] / max(den[i],
// floor)), and 0 where that is below least.
func MultiplyRatios(y []float64, floor, least float64, num, den []float64) {
	num, den = num[:len(y)], den[:len(y)]
	i := 0
	if q := len(y) &^ 3; isa >= isaAVX2 && q > 0 {
		for ; i < q; i += spanTerms {
			multiplyRatiosAVX2(min(q-i, spanTerms), floor, least, &num[i], &den[i], &y[i])
		}
		i = q
	}
	for ; i < len(y); i++ {
		d := den[i]
		if !(d > floor) {
			d = floor
		}
		v := y[i] * (num[i] / d)
		if !(v >= least) {
			v = 0
		}
		y[i] = v
	}
}
