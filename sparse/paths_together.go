package sparse

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

// together is one worker's search from [blas.PathLanes] sources side by side. Dijkstra's
// search from the first of them gives the order in which vertices are gone through, and
// in every pass those whose lengths have sunk pass on what they have, to all searches at
// once, until nothing sinks any more (Bellman 1958). Sources that are near each other
// want few passes. A length is the least sum, rounded from the source on, over all paths,
// which is what Dijkstra's search finds too: rounded sums do not sink as they grow.
type together struct {
	*dijkstra
	order []int32 // of the first search, what it does not reach behind
	sunk  []bool
}

// mostPasses bounds the work in arcs for each arc of the graph. Lengths of many magnitudes
// may want as many passes as there are vertices; each source is then searched from by
// itself.
const mostPasses = 16

func newTogether(graph *CSR) *together {
	n := graph.Rows
	return &together{dijkstra: newDijkstra(graph), order: make([]int32, 0, n), sunk: make([]bool, n)}
}

// search finds the lengths of the searches lo ≤ q < hi, PathLanes numbers for each vertex.
func (t *together) search(lo, hi int, start func(q int, reach func(v int, length float64)), length []float64) {
	const lanes = blas.PathLanes
	t.settle(lo, start)
	for i := range length {
		length[i] = math.Inf(1)
	}
	for q := lo; q < hi; q++ {
		start(q, func(v int, l float64) {
			at := v*lanes + q - lo
			length[at], t.sunk[v] = min(length[at], l), true
		})
	}
	if t.sink(length) {
		return
	}
	clear(t.sunk)
	for q := lo; q < hi; q++ {
		t.reset()
		start(q, t.reach)
		t.run(nil)
		for v, l := range t.dijkstra.length {
			length[v*lanes+q-lo] = l
		}
	}
}

// settle finds the order.
func (t *together) settle(q int, start func(q int, reach func(v int, length float64))) {
	t.reset()
	start(q, t.reach)
	t.order = t.order[:0]
	t.run(func(v int32) { t.order = append(t.order, v) })
	for v, l := range t.dijkstra.length {
		if math.IsInf(l, 1) {
			t.order = append(t.order, int32(v))
		}
	}
}

// sink passes lengths on until none sinks, or gives up.
func (t *together) sink(length []float64) bool {
	const lanes = blas.PathLanes
	budget := mostPasses * len(t.graph.Col)
	for again := true; again; {
		again = false
		for _, v := range t.order {
			if !t.sunk[v] {
				continue
			}
			t.sunk[v], again = false, true
			cols, lengths := t.graph.Row(int(v))
			blas.ShortenMark(cols, lengths, length[int(v)*lanes:], length, t.sunk)
			if budget -= len(cols); budget < 0 {
				return false
			}
		}
	}
	return true
}
