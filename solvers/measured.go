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
	for j, v := range vectors {
		for i, t := range v {
			x.data[i*x.width+j] = t
		}
	}
	return x
}

// like makes room for as many vectors as x.
func (l *lanes) like(x lanes) []float64 {
	l.width, l.data = x.width, grown(l.data, len(x.data))
	return l.data
}

// dotLane is the inner product of vector j of both.
func dotLane(x, y lanes, j int) float64 {
	var sum float64
	for at := j; at < len(x.data); at += x.width {
		sum += x.data[at] * y.data[at]
	}
	return sum
}

// residualLane is ‖y − λz‖₂ of vector j.
func residualLane(y, z lanes, lambda float64, j int) float64 {
	var sum float64
	for at := j; at < len(y.data); at += y.width {
		d := y.data[at] - lambda*z.data[at]
		sum += d * d
	}
	return math.Sqrt(sum)
}
