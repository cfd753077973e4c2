package scale

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

// wholeSize is the size up to which all eigenpairs are computed at once.
const wholeSize = 8

// leading computes the d leading eigenvectors of covariances, without allocation.
type leading struct {
	axes []float64 // d × m, orthonormal
	sum  float64   // of their eigenvalues

	n, count int
	whole    []float64
	values   []float64
	basis    [][]float64 // of the iterated subspace
	images   [][]float64
	small    []float64
	scratch  []float64
}

func (l *leading) begin(n, d int) {
	l.n, l.count = n, d
	l.axes, l.values, l.scratch = make([]float64, n*d), make([]float64, n), make([]float64, 2*n+2)
	if n <= wholeSize || 2*d+2 >= n {
		l.whole = make([]float64, n*n)
		return
	}
	b := d + 2
	l.small = make([]float64, b*b)
	for range b {
		l.basis, l.images = append(l.basis, make([]float64, n)), append(l.images, make([]float64, n))
	}
}

// find sets axes and sum for the symmetric n × n matrix c.
func (l *leading) find(c []float64) {
	l.sum = 0
	if l.whole == nil {
		l.iterate(c)
		return
	}
	copy(l.whole, c)
	blas.SymEigSmall(l.n, l.whole, l.values, true, l.scratch)
	for a := range l.count {
		at := l.n - 1 - a
		l.sum += l.values[at]
		copy(l.axes[a*l.n:(a+1)*l.n], l.whole[at*l.n:(at+1)*l.n])
	}
}

const (
	maxSteps   = 30
	settledSum = 1e-5 // relative change of the sum of the Ritz values at which to stop
)

// iterate multiplies a block with two more vectors than needed, and computes its Ritz pairs.
// It starts from the columns of largest variance.
func (l *leading) iterate(c []float64) {
	n, b := l.n, len(l.basis)
	for q := range l.basis {
		best := -1
		for j := range n {
			if l.values[j] = c[j*n+j]; q > 0 && l.taken(j, q) {
				continue
			}
			if best < 0 || l.values[j] > l.values[best] {
				best = j
			}
		}
		l.scratch[q] = float64(best)
		copy(l.basis[q], c[best*n:(best+1)*n])
	}
	l.orthonormal()
	before := 0.0
	for step := range maxSteps {
		for q, v := range l.basis {
			for j := range n {
				l.images[q][j] = blas.Dot(c[j*n:(j+1)*n], v)
			}
		}
		for p := range b {
			for q := range b {
				l.small[p*b+q] = blas.Dot(l.basis[p], l.images[q])
			}
		}
		sum := l.ritz()
		if step > 0 && math.Abs(sum-before) <= settledSum*sum || step == maxSteps-1 || sum == 0 {
			l.sum = sum
			break
		}
		before = sum
		l.basis, l.images = l.images, l.basis
		l.orthonormal()
	}
	clear(l.axes)
	for a := range l.count {
		row := l.small[(b-1-a)*b : (b-a)*b]
		for q, v := range row {
			blas.Axpy(v, l.basis[q], l.axes[a*n:(a+1)*n])
		}
	}
}

// taken reports whether column j is the start of one of the first q vectors.
func (l *leading) taken(j, q int) bool {
	for _, t := range l.scratch[:q] {
		if int(t) == j {
			return true
		}
	}
	return false
}

// ritz returns the sum of the leading Ritz values; the rows of small become their vectors.
func (l *leading) ritz() (sum float64) {
	b := len(l.basis)
	blas.SymEigSmall(b, l.small, l.values[:b], true, l.scratch)
	for _, v := range l.values[b-l.count : b] {
		sum += max(v, 0)
	}
	return sum
}

// orthonormal orthonormalises the basis; vectors that vanish become zero.
func (l *leading) orthonormal() {
	for q, v := range l.basis {
		before := math.Sqrt(blas.Dot(v, v))
		blas.Orthogonalize(l.basis[:q], v)
		length := math.Sqrt(blas.Dot(v, v))
		if length <= 1e-14*before || length == 0 {
			clear(v)
			continue
		}
		blas.Scale(1/length, v)
	}
}
