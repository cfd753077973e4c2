package layout

import "math"

// fourier is the plan of a discrete Fourier transform, Σ_j x_j exp(−2πi jk/n), of a length whose prime
// factors are 2, 3 and 5: Stockham's algorithm (Cochran et al. 1967), which sorts as it goes. A plan is
// read only, and workers share it.
type fourier struct {
	n       int
	radices []int
	roots   []complex128 // exp(−2πi k/n)
}

func newFourier(n int) *fourier {
	f := &fourier{n: n, roots: make([]complex128, n)}
	for k := range f.roots {
		f.roots[k] = root(k, n)
	}
	for _, r := range []int{5, 3, 4, 2} {
		for ; n%r == 0; n /= r {
			f.radices = append(f.radices, r)
		}
	}
	if n != 1 {
		panic("layout: a transform of a length with other factors than 2, 3 and 5")
	}
	return f
}

func root(k, n int) complex128 {
	sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(n))
	return complex(cos, -sin)
}

// smooth is the least length ≥ n that a fourier can have and that is a multiple of 4.
func smooth(n int) int {
	for m := (n + 3) &^ 3; ; m += 4 {
		rest := m
		for _, r := range []int{2, 3, 5} {
			for rest%r == 0 {
				rest /= r
			}
		}
		if rest == 1 {
			return m
		}
	}
}

// transform replaces x by its transform: `many` sequences, of which sequence q has its entry j at
// x[j·many+q]. It takes spare, of the same length, and returns the one of both that holds the result.
func (f *fourier) transform(x, spare []complex128, many int) []complex128 {
	n, s := f.n, many
	for _, r := range f.radices {
		f.pass(x, spare, r, n, s)
		x, spare = spare, x
		n /= r
		s *= r
	}
	return x
}

// pass is a step from s sequences of length n to r·s sequences of length n/r.
func (f *fourier) pass(x, y []complex128, r, n, s int) {
	m := n / r
	step := f.n / n
	for p := range m {
		w := p * step
		switch r {
		case 2:
			two(x[s*p:], x[s*(p+m):], y[s*2*p:], s, f.roots[w])
		case 3:
			three(x[s*p:], x[s*(p+m):], x[s*(p+2*m):], y[s*3*p:], s, f.roots[w], f.roots[2*w])
		case 4:
			four(x[s*p:], x[s*(p+m):], x[s*(p+2*m):], x[s*(p+3*m):], y[s*4*p:], s, f.roots[w], f.roots[2*w], f.roots[3*w])
		case 5:
			five(x[s*p:], x[s*(p+m):], x[s*(p+2*m):], x[s*(p+3*m):], x[s*(p+4*m):], y[s*5*p:], s, f.roots[w], f.roots[2*w], f.roots[3*w], f.roots[4*w])
		}
	}
}

// times is the product of two complex numbers. The conversions keep the compiler from fusing a product
// with a sum, on machines where it would.
func times(a, b complex128) complex128 {
	return complex(float64(real(a)*real(b))-float64(imag(a)*imag(b)), float64(real(a)*imag(b))+float64(imag(a)*real(b)))
}

// turned is −i·a.
func turned(a complex128) complex128 { return complex(imag(a), -real(a)) }

func scaled(c float64, a complex128) complex128 {
	return complex(float64(c*real(a)), float64(c*imag(a)))
}

func two(a, b, y []complex128, s int, w complex128) {
	a, b = a[:s], b[:s]
	y0, y1 := y[:s], y[s:][:s]
	for q := range a {
		u, v := a[q], b[q]
		y0[q] = u + v
		y1[q] = times(w, u-v)
	}
}

func three(a, b, c, y []complex128, s int, w, w2 complex128) {
	const sin = 0.866025403784438646763723170752936183 // of 2π/3
	a, b, c = a[:s], b[:s], c[:s]
	y0, y1, y2 := y[:s], y[s:][:s], y[2*s:][:s]
	for q := range a {
		u, sum, difference := a[q], b[q]+c[q], b[q]-c[q]
		real, imaginary := u-scaled(0.5, sum), scaled(sin, turned(difference))
		y0[q] = u + sum
		y1[q] = times(w, real+imaginary)
		y2[q] = times(w2, real-imaginary)
	}
}

func four(a, b, c, d, y []complex128, s int, w, w2, w3 complex128) {
	a, b, c, d = a[:s], b[:s], c[:s], d[:s]
	y0, y1, y2, y3 := y[:s], y[s:][:s], y[2*s:][:s], y[3*s:][:s]
	for q := range a {
		ac, bd := a[q]+c[q], b[q]+d[q]
		aMinusC, bMinusD := a[q]-c[q], turned(b[q]-d[q])
		y0[q] = ac + bd
		y1[q] = times(w, aMinusC+bMinusD)
		y2[q] = times(w2, ac-bd)
		y3[q] = times(w3, aMinusC-bMinusD)
	}
}

func five(a, b, c, d, e, y []complex128, s int, w, w2, w3, w4 complex128) {
	const (
		cos  = 0.309016994374947424102293417182819059 // of 2π/5
		cos2 = -0.809016994374947424102293417182819059
		sin  = 0.951056516295153572116439333379382143
		sin2 = 0.587785252292473129168705954639072769
	)
	a, b, c, d, e = a[:s], b[:s], c[:s], d[:s], e[:s]
	y0, y1, y2, y3, y4 := y[:s], y[s:][:s], y[2*s:][:s], y[3*s:][:s], y[4*s:][:s]
	for q := range a {
		u := a[q]
		be, cd := b[q]+e[q], c[q]+d[q]
		beMinus, cdMinus := turned(b[q]-e[q]), turned(c[q]-d[q])
		real1, imaginary1 := u+scaled(cos, be)+scaled(cos2, cd), scaled(sin, beMinus)+scaled(sin2, cdMinus)
		real2, imaginary2 := u+scaled(cos2, be)+scaled(cos, cd), scaled(sin2, beMinus)-scaled(sin, cdMinus)
		y0[q] = u + be + cd
		y1[q] = times(w, real1+imaginary1)
		y2[q] = times(w2, real2+imaginary2)
		y3[q] = times(w3, real2-imaginary2)
		y4[q] = times(w4, real1-imaginary1)
	}
}
