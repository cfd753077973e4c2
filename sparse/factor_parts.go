package sparse

import (
	"fmt"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// Part is a part of a factorisation P(A + shift·I)Pᵀ = L·D·Lᵀ, or its inverse, by which vectors are multiplied
// ([Cholesky.Apply]). Of a [Cholesky] D is the identity; of an [LDLT] L has ones on its diagonal.
type Part string

// The parts of a factorisation. P brings rows into the order of elimination.
const (
	PartP         Part = "P"
	PartPT        Part = "P^T"
	PartL         Part = "L"
	PartLT        Part = "L^T"
	PartD         Part = "D"
	PartInverseL  Part = "L^-1"
	PartInverseLT Part = "L^-T"
	PartInverseD  Part = "D^-1"
)

var allParts = []Part{PartP, PartPT, PartL, PartLT, PartD, PartInverseL, PartInverseLT, PartInverseD}

// Parts are the matrices of a factorisation: row and column k of L·D·Lᵀ are row and column Order[k] of A + shift·I.
type Parts struct {
	Order []int32
	L     *CSR // lower triangular, without the zeros that the factor stores
	D     *CSR // of an [LDLT]: blocks of one and of two rows; nil: the identity
}

// Apply replaces x, n × nrhs row-major, by the product of the parts with x, written as in a formula: the last part comes first. With
// z of independent standard normal entries and A for A + shift·I,
//
//	c.Apply(z, 1, PartPT, PartInverseLT)  // has the covariance A⁻¹: A is its precision
//	c.Apply(z, 1, PartPT, PartL)          // has the covariance A
//	c.Apply(x, 1, PartLT, PartP)          // makes the first one white again
//	c.Apply(x, 1, PartInverseL, PartP)    // and the second
//
// A D of a [Cholesky], and a part other than P of a singular matrix, are errors, as are those of [Cholesky.Solve]; they leave x as it was.
// The result for one column does not depend on the others, nor on the number of threads. Parts are not refined. O(entries of L · nrhs) for
// each L, O(n · nrhs) for the others.
func (c *direct) Apply(x []float64, nrhs int, parts ...Part) error {
	if err := c.checkSides(x, nrhs); err != nil {
		return err
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	if err := c.there(); err != nil {
		return err
	}
	a := &application{Factor: c.factor(), scale: c.numeric.scale}
	if err := a.check(c.name, parts); err != nil {
		return err
	}
	a.order = a.Factor.order()
	work := c.works.Get().(*SolveWork)
	defer c.works.Put(work)
	a.solve(x, nrhs, work, "Apply", func(lo, n, lanes int, work *SolveWork) {
		b := work.x
		for k := range a.symbolic.n {
			row := b[k*lanes : (k+1)*lanes]
			copy(row, x[k*nrhs+lo:k*nrhs+lo+n])
			clear(row[n:])
		}
		for i := len(parts) - 1; i >= 0; i-- {
			a.apply(b, lanes, parts[i], work)
		}
		for k := range a.symbolic.n {
			copy(x[k*nrhs+lo:k*nrhs+lo+n], b[k*lanes:])
		}
	})
	return nil
}

// application multiplies blocks of lanes by parts of a factor.
type application struct {
	*Factor
	scale []float64 // of an LDLᵀ, of the rows of the matrix; nil: ones
	order []int32   // of the pivots
	other []float64 // for permutations
}

// check refuses parts that the factor has not.
func (a *application) check(name string, parts []Part) error {
	for _, p := range parts {
		switch {
		case !slices.Contains(allParts, p):
			return fmt.Errorf("sparse: %s factorisation: there is no part %q; the parts are %q", name, p, allParts)
		case p == PartP || p == PartPT:
		case a.pivots == nil && (p == PartD || p == PartInverseD):
			return fmt.Errorf("sparse: %s factorisation: LLᵀ has no part %q; leave it out, or factorise by LDLᵀ", name, p)
		case a.pivots != nil && a.zeros() > 0:
			return fmt.Errorf("sparse: %s factorisation: the matrix is singular, with %d zero pivots, and vectors are not multiplied by %q; give a shift other than an eigenvalue", name, a.zeros(), p)
		}
	}
	return nil
}

// order returns the row of the matrix of each pivot.
func (f *Factor) order() []int32 {
	if f.pivots == nil {
		return slices.Clone(f.symbolic.perm)
	}
	out := make([]int32, f.symbolic.n)
	for p := range int32(len(f.symbolic.rowLo)) {
		rows, width := f.symbolic.panel(p)
		for j := range width {
			out[int(rows[0])+j] = f.symbolic.perm[f.rowOf(rows, p, j)]
		}
	}
	return out
}

// apply multiplies a block by one part, its rows and those of the result in the order of the pivots, or of the matrix where P stands between.
func (a *application) apply(b []float64, lanes int, part Part, work *SolveWork) {
	switch part {
	case PartP, PartPT:
		a.other = grown(a.other, len(b))
		for k, i := range a.order {
			from, to := int(i), k
			if part == PartPT {
				from, to = to, from
			}
			copy(a.other[to*lanes:(to+1)*lanes], b[from*lanes:])
		}
		copy(b, a.other)
	case PartL:
		a.rescale(b, lanes, false)
		a.multiply(b, lanes)
		a.rescale(b, lanes, true)
	case PartLT:
		a.rescale(b, lanes, true)
		a.multiplyTransposed(b, lanes)
		a.rescale(b, lanes, false)
	case PartInverseL:
		a.rescale(b, lanes, false)
		if a.pivots == nil {
			a.down(b, lanes, work)
		} else {
			a.eachTop(b, lanes, a.pivots.restore)
			a.down(b, lanes, work)
			a.roots(b, lanes, rootD)
		}
		a.rescale(b, lanes, true)
	case PartInverseLT:
		a.rescale(b, lanes, true)
		if a.pivots == nil {
			a.up(b, lanes, work)
		} else {
			a.roots(b, lanes, rootDT)
			a.up(b, lanes, work)
			a.eachTop(b, lanes, a.pivots.arrange)
		}
		a.rescale(b, lanes, false)
	case PartD:
		a.rescale(b, lanes, true)
		a.roots(b, lanes, rootDT)
		a.pivots.flip(b, lanes)
		a.roots(b, lanes, rootD)
		a.rescale(b, lanes, true)
	case PartInverseD:
		a.rescale(b, lanes, false)
		a.roots(b, lanes, inverseRootD)
		a.pivots.flip(b, lanes)
		a.roots(b, lanes, inverseRootDT)
		a.rescale(b, lanes, false)
	}
}

// rescale multiplies rows by the scales of the matrix, or divides them. The factor is that of SAS, and
// L of A is S⁻¹LS, D of A is S⁻¹DS⁻¹, with S in the order of the pivots.
func (a *application) rescale(b []float64, lanes int, divide bool) {
	if a.scale == nil {
		return
	}
	for k, i := range a.order {
		s := a.scale[i]
		if divide {
			s = 1 / s
		}
		for q := k * lanes; q < (k+1)*lanes; q++ {
			b[q] *= s
		}
	}
}

// eachTop calls do for the top of every panel.
func (f *Factor) eachTop(b []float64, lanes int, do func(top []float64, lanes int, p, first int32)) {
	for p := range int32(len(f.symbolic.rowLo)) {
		lo, hi := int(f.symbolic.first[p]), int(f.symbolic.first[p+1])
		do(b[lo*lanes:hi*lanes], lanes, p, int32(lo))
	}
}

// root is |D|^½ = Q|Λ|^½ of [pivots], transposed or inverse.
type root int

const (
	rootD root = iota
	rootDT
	inverseRootD
	inverseRootDT
)

// roots multiplies by a root of D.
func (f *Factor) roots(b []float64, lanes int, r root) {
	f.eachTop(b, lanes, func(top []float64, lanes int, p, _ int32) {
		f.singles(top, lanes, p, r == inverseRootD || r == inverseRootDT)
		f.blocks(top, lanes, p, r)
	})
}

// singles multiplies the rows of single pivots by the roots of the pivots, or divides them.
func (f *Factor) singles(top []float64, lanes int, p int32, inverse bool) {
	values, width, first := f.panelValues(p), len(top)/lanes, int(f.symbolic.first[p])
	for j := range width {
		if k := f.pivots.kind[first+j]; k == firstOfTwo || k == secondOfTwo {
			continue
		}
		v := values[j*width+j]
		if !inverse {
			v = 1 / v
		}
		for q := j * lanes; q < (j+1)*lanes; q++ {
			top[q] *= v
		}
	}
}

// blocks multiplies the rows of blocks of two by a root of the block.
func (f *Factor) blocks(top []float64, lanes int, p int32, r root) {
	v, first := f.pivots, int(f.symbolic.first[p])
	if v.traits[p]&paired == 0 {
		return
	}
	for j := range len(top) / lanes {
		if v.kind[first+j] != firstOfTwo {
			continue
		}
		m := v.block(first+j, r)
		x, y := top[j*lanes:(j+1)*lanes], top[(j+1)*lanes:(j+2)*lanes]
		for l, s := range x {
			t := y[l]
			x[l], y[l] = m[0]*s+m[1]*t, m[2]*s+m[3]*t
		}
	}
}

// block is a root of the block of two pivots that begins at pivot j, row by row.
func (v *pivots) block(j int, r root) [4]float64 {
	a, b := v.axes[j], v.axes[j+1]
	m := [4]float64{a[0], a[1], b[0], b[1]} // |Λ|^−½Qᵀ
	if r == rootD || r == rootDT {
		det := a[0]*b[1] - a[1]*b[0]
		m = [4]float64{b[1] / det, -a[1] / det, -b[0] / det, a[0] / det}
	}
	if r == rootDT || r == inverseRootDT {
		m[1], m[2] = m[2], m[1]
	}
	return m
}

// multiply multiplies by L, that of an LDLᵀ with ones on its diagonal: later panels first, to which no earlier row adds any more.
func (f *Factor) multiply(b []float64, lanes int) {
	s := sweep{f, lanes}
	minus := make([]float64, f.symbolic.widest*lanes)
	for p := int32(len(f.symbolic.rowLo)) - 1; p >= 0; p-- {
		rows, width := f.symbolic.panel(p)
		top, values := b[int(rows[0])*lanes:][:width*lanes], f.panelValues(p)
		if f.pivots != nil {
			f.singles(top, lanes, p, true)
		}
		minus := minus[:len(top)]
		for q, v := range top {
			minus[q] = -v
		}
		if f.pivots != nil {
			f.blocks(minus, lanes, p, inverseRootD)
		}
		s.forwardRows(b, minus, p, 0, rows[width:]) // in the order of elimination, as rows that are done
		for i := width - 1; i >= 0; i-- {
			x, row := top[i*lanes:(i+1)*lanes], values[i*width:i*width+i+1]
			for l := range x {
				x[l] /= row[i]
			}
			for k, v := range row[:i] {
				blas.Axpy(v, top[k*lanes:(k+1)*lanes], x)
			}
		}
		if f.pivots != nil {
			f.pivots.restore(top, lanes, p, rows[0])
		}
	}
	if f.pivots != nil {
		f.eachTop(b, lanes, f.pivots.arrange)
	}
}

// multiplyTransposed multiplies by Lᵀ, earlier panels first.
func (f *Factor) multiplyTransposed(b []float64, lanes int) {
	s := sweep{f, lanes}
	if f.pivots != nil {
		f.eachTop(b, lanes, f.pivots.restore)
	}
	minus := make([]float64, f.symbolic.widest*lanes)
	for p := range int32(len(f.symbolic.rowLo)) {
		rows, width := f.symbolic.panel(p)
		top, values := b[int(rows[0])*lanes:][:width*lanes], f.panelValues(p)
		minus := minus[:len(top)]
		clear(minus)
		s.backwardRows(b, minus, p, 0, len(rows)-width)
		if f.pivots != nil {
			f.pivots.arrange(top, lanes, p, rows[0])
			f.blocks(minus, lanes, p, inverseRootDT)
		}
		for i := range width {
			x, row := top[i*lanes:(i+1)*lanes], values[i*width:i*width+i+1]
			for k, v := range row[:i] {
				blas.Axpy(v, x, top[k*lanes:(k+1)*lanes])
			}
			for l := range x {
				x[l] /= row[i]
			}
		}
		blas.Axpy(-1, minus, top)
		if f.pivots != nil {
			f.singles(top, lanes, p, true)
		}
	}
}

// Parts returns copies of the parts of the factor, P as the order of the pivots. Entries of L and D that are zero are left out. A column of L
// that belongs to a zero pivot of an [LDLT] has its diagonal entry alone. O(entries of L), 12 bytes for each, within the limit of memory.
func (c *direct) Parts() (*Parts, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if err := c.there(); err != nil {
		return nil, err
	}
	f := c.factor()
	if err := c.allows("the entries of L", 12*f.symbolic.entries+20*int64(f.symbolic.n), "raise the limit, or multiply by L without its entries"); err != nil {
		return nil, err
	}
	out := &Parts{Order: f.order()}
	scale := func(int) float64 { return 1 }
	if s := c.numeric.scale; s != nil {
		scale = func(k int) float64 { return s[out.Order[k]] }
	}
	n := f.symbolic.n
	var err error
	out.L, err = FromEntries(n, n, func(put func(i, j int, v float64)) {
		f.eachEntry(func(i, j int, v float64) {
			if v != 0 {
				put(i, j, v*(scale(j)/scale(i)))
			}
		})
	})
	if err == nil && f.pivots != nil {
		out.D, err = FromEntries(n, n, func(put func(i, j int, v float64)) { f.eachPivot(scale, put) })
	}
	return out, err
}

// allows refuses memory beyond the limit, in addition to the factor.
func (c *direct) allows(what string, more int64, remedy string) error {
	need := c.Bytes() + more
	if c.delayed != nil {
		need += c.delayed.symbolic.indexBytes() + c.delayed.pivots.bytes() + 8*int64(cap(c.delayed.values.own))
	}
	if c.limit > 0 && need > c.limit {
		return &MemoryError{what, need, c.limit, remedy}
	}
	return nil
}

// eachEntry visits the entries of L, that of an LDLᵀ with ones on its diagonal, in the order of the pivots, columns ascending within a row.
func (f *Factor) eachEntry(visit func(i, j int, v float64)) {
	pivotOf := f.pivotOf()
	for p := range int32(len(f.symbolic.rowLo)) {
		rows, width := f.symbolic.panel(p)
		values, first := f.panelValues(p), int(rows[0])
		for i := range rows {
			row := values[i*width : (i+1)*width]
			k := first + i
			if i >= width {
				k = int(pivotOf(rows[i]))
			}
			for j := 0; j < min(i+1, width); j++ {
				v := row[j]
				switch {
				case f.pivots == nil:
					if i == j {
						v = 1 / v
					}
				case i == j:
					v = 1
				case f.pivots.kind[first+j] == zeroPivot:
					v = 0
				case f.pivots.kind[first+j] == single:
					v *= values[j*width+j]
				case i >= width: // of a block of two
					m := f.pivots.block(first+j, inverseRootD)
					x, y := row[j], row[j+1]
					visit(k, first+j, x*m[0]+y*m[2])
					j++
					v = x*m[1] + y*m[3]
				case i == j+1 && f.pivots.kind[first+j] == firstOfTwo:
					v = 0
				}
				visit(k, first+j, v)
			}
		}
	}
}

// pivotOf returns the pivot of each row in the order of elimination.
func (f *Factor) pivotOf() func(row int32) int32 {
	if f.pivots == nil {
		return func(row int32) int32 { return row }
	}
	out := make([]int32, f.symbolic.n)
	for p := range int32(len(f.symbolic.rowLo)) {
		rows, width := f.symbolic.panel(p)
		for j := range width {
			out[f.rowOf(rows, p, j)] = rows[0] + int32(j)
		}
	}
	return func(row int32) int32 { return out[row] }
}

// eachPivot visits the entries of D. It is divided by the scales on both sides.
func (f *Factor) eachPivot(scale func(k int) float64, visit func(i, j int, v float64)) {
	v := f.pivots
	put := func(i, j int, d float64) {
		if d != 0 {
			visit(i, j, twoSided(d, 1/scale(i), 1/scale(j)))
		}
	}
	for p := range int32(len(f.symbolic.rowLo)) {
		rows, width := f.symbolic.panel(p)
		values := f.panelValues(p)
		for j := range width {
			k := int(rows[0]) + j
			switch v.kind[k] {
			case single:
				r := 1 / values[j*width+j]
				put(k, k, v.sign[k]*r*r)
			case firstOfTwo:
				m := v.block(k, rootD)
				e := v.sign[k]*m[0]*m[2] + v.sign[k+1]*m[1]*m[3]
				put(k, k, v.sign[k]*m[0]*m[0]+v.sign[k+1]*m[1]*m[1])
				put(k, k+1, e)
				put(k+1, k, e)
				put(k+1, k+1, v.sign[k]*m[2]*m[2]+v.sign[k+1]*m[3]*m[3])
			}
		}
	}
}
