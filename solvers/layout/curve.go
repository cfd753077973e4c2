package layout

import (
	"errors"
	"math"
)

// Curve is the similarity of two places in a layout by their distance d,
//
//	1/(1 + A·d^(2B)),
//
// which is 1 where they coincide.
type Curve struct{ A, B float64 }

// NewCurve returns the curve that is closest, in least squares over 300 distances from 0 to 3·spread,
// to 1 up to minDist and exp(−(d − minDist)/spread) from there (McInnes, Healy and Melville 2018,
// section 4.2). spread is above 0, and minDist from 0 to 3·spread.
func NewCurve(minDist, spread float64) (Curve, error) {
	if !(spread > 0) || !(minDist >= 0) || minDist >= 3*spread || math.IsInf(spread, 1) {
		return Curve{}, errors.New("layout: the spread has to be above 0, and the least distance from 0 to less than 3 times the spread")
	}
	const samples = 300
	var logs, wanted []float64
	for i := 1; i < samples; i++ { // at 0 every curve is 1
		d := 3 * spread * float64(i) / (samples - 1)
		logs, wanted = append(logs, math.Log(d)), append(wanted, math.Exp(-max(d-minDist, 0)/spread))
	}
	// Levenberg's steps on (log A, B), in which every step is a curve.
	p, damping := [2]float64{0, 1}, 1e-3
	residual := func(p [2]float64) (sum float64) {
		for i, l := range logs {
			r := 1/(1+math.Exp(p[0]+float64(2*p[1]*l))) - wanted[i]
			sum += float64(r * r)
		}
		return sum
	}
	best := residual(p)
	for range 500 {
		var h [3]float64
		var g [2]float64
		for i, l := range logs {
			v := 1 / (1 + math.Exp(p[0]+float64(2*p[1]*l)))
			da := -v * (1 - v)
			db := 2 * l * da
			r := v - wanted[i]
			h[0] += float64(da * da)
			h[1] += float64(da * db)
			h[2] += float64(db * db)
			g[0] += float64(da * r)
			g[1] += float64(db * r)
		}
		a, c := h[0]*(1+damping), h[2]*(1+damping)
		det := float64(a*c) - float64(h[1]*h[1])
		next := [2]float64{p[0] - (float64(c*g[0])-float64(h[1]*g[1]))/det, p[1] - (float64(a*g[1])-float64(h[1]*g[0]))/det}
		switch at := residual(next); {
		case at < best:
			p, best, damping = next, at, damping/10
		case damping > 1e12:
			return Curve{math.Exp(p[0]), p[1]}, nil
		default:
			damping *= 10
		}
	}
	return Curve{math.Exp(p[0]), p[1]}, nil
}

// similarity is the similarity of two places at the squared distance s.
func (c Curve) similarity(s float64) float64 { return 1 / (1 + float64(c.A*math.Pow(s, c.B))) }

// attraction is the factor of y_i − y_j in the step of y_i towards y_j, at the squared distance s.
func (c Curve) attraction(s float64) float64 {
	if s == 0 {
		return 0
	}
	p := float64(c.A * math.Pow(s, c.B))
	return -2 * c.B * p / (s * (1 + p))
}

// repulsion is the factor of y_i − y_j in the step of y_i away from y_j, at the squared distance s.
func (c Curve) repulsion(s float64) float64 {
	if s == 0 {
		return 0
	}
	p := float64(c.A * math.Pow(s, c.B))
	return 2 * c.B / ((0.001 + s) * (1 + p))
}
