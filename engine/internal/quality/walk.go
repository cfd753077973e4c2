package quality

import "github.com/orthant-go/orthant/engine/internal/patch"

// walker finds the samples that are the nearest to a centre along the lists of the graph
// (Dijkstra 1959, ended early). It is one worker's scratch.
type walker struct {
	in     patch.Local
	edges  *edges
	seen   []int32 // the walk in which a sample was last reached
	length []float64
	walk   int32
	heap   []reached
	set    []int32
}

// reached is a sample with the length of a path to it.
type reached struct {
	length float64
	sample int32
}

// newWalker makes the scratch. known are the lengths of all edges, or nil.
func newWalker(in patch.Local, known []float64) *walker {
	n := in.Graph.Len()
	return &walker{in: in, edges: newEdges(in, known), seen: make([]int32, n), length: make([]float64, n)}
}

// nearest lists the centre and the samples nearest to it, ascending, at most count of them.
// They are valid up to the next call.
func (w *walker) nearest(centre, count int) []int32 {
	w.walk++
	w.set, w.heap = w.set[:0], w.heap[:0]
	w.reach(int32(centre), 0)
	for len(w.heap) > 0 && len(w.set) < count {
		at := w.pop()
		if at.length > w.length[at.sample] {
			continue // a shorter path was found since
		}
		w.set = append(w.set, at.sample)
		lengths := w.edges.of(int(at.sample))
		for a, j := range w.in.Graph.Of(int(at.sample)) {
			w.reach(j, at.length+lengths[a])
		}
	}
	return w.set
}

// reach takes note of a path to a sample, if it is the shortest so far.
func (w *walker) reach(j int32, length float64) {
	if w.seen[j] == w.walk && w.length[j] <= length {
		return
	}
	w.seen[j], w.length[j] = w.walk, length
	w.heap = append(w.heap, reached{length, j})
	for at := len(w.heap) - 1; at > 0; {
		up := (at - 1) / 2
		if !w.heap[at].before(w.heap[up]) {
			break
		}
		w.heap[at], w.heap[up] = w.heap[up], w.heap[at]
		at = up
	}
}

func (w *walker) pop() reached {
	top, last := w.heap[0], len(w.heap)-1
	w.heap[0] = w.heap[last]
	w.heap = w.heap[:last]
	for at := 0; ; {
		least := at
		for _, down := range [2]int{2*at + 1, 2*at + 2} {
			if down < last && w.heap[down].before(w.heap[least]) {
				least = down
			}
		}
		if least == at {
			return top
		}
		w.heap[at], w.heap[least] = w.heap[least], w.heap[at]
		at = least
	}
}

// before orders by length, and by number where lengths are equal.
func (r reached) before(s reached) bool {
	return r.length < s.length || r.length == s.length && r.sample < s.sample
}
