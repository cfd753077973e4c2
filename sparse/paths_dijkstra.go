package sparse

import "math"

// dijkstra is one worker's search through a graph, with a heap of four children
// a node: half as deep as one of two, and the children share a cache line.
type dijkstra struct {
	graph  *CSR
	length []float64
	at     []int32 // the vertex's place in the heap; none: it is not there
	heap   []pathEntry
}

type pathEntry struct {
	length float64
	vertex int32
}

func newDijkstra(graph *CSR) *dijkstra {
	return &dijkstra{graph: graph, length: make([]float64, graph.Rows), at: make([]int32, graph.Rows)}
}

func (d *dijkstra) reset() {
	for i := range d.length {
		d.length[i], d.at[i] = math.Inf(1), none
	}
}

// reach offers a path to v of that length.
func (d *dijkstra) reach(v int, length float64) {
	if !(length < d.length[v]) {
		return
	}
	d.length[v] = length
	p := d.at[v]
	if p == none {
		p = int32(len(d.heap))
		d.heap = append(d.heap, pathEntry{})
	}
	// Sift up.
	for p > 0 {
		up := (p - 1) / 4
		if d.heap[up].length <= length {
			break
		}
		d.heap[p] = d.heap[up]
		d.at[d.heap[p].vertex] = p
		p = up
	}
	d.heap[p] = pathEntry{length, int32(v)}
	d.at[v] = p
}

// run settles all vertices that can be reached, nearest first, and tells settled of each
// where it is not nil.
func (d *dijkstra) run(settled func(v int32)) {
	for len(d.heap) > 0 {
		top := d.heap[0]
		d.removeTop()
		if settled != nil {
			settled(top.vertex)
		}
		cols, lengths := d.graph.Row(int(top.vertex))
		for p, j := range cols {
			if length := top.length + lengths[p]; length < d.length[j] {
				d.reach(int(j), length)
			}
		}
	}
}

// removeTop takes the nearest vertex from the heap. Its length is final: none
// that is offered later is less.
func (d *dijkstra) removeTop() {
	last := len(d.heap) - 1
	moved := d.heap[last]
	d.heap = d.heap[:last]
	heap := d.heap
	p := 0
	for {
		child := 4*p + 1
		if child >= len(heap) {
			break
		}
		least := child
		for c := child + 1; c < min(child+4, len(heap)); c++ {
			if heap[c].length < heap[least].length {
				least = c
			}
		}
		if moved.length <= heap[least].length {
			break
		}
		heap[p] = heap[least]
		d.at[heap[p].vertex] = int32(p)
		p = least
	}
	if last > 0 {
		heap[p] = moved
		d.at[moved.vertex] = int32(p)
	}
}
