package layout

import (
	"context"
	"math"
	"math/bits"
	"sort"

	"github.com/orthant-go/orthant/blas"
)

// tree is the tree of Barnes and Hut (1986) for maps of two or three columns: places in the order of a
// Morton curve, and cells that are ranges of them, each followed by the cells inside it. The places of
// a group share one walk.
type tree struct {
	morton
	axes   int
	sorted []float64 // the places along the curve
	cells  []cell
	groups []int32   // their cells
	lists  [][]mass  // what is near and far of a group, by worker
	parts  []float64 // of Z
}

// cell is a square or a cube with the places in it.
type cell struct {
	mean   mass
	square float64 // of its width; 0 for places that all but coincide
	lo, hi int32   // the places, in the order of the curve
	next   int32   // the first cell that is not inside
	leaf   bool
}

// mass is a number of places that count as one.
type mass struct{ x, y, z, count float64 }

const (
	maxLeaf        = 8  // places
	maxGroup       = 32 // places
	groupsTogether = 8  // that a worker takes at a time
	// coinciding is the width of a cell of the lowest level whose places count as one.
	coinciding = 1e-6
)

// build makes the tree of all places.
func (t *tree) build(at []float64, axes int) {
	t.axes = axes
	t.sortFlat(at, axes)
	t.sorted = resized(t.sorted, len(at))
	for k, i := range t.order {
		copy(t.sorted[axes*k:axes*(k+1)], at[axes*int(i):])
	}
	t.cells, t.groups = t.cells[:0], t.groups[:0]
	t.add(0, len(t.order), false)
}

// add appends the cell of a range of places and all cells inside it.
func (t *tree) add(lo, hi int, grouped bool) mass {
	at := len(t.cells)
	// Levels at which all places are in one part add nothing.
	level := 0
	if differ := t.codes[lo].code ^ t.codes[hi-1].code; differ != 0 {
		level = (bits.Len64(differ)-1)/t.axes + 1
	}
	width := math.Ldexp(t.width, level-t.levels)
	if level == 0 && width < coinciding {
		width = 0
	}
	leaf := level == 0 || hi-lo <= maxLeaf
	t.cells = append(t.cells, cell{square: float64(width * width), lo: int32(lo), hi: int32(hi), leaf: leaf})
	if !grouped && (leaf || hi-lo <= maxGroup) {
		t.groups = append(t.groups, int32(at))
		grouped = true
	}
	var sum mass
	if leaf {
		for k := lo; k < hi; k++ {
			sum.add(1, t.mass(k))
		}
	} else {
		shift := t.axes * (level - 1)
		for from := lo; from < hi; {
			part := t.codes[from].code >> shift
			to := from + 1 + sort.Search(hi-from-1, func(k int) bool { return t.codes[from+1+k].code>>shift != part })
			m := t.add(from, to, grouped)
			sum.add(m.count, m)
			from = to
		}
	}
	count := float64(hi - lo)
	mean := mass{sum.x / count, sum.y / count, sum.z / count, count}
	t.cells[at].mean, t.cells[at].next = mean, int32(len(t.cells))
	return mean
}

// mass is the place k of the curve.
func (t *tree) mass(k int) mass {
	if t.axes == 2 {
		return mass{t.sorted[2*k], t.sorted[2*k+1], 0, 1}
	}
	return mass{t.sorted[3*k], t.sorted[3*k+1], t.sorted[3*k+2], 1}
}

func (m *mass) add(c float64, p mass) {
	m.x += float64(c * p.x)
	m.y += float64(c * p.y)
	m.z += float64(c * p.z)
}

// sum fills push with Σ_j k² (y_i − y_j), and returns Z.
func (t *tree) sum(ctx context.Context, threads int, theta float64, at []float64, axes int, push []float64) (float64, error) {
	t.build(at, axes)
	if t.lists == nil {
		t.lists = make([][]mass, blas.Threads(threads))
	}
	t.parts = resized(t.parts, (len(t.groups)+groupsTogether-1)/groupsTogether)
	err := blas.For(ctx, threads, len(t.groups), groupsTogether, func(worker, lo, hi int) {
		var z float64
		for _, g := range t.groups[lo:hi] {
			c := &t.cells[g]
			t.lists[worker] = t.walk(c, theta, t.lists[worker][:0])
			for k := int(c.lo); k < int(c.hi); k++ {
				i := int(t.order[k])
				if axes == 2 {
					x, y, sum := pushes2(t.sorted[2*k], t.sorted[2*k+1], t.lists[worker])
					push[2*i], push[2*i+1] = x, y
					z += sum - 1 // of the place itself
				} else {
					x, y, d, sum := pushes3(t.sorted[3*k], t.sorted[3*k+1], t.sorted[3*k+2], t.lists[worker])
					push[3*i], push[3*i+1], push[3*i+2] = x, y, d
					z += sum - 1
				}
			}
		}
		t.parts[lo/groupsTogether] = z
	})
	var z float64
	for _, part := range t.parts {
		z += part
	}
	return z, err
}

// walk lists what the places of a group take instead of all places: cells that are narrow for their
// distance from the box around the group, and the places of leaves that are not.
func (t *tree) walk(group *cell, theta float64, list []mass) []mass {
	low := t.mass(int(group.lo))
	high := low
	for k := int(group.lo) + 1; k < int(group.hi); k++ {
		p := t.mass(k)
		low.x, high.x = min(low.x, p.x), max(high.x, p.x)
		low.y, high.y = min(low.y, p.y), max(high.y, p.y)
		low.z, high.z = min(low.z, p.z), max(high.z, p.z)
	}
	return t.around(low, high, theta, list)
}

// around lists what all places of a box take.
func (t *tree) around(low, high mass, theta float64, list []mass) []mass {
	limit := theta * theta
	for c := 0; c < len(t.cells); {
		cell := &t.cells[c]
		m := &cell.mean
		x, y, z := max(low.x-m.x, m.x-high.x, 0), max(low.y-m.y, m.y-high.y, 0), max(low.z-m.z, m.z-high.z, 0)
		s := float64(x*x) + float64(y*y) + float64(z*z)
		switch {
		case cell.square < limit*s || cell.square == 0:
			list = append(list, *m)
			c = int(cell.next)
		case cell.leaf:
			for k := int(cell.lo); k < int(cell.hi); k++ {
				list = append(list, t.mass(k))
			}
			c = int(cell.next)
		default:
			c++
		}
	}
	return list
}

// pushes2 sums k² times the difference, and k, over a list of masses in the plane.
func pushes2(x, y float64, list []mass) (px, py, z float64) {
	for k := range list {
		m := &list[k]
		dx, dy := x-m.x, y-m.y
		v := 1 / (1 + float64(dx*dx) + float64(dy*dy))
		w := float64(v * m.count)
		z += w
		w *= v
		px += float64(w * dx)
		py += float64(w * dy)
	}
	return px, py, z
}

// pushes3 is pushes2 in space.
func pushes3(x, y, z float64, list []mass) (px, py, pz, sum float64) {
	for k := range list {
		m := &list[k]
		dx, dy, dz := x-m.x, y-m.y, z-m.z
		v := 1 / (1 + float64(dx*dx) + float64(dy*dy) + float64(dz*dz))
		w := float64(v * m.count)
		sum += w
		w *= v
		px += float64(w * dx)
		py += float64(w * dy)
		pz += float64(w * dz)
	}
	return px, py, pz, sum
}
