package sparse

import (
	"context"

	"github.com/orthant-go/orthant/blas"
)

const (
	// partEntries is the size of a factor from which it is solved in parts and
	// strips.
	partEntries = 2e6
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
	kept := all[:0]
	for _, k := range all {
		n := size(k.lo, k.hi)
		if n >= total/partLeast && n >= partRows*len(s.outside(k)) {
			kept = append(kept, k)
		}
	}
	return kept
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
	if f.inParts {
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
		s.forward(b, 0, int32(len(f.symbolic.rowLo)))
		return
	}
	s.forwardParts(b, threads, work)
	s.between(func(p int32) { s.forwardStrips(b, p, threads, work) })
}

// up solves Lᵀ·x = b in place.
func (f *Factor) up(b []float64, lanes int, work *SolveWork) {
	threads, s := f.ready(work), sweep{f, lanes}
	if !f.inParts {
		s.backward(b, 0, int32(len(f.symbolic.rowLo)))
		return
	}
	s.betweenDown(func(p int32) { s.backwardStrips(b, p, threads, work) })
	_ = blas.For(context.Background(), threads, len(f.parts), 1, func(_, i, _ int) {
		s.backward(b, f.parts[i].lo, f.parts[i].hi)
	})
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
	end := s.symbolic.first[k.hi] // rows from here on are outside
	for p := k.lo; p < k.hi; p++ {
		top := s.forwardTop(b, p)
		rows, width := s.symbolic.panel(p)
		rows = rows[width:]
		own := len(rows)
		for own > 0 && rows[own-1] >= end {
			own--
		}
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
