package layout

import (
	"context"
	"fmt"
	"math/bits"

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
// An edge of weight v counts in v/max(v) of the epochs; edges of less than one epoch never count.
// O(Epochs · edges · (1 + Negatives) · columns).
type UMAP struct {
	Curve     Curve
	Epochs    int
	Negatives int     // repulsions for an attraction; 0: 5
	Repulsion float64 // their weight; 0: 1
	Rate      float64 // of the steps in the first epoch, from which it falls linearly to 0; 0: 1
	Seed      uint64
	Threads   int        // 0: all cores; it changes no bit
	Density   *Density   // the local radii of the original space, which the map keeps; nil: it keeps none
	Reference *Reference // nil: none
	Progress  func(done float64)
	// Objective, unless nil, is given what the steps lower on average after some 20 of the epochs, the last
	// of which is one: the cross-entropy with the weights that draws give to repulsions (Damrich and
	// Hamprecht 2021), all edges of it, and an estimate of the other pairs. A density or a reference does not count in it.
	Objective func(epoch int, value float64)
}

// Arrange moves the rows of y, the start, by the graph w, which is symmetric with weights ≥ 0. Its
// diagonal does not count. When ctx is cancelled, y is left as it is then.
func (u UMAP) Arrange(ctx context.Context, w *sparse.CSR, y *mat.Dense) error {
	_, dim := y.Dims()
	if err := check(w, y); err != nil {
		return err
	}
	if !(u.Curve.A > 0 && u.Curve.B > 0) || u.Epochs < 1 {
		return fmt.Errorf("layout: a curve with A = %v and B = %v, and %d epochs; give numbers above 0, of NewCurve", u.Curve.A, u.Curve.B, u.Epochs)
	}
	u = u.withDefaults()
	b := newBlocks(y, u.Seed)
	at, err := single(y, b.order)
	if err != nil {
		return err
	}
	l := &umapLayout{UMAP: u, dim: dim, at: at, before: make([]float32, len(at)), blocks: b, tiles: b.tilesOf(w, u.Epochs),
		attraction: newForce(u.Curve.attraction), repulsion: newForce(func(s float64) float64 { return u.Repulsion * u.Curve.repulsion(s) })}
	if u.Density != nil {
		if l.density, err = newDensity(*u.Density, u.Curve, w, &l.blocks, u.Epochs); err != nil {
			return err
		}
		for k := range l.tiles {
			l.tiles[k].periods = make([]float32, len(l.tiles[k].edges))
		}
	}
	if l.held, err = holdAll[float32](u.Reference, y, b.order); err != nil {
		return err
	}
	if u.Objective != nil {
		l.entropy = newEntropy(u, w, &l.blocks)
	}
	err = l.run(ctx)
	double(y, b.order, at)
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

// umapLayout is one Arrange under way. Places are in single precision, block after block: the places of two
// blocks are near each other in memory.
type umapLayout struct {
	UMAP
	dim                   int
	at                    []float32 // n × dim
	before                []float32 // the same at the beginning of half an epoch
	blocks                blocks
	tiles                 []tile
	attraction, repulsion force
	density               *density       // nil: there is none
	held                  *held[float32] // nil: there is no reference
	entropy               *entropy       // nil: nobody asks
}

func (l *umapLayout) run(ctx context.Context) error {
	for epoch := 1; epoch <= l.Epochs; epoch++ {
		rate := float32(l.Rate * (1 - float64(epoch-1)/float64(l.Epochs)))
		dense := l.density != nil && l.density.counts(epoch, l.Epochs)
		if dense {
			if err := l.density.update(ctx, l.Threads, l.dim, l.at); err != nil {
				return err
			}
		}
		// Each edge attracts both ends from either. One right after the other would throw near places
		// past each other.
		for from := range 2 {
			half := 2*epoch + from
			copy(l.before, l.at)
			err := l.blocks.eachTile(ctx, l.Threads, l.Seed, half, func(number int) {
				t := &l.tiles[number]
				if from == 0 {
					t.fire(float32(epoch))
				}
				draws := draws(l.Seed ^ uint64(half)<<32 ^ uint64(number+1)<<8)
				periods := t.periods
				if !dense {
					periods = nil
				}
				if l.dim == 2 {
					l.plane(t.fired, periods, from == 1, draws, rate)
				} else {
					l.space(t.fired, periods, from == 1, draws, rate)
				}
			})
			if err != nil {
				return err
			}
		}
		if l.held != nil {
			err := blas.For(ctx, l.Threads, len(l.at)/l.dim, layoutRows, func(_, lo, hi int) {
				for i := lo; i < hi; i++ {
					l.held.pull(i, l.at[i*l.dim:(i+1)*l.dim], rate)
				}
			})
			if err != nil {
				return err
			}
		}
		if l.entropy != nil && due(epoch, l.Epochs) {
			value, err := l.entropy.value(ctx, l.dim, l.at)
			if err != nil {
				return err
			}
			l.Objective(epoch, value)
		}
		if l.Progress != nil {
			l.Progress(float64(epoch) / float64(l.Epochs))
		}
	}
	return nil
}

// draws are the negatives of a tile in half an epoch: [blas.Stream] as a value, which a loop holds in
// a register.
type draws uint64

// below is the next number in [0, n).
func (d draws) below(n uint64) (draws, int) {
	d += 0x9E3779B97F4A7C15
	z := uint64(d)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	k, _ := bits.Mul64(z^z>>31, n)
	return d, int(k)
}

// plane takes edges in two columns. Each moves its first end and its second towards each other, and then
// the first away from negatives as these were before: no other worker reads or writes what it moves. The
// repulsions of an edge start from one place, so that a processor has several under way. With periods
// of the edges, the density counts, too.
func (l *umapLayout) plane(edges []ends, periods []float32, swapped bool, draws draws, rate float32) {
	at, before, attraction, repulsion := points(l.at), points(l.before), l.attraction, l.repulsion
	n := uint64(len(before))
	for m, e := range edges {
		i, j := int(e.i), int(e.j)
		if swapped {
			i, j = j, i
		}
		p, q := &at[i], &at[j]
		x, y := p[0]-q[0], p[1]-q[1]
		s := float32(x*x) + float32(y*y)
		c := attraction.at(s)
		stepX, stepY := float32(c*x), float32(c*y)
		if s < attraction.clip {
			stepX, stepY = clipped(stepX), clipped(stepY)
		}
		if periods != nil {
			c := l.density.pull(e, periods[m], s, c)
			stepX += clipped(float32(c * x))
			stepY += clipped(float32(c * y))
		}
		x, y = float32(rate*stepX), float32(rate*stepY)
		q[0] -= x
		q[1] -= y
		x, y = p[0]+x, p[1]+y
		var pushX, pushY float32
		for range l.Negatives {
			var k int
			draws, k = draws.below(n)
			q := &before[k]
			dx, dy := x-q[0], y-q[1]
			s := float32(dx*dx) + float32(dy*dy)
			c := repulsion.at(s)
			dx, dy = float32(c*dx), float32(c*dy)
			if s < repulsion.clip {
				dx, dy = clipped(dx), clipped(dy)
			}
			if k != i {
				pushX += dx
				pushY += dy
			}
		}
		p[0], p[1] = x+float32(rate*pushX), y+float32(rate*pushY)
	}
}

// space is plane for any number of columns.
func (l *umapLayout) space(edges []ends, periods []float32, swapped bool, draws draws, rate float32) {
	dim := l.dim
	n := uint64(len(l.before) / dim)
	push := make([]float32, dim)
	for at, e := range edges {
		i, j := int(e.i), int(e.j)
		if swapped {
			i, j = j, i
		}
		p, q := l.at[i*dim:(i+1)*dim], l.at[j*dim:(j+1)*dim]
		s := squared(p, q)
		c, more := l.attraction.at(s), float32(0)
		if periods != nil {
			more = l.density.pull(e, periods[at], s, c)
		}
		for m := range p {
			d := p[m] - q[m]
			step := float32(rate * (clipped(float32(c*d)) + clipped(float32(more*d))))
			p[m] += step
			q[m] -= step
		}
		clear(push)
		for range l.Negatives {
			var k int
			draws, k = draws.below(n)
			if q := l.before[k*dim : (k+1)*dim]; k != i {
				c := l.repulsion.at(squared(p, q))
				for m := range push {
					push[m] += clipped(float32(c * (p[m] - q[m])))
				}
			}
		}
		for m := range p {
			p[m] += float32(rate * push[m])
		}
	}
}
