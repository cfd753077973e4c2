package sparse

import (
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// Inertia counts the eigenvalues of a symmetric matrix by their signs, and says of which matrix
// that is the count.
//
// The signs of the pivots are the signs of the eigenvalues of L·D·Lᵀ itself (Sylvester 1852). That is not the matrix
// given but A + shift·I + E, with ‖E‖₂ ≤ Bound: every eigenvalue that is farther from zero than Bound is
// counted on its side. Bound holds for any rounding of the factorisation, (k + 64)·2⁻⁵²·‖|L||D||Lᵀ|‖∞ with k the
// most terms of a sum (Higham, Accuracy and Stability of Numerical Algorithms, 2002, 10.1), and for the pivots moved; errors are smaller by orders.
type Inertia struct {
	Positive int `json:"positive"`
	Negative int `json:"negative"`
	// Zero pivots, with all that was left of their columns, are up to 2⁻⁴⁹√n of the largest entry.
	Zero      int     `json:"zero"`
	Blocks    int     `json:"blocks"`    // of two pivots
	Perturbed int     `json:"perturbed"` // pivots that were moved away from zero, by [Analysis.FactorIndefinite] alone
	Moved     float64 `json:"moved"`     // the largest of these moves, as a share of the largest entry, after scaling
	Bound     float64 `json:"bound"`     // on ‖E‖₂
	// Certain says that no eigenvalue is within the bound of zero, by an estimate of ‖(A + shift·I)⁻¹‖₂ and the bound in the scaled
	// system: the counts then hold for A + shift·I itself. Otherwise eigenvalues next to zero may be counted on either side.
	Certain bool `json:"certain"`
}

// String is the inertia in words.
func (i Inertia) String() string {
	return fmt.Sprintf("%d positive, %d negative, %d zero", i.Positive, i.Negative, i.Zero)
}

// Doubt says why the counts may not hold for A + shift·I; empty: they are certain.
func (i Inertia) Doubt() string {
	switch {
	case i.Certain:
		return ""
	case i.Zero > 0:
		return fmt.Sprintf("the inertia is not certain: %s within rounding (%s, to %.1e)", zeros(i.Zero), i, i.Bound)
	case i.Perturbed > 0:
		return fmt.Sprintf("the inertia is not certain: %d pivots were moved (%s, to %.1e)", i.Perturbed, i, i.Bound)
	}
	return fmt.Sprintf("the inertia is not certain: an eigenvalue is within rounding of zero, and may be on either side (%s, to %.1e)", i, i.Bound)
}

func zeros(count int) string {
	if count == 1 {
		return "an eigenvalue is zero"
	}
	return fmt.Sprintf("%d eigenvalues are zero", count)
}

// Inertia counts by a factor that [Analysis.FactorIndefinite] made of A + shift·I; other factors have positive pivots
// alone. O(entries of L).
func (f *Factor) Inertia(a *CSR, shift float64) Inertia {
	n := numeric{Analysis: f.symbolic, a: a, shift: shift}
	n.measure()
	return f.inertia(rounding(a, shift), nil, n.vanish)
}

// rounding bounds what adding the shift to the diagonal rounds.
func rounding(a *CSR, shift float64) float64 {
	const unit = 0x1p-52
	var most float64
	for i := range a.Rows {
		_, vals := a.Row(i)
		var sum float64
		for _, v := range vals {
			sum += unit * math.Abs(v) // the sum of the sizes may overflow
		}
		most = max(most, sum)
	}
	return most + unit*math.Abs(shift)
}

// inertia counts for S(A + shift·I)S, where rounds is what adding the shift did.
func (f *Factor) inertia(rounds float64, scale []float64, vanish float64) Inertia {
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
	bound := f.errorBound(nil, vanish)
	found.Bound = bound
	if scale != nil {
		found.Bound = f.errorBound(scale, vanish)
	}
	found.Bound = min(found.Bound+rounds, math.MaxFloat64)
	if found.Perturbed > 0 {
		found.Moved *= math.Sqrt(float64(s.n)) * vanishing / vanish
	}
	found.Certain = found.Zero == 0 && found.Perturbed == 0 && bound*f.inverseSize() < 1
	return found
}

// inverseSize is an upper bound of ‖(LDLᵀ)⁻¹‖₂, except for one in 10⁴ of the worst matrices: of four random vectors one has
// a tenth of the size to be expected along the vector that grows most, and two solutions let that stand out.
func (f *Factor) inverseSize() float64 {
	const lanes, share = 4, 0.1
	n := f.symbolic.n
	x, work := make([]float64, n*lanes), &SolveWork{Threads: 1}
	blas.NewStream(1).Normals(x)
	for q := range x {
		x[q] /= math.Sqrt(float64(n)) // of length about 1
	}
	size := math.Inf(1)
	for step := 1.0; step <= 2; step++ {
		f.SolveEliminated(x, lanes, work)
		var sums [lanes]float64
		for q, v := range x {
			sums[q%lanes] += v * v
		}
		longest := math.Sqrt(slices.Max(sums[:])*float64(n)) / share
		size = min(size, math.Pow(longest, 1/step))
	}
	return size
}

// errorBound bounds ‖E‖₂ by ‖|E|‖∞, row by row, with one product by |L̃||L̃ᵀ|.
func (f *Factor) errorBound(scale []float64, vanish float64) float64 {
	s, v := f.symbolic, f.pivots
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
	if v != nil {
		most += v.sums
	}
	share := float64(most+64) * 0x1p-52
	for k := range y {
		y[k] *= share
	}
	if v != nil {
		f.addMoved(x, y, vanish)
	}
	var bound float64
	for k, v := range y {
		bound = max(bound, v*x[k])
	}
	return bound
}

// addMoved adds to y = |E|x what moving pivots and counting or dropping zeros changed.
func (f *Factor) addMoved(x, y []float64, vanish float64) {
	s, v := f.symbolic, f.pivots
	zeros := f.zeros()
	for p := range int32(len(s.rowLo)) {
		rows, width := s.panel(p)
		values := f.panelValues(p)
		for j := range width {
			k := int(rows[0]) + j
			row := f.rowOf(rows, p, j)
			switch {
			case values[j*width+j] == 0: // dropped
				for i := range rows[j:] {
					other := f.rowOf(rows, p, j+i)
					y[row] += vanish * x[other]
					y[other] += vanish * x[row]
				}
			case zeros > 0:
				y[row] += (math.Abs(v.moved[k]) + vanish) * x[row]
			default:
				y[row] += math.Abs(v.moved[k]) * x[row]
			}
		}
	}
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
			if i == j && e > 0 { // it is the reciprocal, of a pivot dropped 0
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
