package blas

import "math"

// dense fills both triangles from a function of i ≥ j.
func dense(n int, at func(i, j int) float64) []float64 {
	a := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			v := at(i, j)
			a[i*n+j], a[j*n+i] = v, v
		}
	}
	return a
}

// withSpectrum is diag(values) between random reflections: cheap, and full.
func withSpectrum(values []float64, seed uint64) []float64 {
	n := len(values)
	a := make([]float64, n*n)
	for i, v := range values {
		a[i*n+i] = v
	}
	v, p := make([]float64, n), make([]float64, n)
	random := NewStream(seed)
	for range 4 {
		random.Normals(v)
		b := 2 / max(Dot(v, v), 1e-300)
		for i := range p {
			p[i] = b * Dot(a[i*n:i*n+n], v)
		}
		Axpy(-b/2*Dot(p, v), v, p)
		for i := range n {
			rankTwo(a[i*n:i*n+n], v[i], p, p[i], v)
		}
	}
	for i := range n { // exactly symmetric
		for j := range i {
			a[j*n+i] = a[i*n+j]
		}
	}
	return a
}

func filled(n int, at func(i int) float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = at(i)
	}
	return x
}

// hardMatrices are symmetric matrices of order n that eigensolvers trip over.
func hardMatrices(n int) map[string][]float64 {
	m := float64(max(n, 1))
	wilkinson := func(size int, glue float64) []float64 {
		return dense(n, func(i, j int) float64 {
			switch {
			case i == j:
				return math.Abs(float64(i%size) - float64(size-1)/2)
			case i == j+1 && i%size == 0:
				return glue
			case i == j+1:
				return 1
			}
			return 0
		})
	}
	random := random(n*n, 11)
	return map[string][]float64{
		"random":   dense(n, func(i, j int) float64 { return random[i*n+j] }),
		"spread":   withSpectrum(filled(n, func(i int) float64 { return float64(i+1) / m }), 1),
		"graded":   withSpectrum(filled(n, func(i int) float64 { return math.Pow(10, -16*float64(i)/m) }), 2),
		"steep":    dense(n, func(i, j int) float64 { return (1 + random[i*n+j]) * math.Pow(10, -float64(i+j)/2) }),
		"rising":   dense(n, func(i, j int) float64 { return (1 + random[i*n+j]) * math.Pow(10, float64(i+j-2*n)/2) }),
		"clusters": withSpectrum(filled(n, func(i int) float64 { return float64(i/7) + 1e-12*float64(i%7) }), 3),
		"near":     withSpectrum(filled(n, func(i int) float64 { return 1 + 1e-15*float64(i) }), 4),
		"doubled":  withSpectrum(filled(n, func(i int) float64 { return float64(i / 2) }), 5),
		"halves":   withSpectrum(filled(n, func(i int) float64 { return float64(2*i/max(n, 1)) - 0.5 }), 6),
		"rank one": dense(n, func(i, j int) float64 { return math.Sin(float64(i+1)) * math.Sin(float64(j+1)) }),
		"zero":     make([]float64, n*n),
		"identity": withSpectrum(filled(n, func(int) float64 { return 1 }), 7),
		"diagonal": dense(n, func(i, j int) float64 {
			if i == j {
				return float64((i * 7) % 5)
			}
			return 0
		}),
		"laplacian": dense(n, func(i, j int) float64 {
			switch i - j {
			case 0:
				return 2
			case 1:
				return -1
			}
			return 0
		}),
		"alignment":     alignmentLike(n),
		"wilkinson":     wilkinson(21, 1e-14),
		"wilkinson -8":  wilkinson(21, 1e-8),
		"wilkinson one": wilkinson(max(n, 1), 1),
		"zero diagonal": dense(n, func(i, j int) float64 {
			if i == j+1 {
				return 1
			}
			return 0
		}),
		"mixed signs": withSpectrum(filled(n, func(i int) float64 { return math.Pow(-1, float64(i)) * math.Pow(2, -float64(i%30)) }), 8),
	}
}

// alignmentLike has a null vector, four values near 1e-9 and the rest in (0, 2).
func alignmentLike(n int) []float64 {
	return withSpectrum(filled(n, func(i int) float64 {
		switch {
		case i == 0:
			return 0
		case i < 5:
			return 1e-9 * float64(i)
		}
		return 2 * float64(i) / float64(n)
	}), 9)
}
