package sparse

import (
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
)

// SolveWork is the scratch space of [Factor.Solve]. It grows to the size that a call needs and is
// then reused. The zero value is ready; it belongs to one goroutine at a time.
type SolveWork struct {
	// Threads bounds the goroutines of one solution (0: all cores). Small factors
	// are solved on the caller's alone.
	Threads int

	x        []float64     // right-hand sides in the order of elimination
	scratch  []solveWorker // one for each goroutine
	outside  []float64     // the amounts that the parts subtract from rows outside them
	partials []float64     // the amounts that the strips of a panel subtract from its top
	probe    []float64     // for [Factor.Definite]
}

// solveWorker is the scratch space of one goroutine.
type solveWorker struct {
	place []int32 // of each row outside a part among those
	rows  []int32 // the places of the rows of a panel
}

// grown returns a slice of length n with unspecified content, x where it fits.
func grown(x []float64, n int) []float64 {
	if cap(x) < n {
		return pages.Make[float64](n)
	}
	return x[:n]
}

// Solve replaces x by (A + shift·I)⁻¹·x for nrhs right-hand sides, n × nrhs
// row-major. Each pass over the factor serves up to eight of them, and costs
// little more for four than for one; the result for one does not depend on the
// others, nor on the number of threads. work may be nil. It panics where x is
// shorter than n·nrhs.
func (f *Factor) Solve(x []float64, nrhs int, work *SolveWork) {
	f.solve(x, nrhs, work, "Solve", func(lo, n, lanes int, work *SolveWork) {
		f.gather(work.x, x, lo, n, nrhs, lanes)
		f.sweeps(work.x, lanes, work)
		f.scatter(x, work.x, lo, n, nrhs, lanes)
	})
}

// solve calls pass for up to eight columns of x at a time: n from lo on, in rows of
// this many lanes.
func (f *Factor) solve(x []float64, nrhs int, work *SolveWork, name string, pass func(lo, n, lanes int, work *SolveWork)) {
	if len(x) < f.symbolic.n*nrhs {
		panic("sparse: " + name + ": x is shorter than n · nrhs")
	}
	if work == nil {
		work = new(SolveWork)
	}
	for lo := 0; lo < nrhs; {
		// Two or three go as four, five to seven as eight, with columns of zeros.
		n, lanes := min(8, nrhs-lo), 8
		switch {
		case n == 1:
			lanes = 1
		case n <= 4:
			lanes = 4
		}
		work.x = grown(work.x, f.symbolic.n*lanes)
		pass(lo, n, lanes, work)
		lo += n
	}
}

// scatter copies rows of lanes in the order of elimination back to n columns of x.
func (f *Factor) scatter(x, b []float64, lo, n, nrhs, lanes int) {
	for k, i := range f.symbolic.perm {
		copy(x[int(i)*nrhs+lo:int(i)*nrhs+lo+n], b[k*lanes:])
	}
}

// gather copies n columns of x from lo on, in the order of elimination, into
// rows of the given number of lanes.
func (f *Factor) gather(b, x []float64, lo, n, nrhs, lanes int) {
	for k, i := range f.symbolic.perm {
		row := b[k*lanes : k*lanes+lanes]
		copy(row, x[int(i)*nrhs+lo:int(i)*nrhs+lo+n])
		clear(row[n:])
	}
}

// sweep is one pass over panels for rows of 1, 4 or 8 lanes.
type sweep struct {
	*Factor
	lanes int
}

// forward solves L·x = b for panels lo ≤ p < hi, one goroutine.
func (s sweep) forward(b []float64, lo, hi int32) {
	for p := lo; p < hi; p++ {
		rows, width := s.symbolic.panel(p)
		s.forwardRows(b, s.forwardTop(b, p), p, 0, rows[width:])
	}
}

// backward solves Lᵀ·x = b for panels lo ≤ p < hi, descending.
func (s sweep) backward(b []float64, lo, hi int32) {
	for p := hi - 1; p >= lo; p-- {
		rows, width := s.symbolic.panel(p)
		top := b[int(rows[0])*s.lanes:][:width*s.lanes]
		s.backwardRows(b, top, p, 0, len(rows)-width)
		s.backwardTop(top, p)
	}
}

// forwardTop solves with the triangle of panel p and returns the rows of b that
// it belongs to.
func (s sweep) forwardTop(b []float64, p int32) []float64 {
	rows, width := s.symbolic.panel(p)
	top, values := b[int(rows[0])*s.lanes:][:width*s.lanes], s.panelValues(p)
	if s.pivots != nil {
		s.pivots.arrange(top, s.lanes, p, rows[0])
	}
	if s.lanes == 1 {
		forwardTop1(top, values)
	} else {
		forwardTop(s.lanes, top, values, width)
	}
	if s.pivots != nil {
		s.pivots.turn(top, s.lanes, p, rows[0], false)
	}
	return top
}

func (s sweep) backwardTop(top []float64, p int32) {
	values, width := s.panelValues(p), len(top)/s.lanes
	if s.pivots != nil {
		s.pivots.turn(top, s.lanes, p, s.symbolic.first[p], true)
	}
	if s.lanes == 1 {
		backwardTop1(top, values)
	} else {
		backwardTop(s.lanes, top, values, width)
	}
	if s.pivots != nil {
		s.pivots.restore(top, s.lanes, p, s.symbolic.first[p])
	}
}

// forwardRows subtracts from the given rows of b, as many as there are, the product of
// top with the rows of L from lo on below the top of panel p.
func (s sweep) forwardRows(b, top []float64, p int32, lo int, rows []int32) {
	width := len(top) / s.lanes
	values := s.panelValues(p)[(width+lo)*width : (width+lo+len(rows))*width]
	if s.lanes == 1 {
		forward1(b, top, values, rows)
	} else if len(rows) > 0 {
		blas.SubtractRows(s.lanes, width, len(rows), values, width, top, b, rows)
	}
}

// backwardRows subtracts from top the product of Lᵀ with the rows lo ≤ r < hi
// below the top of panel p.
func (s sweep) backwardRows(b, top []float64, p int32, lo, hi int) {
	rows, width := s.symbolic.panel(p)
	values := s.panelValues(p)[(width+lo)*width : (width+hi)*width]
	rows = rows[width+lo : width+hi]
	if s.lanes == 1 {
		backward1(b, top, values, rows)
	} else if len(rows) > 0 {
		blas.SpreadRows(s.lanes, width, len(rows), values, width, top, b, rows)
	}
}

// SolveLower replaces x by L⁻¹·P·x for nrhs right-hand sides, n × nrhs row-major: the
// first half of [Factor.Solve], with the result in the order of elimination (see
// [Analysis.Permutation]). With [Factor.SolveUpper] it turns a problem with A = PᵀLLᵀP
// into one with the identity. Speed, threads, bits and work are as for Solve.
func (f *Factor) SolveLower(x []float64, nrhs int, work *SolveWork) {
	f.solve(x, nrhs, work, "SolveLower", func(lo, n, lanes int, work *SolveWork) {
		f.gather(work.x, x, lo, n, nrhs, lanes)
		f.down(work.x, lanes, work)
		// Further columns of x are still in the order of the matrix, these no longer.
		for k := range f.symbolic.n {
			copy(x[k*nrhs+lo:k*nrhs+lo+n], work.x[k*lanes:])
		}
	})
}

// SolveUpper replaces x, in the order of elimination, by Pᵀ·L⁻ᵀ·x, in the order of the
// matrix: the second half of [Factor.Solve].
func (f *Factor) SolveUpper(x []float64, nrhs int, work *SolveWork) {
	f.solve(x, nrhs, work, "SolveUpper", func(lo, n, lanes int, work *SolveWork) {
		for k := range f.symbolic.n {
			row := work.x[k*lanes : k*lanes+lanes]
			copy(row, x[k*nrhs+lo:k*nrhs+lo+n])
			clear(row[n:])
		}
		f.up(work.x, lanes, work)
		f.scatter(x, work.x, lo, n, nrhs, lanes)
	})
}

// SolveLowerEliminated is [Factor.SolveLower] for right-hand sides in the order of
// elimination. Four and eight of them are solved for in place, without a copy.
func (f *Factor) SolveLowerEliminated(x []float64, nrhs int, work *SolveWork) {
	f.eliminated(x, nrhs, work, "SolveLowerEliminated", f.down)
}

// SolveUpperEliminated is [Factor.SolveUpper] with the result left in the order of
// elimination.
func (f *Factor) SolveUpperEliminated(x []float64, nrhs int, work *SolveWork) {
	f.eliminated(x, nrhs, work, "SolveUpperEliminated", f.up)
}

// SolveEliminated is [Factor.Solve] for right-hand sides and solutions in the order of
// elimination. Four and eight of them are solved for in place, without a copy.
func (f *Factor) SolveEliminated(x []float64, nrhs int, work *SolveWork) {
	f.eliminated(x, nrhs, work, "SolveEliminated", f.sweeps)
}

// eliminated sweeps over right-hand sides in the order of elimination.
func (f *Factor) eliminated(x []float64, nrhs int, work *SolveWork, name string, sweeps func(b []float64, lanes int, work *SolveWork)) {
	if nrhs == 4 || nrhs == 8 {
		if len(x) < f.symbolic.n*nrhs {
			panic("sparse: " + name + ": x is shorter than n · nrhs")
		}
		if work == nil {
			work = new(SolveWork)
		}
		sweeps(x[:f.symbolic.n*nrhs], nrhs, work)
		return
	}
	f.solve(x, nrhs, work, name, func(lo, n, lanes int, work *SolveWork) {
		for k := range f.symbolic.n {
			row := work.x[k*lanes : k*lanes+lanes]
			copy(row, x[k*nrhs+lo:k*nrhs+lo+n])
			clear(row[n:])
		}
		sweeps(work.x, lanes, work)
		for k := range f.symbolic.n {
			copy(x[k*nrhs+lo:k*nrhs+lo+n], work.x[k*lanes:])
		}
	})
}

// triangleRows is the height of the blocks in which triangles are solved with: within a
// block row after row, between blocks by products.
const triangleRows = 4

// forwardTop solves with the triangle on top of a panel of the given width, whose diagonal
// holds reciprocals, for right-hand sides in 4 or 8 lanes.
func forwardTop(lanes int, top, values []float64, width int) {
	for lo := 0; lo < width; lo += triangleRows {
		n := min(triangleRows, width-lo)
		block := values[lo*width:]
		if lo > 0 {
			blas.SubtractRows(lanes, lo, n, block, width, top, top[lo*lanes:], nil)
		}
		for j := range n {
			x := top[(lo+j)*lanes : (lo+j+1)*lanes]
			row := block[j*width+lo : j*width+lo+j+1]
			for k, v := range row[:j] {
				subtractLanes(v, top[(lo+k)*lanes:(lo+k+1)*lanes], x)
			}
			scaleLanes(row[j], x)
		}
	}
}

// backwardTop solves with the transposed triangle.
func backwardTop(lanes int, top, values []float64, width int) {
	for lo := (width - 1) / triangleRows * triangleRows; lo >= 0; lo -= triangleRows {
		n := min(triangleRows, width-lo)
		block := values[lo*width:]
		for j := n - 1; j >= 0; j-- {
			x := top[(lo+j)*lanes : (lo+j+1)*lanes]
			row := block[j*width+lo : j*width+lo+j+1]
			scaleLanes(row[j], x)
			for k, v := range row[:j] {
				subtractLanes(v, x, top[(lo+k)*lanes:(lo+k+1)*lanes])
			}
		}
		if lo > 0 {
			blas.SpreadRows(lanes, lo, n, block, width, top, top[lo*lanes:], nil)
		}
	}
}

// subtractLanes takes v·x from y. Rows have 4 or 8 lanes.
func subtractLanes(v float64, x, y []float64) {
	for ; len(x) >= 4 && len(y) >= 4; x, y = x[4:], y[4:] {
		y[0] -= v * x[0]
		y[1] -= v * x[1]
		y[2] -= v * x[2]
		y[3] -= v * x[3]
	}
}

func scaleLanes(v float64, x []float64) {
	for ; len(x) >= 4; x = x[4:] {
		x[0], x[1], x[2], x[3] = x[0]*v, x[1]*v, x[2]*v, x[3]*v
	}
}

// forwardTop1 solves with the triangle on top of a panel, as wide as top is long.
func forwardTop1(top, values []float64) {
	width := len(top)
	for j := range top {
		row := values[j*width : j*width+j+1]
		s := top[j]
		for k, v := range row[:j] {
			s -= v * top[k]
		}
		top[j] = s * row[j]
	}
}

// backwardTop1 solves with the transposed triangle.
func backwardTop1(top, values []float64) {
	width := len(top)
	for j := width - 1; j >= 0; j-- {
		row := values[j*width : j*width+j+1]
		x := top[j] * row[j]
		top[j] = x
		for k, v := range row[:j] {
			top[k] -= v * x
		}
	}
}

// forward1 subtracts L·top from the given rows of b.
func forward1(b, top, values []float64, rows []int32) {
	width := len(top)
	i := 0
	for ; i+4 <= len(rows); i += 4 {
		l := values[i*width : (i+4)*width]
		l0, l1, l2, l3 := l[:width], l[width:][:width], l[2*width:][:width], l[3*width:][:width]
		var s0, s1, s2, s3 float64
		for k, t := range top {
			s0 += l0[k] * t
			s1 += l1[k] * t
			s2 += l2[k] * t
			s3 += l3[k] * t
		}
		r := rows[i : i+4]
		b[r[0]] -= s0
		b[r[1]] -= s1
		b[r[2]] -= s2
		b[r[3]] -= s3
	}
	for ; i < len(rows); i++ {
		var s float64
		for k, v := range values[i*width : i*width+width] {
			s += v * top[k]
		}
		b[rows[i]] -= s
	}
}

// backward1 subtracts from top the product of Lᵀ with the given rows of b.
func backward1(b, top, values []float64, rows []int32) {
	width := len(top)
	i := 0
	for ; i+4 <= len(rows); i += 4 {
		l := values[i*width : (i+4)*width]
		l0, l1, l2, l3 := l[:width], l[width:][:width], l[2*width:][:width], l[3*width:][:width]
		r := rows[i : i+4]
		x0, x1, x2, x3 := b[r[0]], b[r[1]], b[r[2]], b[r[3]]
		for k := range top {
			top[k] -= (l0[k]*x0 + l1[k]*x1) + (l2[k]*x2 + l3[k]*x3)
		}
	}
	for ; i < len(rows); i++ {
		x := b[rows[i]]
		for k, v := range values[i*width : i*width+width] {
			top[k] -= v * x
		}
	}
}
