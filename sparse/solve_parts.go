package sparse

import (
	"context"

	"github.com/orthant-go/orthant/blas"
)

const (
	// partEntries is the size of a factor from which it is solved in parts and
	// strips, and subtreeEntries that from which subtrees are shared.
	partEntries, subtreeEntries = 2e6, 2e5
	// A part has at most one in partMost of the values of the factor and at least
	// one in partLeast: many enough to share, and not so small that keeping their
	// contributions apart costs more than they bring.
	partMost, partLeast = 16, 512
	// partRows is the least ratio of a part's values to the rows outside it.
	partRows = 100
	// stripValues is the size of the strips into which the rows of a panel outside
	// all parts are cut.
	stripValues = 1 << 16
)

// part is a range of panels, one or more whole subtrees of the tree of panels
// with one parent. Apart from their own rows of the right-hand sides they access
// only rows of that parent panel. Which parts there are depends on the factor
// alone, hence so do the bits.
type part struct {
	lo, hi int32
	parent int32 // none at a root
}

// parts finds the parts of a factor.
func (s *Analysis) parts() []part {
	total := s.valueAt[len(s.rowLo)]
	var kept []part
	for _, k := range s.subtrees() {
		n := s.valueAt[k.hi] - s.valueAt[k.lo]
		if n >= total/partLeast && n >= partRows*len(s.outside(k)) {
			kept = append(kept, k)
		}
	}
	return kept
}

// subtrees finds the largest subtrees that have at most one in partMost of the values, small ones with one parent
// together.
func (s *Analysis) subtrees() []part {
	count := len(s.rowLo)
	total := s.valueAt[count]
	start := make([]int32, count) // first panel of each subtree
	for p := range start {
		start[p] = int32(p)
	}
	for p := range int32(count) {
		if up := s.above(p); up != none {
			start[up] = min(start[up], start[p])
		}
	}
	size := func(lo, hi int32) int { return s.valueAt[hi] - s.valueAt[lo] }
	small := func(p int32) bool { return p != none && size(start[p], p+1) <= total/partMost }
	var all []part
	for p := range int32(count) {
		up := s.above(p)
		if !small(p) || small(up) {
			continue
		}
		last := len(all) - 1
		if last >= 0 && all[last].hi == start[p] && all[last].parent == up && size(all[last].lo, p+1) <= total/partMost {
			all[last].hi = p + 1
			continue
		}
		all = append(all, part{start[p], p + 1, up})
	}
	return all
}

// outside returns the rows that a part may reach besides its own.
func (s *Analysis) outside(k part) []int32 {
	if k.parent == none {
		return nil
	}
	rows, _ := s.panel(k.parent)
	return rows
}

// sweeps solves L·Lᵀ·x = b in place, of an LDLᵀ L·S·Lᵀ·x = b.
func (f *Factor) sweeps(b []float64, lanes int, work *SolveWork) {
	f.down(b, lanes, work)
	if f.pivots != nil {
		f.pivots.flip(b, lanes)
	}
	f.up(b, lanes, work)
}

// ready returns the number of goroutines that solve, with scratch for each.
func (f *Factor) ready(work *SolveWork) (threads int) {
	threads = 1
	if f.inParts || f.subtrees != nil {
		threads = blas.Threads(work.Threads)
	}
	for len(work.scratch) < threads {
		work.scratch = append(work.scratch, solveWorker{})
	}
	return threads
}

// down solves L·x = b in place.
func (f *Factor) down(b []float64, lanes int, work *SolveWork) {
	threads, s := f.ready(work), sweep{f, lanes}
	if !f.inParts {
		s.forwardSubtrees(b, threads)
		return
	}
	s.forwardParts(b, threads, work)
	s.between(func(p int32) { s.forwardStrips(b, p, threads, work) })
}

// up solves Lᵀ·x = b in place.
func (f *Factor) up(b []float64, lanes int, work *SolveWork) {
	threads, s := f.ready(work), sweep{f, lanes}
	if !f.inParts {
		s.backwardSubtrees(b, threads)
		return
	}
	s.betweenDown(func(p int32) { s.backwardStrips(b, p, threads, work) })
	_ = blas.For(context.Background(), threads, len(f.parts), 1, func(_, i, _ int) {
		s.backward(b, f.parts[i].lo, f.parts[i].hi)
	})
}

// forwardSubtrees is forward for all panels. Subtrees are solved at the same time. Their rows above then follow in the
// order of the panels, by what was solved for, so that the bits are those of forward.
func (s sweep) forwardSubtrees(b []float64, threads int) {
	if threads == 1 || s.lanes == 1 {
		s.forward(b, 0, int32(len(s.symbolic.rowLo)))
		return
	}
	_ = blas.For(context.Background(), threads, len(s.subtrees), 1, func(_, i, _ int) {
		for p := s.subtrees[i].lo; p < s.subtrees[i].hi; p++ {
			s.forwardRows(b, s.forwardTop(b, p), p, 0, s.rowsWithin(s.subtrees[i], p))
		}
	})
	at := int32(0)
	for _, k := range s.subtrees {
		s.forward(b, at, k.lo)
		for p := k.lo; p < k.hi; p++ {
			rows, width := s.symbolic.panel(p)
			own := len(s.rowsWithin(k, p))
			s.forwardRows(b, b[int(rows[0])*s.lanes:][:width*s.lanes], p, own, rows[width+own:])
		}
		at = k.hi
	}
	s.forward(b, at, int32(len(s.symbolic.rowLo)))
}

// backwardSubtrees is backward for all panels.
func (s sweep) backwardSubtrees(b []float64, threads int) {
	if threads == 1 {
		s.backward(b, 0, int32(len(s.symbolic.rowLo)))
		return
	}
	at := int32(len(s.symbolic.rowLo))
	for i := len(s.subtrees) - 1; i >= 0; i-- {
		s.backward(b, s.subtrees[i].hi, at)
		at = s.subtrees[i].lo
	}
	s.backward(b, 0, at)
	_ = blas.For(context.Background(), threads, len(s.subtrees), 1, func(_, i, _ int) {
		s.backward(b, s.subtrees[i].lo, s.subtrees[i].hi)
	})
}

// rowsWithin returns the rows below the top of panel p that belong to a subtree.
func (s sweep) rowsWithin(k part, p int32) []int32 {
	rows, width := s.symbolic.panel(p)
	rows = rows[width:]
	own := len(rows)
	for end := s.symbolic.first[k.hi]; own > 0 && rows[own-1] >= end; {
		own--
	}
	return rows[:own]
}

// between visits the panels outside all parts, ascending.
func (s sweep) between(visit func(p int32)) {
	at := int32(0)
	for _, k := range append(s.parts[:len(s.parts):len(s.parts)], part{lo: int32(len(s.symbolic.rowLo))}) {
		for ; at < k.lo; at++ {
			visit(at)
		}
		at = k.hi
	}
}

// betweenDown visits them descending.
func (s sweep) betweenDown(visit func(p int32)) {
	at := int32(len(s.symbolic.rowLo))
	for i := len(s.parts); i >= 0; i-- {
		begin := int32(0)
		if i > 0 {
			begin = s.parts[i-1].hi
		}
		for at--; at >= begin; at-- {
			visit(at)
		}
		if i > 0 {
			at = s.parts[i-1].lo
		}
	}
}

// forwardParts solves L·x = b for the panels of all parts. The amounts that a part subtracts from
// rows outside it are collected separately, and added to b part by part.
func (s sweep) forwardParts(b []float64, threads int, work *SolveWork) {
	at := make([]int, len(s.parts)+1)
	for i, k := range s.parts {
		at[i+1] = at[i] + len(s.symbolic.outside(k))*s.lanes
	}
	work.outside = grown(work.outside, at[len(s.parts)])
	clear(work.outside)
	_ = blas.For(context.Background(), threads, len(s.parts), 1, func(worker, i, _ int) {
		s.forwardPart(b, work.outside[at[i]:at[i+1]], s.parts[i], &work.scratch[worker])
	})
	for i, k := range s.parts {
		out := work.outside[at[i]:at[i+1]]
		for q, r := range s.symbolic.outside(k) {
			blas.Axpy(1, out[q*s.lanes:(q+1)*s.lanes], b[int(r)*s.lanes:][:s.lanes])
		}
	}
}

// forwardPart is forward for the panels of one part, which has its own rows of b to itself.
// The amounts subtracted from the rows outside go to out, which has one number for each.
func (s sweep) forwardPart(b, out []float64, k part, w *solveWorker) {
	if len(w.place) < s.symbolic.n {
		w.place = make([]int32, s.symbolic.n)
	}
	for q, r := range s.symbolic.outside(k) {
		w.place[r] = int32(q)
	}
	for p := k.lo; p < k.hi; p++ {
		top := s.forwardTop(b, p)
		rows, width := s.symbolic.panel(p)
		own := len(s.rowsWithin(k, p))
		rows = rows[width:]
		s.forwardRows(b, top, p, 0, rows[:own])
		w.rows = w.rows[:0]
		for _, r := range rows[own:] {
			w.rows = append(w.rows, w.place[r])
		}
		s.forwardRows(out, top, p, own, w.rows)
	}
}

// forwardStrips is forward for one panel, its rows shared among threads.
func (s sweep) forwardStrips(b []float64, p int32, threads int, work *SolveWork) {
	top := s.forwardTop(b, p)
	below, strip := s.strips(p)
	rows, width := s.symbolic.panel(p)
	rows = rows[width:]
	if below <= strip {
		s.forwardRows(b, top, p, 0, rows)
		return
	}
	_ = blas.For(context.Background(), threads, below, strip, func(_, lo, hi int) {
		s.forwardRows(b, top, p, lo, rows[lo:hi])
	})
}

// backwardStrips is backward for one panel. What each strip takes from the top
// is gathered apart and added in the order of strips.
func (s sweep) backwardStrips(b []float64, p int32, threads int, work *SolveWork) {
	rows, width := s.symbolic.panel(p)
	top := b[int(rows[0])*s.lanes:][:width*s.lanes]
	below, strip := s.strips(p)
	if below <= strip {
		s.backwardRows(b, top, p, 0, below)
		s.backwardTop(top, p)
		return
	}
	count := (below + strip - 1) / strip
	work.partials = grown(work.partials, count*len(top))
	_ = blas.For(context.Background(), threads, below, strip, func(_, lo, hi int) {
		part := work.partials[lo/strip*len(top):][:len(top)]
		clear(part)
		s.backwardRows(b, part, p, lo, hi)
	})
	for i := range count {
		blas.Axpy(1, work.partials[i*len(top):(i+1)*len(top)], top)
	}
	s.backwardTop(top, p)
}

// strips returns the rows below the top of panel p, and how many make a strip.
func (s sweep) strips(p int32) (below, strip int) {
	rows, width := s.symbolic.panel(p)
	return len(rows) - width, max(stripValues/width, 1)
}
