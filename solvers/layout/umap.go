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
	if err := check(w, y); err != nil {
		return err
	}
	if !(u.Curve.A > 0 && u.Curve.B > 0) || u.Epochs < 1 {
		return fmt.Errorf("layout: a curve with A = %v and B = %v, and %d epochs; give numbers above 0, of NewCurve", u.Curve.A, u.Curve.B, u.Epochs)
	}
	u = u.withDefaults()
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

func (u UMAP) withDefaults() UMAP {
	if u.Negatives == 0 {
		u.Negatives = 5
	}
	if u.Repulsion == 0 {
		u.Repulsion = 1
	}
	if u.Rate == 0 {
		u.Rate = 1
	}
	return u
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
