package sparse

import (
	"fmt"
	"math"
)

// Inertia counts the eigenvalues of a symmetric matrix by their signs, and says of which matrix
// that is the count.
//
// The signs of the pivots are those of the eigenvalues of L·D·Lᵀ itself (Sylvester 1852). That is not the matrix
// given but A + shift·I + E, with ‖E‖₂ ≤ Bound: every eigenvalue that is farther from zero than Bound is
// counted on its side. Bound holds for any rounding of the factorisation, (k + 64)·2⁻⁵²·‖|L||D||Lᵀ|‖∞ with k the
// most terms of a sum (Higham, Accuracy and Stability of Numerical Algorithms, 2002, 10.1), and for the pivots moved; errors are smaller by orders.
type Inertia struct {
	Positive int `json:"positive"`
	Negative int `json:"negative"`
	// Zero pivots, with all that was left of their columns, are up to 2⁻⁴⁹√n of the largest entry.
	Zero      int     `json:"zero"`
	Blocks    int     `json:"blocks"`    // of two pivots
	Perturbed int     `json:"perturbed"` // pivots that were moved away from zero
	Moved     float64 `json:"moved"`     // the largest of these moves, as a share of the largest entry, after scaling
	Bound     float64 `json:"bound"`     // on ‖E‖₂
}

// String is the inertia in words.
func (i Inertia) String() string {
	return fmt.Sprintf("%d positive, %d negative, %d zero", i.Positive, i.Negative, i.Zero)
}

// Inertia counts by a factor that [Analysis.FactorIndefinite] made of A + shift·I; other factors have positive pivots
// alone. O(entries of L).
func (f *Factor) Inertia(a *CSR, shift float64) Inertia {
	n := numeric{Analysis: f.symbolic, a: a, shift: shift}
	n.measure()
	return f.inertia(a, shift, nil, n.vanish)
}

// inertia counts for S(A + shift·I)S.
func (f *Factor) inertia(a *CSR, shift float64, scale []float64, vanish float64) Inertia {
	var found Inertia
	s, v := f.symbolic, f.pivots
	if v == nil {
		found.Positive = s.n
	} else {
		for j, k := range v.kind {
			switch {
			case k == zeroPivot:
				found.Zero++
			case v.sign[j] > 0:
				found.Positive++
			default:
				found.Negative++
			}
			if k == firstOfTwo {
				found.Blocks++
			}
			if v.moved[j] != 0 {
				found.Perturbed++
				found.Moved = max(found.Moved, math.Abs(v.moved[j]))
			}
		}
	}
	found.Bound = f.errorBound(a, shift, scale, found.Zero, vanish)
	if found.Perturbed > 0 {
		found.Moved *= math.Sqrt(float64(s.n)) * vanishing / vanish
	}
	return found
}

// errorBound bounds ‖E‖₂ by ‖|E|‖∞, row by row, with one product by |L̃||L̃ᵀ|.
func (f *Factor) errorBound(a *CSR, shift float64, scale []float64, zeros int, vanish float64) float64 {
	s := f.symbolic
	inverse := func(k int) float64 { // of the scale of row k of L
		if scale == nil {
			return 1
		}
		return 1 / scale[s.perm[k]]
	}
	x, y, terms := make([]float64, s.n), make([]float64, s.n), make([]int, s.n)
	for k := range x {
		x[k] = inverse(k)
	}
	most := 0
	for p := range int32(len(s.rowLo)) {
		rows, width := s.panel(p)
		top := make([]float64, width) // |L̃ᵀ|x
		f.eachSize(p, func(i, j int, v float64) { top[j] += v * x[f.rowOf(rows, p, i)] })
		f.eachSize(p, func(i, j int, v float64) { y[f.rowOf(rows, p, i)] += v * top[j] })
		for _, i := range rows {
			terms[i] += width
			most = max(most, terms[i])
		}
	}
	share := float64(most+64) * 0x1p-52
	for k := range y {
		y[k] *= share
	}
	if v := f.pivots; v != nil {
		for k := range int32(s.n) {
			row := s.first[s.panelOf[k]] + v.order[k] // of pivot k
			moved := math.Abs(v.moved[k])
			if zeros > 0 {
				moved += vanish
			}
			y[row] += moved * inverse(int(row))
		}
	}
	var bound float64
	for k, v := range y {
		bound = max(bound, v*inverse(k))
	}
	// What adding the shift to the diagonal rounds.
	return bound + 0x1p-52*(a.RowSumNorm()+math.Abs(shift))
}

// rowOf is the row of L of row i of panel p, whose own are in the order of its pivots.
func (f *Factor) rowOf(rows []int32, p int32, i int) int32 {
	if f.pivots != nil && i < int(f.symbolic.first[p+1]-f.symbolic.first[p]) {
		return rows[0] + f.pivots.order[int(rows[0])+i]
	}
	return rows[i]
}

// eachSize visits the sizes of the entries of panel p of L̃, or bounds on them: entry (i, j) of the panel, its
// rows in the order of its pivots.
func (f *Factor) eachSize(p int32, visit func(i, j int, v float64)) {
	s, v := f.symbolic, f.pivots
	rows, width := s.panel(p)
	values, at := f.panelValues(p), int(rows[0])
	var blocks []float64 // |Q||Λ|^½ of every block of two, on their places
	if v != nil && v.traits[p]&paired != 0 {
		blocks = make([]float64, 2*width)
		for j := range width {
			if v.kind[at+j] == firstOfTwo {
				a, b := v.axes[at+j], v.axes[at+j+1]
				det := math.Abs(a[0]*b[1] - a[1]*b[0])
				blocks[2*j], blocks[2*j+1] = math.Abs(b[1])/det, math.Abs(a[1])/det
				blocks[2*j+2], blocks[2*j+3] = math.Abs(b[0])/det, math.Abs(a[0])/det
			}
		}
	}
	for i := range rows {
		for j := 0; j < min(i+1, width); j++ {
			e := math.Abs(values[i*width+j])
			if i == j {
				e = 1 / e
			}
			if i < width && blocks != nil && v.kind[at+j] == firstOfTwo {
				other := 0.0
				if i > j {
					if other = math.Abs(values[i*width+j+1]); i == j+1 {
						other = 1
					}
				}
				visit(i, j, e*blocks[2*j]+other*blocks[2*j+2])
				visit(i, j+1, e*blocks[2*j+1]+other*blocks[2*j+3])
				j++
				continue
			}
			visit(i, j, e)
		}
	}
}
