package neighbors

import (
	"math"
	mathbits "math/bits"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// queryBlock is the search of a block of queries, and one worker's scratch.
type queryBlock[T float32 | float64] struct {
	p     *prepared[T]
	index *Index
	part  Points

	centred  []float64
	rows     []T // the same, scaled and rounded
	products []T
	found    []nearest
	length   []float64 // ‖x̃‖²/2 of each query, scaled
	reach    []T       // see [prepared]
	far      []bool    // beyond what products compare
	best     []T
	mask     [blockRows / 64]uint64
}

// search fills the lists of the queries, which are those of g from first on. It
// returns how many pairs it measured behind the first block of samples.
func (b *queryBlock[T]) search(p *prepared[T], index *Index, part Points, g *Graph, first int) (later int) {
	b.p, b.index, b.part = p, index, part
	b.begin(g, first)
	m, n := part.M, index.reference.N
	for at := 0; at < n; at += blockRows {
		width := min(blockRows, n-at)
		p.multiply(part.N, width, m, b.rows, p.centred[at*m:], b.products)
		for i := range part.N {
			if b.far[i] {
				continue
			}
			row, half := b.products[i*width:(i+1)*width], p.half[at:at+width]
			if at == 0 {
				b.guess(i, row, half)
			}
			if count := b.scan(i, at, row, half); at > 0 {
				later += count
			}
		}
	}
	for i := range b.found {
		if b.far[i] {
			for j := range n {
				b.measure(i, j)
			}
		}
		b.found[i].finish()
	}
	return later
}

// begin centres and scales the queries.
func (b *queryBlock[T]) begin(g *Graph, first int) {
	p, n, m := b.p, b.part.N, b.part.M
	b.centred, b.rows = slices.Grow(b.centred[:0], m)[:m], slices.Grow(b.rows[:0], n*m)[:n*m]
	b.products = slices.Grow(b.products[:0], n*blockRows)[:n*blockRows]
	b.found, b.far = slices.Grow(b.found[:0], n)[:n], slices.Grow(b.far[:0], n)[:n]
	b.length, b.reach = slices.Grow(b.length[:0], n)[:n], slices.Grow(b.reach[:0], n)[:n]
	factor := math.Sqrt(p.scale) // a power of two
	for i := range n {
		for c, v := range b.part.Row(i) {
			b.centred[c] = v - b.index.mean[c]
		}
		b.length[i] = blas.Dot(b.centred, b.centred) / 2 * p.scale
		b.far[i] = b.length[i] > p.limit
		row := b.rows[i*m : (i+1)*m]
		if b.far[i] {
			clear(row)
		} else {
			for c, v := range b.centred {
				row[c] = T(v * factor)
			}
		}
		b.found[i], b.reach[i] = g.list(first+i), T(math.Inf(-1))
	}
}

// guess raises the reach of query i to what the products with the first block of
// samples promise: k of those samples are no further away than the k-th best
// product says, whatever the rounding, so that few of the others need measuring.
// By the bounds of [singleSearch], a pair whose product exceeds half[j] by v has
// a scaled d²/2 of at most A(1 + 2μ) + 4μB − v, where A and B are ‖x̃‖²/2 of the
// query and of the sample and μ is the margin; the threshold is then
// v − 4μ(A + B), and twice that margin is taken.
func (b *queryBlock[T]) guess(i int, row, half []T) {
	k := len(b.found[i].square)
	if k > insertionLimit || 2*k > len(row) {
		return
	}
	best := b.best[:0] // the k largest, descending
	for q, v := range row {
		v -= half[q]
		if len(best) == k && v <= best[k-1] {
			continue
		}
		if len(best) < k {
			best = append(best, v)
		}
		at := len(best) - 1
		for at > 0 && best[at-1] < v {
			best[at] = best[at-1]
			at--
		}
		best[at] = v
	}
	b.best = best
	b.reach[i] = down[T](float64(best[k-1]) - 8*b.p.margin*(b.length[i]+b.p.longest) - 4*b.p.tiny)
}

// scan measures the pairs of query i with the samples from lo on whose products
// reach far enough. The list tightens on the way, so each pair is asked anew.
func (b *queryBlock[T]) scan(i, lo int, row, half []T) (count int) {
	if !b.p.candidates(b.mask[:], row, half, b.p.never[:len(row)], 0, b.reach[i]) {
		return 0
	}
	for word := range (len(row) + 63) / 64 {
		for bits := b.mask[word]; bits != 0; bits &= bits - 1 {
			q := word*64 + mathbits.TrailingZeros64(bits)
			if row[q]-half[q] >= b.reach[i] {
				b.measure(i, lo+q)
				count++
			}
		}
	}
	return count
}

// measure offers sample j to the list of query i at its exact distance.
func (b *queryBlock[T]) measure(i, j int) {
	found := &b.found[i]
	if found.closed(int32(j)) {
		return
	}
	found.offer(blas.SquaredDistance(b.part.Row(i), b.index.reference.Row(j)), int32(j))
	if found.full() && !b.far[i] {
		p := b.p
		b.reach[i] = max(b.reach[i], down[T](b.length[i]*(1-2*p.margin)-p.tiny-found.bound()*p.scale/2))
	}
}

// down is the largest T not above x.
func down[T float32 | float64](x float64) T {
	y := T(x)
	if float64(y) > x {
		y = T(math.Nextafter32(float32(y), float32(math.Inf(-1))))
	}
	return y
}
