package layout

import "math"

// spline has the values, or the derivatives, of the four cubic splines that are not 0 at a place.
type spline [4]float64

// splineAt is that at the share t of the way from the second of the four nodes to the third.
func splineAt(t float64) spline {
	r := 1 - t
	t2, r2 := float64(t*t), float64(r*r)
	return spline{float64(r2*r) * (1.0 / 6), 2.0/3 - float64(t2*(1-0.5*t)), 2.0/3 - float64(r2*(1-0.5*r)), float64(t2*t) * (1.0 / 6)}
}

// slopesAt are the derivatives by t.
func slopesAt(t float64) spline {
	r := 1 - t
	return spline{-0.5 * float64(r*r), t * (float64(1.5*t) - 2), r * (2 - float64(1.5*r)), 0.5 * float64(t*t)}
}

// products sums s_a·v_b over all nodes a and b that are l apart, for l = 0 … 3.
func (s spline) products(v spline) (sums spline) {
	for a := range s {
		for b := range v {
			sums[max(a-b, b-a)] += float64(s[a] * v[b])
		}
	}
	return sums
}

// splineTransform is the transform, at frequency k of n, of the spline's values at the nodes: 1/6, 2/3
// and 1/6.
func splineTransform(k, n int) float64 {
	return (2 + math.Cos(2*math.Pi*float64(k)/float64(n))) / 3
}
