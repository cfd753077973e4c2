package bench

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Exponent is the power of a size that a cost grows with.
type Exponent struct {
	Slope  float64 // of least squares in log–log
	Half   float64 // half the width of its confidence interval of 95 % (Student's t)
	Points int     // that it was fitted to
}

// confidence is that of the interval on both sides of a slope.
const confidence = 0.95

// FitExponent fits the exponent of y to the last points of x, which ascends; values of y
// that are not positive are left out. It is not ok where fewer points are left, or fewer
// than the three of which a deviation can be told.
func FitExponent(x, y []float64, points int) (e Exponent, ok bool) {
	var u, v []float64
	for i := range x {
		if y[i] > 0 {
			u, v = append(u, math.Log(x[i])), append(v, math.Log(y[i]))
		}
	}
	if len(u) < points || points < 3 {
		return e, false
	}
	u, v = u[len(u)-points:], v[len(v)-points:]
	n := float64(points)
	var mu, mv, suv, suu, rest float64
	for i := range u {
		mu, mv = mu+u[i]/n, mv+v[i]/n
	}
	for i := range u {
		suv, suu = suv+(u[i]-mu)*(v[i]-mv), suu+(u[i]-mu)*(u[i]-mu)
	}
	e = Exponent{Slope: suv / suu, Points: points}
	for i := range u {
		d := v[i] - mv - e.Slope*(u[i]-mu)
		rest += d * d
	}
	t := distuv.StudentsT{Sigma: 1, Nu: n - 2}.Quantile((1 + confidence) / 2)
	e.Half = t * math.Sqrt(rest/(n-2)/suu)
	return e, true
}

// High is the upper end of the confidence interval.
func (e Exponent) High() float64 { return e.Slope + e.Half }

// String writes the exponent with its interval.
func (e Exponent) String() string {
	return fmt.Sprintf("%.2f ± %.2f of %d sizes", e.Slope, e.Half, e.Points)
}
