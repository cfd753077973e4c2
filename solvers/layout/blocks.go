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
	mostBlocks  = 64   // a multiple of 4; 16 workers have a tile each
	leastOfPart = 1024 // vertices of a block
)

// newBlocks divides the vertices at the rows of y. Within a block their order is random, as steps that
// go along the map keep neighbours worse.
func newBlocks(y *mat.Dense, seed uint64) blocks {
	n, _ := y.Dims()
	count := min(n/leastOfPart&^3, mostBlocks)
	if count == 0 {
		count = 1
	}
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

// number is that of the tile of two blocks.
func (b *blocks) number(c, d int) int {
	c, d = min(c, d), max(c, d)
	return d*(d+1)/2 + c
}

// round is what the workers do at a time: tiles of which no two share a block. Negatives are drawn
// from the idle blocks, which are in none of them and which nobody moves meanwhile, and from those of
// the tile.
type round struct {
	tiles []int
	idle  []int
}

// rounds are all pairs of blocks, and each block with itself: half rounds of a tournament, in an order
// that is drawn for each epoch, so that no block is always idle where another is not.
func (b *blocks) rounds(seed uint64, epoch int) []round {
	count := b.count()
	if count == 1 {
		return []round{{tiles: []int{0}}}
	}
	stream := blas.NewStream(seed ^ uint64(epoch)<<32 ^ 0x726F756E64)
	seat := make([]int, count)
	for c := range seat {
		d := stream.Below(c + 1)
		seat[c], seat[d] = seat[d], c
	}
	half := count / 2
	all := []round{{idle: seat[half:]}, {idle: seat[:half]}}
	for k, c := range seat {
		all[k/half].tiles = append(all[k/half].tiles, b.number(c, c))
	}
	circle := count - 1
	for r := range circle {
		var halves [2]round
		for k := range half {
			c, d := seat[(r+k)%circle], seat[(r+circle-k)%circle]
			if k == 0 {
				d = seat[circle]
			}
			own := k / (half / 2)
			halves[own].tiles = append(halves[own].tiles, b.number(c, d))
			halves[1-own].idle = append(halves[1-own].idle, c, d)
		}
		all = append(all, halves[0], halves[1])
	}
	return all
}

// tile has the edges between two blocks, or within one.
type tile struct {
	number int
	blocks []int // one or two
	edges  []timedEdge
}

// timedEdge joins two places. It counts in the first epoch from next on, and then every period epochs.
type timedEdge struct {
	i, j         int32
	period, next float32
}

// tilesOf puts the edges of a graph into tiles, in the order of its rows.
func (b *blocks) tilesOf(w *sparse.CSR, epochs int) []tile {
	tiles := make([]tile, b.count()*(b.count()+1)/2)
	for d := range b.count() {
		for c := range d + 1 {
			t := &tiles[b.number(c, d)]
			t.number, t.blocks = b.number(c, d), []int{c, d}
			if c == d {
				t.blocks = t.blocks[:1]
			}
		}
	}
	var most float64
	for i := range w.Rows {
		cols, vals := w.Row(i)
		for q, v := range vals {
			if int(cols[q]) != i {
				most = max(most, v)
			}
		}
	}
	each := func(put func(t *tile, i, j int32, period float64)) {
		for p, i := range b.order {
			cols, vals := w.Row(int(i))
			for q, j := range cols {
				other := b.place[j]
				if int32(p) < other && vals[q] > 0 && most/vals[q] <= float64(epochs) {
					put(&tiles[b.number(int(b.of[p]), int(b.of[other]))], int32(p), other, most/vals[q])
				}
			}
		}
	}
	sizes := make([]int, len(tiles))
	each(func(t *tile, _, _ int32, _ float64) { sizes[t.number]++ })
	for k := range tiles {
		tiles[k].edges = make([]timedEdge, 0, sizes[k])
	}
	each(func(t *tile, i, j int32, period float64) {
		t.edges = append(t.edges, timedEdge{i, j, float32(period), float32(period)})
	})
	return tiles
}

// draws are the negatives of a tile in half an epoch, which follow from the seed, the half and the tile.
type draws struct {
	random    *blas.Stream
	ptr       []int
	own, idle []int
}

func (l *umapLayout) newDraws(t *tile, idle []int, half int) draws {
	return draws{blas.NewStream(l.Seed ^ uint64(half)<<32 ^ uint64(t.number+1)<<8), l.blocks.ptr, t.blocks, idle}
}

// place is the next. All have the same probability over the epochs, as each block is idle in as many
// rounds: the own blocks have theirs, and what is left is that of the idle ones.
func (d *draws) place() int {
	bits := d.random.Uint64()
	count := uint64(len(d.ptr) - 1)
	part := bits >> 32 * count
	var b int
	if k := part >> 32; k < uint64(len(d.own)) {
		b = d.own[k]
	} else {
		b = d.idle[part&math.MaxUint32*uint64(len(d.idle))>>32]
	}
	lo := d.ptr[b]
	return lo + int(bits&math.MaxUint32*uint64(d.ptr[b+1]-lo)>>32)
}
