package solvers

import "math"

// measured is the number of vectors whose residuals are measured at a time: products with
// eight vectors cost little more than with one.
const measured = 8

// lanes are vectors side by side: entry i of vector j is data[i·width + j].
type lanes struct {
	width int
	data  []float64
}

// lanesOf copies vectors.
func lanesOf(vectors [][]float64) lanes {
	x := lanes{len(vectors), make([]float64, len(vectors)*len(vectors[0]))}
	for i := range vectors[0] {
		row := x.data[i*x.width:]
		for j, v := range vectors {
			row[j] = v[i]
		}
	}
	return x
}

// like makes room for as many vectors as x.
func (l *lanes) like(x lanes) []float64 {
	l.width, l.data = x.width, grown(l.data, len(x.data))
	return l.data
}

// dots are the inner products of the vectors of both.
func dots(x, y lanes) []float64 {
	var sum [measured]float64
	of := sum[:x.width]
	for at := 0; at < len(x.data); at += x.width {
		u, v := x.data[at:at+len(of)], y.data[at:at+len(of)]
		for j, t := range u {
			of[j] += t * v[j]
		}
	}
	return of
}

// distances are ‖y − λz‖₂ of the vectors, each with its λ.
func distances(y, z lanes, lambda []float64) []float64 {
	var sum [measured]float64
	of := sum[:y.width]
	lambda = lambda[:len(of)]
	for at := 0; at < len(y.data); at += y.width {
		u, v := y.data[at:at+len(of)], z.data[at:at+len(of)]
		for j, t := range u {
			d := t - lambda[j]*v[j]
			of[j] += d * d
		}
	}
	for j, t := range of {
		of[j] = math.Sqrt(t)
	}
	return of
}
