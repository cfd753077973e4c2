package neighborhood

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Bridge is an edge that joins two components: its ends, From < To, and its length.
type Bridge struct {
	From, To int32
	Length   float64
}

// compare orders bridges by length, ties by the lower ends. No two are equal, so
// the shortest edges between components form no cycle.
func (b Bridge) compare(c Bridge) int {
	return cmp.Or(cmp.Compare(b.Length, c.Length), cmp.Compare(b.From, c.From), cmp.Compare(b.To, c.To))
}

// Bridges returns the edges of the minimum spanning tree over the components of a graph, in the order
// found. The distance of two components is that of their nearest samples, by the metric of the run.
// It uses Borůvka's rounds: every component but the largest adds the
// shortest edge that leaves it, and joined components form one component of the next round. The
// searches are exact. O(log c) rounds, each at most one exact search among all samples.
func Bridges(job *run.Run, x samples.Samples, label []int, components int) ([]Bridge, error) {
	f := forest{parent: make([]int32, components)}
	for c := range f.parent {
		f.parent[c] = int32(c)
	}
	bridges := make([]Bridge, 0, components-1)
	s := &bridgeSearch{job: job, x: x, of: make([]int32, x.N())}
	for len(bridges) < components-1 {
		for i, c := range label {
			s.of[i] = f.root(int32(c))
		}
		shortest, err := s.round(components)
		if err != nil {
			return nil, err
		}
		for _, b := range shortest {
			if b.From == b.To { // a component without an edge
				continue
			}
			if f.join(int32(label[b.From]), int32(label[b.To])) {
				bridges = append(bridges, b)
			}
		}
	}
	return bridges, nil
}

// forest tracks which components are joined.
type forest struct{ parent []int32 }

func (f forest) root(c int32) int32 {
	for f.parent[c] != c {
		f.parent[c] = f.parent[f.parent[c]]
		c = f.parent[c]
	}
	return c
}

// join joins two components and reports whether they were separate.
func (f forest) join(a, b int32) bool {
	a, b = f.root(a), f.root(b)
	f.parent[max(a, b)] = min(a, b)
	return a != b
}

// bridgeSearch finds the shortest edge out of each component.
type bridgeSearch struct {
	job  *run.Run
	x    samples.Samples
	of   []int32 // component of each sample in this round
	all  *samples.Index
	held int64 // memory of the index
}

// smallComponent is the size up to which a component is left by searching among all samples;
// for larger ones, only the samples outside it are searched.
const smallComponent = 512

// round returns the shortest edge out of every component but the largest, indexed by
// component; From equals To if there is none.
func (s *bridgeSearch) round(components int) ([]Bridge, error) {
	members := make([][]int, components)
	largest := s.of[0]
	for i, c := range s.of {
		members[c] = append(members[c], i)
	}
	for c, list := range members {
		if len(list) > len(members[largest]) {
			largest = int32(c)
		}
	}
	shortest := make([]Bridge, components)
	small := map[int][]int{} // samples of components of up to this size, a power of two
	for c, list := range members {
		switch {
		case len(list) == 0 || int32(c) == largest:
		case len(list) > smallComponent:
			if err := s.leave(list, shortest); err != nil {
				return nil, err
			}
		default:
			k := 1
			for k < len(list) {
				k *= 2
			}
			small[k] = append(small[k], list...)
		}
	}
	for k := 1; k <= smallComponent; k *= 2 {
		if err := s.among(small[k], k, shortest); err != nil {
			return nil, err
		}
	}
	return shortest, nil
}

// take keeps the edge between two samples if it is the shortest of i's component.
func (s *bridgeSearch) take(shortest []Bridge, i, j int32, length float64) {
	b, own := Bridge{min(i, j), max(i, j), length}, &shortest[s.of[i]]
	if own.From == own.To || b.compare(*own) < 0 {
		*own = b
	}
}

// chunkEntries bounds the lists held at a time.
const chunkEntries = 1 << 21

// among searches the k + 1 nearest of all samples. At most k of them, including the sample
// itself, are in its component of at most k samples.
func (s *bridgeSearch) among(queries []int, k int, shortest []Bridge) error {
	if len(queries) == 0 {
		return nil
	}
	if s.all == nil {
		s.held = s.x.IndexBytes(0, 1, s.job.Threads(), s.job.Metric())
		if err := s.room(s.job, s.held); err != nil {
			return err
		}
		var err error
		if s.all, err = samples.NewIndex(s.x, s.job.Metric(), s.options()); err != nil {
			return err
		}
	}
	k = min(k+1, s.x.N())
	rows := max(chunkEntries/k, 1)
	for lo := 0; lo < len(queries); lo += rows {
		part := queries[lo:min(lo+rows, len(queries))]
		job := s.job.Holding(s.held)
		queries := s.x.Subset(part)
		if err := s.room(job, 2*neighbors.GraphBytes(len(part), k)+queries.Bytes()); err != nil {
			return err
		}
		g, err := s.all.Search(job.Context(), queries, k)
		if err != nil {
			return err
		}
		for q, i := range part {
			for a, j := range g.Of(q) {
				if s.of[j] != s.of[i] {
					s.take(shortest, int32(i), j, g.Distances(q)[a])
					break // the others are no nearer
				}
			}
		}
	}
	return nil
}

// leave searches the nearest sample outside a component for each of its samples.
func (s *bridgeSearch) leave(members []int, shortest []Bridge) error {
	n := s.x.N()
	own := s.of[members[0]]
	others := make([]int, 0, n-len(members))
	for i, c := range s.of {
		if c != own {
			others = append(others, i)
		}
	}
	job := s.job.Holding(s.held)
	if err := s.room(job, s.x.IndexBytes(0, 1, job.Threads(), job.Metric())+s.x.Bytes()+8*int64(n)); err != nil {
		return err
	}
	g, err := samples.Search(job.Context(), s.x.Subset(others), s.x.Subset(members), 1, s.job.Metric(), s.options())
	if err != nil {
		return err
	}
	for q, i := range members {
		s.take(shortest, int32(i), int32(others[g.Of(q)[0]]), g.Distances(q)[0])
	}
	return nil
}

// room returns an error if a search of the given bytes exceeds the memory limit.
func (s *bridgeSearch) room(job *run.Run, bytes int64) error {
	return job.Fit(bytes, fmt.Sprintf("the search for the shortest edges between the components of %d samples needs", s.x.N()), "choose ‹components=largest›, take fewer samples, or raise the limit")
}

func (s *bridgeSearch) options() neighbors.Options {
	return neighbors.Options{Kernels: s.job.Kernels(), Threads: s.job.Threads()}
}

// Longest returns the length of the longest bridge.
func Longest(bridges []Bridge) float64 {
	longest := math.Inf(-1)
	for _, b := range bridges {
		longest = max(longest, b.Length)
	}
	return longest
}

// NeighborsToBridge returns a number of neighbours for which every bridge is an edge of the graph, so that
// the graph is connected. For each bridge it uses the end with fewer samples nearer than the other end.
// O(samples) for each bridge.
func NeighborsToBridge(x samples.Samples, bridges []Bridge) int {
	most := 0
	for _, b := range bridges {
		own, nearer := x.SquaredDistance(int(b.From), int(b.To)), [2]int{1, 1}
		for end, i := range []int{int(b.From), int(b.To)} {
			for j := range x.N() {
				if j != i && x.SquaredDistance(i, j) < own {
					nearer[end]++
				}
			}
		}
		most = max(most, min(nearer[0], nearer[1]))
	}
	return most
}

// Linked returns the neighbourhoods with every bridge in the lists of both ends, in order
// of distance. If the lists have weights of edges, the weight of a bridge is that of
// the nearest entry times the ratio of that entry's distance to the bridge's length. label
// has the component of each sample.
func (f Found) Linked(bridges []Bridge, label []int) Found {
	f.degree = f.Degree()
	f.oneWay = linked(f.Graph, fromLeaves(bridges, label), false)
	f.Graph, f.held = linked(f.Graph, bridges, true), false
	return f
}

// Degree returns the length of the longest list without bridges, or the usual length.
func (f Found) Degree() int {
	if f.oneWay != nil {
		return f.degree
	}
	if f.usual > 0 {
		return f.usual
	}
	return f.Graph.MaxDegree()
}

// OneWay returns the graph with every bridge in the list of one end only, and at most one bridge
// in each list.
func (f Found) OneWay() *neighbors.Graph {
	if f.oneWay != nil {
		return f.oneWay
	}
	return f.Graph
}

// fromLeaves directs the bridges towards the component of sample 0, so that one
// leaves every other component.
func fromLeaves(bridges []Bridge, label []int) []Bridge {
	at := make([][]int, len(bridges)+1) // bridges by component
	for e, b := range bridges {
		at[label[b.From]], at[label[b.To]] = append(at[label[b.From]], e), append(at[label[b.To]], e)
	}
	turned := make([]Bridge, 0, len(bridges))
	done := make([]bool, len(bridges))
	for queue := []int{label[0]}; len(queue) > 0; queue = queue[1:] {
		for _, e := range at[queue[0]] {
			if done[e] {
				continue
			}
			done[e] = true
			b := bridges[e]
			if label[b.From] == queue[0] {
				b.From, b.To = b.To, b.From
			}
			turned, queue = append(turned, b), append(queue, label[b.From])
		}
	}
	return turned
}

// entry is a neighbour in a list.
type entry struct {
	index        int32
	dist, weight float64
}

// compare orders entries by distance, ties by the lower index.
func (e entry) compare(f entry) int {
	return cmp.Or(cmp.Compare(e.dist, f.dist), cmp.Compare(e.index, f.index))
}

// linked adds bridges to the lists of their first ends, or of both ends.
func linked(g *neighbors.Graph, bridges []Bridge, both bool) *neighbors.Graph {
	more := make([][]entry, g.Len())
	for _, b := range bridges {
		more[b.From] = append(more[b.From], entry{index: b.To, dist: b.Length})
		if both {
			more[b.To] = append(more[b.To], entry{index: b.From, dist: b.Length})
		}
	}
	size := len(g.Index) + 2*len(bridges)
	r := &neighbors.Graph{Ptr: make([]int, 1, len(g.Ptr)), Index: make([]int32, 0, size), Dist: make([]float64, 0, size)}
	if g.Weight != nil {
		r.Weight = make([]float64, 0, size)
	}
	var list []entry
	for i := range more {
		list = list[:0]
		for a, j := range g.Of(i) {
			e := entry{index: j, dist: g.Distances(i)[a]}
			if g.Weight != nil {
				e.weight = g.Weights(i)[a]
			}
			list = append(list, e)
		}
		nearest := entry{weight: 1}
		if len(list) > 0 {
			nearest = list[0]
		}
		for _, e := range more[i] {
			if e.weight = nearest.weight; e.dist > nearest.dist {
				e.weight *= nearest.dist / e.dist
			}
			list = append(list, e)
		}
		if len(more[i]) > 0 {
			slices.SortFunc(list, entry.compare)
		}
		for _, e := range list {
			r.Index, r.Dist = append(r.Index, e.index), append(r.Dist, e.dist)
			if g.Weight != nil {
				r.Weight = append(r.Weight, e.weight)
			}
		}
		r.Ptr = append(r.Ptr, len(r.Index))
	}
	return r
}
