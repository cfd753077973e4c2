package solvers

import (
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// firstVertex is the first sample alone: the other weights vanish.
func (l *AffineCoder) firstVertex() {
	clear(l.inverse)
	for q := range l.k - 1 {
		l.basis[q] = l.m + q + 1
		l.inverse[q*l.k+q+1], l.inverse[q*l.k] = 1, -1
	}
	l.inverse[(l.k-1)*l.k] = 1
}

// row copies ρᵢ of a term.
func (l *AffineCoder) row(i int, dst []float64) {
	if i >= l.m {
		clear(dst)
		dst[i-l.m] = 1
		return
	}
	for j, b := range l.rows {
		dst[j] = b[i]
	}
}

func (l *AffineCoder) rowOf(i int) []float64 {
	l.row(i, l.rho)
	return l.rho
}

// exchange updates the directions for a basis whose place q has the row rho.
func (l *AffineCoder) exchange(q int, rho []float64) {
	d := l.inverse[q*l.k : (q+1)*l.k]
	blas.Scale(1/blas.Dot(rho, d), d)
	for r := range l.k {
		if r != q {
			w := l.inverse[r*l.k : (r+1)*l.k]
			blas.Axpy(-blas.Dot(rho, w), d, w)
		}
	}
}

// invert computes the directions from the basis by elimination with pivoting; false:
// its rows are dependent to rounding.
func (l *AffineCoder) invert() bool {
	k, w := l.k, 2*l.k
	for q := range k {
		row := l.square[q*w : (q+1)*w]
		if q < k-1 {
			l.row(l.basis[q], row[:k])
		} else {
			for j := range k {
				row[j] = 1
			}
		}
		clear(row[k:])
		row[k+q] = 1
	}
	for c := range k {
		pivot := c
		for r := c + 1; r < k; r++ {
			if math.Abs(l.square[r*w+c]) > math.Abs(l.square[pivot*w+c]) {
				pivot = r
			}
		}
		p := l.square[pivot*w : (pivot+1)*w]
		if p[c] == 0 {
			return false
		}
		if pivot != c {
			for j, v := range l.square[c*w : (c+1)*w] {
				l.square[c*w+j], p[j] = p[j], v
			}
		}
		p = l.square[c*w : (c+1)*w]
		blas.Scale(1/p[c], p)
		for r := range k {
			if v := l.square[r*w+c]; r != c && v != 0 {
				blas.Axpy(-v, p, l.square[r*w:(r+1)*w])
			}
		}
	}
	for q := range k {
		for j := range k {
			l.inverse[q*k+j] = l.square[j*w+k+q]
		}
	}
	return true
}

// vertexNear makes a vertex of the smallest terms at a first guess.
func (l *AffineCoder) vertexNear(start []float64) bool {
	var sum float64
	for _, v := range start {
		sum += v
	}
	if len(start) != l.k || !(math.Abs(sum) > 0) {
		return false
	}
	copy(l.s, start)
	blas.Scale(1/sum, l.s)
	l.product(l.s, l.along)
	l.order = l.order[:0]
	for i, v := range l.along {
		l.term[i] = math.Abs(l.offset(i, false) - v)
		l.order = append(l.order, i)
	}
	slices.SortFunc(l.order, func(a, b int) int {
		switch {
		case l.term[a] < l.term[b]:
			return -1
		case l.term[a] > l.term[b]:
			return 1
		}
		return a - b
	})
	return l.independent(l.order)
}

// independent takes the first k − 1 terms whose rows are independent, of each other
// and of the sum, by orthogonalisation; false: there are not so many.
func (l *AffineCoder) independent(order []int) bool {
	axes := l.square[:0]
	unit := 1 / math.Sqrt(float64(l.k))
	for range l.k {
		axes = append(axes, unit)
	}
	taken := 0
	for _, i := range order {
		if taken == l.k-1 {
			break
		}
		rho := l.rowOf(i)
		whole := blas.Dot(rho, rho)
		blas.OrthogonalizeRows(axes, rho)
		left := blas.Dot(rho, rho)
		if !(left > 1e-12*whole) {
			continue
		}
		blas.Scale(1/math.Sqrt(left), rho)
		axes = append(axes, rho...)
		l.basis[taken] = i
		taken++
	}
	return taken == l.k-1 && l.invert()
}
