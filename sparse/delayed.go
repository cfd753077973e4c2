package sparse

import (
	"context"
	"fmt"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// delayed is an LDLᵀ factorisation whose pivots need not stay in the panel of the analysis: one that would not be stable there is
// delayed to the panel above, until it is (multifrontal; Duff and Reid 1983). At a root all rows are complete, and every pivot is stable or
// zero: none is moved. The result is a factor with an analysis of its own, for the order in which pivots were eliminated.
//
// It works on one thread.
type delayed struct {
	*Analysis // of the order to begin with
	a         *CSR
	shift     float64
	scale     []float64
	limit     int64 // of memory; 0: none
	held      int64 // bytes held by others

	front  front
	local  []int32  // row → row of the front
	kids   []int32  // of each panel the last one below it that left something; none
	sib    []int32  // of such a panel the one before it
	left   []remain // of each panel
	signed []float64
	live   int64 // numbers in the remainders, and in the front

	factor *Factor
	pivot  []int32 // row → pivot
	levels []int32 // of each panel the number of panels on the longest path below it
}

// remain is the remainder that a panel passes to the one above: the Schur complement of its rows. The columns delayed are complete.
type remain struct {
	rows    []int32   // delayed ones first
	columns int       // delayed
	of      []float64 // the delayed columns, in all rows
	rest    []float64 // the others, a square
}

// delayPivots factorises what n would, with values in the storage of its factor as far as it goes.
func delayPivots(ctx context.Context, n *numeric, limit, held int64) (*Factor, error) {
	d := &delayed{Analysis: n.Analysis, a: n.a, shift: n.shift, scale: n.scale, limit: limit, held: held}
	d.front.kernels, d.front.vanish = n.kernels, n.vanish
	if err := d.fits(d.most()); err != nil {
		return nil, err
	}
	count := len(d.rowLo)
	d.local, d.kids, d.sib = make([]int32, d.n), make([]int32, count), make([]int32, count)
	d.left, d.levels = make([]remain, count), make([]int32, count)
	for p := range d.kids {
		d.kids[p] = none
	}
	s := &Analysis{n: d.n, nnz: d.nnz, ordering: d.ordering, first: []int32{0}, valueAt: []int{0}}
	s.perm, s.panelOf, d.pivot = make([]int32, 0, d.n), make([]int32, 0, d.n), make([]int32, d.n)
	d.factor = &Factor{symbolic: s, values: values{given: n.factor.values.own, split: -1}, pivots: newPivots(&Analysis{n: d.n})}
	for p := range int32(count) {
		if err := d.compute(ctx, p); err != nil {
			return nil, err
		}
	}
	d.finish()
	return d.factor, nil
}

// most is the largest memory of fronts and remainders if nothing is delayed, in bytes.
func (d *delayed) most() int64 {
	count := len(d.rowLo)
	left := make([]int64, count)
	var live, most int64
	for p := range int32(count) {
		rows, width := d.panel(p)
		rest := int64(len(rows) - width)
		most = max(most, live+int64(len(rows))*int64(width+ldw)+rest*rest)
		live += rest*rest - left[p]
		if up := d.above(p); up != none {
			left[up] += rest * rest
		}
	}
	return 8 * most
}

// fits refuses what would exceed the limit.
func (d *delayed) fits(more int64) error {
	if need := d.held + more + 64*int64(d.n); d.limit > 0 && need > d.limit {
		return &MemoryError{"the LDLᵀ factor, some of whose pivots have to be delayed,", need, d.limit, "raise the limit, or solve by an iterative method"}
	}
	return nil
}

// compute sums the front of panel p, eliminates its stable pivots, and leaves the rest to the panel above.
func (d *delayed) compute(ctx context.Context, p int32) error {
	own, width := d.panel(p)
	d.front.rows = append(d.front.rows[:0], own[:width]...)
	level := int32(0)
	for q := d.kids[p]; q != none; q = d.sib[q] {
		d.front.rows = append(d.front.rows, d.left[q].rows[:d.left[q].columns]...)
		level = max(level, d.levels[q]+1)
	}
	complete := len(d.front.rows)
	d.front.rows = append(d.front.rows, own[width:]...)
	height, rest := len(d.front.rows), len(own)-width
	size := int64(height)*int64(complete+ldw) + int64(rest)*int64(rest)
	if err := d.fits(8 * (d.live + size + int64(cap(d.factor.values.own)))); err != nil {
		return err
	}
	d.levels[p] = level
	for i, r := range d.front.rows {
		d.local[r] = int32(i)
	}
	a, square := make([]float64, height*complete), make([]float64, rest*rest)
	if err := d.assemble(p, a, complete); err != nil {
		return err
	}
	for q := d.kids[p]; q != none; q = d.sib[q] {
		d.add(&d.left[q], a, square, complete)
		d.live -= d.left[q].size()
		d.left[q] = remain{}
	}
	d.front.begin(a, complete)
	k, err := d.front.eliminate(ctx)
	if err != nil {
		return err
	}
	up := d.above(p)
	if up == none && k < complete {
		return fmt.Errorf("sparse: LDLᵀ factorisation: the pivot of row and column %d (counting from 0) is not finite: the entries overflow; scale the matrix to sizes near 1",
			d.perm[d.front.rows[k]])
	}
	d.keep(k, square)
	if up == none || height == k {
		return nil
	}
	l := remain{rows: append([]int32(nil), d.front.rows[k:]...), columns: complete - k, rest: square}
	l.of = make([]float64, len(l.rows)*l.columns)
	for i := range l.rows {
		copy(l.of[i*l.columns:(i+1)*l.columns], a[(k+i)*complete+k:(k+i+1)*complete])
	}
	d.live += l.size()
	d.left[p], d.sib[p], d.kids[up] = l, d.kids[up], p
	return nil
}

func (l *remain) size() int64 { return int64(len(l.of) + len(l.rest)) }

// assemble enters the columns of panel p of A + shift·I, scaled.
func (d *delayed) assemble(p int32, a []float64, complete int) error {
	rows, width := d.panel(p)
	for j, column := range rows[:width] {
		at := d.perm[column]
		own := 1.0
		if d.scale != nil {
			own = d.scale[at]
		}
		cols, vals := d.a.Row(int(at))
		a[j*complete+j] = d.shift
		for q, c := range cols {
			i := d.place[c]
			if i < column {
				continue
			}
			k := int(d.local[i])
			if k >= len(d.front.rows) || d.front.rows[k] != i {
				return fmt.Errorf("sparse: factorisation: entry (%d, %d) is not in the pattern analysed; analyse it anew", at, c)
			}
			if i == column {
				a[j*complete+j] += vals[q]
				continue
			}
			v := vals[q]
			if d.scale != nil {
				v = twoSided(v, own, d.scale[c])
			}
			a[k*complete+j] = v
		}
		a[j*complete+j] = twoSided(a[j*complete+j], own, own)
	}
	return nil
}

// add adds the remainder of a panel below to the front.
func (d *delayed) add(l *remain, a, square []float64, complete int) {
	rest := len(d.front.rows) - complete
	put := func(i, j int32, v float64) {
		if i < j {
			i, j = j, i
		}
		if int(j) < complete {
			a[int(i)*complete+int(j)] += v
		} else {
			square[(int(i)-complete)*rest+int(j)-complete] += v
		}
	}
	for i, r := range l.rows {
		at := d.local[r]
		for j := range min(i+1, l.columns) {
			put(at, d.local[l.rows[j]], l.of[i*l.columns+j])
		}
		if i -= l.columns; i < 0 {
			continue
		}
		row := l.rest[i*(len(l.rows)-l.columns):]
		for j, c := range l.rows[l.columns : l.columns+i+1] {
			put(at, d.local[c], row[j])
		}
	}
}

// keep writes the k columns eliminated to the factor, and subtracts their products from the square of the rows that were not complete.
func (d *delayed) keep(k int, square []float64) {
	if k == 0 {
		return
	}
	s, v, at := d.factor.symbolic, d.factor.pivots, len(d.factor.symbolic.perm)
	height, rest := len(d.front.rows), len(d.front.rows)-d.front.complete
	panel := d.grow(height * k)
	d.front.write(panel, k)
	var t trait
	for j, r := range d.front.rows[:k] {
		d.pivot[r] = int32(at + j)
		s.perm, s.panelOf = append(s.perm, d.perm[r]), append(s.panelOf, int32(len(s.rowLo)))
		v.order[at+j], v.swaps[at+j] = int32(j), int32(j)
		if d.front.kind[j] == firstOfTwo {
			t |= paired
		}
		if d.front.sign[j] < 0 {
			t |= negative
		} else {
			t |= positive
		}
	}
	copy(v.kind[at:], d.front.kind[:k])
	copy(v.sign[at:], d.front.sign[:k])
	copy(v.axes[at:], d.front.axes[:k])
	v.traits = append(v.traits, t)
	s.rowLo, s.rows = append(s.rowLo, len(s.rows)), append(s.rows, d.front.rows...)
	s.rowHi, s.first = append(s.rowHi, len(s.rows)), append(s.first, int32(at+k))
	s.tallest, s.widest = max(s.tallest, height-k), max(s.widest, k)
	for j := range k {
		c := float64(height - j)
		s.entries, s.flops = s.entries+int64(height-j), s.flops+c*c
	}
	const tall = 64
	below := panel[(height-rest)*k:]
	for r := 0; r < rest; r += tall {
		n := min(tall, rest-r)
		d.signed = grownOf(d.signed, n*k)
		for i := range n {
			blas.Multiply(d.signed[i*k:(i+1)*k], below[(r+i)*k:(r+i+1)*k], d.front.sign[:k])
		}
		d.front.kernels.Gemm(false, true, n, r+n, k, -1, d.signed, k, below, k, 1, square[r*rest:], rest)
	}
}

// grow returns room for n values after the factor's.
func (d *delayed) grow(size int) []float64 {
	v, s := &d.factor.values, d.factor.symbolic
	start := s.valueAt[len(s.valueAt)-1]
	s.valueAt = append(s.valueAt, start+size)
	if v.split < 0 {
		if start+size <= len(v.given) {
			return v.given[start : start+size]
		}
		v.split = int32(len(s.valueAt) - 2)
	}
	at := len(v.own)
	if need := at + size; need > cap(v.own) {
		own := make([]float64, at, max(need, at+at/2, len(v.given)/16))
		copy(own, v.own)
		v.own = own
	}
	v.own = v.own[:at+size]
	return v.own[at:]
}

// finish numbers the rows of all panels by their pivots.
func (d *delayed) finish() {
	f := d.factor
	s := f.symbolic
	s.place = make([]int32, s.n)
	for k, i := range s.perm {
		s.place[i] = int32(k)
	}
	for i, r := range s.rows {
		s.rows[i] = d.pivot[r]
	}
	if f.values.split < 0 {
		f.values.split = int32(len(s.rowLo))
	}
	d.ascend()
	for _, l := range d.levels {
		f.pivots.sums = max(f.pivots.sums, int(l))
	}
}

// ascend sorts the rows below the top of each panel, as those of an analysis are: delayed ones came first.
func (d *delayed) ascend() {
	f, s := d.factor, d.factor.symbolic
	var at []int
	var rows []int32
	var values []float64
	for p := range int32(len(s.rowLo)) {
		all, width := s.panel(p)
		below := all[width:]
		if slices.IsSorted(below) {
			continue
		}
		own := f.panelValues(p)[width*width:]
		rows, values = append(rows[:0], below...), append(values[:0], own...)
		at = grownOf(at, len(below))
		for i := range at {
			at[i] = i
		}
		slices.SortFunc(at, func(i, j int) int { return int(rows[i] - rows[j]) })
		for i, from := range at {
			below[i] = rows[from]
			copy(own[i*width:(i+1)*width], values[from*width:])
		}
	}
}
