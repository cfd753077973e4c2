package sparse

import (
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
)

// SolveWork is the scratch space of [Factor.Solve]. It grows to what a call
// needs and is then reused. The zero value is ready; it belongs to one
// goroutine at a time.
type SolveWork struct {
	// Threads bounds the goroutines of one solution (0: all cores). Small factors
	// are solved on the caller's alone.
	Threads int

	x        []float64     // right-hand sides in the order of elimination
	scratch  []solveWorker // one for each goroutine
	outside  []float64     // what the parts subtract from rows outside them
	partials []float64     // what the strips of a panel subtract from its top
	probe    []float64     // of [Factor.Definite]
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
// so many lanes.
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
		s.pivots.turn(top, s.lanes, p, rows[0])
	}
	return top
}

func (s sweep) backwardTop(top []float64, p int32) {
	values, width := s.panelValues(p), len(top)/s.lanes
	if s.pivots != nil {
		s.pivots.turnBack(top, s.lanes, p, s.symbolic.first[p])
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
