package blas

import "math"

const (
	ulp = 0x1p-52
	// clusterGap: eigenvectors whose eigenvalues are closer than this, relative to
	// the norm, are kept orthogonal at every step of the iteration.
	clusterGap = 1e-3
	// shiftSpacing holds the shifts of close eigenvalues apart, and shiftDrift
	// bounds how far that moves them, in units of rounding of the norm.
	shiftSpacing, shiftDrift = 2, 16
	// iterationLimit and startLimit bound the steps from a start vector and the
	// start vectors; two steps from the first are usual.
	iterationLimit, startLimit = 6, 4
	// enormous bounds the growth within one solution.
	enormous = 0x1p400
)

// inverseIteration finds eigenvectors of one unreduced block of a symmetric
// tridiagonal matrix with given eigenvalues (Peters and Wilkinson 1979; the
// safeguards follow Jessup and Ipsen 1992).
type inverseIteration struct {
	level3     Backend
	d, e       []float64 // of the block
	norm       float64   // of the whole matrix
	inv        []float64 // reciprocal pivots
	up1, up2   []float64 // the upper factor's two superdiagonals
	mult       []float64 // multipliers of the lower factor
	swap       []int32   // whether rows i and i+1 were exchanged
	projection []float64
}

// vectors computes the eigenvectors of the ascending values w[rows[0]],
// w[rows[1]], … into those rows of z, columns from…from+len(d), and reports
// whether every one passed. The rest of the rows is left alone.
func (v *inverseIteration) vectors(rows []int32, w, z []float64, ldz, from int) bool {
	n := len(v.d)
	if n == 1 {
		z[int(rows[0])*ldz+from] = 1
		return true
	}
	spacing := ulp * v.norm
	cluster := 0 // the first row of the cluster under way
	shift := math.Inf(-1)
	random := NewStream(uint64(from))
	for r, row := range rows {
		value := w[row]
		if r > 0 && value-w[rows[r-1]] > clusterGap*v.norm {
			cluster = r
		}
		shift = min(max(value, shift+shiftSpacing*spacing), value+shiftDrift*spacing)
		v.factor(shift)
		x := z[int(row)*ldz+from : int(row)*ldz+from+n]
		if !v.iterate(x, value, random, rows[cluster:r], z, ldz, from) {
			return false
		}
		if cluster > 0 {
			// Vectors of other clusters are orthogonal up to rounding over the gap;
			// this takes them to rounding itself.
			v.remove(rows[:r], x, z, ldz, from)
			Scale(1/math.Sqrt(Dot(x, x)), x)
		}
	}
	return true
}

// iterate runs inverse iteration until x has a residual at the level of
// rounding, orthogonal to the rows of z that are near.
func (v *inverseIteration) iterate(x []float64, value float64, random *Stream, near []int32, z []float64, ldz, from int) bool {
	for range startLimit {
		random.Uniforms(x)
		for i := range x {
			x[i] -= 0.5
		}
		for step := range iterationLimit {
			if step == 0 {
				v.solveUpper(x) // the random vector is used as L⁻¹b
			} else {
				v.solve(x)
			}
			if !normalize(x) {
				break
			}
			v.remove(near, x, z, ldz, from)
			left := math.Sqrt(Dot(x, x))
			if !(left > 1e-10) || !normalize(x) {
				break // it is in the span of its neighbours
			}
			if left < 0.1 {
				continue // the subtraction has left its rounding error
			}
			if step > 0 && v.residual(x, value) <= 2*math.Sqrt(float64(len(x)))*ulp*v.norm+2*shiftDrift*ulp*v.norm {
				return true
			}
		}
	}
	return false
}

// normalise scales x to length 1 and reports whether that was possible.
func normalize(x []float64) bool {
	var largest float64
	for _, t := range x {
		largest = max(largest, math.Abs(t))
	}
	if !(largest > 0) || math.IsInf(largest, 1) {
		return false
	}
	Scale(1/largest, x)
	Scale(1/math.Sqrt(Dot(x, x)), x)
	return true
}

// remove takes from x its components along the given rows of z, twice, in runs
// of consecutive rows.
func (v *inverseIteration) remove(rows []int32, x, z []float64, ldz, from int) {
	n := len(x)
	for range 2 {
		for r := 0; r < len(rows); {
			end := r + 1
			for end < len(rows) && rows[end] == rows[end-1]+1 {
				end++
			}
			basis, c := z[int(rows[r])*ldz+from:], v.projection[:end-r]
			v.level3.Gemv(false, end-r, n, 1, basis, ldz, x, 0, c)
			v.level3.Gemv(true, end-r, n, -1, basis, ldz, c, 1, x)
			r = end
		}
	}
}

// residual returns ‖Tx − λx‖₂.
func (v *inverseIteration) residual(x []float64, value float64) float64 {
	var sum float64
	n := len(x)
	for i := range x {
		r := (v.d[i] - value) * x[i]
		if i > 0 {
			r += v.e[i-1] * x[i-1]
		}
		if i+1 < n {
			r += v.e[i] * x[i+1]
		}
		sum += r * r
	}
	return math.Sqrt(sum)
}

// factor computes T − shift·I = P·L·U by Gaussian elimination with partial
// pivoting. Pivots below rounding of the norm are raised to it.
func (v *inverseIteration) factor(shift float64) {
	n := len(v.d)
	least := ulp * v.norm
	raised := func(p float64) float64 {
		if math.Abs(p) < least {
			return math.Copysign(least, p)
		}
		return p
	}
	pivot, next := v.d[0]-shift, v.e[0] // row i of the remaining matrix
	for i := range n - 1 {
		below, diagonal := v.e[i], v.d[i+1]-shift
		var beyond float64
		if i+2 < n {
			beyond = v.e[i+1]
		}
		if math.Abs(pivot) >= math.Abs(below) {
			p := 1 / raised(pivot)
			m := below * p
			v.inv[i], v.up1[i], v.up2[i], v.mult[i], v.swap[i] = p, next, 0, m, 0
			pivot, next = diagonal-m*next, beyond
		} else {
			p := 1 / raised(below)
			m := pivot * p
			v.inv[i], v.up1[i], v.up2[i], v.mult[i], v.swap[i] = p, diagonal, beyond, m, 1
			pivot, next = next-m*diagonal, -m*beyond
		}
	}
	v.inv[n-1] = 1 / raised(pivot)
}

// solve overwrites x with (P·L·U)⁻¹x, up to a factor.
func (v *inverseIteration) solve(x []float64) {
	for i, m := range v.mult[:len(x)-1] {
		if v.swap[i] != 0 {
			x[i], x[i+1] = x[i+1], x[i]
		}
		x[i+1] -= m * x[i]
	}
	v.solveUpper(x)
}

// solveUpper overwrites x with U⁻¹x, up to a factor that keeps it finite.
func (v *inverseIteration) solveUpper(x []float64) {
	n := len(x)
	var x1, x2 float64 // components i+1 and i+2
	for i := n - 1; i >= 0; i-- {
		t := x[i]
		if i+1 < n {
			t -= v.up1[i]*x1 + v.up2[i]*x2
		}
		t *= v.inv[i]
		if math.Abs(t) > enormous {
			Scale(1/enormous, x)
			t /= enormous
			x1 /= enormous
		}
		x[i] = t
		x1, x2 = t, x1
	}
}
