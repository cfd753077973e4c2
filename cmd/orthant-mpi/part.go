//go:build mpi

package main

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// part are the own rows, followed, in ascending order, by the rows of others that their lists name.
type part struct {
	processes
	where spread
	own   int
	rows  []int32 // the number of each among all
	ask   []int   // how many of the others each process has
	give  []int   // how many of the own rows each process lists
	named []int32 // those rows, by place, process after process
}

// partOf begins a part with the lists of the own rows, by the numbers among all, which become
// places in the part.
func partOf(p processes, where spread, g *neighbors.Graph) *part {
	lo, hi := where.of(p.rank)
	a := &part{processes: p, where: where, own: hi - lo, ask: make([]int, p.size)}
	var others []int32
	for _, j := range g.Index {
		if int(j) < lo || int(j) >= hi {
			others = append(others, j)
		}
	}
	slices.Sort(others)
	others = slices.Compact(others)
	a.rows = make([]int32, 0, a.own+len(others))
	for i := lo; i < hi; i++ {
		a.rows = append(a.rows, int32(i))
	}
	a.rows = append(a.rows, others...)
	for _, j := range others {
		a.ask[where.owner(int(j))]++
	}
	a.named, a.give = exchange(p, others, a.ask, 1)
	for q := range a.named {
		a.named[q] -= int32(lo)
	}
	for q, j := range g.Index {
		g.Index[q] = a.place(j)
	}
	return a
}

// place is the place of a row in the part; −1: it is not there.
func (a *part) place(row int32) int32 {
	lo, hi := a.where.of(a.rank)
	if int(row) >= lo && int(row) < hi {
		return row - int32(lo)
	}
	at, found := slices.BinarySearch(a.rows[a.own:], row)
	if !found {
		return -1
	}
	return int32(a.own + at)
}

// fill gets the numbers of the others' rows, after the numbers of the own rows: this many per row.
func (a *part) fill(own []float64, cols int) []float64 {
	out := make([]float64, len(a.named)*cols)
	for q, i := range a.named {
		copy(out[q*cols:(q+1)*cols], own[int(i)*cols:])
	}
	in := exchanged(a.processes, out, a.give, a.ask, cols)
	return append(own[:a.own*cols:a.own*cols], in...)
}

// gather adds to the numbers of the own rows what all processes have for them, and leaves out
// the numbers of the others.
func (a *part) gather(all []float64) []float64 {
	in := exchanged(a.processes, all[a.own:], a.ask, a.give, 1)
	own := all[:a.own]
	for q, i := range a.named {
		own[i] += in[q]
	}
	return own
}

// back is an entry of a list, sent to the process of its other end.
type back struct {
	from, to int32 // numbers among all
	length   float64
}

// withBack appends, for each of the others, what it lists of the own rows.
func (a *part) withBack(g *neighbors.Graph) *neighbors.Graph {
	var all []back
	for i := range a.own {
		for q := g.Ptr[i]; q < g.Ptr[i+1]; q++ {
			if int(g.Index[q]) >= a.own {
				b := back{from: a.rows[i], to: a.rows[g.Index[q]]}
				if g.Dist != nil {
					b.length = g.Dist[q]
				}
				all = append(all, b)
			}
		}
	}
	slices.SortFunc(all, func(x, y back) int { return int(x.to) - int(y.to) })
	per := make([]int, a.size)
	for _, b := range all {
		per[a.where.owner(int(b.to))]++
	}
	in, _ := exchange(a.processes, all, per, 1)
	slices.SortStableFunc(in, func(x, y back) int { return int(x.from) - int(y.from) })
	full := &neighbors.Graph{Ptr: slices.Clone(g.Ptr), Index: slices.Clone(g.Index), Dist: slices.Clone(g.Dist)}
	at := 0
	for _, row := range a.rows[a.own:] {
		for ; at < len(in) && in[at].from <= row; at++ {
			if in[at].from == row { // else that row is in none of the own lists
				full.Index = append(full.Index, a.place(in[at].to))
				if g.Dist != nil {
					full.Dist = append(full.Dist, in[at].length)
				}
			}
		}
		full.Ptr = append(full.Ptr, len(full.Index))
	}
	return full
}

// shared is the part as the engine takes it.
func (a *part) shared(x []float64, cols int, g *neighbors.Graph) engine.SharedPart {
	s := engine.SharedPart{Rows: a.rows, Own: a.own, Graph: g}
	if cols > 0 && len(a.rows) > 0 {
		s.X = mat.NewDense(len(a.rows), cols, a.fill(x, cols))
	} else if cols > 0 {
		a.fill(x, cols)
	}
	return s
}

// components are the sizes, descending, of the pieces of the union graph of all processes, on
// process 0; others get nothing. Each sends a forest of its own entries.
func (a *part) components(g *neighbors.Graph) []int {
	own := sparse.NewDisjoint(len(a.rows))
	for i := range a.own {
		for _, j := range g.Of(i) {
			own.Connect(int32(i), j)
		}
	}
	var edges []int32 // pairs
	for i := range a.rows {
		if root := own.Find(int32(i)); int(root) != i {
			edges = append(edges, a.rows[i], a.rows[root])
		}
	}
	if a.rank > 0 {
		send(0, []int64{int64(len(edges))})
		send(0, edges)
		return nil
	}
	whole := sparse.NewDisjoint(a.where.all())
	for from := range a.size {
		if from > 0 {
			n := make([]int64, 1)
			receive(from, n)
			edges = make([]int32, n[0])
			receive(from, edges)
		}
		for q := 0; q < len(edges); q += 2 {
			whole.Connect(edges[q], edges[q+1])
		}
	}
	_, sizes := whole.Labels()
	slices.SortFunc(sizes, func(x, y int) int { return y - x })
	return sizes
}

// duplicates counts the rows of all processes that equal another one before them: rows of
// equal hash meet on one process, which compares the hashes alone.
func (a *part) duplicates(x []float64, cols int, hash func(row []float64) [2]uint64) int {
	keys := make([][2]uint64, a.own)
	for i := range keys {
		keys[i] = hash(x[i*cols : (i+1)*cols])
	}
	slices.SortFunc(keys, func(x, y [2]uint64) int {
		return int(x[0]%uint64(a.size)) - int(y[0]%uint64(a.size))
	})
	per := make([]int, a.size)
	for _, k := range keys {
		per[k[0]%uint64(a.size)]++
	}
	in, _ := exchange(a.processes, keys, per, 1)
	slices.SortFunc(in, func(x, y [2]uint64) int {
		if x[0] != y[0] {
			if x[0] < y[0] {
				return -1
			}
			return 1
		}
		if x[1] < y[1] {
			return -1
		} else if x[1] > y[1] {
			return 1
		}
		return 0
	})
	return int(a.counts(sum, int64(len(in)-len(slices.Compact(slices.Clone(in)))))[0])
}
