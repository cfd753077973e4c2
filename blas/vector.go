package blas

const (
	// plainTerms is the length below which sums are formed from left to right,
	// without fused operations: such points lie in trees that inline them.
	plainTerms = 4
	// spanTerms bounds one call of a kernel to a fraction of a millisecond, since
	// assembly cannot be preempted. Longer sums are added up span by span.
	spanTerms = 1 << 18
	// longTerms is the length from which Axpy pays for a look-up among the kernels.
	longTerms = 32
)

// Dot returns xᵀy over the length of x.
//
// From 4 terms on it is defined as 16 partial sums, term i joining sum i mod 16
// by a fused multiply-add, that are added in a fixed tree; sums of more than
// 2¹⁸ terms are formed over this many at a time and added in order. On CPUs that
// fuse, the result is the same bits everywhere.
func Dot(x, y []float64) float64 {
	y = y[:len(x)]
	switch {
	case len(x) < plainTerms:
		var s float64
		for i, v := range x {
			s += float64(v * y[i])
		}
		return s
	case len(x) > spanTerms:
		return inSpans(Dot, x, y)
	case kernel.direct:
		return dotDirect(len(x), &x[0], &y[0])
	}
	return dotGeneric(x, y)
}

// SquaredDistance returns Σ(xᵢ − yᵢ)², summed as in [Dot]. It is the one formula
// that decides neighbours: equal points are at exactly 0, and swapping x and y
// changes no bit.
func SquaredDistance(x, y []float64) float64 {
	y = y[:len(x)]
	switch {
	case len(x) < plainTerms:
		var s float64
		for i, v := range x {
			d := v - y[i]
			s += float64(d * d)
		}
		return s
	case len(x) > spanTerms:
		return inSpans(SquaredDistance, x, y)
	case kernel.direct:
		return squaredDistanceDirect(len(x), &x[0], &y[0])
	}
	return squaredDistanceGeneric(x, y)
}

func inSpans(sum func(x, y []float64) float64, x, y []float64) float64 {
	var s float64
	for len(x) > spanTerms {
		s += sum(x[:spanTerms], y)
		x, y = x[spanTerms:], y[spanTerms:]
	}
	return s + sum(x, y)
}

// dotGeneric is the definition of Dot from plainTerms to spanTerms terms.
func dotGeneric(x, y []float64) float64 {
	var s partialSums
	i := 0
	for ; i+16 <= len(x); i += 16 {
		a, b := (*[16]float64)(x[i:]), (*[16]float64)(y[i:])
		for l := range s {
			s[l] = fma(a[l], b[l], s[l])
		}
	}
	for ; i < len(x); i++ {
		s[i%16] = fma(x[i], y[i], s[i%16])
	}
	return s.total(len(x))
}

// squaredDistanceGeneric is the definition of SquaredDistance, likewise.
func squaredDistanceGeneric(x, y []float64) float64 {
	var s partialSums
	i := 0
	for ; i+16 <= len(x); i += 16 {
		a, b := (*[16]float64)(x[i:]), (*[16]float64)(y[i:])
		for l := range s {
			d := a[l] - b[l]
			s[l] = fma(d, d, s[l])
		}
	}
	for ; i < len(x); i++ {
		d := x[i] - y[i]
		s[i%16] = fma(d, d, s[i%16])
	}
	return s.total(len(x))
}

type partialSums [16]float64

// total adds the sums of n terms. The terms count as continued by zeros to a
// multiple of 4, which turns a sum of −0 into 0.
func (s *partialSums) total(n int) float64 {
	for ; n%4 != 0; n++ {
		s[n%16] += 0
	}
	var t [4]float64
	for l := range t {
		t[l] = (s[l] + s[4+l]) + (s[8+l] + s[12+l])
	}
	return (t[0] + t[2]) + (t[1] + t[3])
}

// Axpy adds a·x to y over the length of x, each term by a fused multiply-add.
func Axpy(a float64, x, y []float64) {
	y = y[:len(x)]
	if !kernel.direct || len(x) < plainTerms {
		for i, v := range x {
			y[i] = fma(a, v, y[i])
		}
		return
	}
	if len(x) < longTerms {
		axpyDirect(len(x), a, &x[0], &y[0])
		return
	}
	for len(x) > 0 {
		n := min(len(x), spanTerms)
		kernel.axpy(n, a, noescape(&x[0]), noescape(&y[0]))
		x, y = x[n:], y[n:]
	}
}

// axpyFour adds a₀·x₀ + … + a₃·x₃ to y in this order, for rows xᵣ of x that are
// ld apart.
func axpyFour(a *[4]float64, x []float64, ld int, y []float64) {
	if kernel.axpyFour == nil {
		for r, f := range a {
			Axpy(f, x[r*ld:r*ld+len(y)], y)
		}
		return
	}
	_ = x[3*ld+len(y)-1]
	for at := 0; at < len(y); at += spanTerms {
		kernel.axpyFour(min(spanTerms, len(y)-at), noescape(&a[0]), noescape(&x[at]), ld, noescape(&y[at]))
	}
}

// Scale multiplies x by a in place.
func Scale(a float64, x []float64) {
	for i := range x {
		x[i] *= a
	}
}

// rankTwoTerms is the length from which a row pays for the call of the kernel.
const rankTwoTerms = 8

// rankTwo subtracts a·x + b·y from row. Both products and their sum are rounded, with and
// without the kernel.
func rankTwo(row []float64, a float64, x []float64, b float64, y []float64) {
	x, y = x[:len(row)], y[:len(row)]
	i := 0
	if q := len(row) &^ 3; kernel.rankTwo != nil && q >= rankTwoTerms {
		for ; i < q; i += spanTerms {
			kernel.rankTwo(min(q-i, spanTerms), a, noescape(&x[i]), b, noescape(&y[i]), noescape(&row[i]))
		}
		i = q
	}
	for ; i < len(row); i++ {
		row[i] -= float64(a*x[i]) + float64(b*y[i])
	}
}

// Rows are N samples of M columns each, row after row without gaps.
type Rows struct {
	N, M int
	Data []float64
}

// Row returns sample i.
func (x Rows) Row(i int) []float64 { return x.Data[i*x.M : (i+1)*x.M] }
