package layout

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// place is a vertex's coordinates, zeros behind those that the map has.
type place [mostColumns]float64

// mostColumns is the number of columns that a tree can have.
const mostColumns = 3

// placesOf are the rows of y, of which the columns beyond mostColumns are left out.
func placesOf(y *mat.Dense) []place {
	n, dim := y.Dims()
	places := make([]place, n)
	for i := range places {
		copy(places[i][:], y.RawRowView(i)[:min(dim, mostColumns)])
	}
	return places
}

func (p place) minus(q place) place { return place{p[0] - q[0], p[1] - q[1], p[2] - q[2]} }

func (p place) squared() float64 {
	return float64(p[0]*p[0]) + float64(p[1]*p[1]) + float64(p[2]*p[2])
}

// add adds c·d.
func (p *place) add(c float64, d place) {
	p[0] += float64(c * d[0])
	p[1] += float64(c * d[1])
	p[2] += float64(c * d[2])
}

// tree is that of Barnes and Hut (1986): places in the order of a Morton curve, and cells that are
// ranges of them, each followed by the cells inside it.
type tree struct {
	order  []int32 // the vertices along the curve
	sorted []place // their places
	codes  []coded
	cells  []cell
	width  float64 // of the whole
}

// coded is a vertex with its place on the curve.
type coded struct {
	code uint64
	i    int32
}

// cell is a cube with the places in it.
type cell struct {
	mean   place
	square float64 // of its width
	lo, hi int32   // the places, in the order of the curve
	next   int32   // the first cell that is not inside
	leaf   bool
}

const (
	levels  = 21 // of the curve: bits of a coordinate
	mostFew = 4  // places of a leaf
)

// build makes the tree of all places.
func (t *tree) build(places []place) {
	t.sort(places)
	t.cells = t.cells[:0]
	t.add(0, len(places))
}

// sort puts the places in the order of the curve.
func (t *tree) sort(places []place) {
	n := len(places)
	if t.codes == nil {
		t.codes, t.order, t.sorted = make([]coded, n), make([]int32, n), make([]place, n)
	}
	low, high := places[0], places[0]
	for _, p := range places {
		for k := range p {
			low[k], high[k] = min(low[k], p[k]), max(high[k], p[k])
		}
	}
	t.width = math.SmallestNonzeroFloat64
	for k := range low {
		t.width = max(t.width, high[k]-low[k])
	}
	scale := (1<<levels - 1) / t.width
	for i, p := range places {
		var code uint64
		for k := range p {
			code |= spread(uint64((p[k]-low[k])*scale)) << k
		}
		t.codes[i] = coded{code, int32(i)}
	}
	slices.SortFunc(t.codes, func(a, b coded) int {
		if c := cmp.Compare(a.code, b.code); c != 0 {
			return c
		}
		return cmp.Compare(a.i, b.i)
	})
	for at, c := range t.codes {
		t.order[at], t.sorted[at] = c.i, places[c.i]
	}
}

// spread puts two zeros behind every bit of 21.
func spread(x uint64) uint64 {
	x = (x | x<<32) & 0x1f00000000ffff
	x = (x | x<<16) & 0x1f0000ff0000ff
	x = (x | x<<8) & 0x100f00f00f00f00f
	x = (x | x<<4) & 0x10c30c30c30c30c3
	return (x | x<<2) & 0x1249249249249249
}

// add appends the cell of a range of places and all cells inside it.
func (t *tree) add(lo, hi int) {
	at := len(t.cells)
	// Levels at which all places are in one octant add nothing.
	level := 0
	if differ := t.codes[lo].code ^ t.codes[hi-1].code; differ != 0 {
		level = (bits.Len64(differ)-1)/3 + 1
	}
	width := math.Ldexp(t.width, level-levels)
	c := cell{square: float64(width * width), lo: int32(lo), hi: int32(hi), leaf: level == 0 || hi-lo <= mostFew}
	for _, p := range t.sorted[lo:hi] {
		c.mean.add(1/float64(hi-lo), p)
	}
	t.cells = append(t.cells, c)
	if !c.leaf {
		shift := 3 * (level - 1)
		for from := lo; from < hi; {
			octant := t.codes[from].code >> shift
			to := from + 1
			for to < hi && t.codes[to].code>>shift == octant {
				to++
			}
			t.add(from, to)
			from = to
		}
	}
	t.cells[at].next = int32(len(t.cells))
}

// walk sums over all others of a place along the curve: k² times the difference, and k.
func (t *tree) walk(at int, theta float64) (push place, z float64) {
	p, limit := t.sorted[at], theta*theta
	for c := 0; c < len(t.cells); {
		cell := &t.cells[c]
		d := p.minus(cell.mean)
		s := d.squared()
		switch {
		case cell.square < limit*s && !(int(cell.lo) <= at && at < int(cell.hi)):
			k := 1 / (1 + s)
			weight := float64(k * float64(cell.hi-cell.lo))
			z += weight
			push.add(weight*k, d)
			c = int(cell.next)
		case cell.leaf:
			for j := int(cell.lo); j < int(cell.hi); j++ {
				if j != at {
					d := p.minus(t.sorted[j])
					k := 1 / (1 + d.squared())
					z += k
					push.add(k*k, d)
				}
			}
			c = int(cell.next)
		default:
			c++
		}
	}
	return push, z
}
