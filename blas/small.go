package blas

import "math"

// CholeskySmall overwrites the lower triangle of the n×n matrix a (row-major,
// leading dimension n) with L, A = L·Lᵀ, and reports whether A was positive
// definite. It is meant for the k × k systems of patches, where a call into a
// library costs more than the work. n³/3 multiplications, no allocation.
func CholeskySmall(n int, a []float64) bool { return CholeskySmallUntil(nil, n, a) }

// CholeskySmallUntil is [CholeskySmall] that gives up, and reports false, once stop does: it is
// asked before each column. A system of a few thousand takes seconds.
func CholeskySmallUntil(stop func() bool, n int, a []float64) bool {
	for j := range n {
		if stop != nil && stop() {
			return false
		}
		rj := a[j*n : j*n+n]
		d := rj[j]
		for _, v := range rj[:j] {
			d -= v * v
		}
		if !(d > 0) || math.IsInf(d, 1) {
			return false
		}
		d = math.Sqrt(d)
		rj[j] = d
		inv := 1 / d
		for i := j + 1; i < n; i++ {
			ri := a[i*n : i*n+n]
			s := ri[j]
			for p, v := range rj[:j] {
				s -= ri[p] * v
			}
			ri[j] = s * inv
		}
	}
	return true
}

// CholeskySolveSmall solves L·Lᵀ·x = b in place, with L from [CholeskySmall].
func CholeskySolveSmall(n int, l, b []float64) {
	for i := range n {
		row := l[i*n : i*n+n]
		s := b[i]
		for p, v := range row[:i] {
			s -= v * b[p]
		}
		b[i] = s / row[i]
	}
	for i := n - 1; i >= 0; i-- {
		row := l[i*n : i*n+n]
		b[i] /= row[i]
		x := b[i]
		for p, v := range row[:i] {
			b[p] -= v * x
		}
	}
}

// SymEigSmall computes the eigenvalues w, ascending, of the symmetric n×n
// matrix a (row-major, leading dimension n, both triangles given). With vectors
// set, row j of a becomes the unit eigenvector of w[j]; otherwise a is
// destroyed. scratch holds at least 2n numbers. It is meant for n up to a few
// dozen: Householder reduction to tridiagonal form and implicit QL steps
// (Golub and Van Loan, Matrix Computations, 8.3), without allocation. It
// reports false if QL did not converge, which only NaN or infinities bring
// about.
func SymEigSmall(n int, a, w []float64, vectors bool, scratch []float64) bool {
	return SymEigSmallUntil(nil, n, a, w, vectors, scratch)
}

// SymEigSmallUntil is [SymEigSmall] that gives up, and reports false, once stop does: it is
// asked at each step of about n² multiplications.
func SymEigSmallUntil(stop func() bool, n int, a, w []float64, vectors bool, scratch []float64) bool {
	off, beta := scratch[:n], scratch[n:2*n]
	if !tridiagonalize(stop, n, a, w, off, beta) || vectors && !accumulateReflections(stop, n, a, beta) || !implicitQL(stop, n, a, w, off, vectors) {
		return false
	}
	sortEigenpairs(n, a, w, vectors)
	return true
}

// tridiagonalise reduces a to T = QᵀAQ with diagonal d and off-diagonal
// off[k] = T(k, k+1). The Householder vector of step k is left in row k, to the
// right of the diagonal, and its factor in beta[k]. All loops run along rows.
func tridiagonalize(stop func() bool, n int, a, d, off, beta []float64) bool {
	p := off // off[k+1:] is free until step k+1 writes it
	for k := range n {
		if stop != nil && stop() {
			return false
		}
		v := a[k*n+k+1 : k*n+n]
		d[k] = a[k*n+k]
		if len(v) == 0 {
			off[k], beta[k] = 0, 0
			continue
		}
		if len(v) == 1 {
			off[k], beta[k] = v[0], 0
			continue
		}
		var tail float64
		for _, x := range v[1:] {
			tail += x * x
		}
		if tail == 0 {
			off[k], beta[k] = v[0], 0
			continue
		}
		norm := math.Sqrt(v[0]*v[0] + tail)
		alpha := -norm
		if v[0] < 0 {
			alpha = norm
		}
		off[k] = alpha
		v[0] -= alpha
		b := 2 / (v[0]*v[0] + tail)
		beta[k] = b
		// A22 −= v·qᵀ + q·vᵀ with q = b·A22·v − (b²/2)(vᵀA22 v)·v.
		q := p[k+1 : n]
		var vq float64
		for i := range v {
			row := a[(k+1+i)*n+k+1 : (k+1+i)*n+n]
			var dot float64
			for j, x := range v {
				dot += row[j] * x
			}
			q[i] = b * dot
			vq += v[i] * q[i]
		}
		half := b * vq / 2
		for i, x := range v {
			q[i] -= half * x
		}
		for i := range v {
			row := a[(k+1+i)*n+k+1 : (k+1+i)*n+n]
			rankTwo(row, v[i], q, q[i], v)
		}
	}
	return true
}

// accumulateReflections replaces a, which holds the Householder vectors, by Qᵀ.
func accumulateReflections(stop func() bool, n int, a, beta []float64) bool {
	for k := n - 1; k >= 0; k-- {
		if stop != nil && stop() {
			return false
		}
		v := a[k*n+k+1 : k*n+n]
		if b := beta[k]; b != 0 {
			for i := k + 1; i < n; i++ {
				row := a[i*n+k+1 : i*n+n]
				var dot float64
				for j, x := range v {
					dot += row[j] * x
				}
				dot *= -b
				for j, x := range v {
					row[j] += dot * x
				}
			}
		}
		// Row and column k of Qᵀ are the unit vector's until an earlier
		// reflection mixes them.
		for i := range v {
			v[i] = 0
			a[(k+1+i)*n+k] = 0
		}
		a[k*n+k] = 1
	}
	return true
}

// implicitQL diagonalises T; rotations are applied to the rows of z. An entry next to the diagonal
// is a zero where it is one to its two neighbours, which keeps small eigenvalues accurate. Where
// that does not end, because the neighbours are noise themselves, it is a zero where it is one
// to T as a whole.
func implicitQL(stop func() bool, n int, z, d, e []float64, vectors bool) bool {
	const limit = 60 // QL takes under two steps an eigenvalue; LAPACK allows 30
	zero := 0.0      // the threshold below which entries count as zero for T as a whole, once computed
	for l := range n {
		for iter := 0; ; iter++ {
			m := l
			for ; m < n-1; m++ {
				if dd := math.Abs(d[m]) + math.Abs(d[m+1]); math.Abs(e[m]) <= max(0x1p-53*dd, zero) {
					break
				}
			}
			if m == l {
				break
			}
			if stop != nil && stop() {
				return false
			}
			if iter == limit {
				if zero > 0 {
					return false
				}
				if zero = noiseLevel(d, e); !(zero < math.Inf(1)) {
					return false
				}
				iter = -1
				continue
			}
			g := (d[l+1] - d[l]) / (2 * e[l])
			r := math.Sqrt(g*g + 1)
			g = d[m] - d[l] + e[l]/(g+math.Copysign(r, g))
			s, c, p := 1.0, 1.0, 0.0
			underflow := false
			for i := m - 1; i >= l; i-- {
				f, b := s*e[i], c*e[i]
				r = math.Sqrt(f*f + g*g)
				if r < minLength {
					const scale = 0x1p600
					f, g = f*scale, g*scale
					r = math.Sqrt(f*f + g*g)
					e[i+1] = r / scale
				} else {
					e[i+1] = r
				}
				if r == 0 {
					d[i+1] -= p
					e[m] = 0
					underflow = true
					break
				}
				s, c = f/r, g/r
				g = d[i+1] - p
				r = (d[i]-g)*s + 2*c*b
				p = s * r
				d[i+1] = g + p
				g = c*r - b
				if vectors {
					rotateRows(z[i*n:i*n+n], z[(i+1)*n:(i+1)*n+n], c, s)
				}
			}
			if underflow {
				continue
			}
			d[l] -= p
			e[l] = g
			e[m] = 0
		}
	}
	return true
}

// minLength is the least √(f² + g²) that is accurate: squares below are denormal.
const minLength = 0x1p-511

// noiseLevel is what rounding takes from the largest entry of T, or the least number of full
// precision: NaN or infinite where an entry is.
func noiseLevel(d, e []float64) float64 {
	var norm float64
	for i, v := range d {
		norm = max(norm, math.Abs(v), math.Abs(e[i]))
	}
	return max(0x1p-53*norm, 0x1p-1022)
}

func rotateRows(x, y []float64, c, s float64) {
	y = y[:len(x)]
	for j, xj := range x {
		yj := y[j]
		y[j] = s*xj + c*yj
		x[j] = c*xj - s*yj
	}
}

func sortEigenpairs(n int, z, d []float64, vectors bool) {
	for i := range n {
		least := i
		for j := i + 1; j < n; j++ {
			if d[j] < d[least] {
				least = j
			}
		}
		if least == i {
			continue
		}
		d[i], d[least] = d[least], d[i]
		if vectors {
			x, y := z[i*n:i*n+n], z[least*n:least*n+n]
			for p := range x {
				x[p], y[p] = y[p], x[p]
			}
		}
	}
}
