package layout

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// UMAP is the layout of UMAP (McInnes, Healy and Melville 2018, section 3.2): vertices that an edge
// joins attract each other, and each attraction of a vertex comes with repulsions by some others that
// are drawn at random,
//
//	Σ over edges of v·log(1 + A·d^(2B)) − Σ over draws of log(1 − 1/(1 + A·d^(2B))).
//
// An edge of weight v counts in v/max(v) of the epochs; those of less than one epoch never count.
// O(Epochs · edges · (1 + Negatives) · columns).
type UMAP struct {
	Curve     Curve
	Epochs    int
	Negatives int     // repulsions for an attraction; 0: 5
	Repulsion float64 // their weight; 0: 1
	Rate      float64 // of the steps in the first epoch, from which it falls linearly to 0; 0: 1
	Seed      uint64
	Threads   int // 0: all cores; it changes no bit
	Progress  func(done float64)
}

// Arrange moves the rows of y, the start, by the graph w, which is symmetric with weights ≥ 0. Its
// diagonal does not count. When ctx is cancelled, y is left as it is then.
func (u UMAP) Arrange(ctx context.Context, w *sparse.CSR, y *mat.Dense) error {
	n, dim := y.Dims()
	if w.Rows != n || w.Cols != n {
		return fmt.Errorf("layout: a graph of %d × %d for %d rows of coordinates", w.Rows, w.Cols, n)
	}
	if u.Negatives == 0 {
		u.Negatives = 5
	}
	if u.Repulsion == 0 {
		u.Repulsion = 1
	}
	if u.Rate == 0 {
		u.Rate = 1
	}
	b := newBlocks(y, u.Seed)
	t := b.tilesOf(w, u.Epochs)
	// Places by block: those of a pair of blocks are near each other in memory.
	at := make([]float64, n*dim)
	for p, i := range b.order {
		copy(at[p*dim:(p+1)*dim], y.RawRowView(int(i)))
	}
	l := &umapLayout{UMAP: u, dim: dim, at: at, blocks: b, tiles: t,
		attraction: newForce(u.Curve.attraction), repulsion: newForce(func(s float64) float64 { return u.Repulsion * u.Curve.repulsion(s) })}
	err := l.run(ctx)
	for p, i := range b.order {
		copy(y.RawRowView(int(i)), at[p*dim:(p+1)*dim])
	}
	return err
}

// umapLayout is one Arrange under way.
type umapLayout struct {
	UMAP
	dim                   int
	at                    []float64 // n × dim, by block
	blocks                blocks
	tiles                 []tile
	attraction, repulsion force
}

func (l *umapLayout) run(ctx context.Context) error {
	for epoch := 1; epoch <= l.Epochs; epoch++ {
		rate := l.Rate * (1 - float64(epoch-1)/float64(l.Epochs))
		// Each edge attracts both ends from either. One right after the other would throw near places
		// past each other.
		for from := range 2 {
			half := 2*epoch + from
			for _, round := range l.blocks.rounds(l.Seed, half) {
				err := blas.For(ctx, l.Threads, len(round.tiles), 1, func(_, lo, hi int) {
					for _, of := range round.tiles[lo:hi] {
						l.step(&l.tiles[of], round.idle, half, rate)
					}
				})
				if err != nil {
					return err
				}
			}
		}
		if l.Progress != nil {
			l.Progress(float64(epoch) / float64(l.Epochs))
		}
	}
	return nil
}

// step takes the edges of a tile that count in half an epoch, from their first ends in the first half.
// No other worker reads or writes the places of its two blocks meanwhile, nor writes the idle ones.
func (l *umapLayout) step(t *tile, idle []int, half int, rate float64) {
	draws := l.newDraws(t, idle, half)
	now, second := float32(half/2), half%2 == 1
	for e := range t.edges {
		edge := &t.edges[e]
		if edge.next > now {
			continue
		}
		i, j := int(edge.i), int(edge.j)
		if second {
			edge.next += edge.period
			i, j = j, i
		}
		if l.dim == 2 {
			l.attract2(i, j, rate)
			l.repel2(i, &draws, rate)
		} else {
			l.attract(i, j, rate)
			l.repel(i, &draws, rate)
		}
	}
}

// clipped bounds a component of a step, as the distances of far places, or of very near ones, would
// make it as large as the map.
func clipped(v float64) float64 { return min(max(v, -4), 4) }

// attract2 moves two places of two columns towards each other.
func (l *umapLayout) attract2(i, j int, rate float64) {
	p, q := l.at[2*i:2*i+2:2*i+2], l.at[2*j:2*j+2:2*j+2]
	x, y := p[0]-q[0], p[1]-q[1]
	c := l.attraction.at(float64(x*x) + float64(y*y))
	x, y = float64(rate*clipped(c*x)), float64(rate*clipped(c*y))
	p[0] += x
	p[1] += y
	q[0] -= x
	q[1] -= y
}

// repel2 moves a place of two columns away from others of the two blocks.
func (l *umapLayout) repel2(i int, draws *draws, rate float64) {
	a, b := l.at[2*i], l.at[2*i+1]
	for range l.Negatives {
		k := draws.place()
		x, y := a-l.at[2*k], b-l.at[2*k+1]
		if s := float64(x*x) + float64(y*y); s > 0 {
			c := l.repulsion.at(s)
			a += float64(rate * clipped(c*x))
			b += float64(rate * clipped(c*y))
		}
	}
	l.at[2*i], l.at[2*i+1] = a, b
}

// attract is attract2 for any number of columns.
func (l *umapLayout) attract(i, j int, rate float64) {
	p, q := l.at[i*l.dim:(i+1)*l.dim], l.at[j*l.dim:(j+1)*l.dim]
	c := l.attraction.at(blas.SquaredDistance(p, q))
	for k := range p {
		step := float64(rate * clipped(c*(p[k]-q[k])))
		p[k] += step
		q[k] -= step
	}
}

// repel is repel2 for any number of columns.
func (l *umapLayout) repel(i int, draws *draws, rate float64) {
	p := l.at[i*l.dim : (i+1)*l.dim]
	for range l.Negatives {
		j := draws.place()
		q := l.at[j*l.dim : (j+1)*l.dim]
		if s := blas.SquaredDistance(p, q); s > 0 {
			c := l.repulsion.at(s)
			for k := range p {
				p[k] += float64(rate * clipped(c*(p[k]-q[k])))
			}
		}
	}
}

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
	n, dim := y.Dims()
	count := min(n/leastOfPart&^3, mostBlocks)
	if count == 0 {
		count = 1
	}
	places := make([]place, n)
	for i := range places {
		copy(places[i][:], y.RawRowView(i)[:min(dim, 3)])
	}
	var along tree
	along.sort(places)
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

// CrossEntropy is what [UMAP] lowers, over all pairs of the n rows of y:
//
//	Σ over pairs of −v·log(q) − (1 − v)·log(1 − q),   q = 1/(1 + A·d^(2B)),
//
// with 1 − q no less than 1e-4, so that coinciding places count finitely. O(n² · columns).
func (c Curve) CrossEntropy(ctx context.Context, threads int, w *sparse.CSR, y *mat.Dense) (float64, error) {
	n, _ := y.Dims()
	const rows = 64
	sums := make([]float64, (n+rows-1)/rows)
	err := blas.For(ctx, threads, n, rows, func(_, lo, hi int) {
		weights := make([]float64, n)
		var sum float64
		for i := lo; i < hi; i++ {
			cols, vals := w.Row(i)
			for q, j := range cols {
				weights[j] = vals[q]
			}
			for j := range i {
				q := 1 / (1 + c.A*math.Pow(blas.SquaredDistance(y.RawRowView(i), y.RawRowView(j)), c.B))
				sum -= float64((1 - weights[j]) * math.Log(max(1-q, 1e-4)))
				if weights[j] > 0 {
					sum -= float64(weights[j] * math.Log(q))
				}
			}
			for _, j := range cols {
				weights[j] = 0
			}
		}
		sums[lo/rows] = sum
	})
	var total float64
	for _, s := range sums {
		total += s
	}
	return total, err
}
