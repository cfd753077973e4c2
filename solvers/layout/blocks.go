package layout

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// blocks divide the vertices into parts of about the same size, whose vertices are near each other
// at the start. Most edges of a vertex are then within its block, and their steps follow each other:
// this keeps neighbours better than steps along edges in a random order.
type blocks struct {
	order []int32 // the vertices, block after block
	place []int32 // of each vertex in the order
	of    []int32 // the block of each place
	ptr   []int   // block b is order[ptr[b]:ptr[b+1]]
}

const (
	minBlock  = 1024 // vertices of a block
	maxBlocks = 64   // half of them have a worker each

	// Up to fewBlocks a block has minBlock vertices, beyond it largeBlock: each round of blocks
	// has a worker wait for the others, and moves places from one processor's cache to another's.
	fewBlocks  = 16
	largeBlock = 8192
)

// newBlocks divides the vertices at the rows of y. Within a block their order is random, as steps that
// go along the map keep neighbours worse.
func newBlocks(y *mat.Dense, seed uint64) blocks {
	n, _ := y.Dims()
	count := max(min(n/minBlock, max(n/largeBlock, fewBlocks), maxBlocks)&^1, 1)
	var along tree
	along.sort(placesOf(y))
	b := blocks{order: along.order, place: make([]int32, n), of: make([]int32, n), ptr: make([]int, count+1)}
	stream := blas.NewStream(seed ^ 0x626C6F636B)
	for c := range count {
		b.ptr[c+1] = n * (c + 1) / count
		for p := b.ptr[c+1] - 1; p > b.ptr[c]; p-- {
			q := b.ptr[c] + stream.Below(p+1-b.ptr[c])
			b.order[p], b.order[q] = b.order[q], b.order[p]
		}
		for p := b.ptr[c]; p < b.ptr[c+1]; p++ {
			b.place[b.order[p]], b.of[p] = int32(p), int32(c)
		}
	}
	return b
}

// count is the number of blocks.
func (b *blocks) count() int { return len(b.ptr) - 1 }

// number is the number of the tile of two blocks.
func (b *blocks) number(c, d int) int {
	c, d = min(c, d), max(c, d)
	return d*(d+1)/2 + c
}

// tile has the edges between two blocks, or within one.
type tile struct {
	edges []timedEdge
	fired []ends // of the edges that count in the epoch under way
	// Their periods, if anybody needs them.
	periods []float32
}

// timedEdge joins two places. It counts in the first epoch from next on, and then every period epochs.
type timedEdge struct {
	ends
	period, next float32
}

// ends are the two places that an edge joins.
type ends struct{ i, j int32 }

// fire finds the edges that count in an epoch, without a branch that nobody could predict.
func (t *tile) fire(epoch float32) {
	fired := t.fired[:len(t.edges)]
	now, k := int32(math.Float32bits(epoch)), 0
	for i := range t.edges {
		e := &t.edges[i]
		fired[k] = e.ends
		if t.periods != nil {
			t.periods[k] = e.period
		}
		// Bits of floats above 0 are in their order: −1 where next ≤ epoch, else 0.
		counts := (int32(math.Float32bits(e.next)) - now - 1) >> 31
		e.next += math.Float32frombits(math.Float32bits(e.period) & uint32(counts))
		k -= int(counts)
	}
	t.fired = fired[:k]
}

// maxWeight is the largest weight of an edge.
func maxWeight(w *sparse.CSR) float64 {
	var most float64
	for i := range w.Rows {
		cols, vals := w.Row(i)
		for q, v := range vals {
			if int(cols[q]) != i {
				most = max(most, v)
			}
		}
	}
	return most
}

// tilesOf puts the edges of a graph into tiles, in the order of its rows.
func (b *blocks) tilesOf(w *sparse.CSR, epochs int) []tile {
	tiles := make([]tile, b.count()*(b.count()+1)/2)
	most := maxWeight(w)
	each := func(put func(tile int, i, j int32, period float64)) {
		for p, i := range b.order {
			cols, vals := w.Row(int(i))
			for q, j := range cols {
				other := b.place[j]
				if int32(p) < other && vals[q] > 0 && most/vals[q] <= float64(epochs) {
					put(b.number(int(b.of[p]), int(b.of[other])), int32(p), other, most/vals[q])
				}
			}
		}
	}
	sizes := make([]int, len(tiles))
	each(func(tile int, _, _ int32, _ float64) { sizes[tile]++ })
	for k := range tiles {
		tiles[k].edges, tiles[k].fired = make([]timedEdge, 0, sizes[k]), make([]ends, 0, sizes[k])
	}
	each(func(tile int, i, j int32, period float64) {
		t := &tiles[tile]
		t.edges = append(t.edges, timedEdge{ends{i, j}, float32(period), float32(period)})
	})
	return tiles
}
