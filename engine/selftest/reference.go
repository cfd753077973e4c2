package selftest

import "math"

// The unit roundoffs of double and single precision.
const (
	unit   = 0x1p-53
	unit32 = 0x1p-24
)

// exact is a sum in twice the working precision: hi + lo is the sum up to
// the square of a rounding unit. It uses no kernel.
type exact struct {
	hi, lo float64
	size   float64 // the sum of the absolute values
}

// add adds x.
func (s *exact) add(x float64) {
	t := s.hi + x
	z := t - s.hi
	s.lo += (s.hi - (t - z)) + (x - z)
	s.hi = t
	s.size += math.Abs(x)
}

// addProduct adds x·y, with the rounding error of the product (Ogita, Rump and Oishi 2005).
// The conversion forces a rounding: a compiler that fuses the product into the sums of add, as on
// arm64, would omit a rounding error that is subtracted afterwards.
func (s *exact) addProduct(x, y float64) {
	p := float64(x * y)
	s.add(p)
	s.lo += math.FMA(x, y, -p)
}

// value returns the sum, rounded once.
func (s *exact) value() float64 { return s.hi + s.lo }

// off returns the error of a computed sum of the given number of terms relative to
// its bound terms·u·Σ|xᵢ|.
func (s *exact) off(computed float64, terms int, u float64) float64 {
	d := math.Abs((computed - s.hi) - s.lo)
	if d == 0 {
		return 0
	}
	return d / (float64(terms) * u * s.size)
}

// dot returns x·y with strides, in twice the precision.
func dot(n int, x []float64, incX int, y []float64, incY int) (s exact) {
	for i := range n {
		s.addProduct(x[i*incX], y[i*incY])
	}
	return s
}

// element returns entry (i, j) of op(A), whose rows are ld apart.
func element(a []float64, ld int, transposed bool, i, j int) float64 {
	if transposed {
		i, j = j, i
	}
	return a[i*ld+j]
}

// oneNorm returns the largest column sum of the absolute values of an m × n matrix.
func oneNorm(m, n int, a []float64) float64 {
	most := 0.0
	for j := range n {
		s := 0.0
		for i := range m {
			s += math.Abs(a[i*n+j])
		}
		most = max(most, s)
	}
	return most
}

// product returns AB of an m × k and a k × n matrix, each entry in twice the precision.
func product(m, n, k int, a, b []float64) []float64 {
	c := make([]float64, m*n)
	for i := range m {
		for j := range n {
			s := dot(k, a[i*k:], 1, b[j:], n)
			c[i*n+j] = s.value()
		}
	}
	return c
}

// transposed returns the transpose of an m × n matrix.
func transposed(m, n int, a []float64) []float64 {
	t := make([]float64, len(a))
	for i := range m {
		for j := range n {
			t[j*m+i] = a[i*n+j]
		}
	}
	return t
}

// fromUnit returns ‖QQᵀ − I‖₁ / nu of p rows of length n.
func fromUnit(p, n int, q []float64) float64 {
	g := product(p, p, n, q, transposed(p, n, q))
	for i := range p {
		g[i*p+i]--
	}
	return oneNorm(p, p, g) / (float64(n) * unit)
}
