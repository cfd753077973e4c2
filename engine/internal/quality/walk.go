package quality

import (
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
)

// walker finds the samples nearest to a centre by path length in the graph
// (Dijkstra 1959, ended early). It is the workspace of one worker.
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

// newWalker returns a workspace. known are the lengths of all edges, or nil.
func newWalker(in patch.Local, known []float64) *walker {
	n := in.Graph.Len()
	return &walker{in: in, edges: newEdges(in, known), seen: make([]int32, n), length: make([]float64, n)}
}

// nearest returns the centre and the samples nearest to it, ascending, at most count of them.
// They are valid until the next call.
func (w *walker) nearest(centre, count int) []int32 {
	w.walk++
	w.set, w.heap = w.set[:0], w.heap[:0]
	w.reach(int32(centre), 0)
	for len(w.heap) > 0 && len(w.set) < count {
		at := w.pop()
		if at.length > w.length[at.sample] {
			continue // a shorter path was found meanwhile
		}
		w.set = append(w.set, at.sample)
		lengths := w.edges.of(int(at.sample))
		for a, j := range w.in.Graph.Of(int(at.sample)) {
			w.reach(j, at.length+lengths[a])
		}
	}
	return w.set
}

// reach records a path to a sample, if it is the shortest so far.
func (w *walker) reach(j int32, length float64) {
	if w.seen[j] == w.walk && w.length[j] <= length {
		return
	}
	w.seen[j], w.length[j] = w.walk, length
	own := reached{length, j}
	w.heap = append(w.heap, own)
	heap, at := w.heap, len(w.heap)-1
	for at > 0 {
		up := (at - 1) / arity
		if !own.before(heap[up]) {
			break
		}
		heap[at] = heap[up]
		at = up
	}
	heap[at] = own
}

// arity is the number of children in the heap. With four, paths to the bottom are half as
// long as with two, and the children share a cache line.
const arity = 4

func (w *walker) pop() reached {
	last := len(w.heap) - 1
	top, own := w.heap[0], w.heap[last]
	heap := w.heap[:last]
	w.heap = heap
	for at := 0; at < last; {
		first := arity*at + 1
		if first >= last {
			heap[at] = own
			break
		}
		least := first
		for down := first + 1; down < min(first+arity, last); down++ {
			if heap[down].before(heap[least]) {
				least = down
			}
		}
		if !heap[least].before(own) {
			heap[at] = own
			break
		}
		heap[at] = heap[least]
		at = least
	}
	return top
}

// before orders by length, ties by number.
func (r reached) before(s reached) bool {
	return r.length < s.length || r.length == s.length && r.sample < s.sample
}

const (
	// maxEdges is the largest number of edges whose lengths are kept.
	maxEdges     = 1 << 17
	blockOfEdges = 64 // samples
)

// edges computes the distances of a sample's neighbours, because the distances of a graph may be of another
// metric, or missing. It is the workspace of one worker.
type edges struct {
	in       patch.Local
	gathered *samples.Gathered
	known    []float64 // lengths of all edges, in the order of the graph; nil: unknown
	lengths  []float64
}

func newEdges(in patch.Local, known []float64) *edges {
	return &edges{in: in, gathered: samples.NewGathered(in.X), known: known, lengths: make([]float64, in.Graph.MaxDegree())}
}

// of returns the lengths to the neighbours of a sample, valid until the next call.
func (e *edges) of(i int) []float64 {
	if e.known != nil {
		return e.known[e.in.Graph.Ptr[i]:e.in.Graph.Ptr[i+1]]
	}
	lengths := e.lengths[:len(e.in.Graph.Of(i))]
	e.measure(i, lengths)
	return lengths
}

func (e *edges) measure(i int, into []float64) { e.lengthsTo(i, e.in.Graph.Of(i), into) }

// lengthsTo computes the distances of a sample to others.
func (e *edges) lengthsTo(i int, list []int32, into []float64) {
	if e.in.X.Compressed() == nil {
		row := e.in.X.Row(i)
		for a, j := range list {
			into[a] = math.Sqrt(blas.SquaredDistance(e.in.X.Row(int(j)), row))
		}
		return
	}
	rows, m := e.gathered.Differences(i, list)
	for a := range list {
		row := rows[a*m : a*m+m]
		into[a] = math.Sqrt(blas.Dot(row, row))
	}
}

// keptEdges returns the number of edges whose lengths to keep, for walks with the given total number of
// visits: 0 if most samples are visited at most once.
func keptEdges(in patch.Local, visits int) int {
	if count := len(in.Graph.Index); visits >= in.Graph.Len() && count <= maxEdges {
		return count
	}
	return 0
}

// allEdges returns the lengths of all count edges; nil: count is 0.
func allEdges(in patch.Local, count int) ([]float64, error) {
	if count == 0 {
		return nil, nil
	}
	known := make([]float64, count)
	workers := make([]*edges, blas.Threads(in.Threads()))
	return known, blas.For(in.Context(), in.Threads(), in.Graph.Len(), blockOfEdges, func(w, lo, hi int) {
		if workers[w] == nil {
			workers[w] = newEdges(in, nil)
		}
		for i := lo; i < hi; i++ {
			workers[w].measure(i, known[in.Graph.Ptr[i]:in.Graph.Ptr[i+1]])
		}
	})
}
