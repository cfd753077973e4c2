package sparse

import "github.com/orthant-go/orthant/blas"

// The effort that goes into one separator. On the patterns of neighbourhoods in
// 2 to 12 dimensions fill hardly depends on these (some per cent either way, by
// luck); they are on the cheap side of where that begins.
const (
	coarsestVertices = 80 // a graph of so few is not coarsened further
	coarsestTries    = 4  // divisions of it, of which the best is taken
	cycles           = 3  // of coarsening and refinement, of which the best is taken,
	cyclesShare      = 8  // from a graph that has this many times fewer vertices than the first
	maxPasses        = 5  // of refinement on each level
)

// maxShare bounds either side, as a share of the whole. It is loose because the
// cost of a separator already rises with the imbalance; two thirds let a graph of
// three equal clusters fall into them.
const maxShare = 2.0 / 3

// bisect divides g into two sides without an edge between them, and a light
// separator. A side may be empty where there is nothing to gain, as in a
// clique. O(entries), about.
func (w *workspace) bisect(g *graph, side []int8, random *blas.Stream) {
	w.reserve(g.n)
	b := &bisection{w, int32(maxShare * float64(g.total)), random}
	b.descend(g, side, g.n/cyclesShare)
}

// bisection is one use of the workspace; graphs of all levels weigh the same.
type bisection struct {
	*workspace
	heaviest int32 // weight that a side may have
	random   *blas.Stream
}

// descend divides g by the multilevel method: coarsen, divide the coarse graph,
// carry the division over and refine it (Hendrickson and Rothberg 1998; Karypis
// and Kumar 1998). The first graph of at most several vertices on the way is
// divided several times.
func (b *bisection) descend(g *graph, side []int8, several int) {
	switch {
	case b.ctx.Err() != nil:
		setAll(side, right)
	case g.n <= coarsestVertices:
		b.divide(g, side)
	case g.n <= several:
		b.best(cycles, side, func(trial []int8) { b.cycle(g, trial, 0) })
	default:
		b.cycle(g, side, several)
	}
}

// best tries to divide a graph several times and keeps the division of least
// cost.
func (b *bisection) best(times int, side []int8, try func(trial []int8)) {
	h := b.mark()
	defer b.release(h)
	trial := b.sides.take(len(side))
	var least float64
	for t := range times {
		try(trial)
		if cost := b.cost(); t == 0 || cost < least {
			least = cost
			copy(side, trial)
		}
	}
}

// cycle is one way down and up.
func (b *bisection) cycle(g *graph, side []int8, several int) {
	h := b.mark()
	defer b.release(h)
	// Vertices much heavier than the mean would leave little choice of balance.
	coarse, into := b.coarsen(g, 1+g.total/(2*coarsestVertices/3), b.random)
	if coarse.n > g.n-g.n/20 {
		b.divide(g, side)
		return
	}
	below := b.sides.take(coarse.n)
	b.descend(coarse, below, several)
	for v, c := range into {
		side[v] = below[c]
	}
	b.load(g, side)
	b.refine(b.heaviest)
}

// divide divides a small graph, each time from another vertex.
func (b *bisection) divide(g *graph, side []int8) {
	b.best(coarsestTries, side, func(trial []int8) {
		setAll(trial, right)
		b.load(g, trial)
		b.grow(b.heaviest, b.random)
		b.refine(b.heaviest)
	})
}

func setAll(side []int8, x int8) {
	for v := range side {
		side[v] = x
	}
}
