package neighborhood

import (
	"cmp"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Bridge is an edge that joins two components: its ends, From < To, and its length.
type Bridge struct {
	From, To int32
	Length   float64
}

// compare orders bridges by their lengths, ties by the lower ends: no two are equal, so
// that the shortest ones between components make no cycle.
func (b Bridge) compare(c Bridge) int {
	return cmp.Or(cmp.Compare(b.Length, c.Length), cmp.Compare(b.From, c.From), cmp.Compare(b.To, c.To))
}

// Bridges are the edges of the minimum spanning tree over the components of a graph,
// where two components are as far apart as their nearest samples, in the order in which
// they were found. By Borůvka's rounds: every component but the largest takes the
// shortest edge that leaves it, and what is joined is a component of the next round. The
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
			if b.From == b.To { // a component that has taken none
				continue
			}
			if f.join(int32(label[b.From]), int32(label[b.To])) {
				bridges = append(bridges, b)
			}
		}
	}
	return bridges, nil
}

// forest tells which components are joined already.
type forest struct{ parent []int32 }

func (f forest) root(c int32) int32 {
	for f.parent[c] != c {
		f.parent[c] = f.parent[f.parent[c]]
		c = f.parent[c]
	}
	return c
}

// join tells whether two were apart.
func (f forest) join(a, b int32) bool {
	a, b = f.root(a), f.root(b)
	f.parent[max(a, b)] = min(a, b)
	return a != b
}

// bridgeSearch finds the shortest edge out of each component.
type bridgeSearch struct {
	job  *run.Run
	x    samples.Samples
	of   []int32 // the component of each sample in this round
	all  *samples.Index
	held int64 // by the index
}

// smallComponent is the size up to which a component is left by so many neighbours of
// its samples among all; those of larger ones are sought among the others alone.
const smallComponent = 512

// round returns the shortest edge out of every component but the largest, by the
// component's number; From equals To where there is none.
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
	small := map[int][]int{} // the samples of components of up to so many, a power of two
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

// take keeps the edge between two samples where it is the shortest of i's component.
func (s *bridgeSearch) take(shortest []Bridge, i, j int32, length float64) {
	b, own := Bridge{min(i, j), max(i, j), length}, &shortest[s.of[i]]
	if own.From == own.To || b.compare(*own) < 0 {
		*own = b
	}
}

// chunkEntries bounds the lists that are held at a time.
const chunkEntries = 1 << 21

// among looks at the k + 1 nearest of all samples: no more than k of them, the sample
// itself among them, are of the component of k samples at most.
func (s *bridgeSearch) among(queries []int, k int, shortest []Bridge) error {
	if len(queries) == 0 {
		return nil
	}
	if s.all == nil {
		s.held = s.x.IndexBytes(0, 1, s.job.Threads())
		if err := s.room(s.job, s.held); err != nil {
			return err
		}
		var err error
		if s.all, err = samples.NewIndex(s.x, s.options()); err != nil {
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

// leave looks for the nearest of the samples outside a component.
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
	if err := s.room(job, s.x.IndexBytes(0, 1, job.Threads())+s.x.Bytes()+8*int64(n)); err != nil {
		return err
	}
	g, err := samples.Search(job.Context(), s.x.Subset(others), s.x.Subset(members), 1, s.options())
	if err != nil {
		return err
	}
	for q, i := range members {
		s.take(shortest, int32(i), int32(others[g.Of(q)[0]]), g.Distances(q)[0])
	}
	return nil
}

// room refuses a search that takes more bytes than the limit leaves.
func (s *bridgeSearch) room(job *run.Run, bytes int64) error {
	return job.Fit(bytes, fmt.Sprintf("the search for the shortest edges between the components of %d samples needs", s.x.N()), "choose ‹components=largest›, take fewer samples, or raise the limit")
}

func (s *bridgeSearch) options() neighbors.Options {
	return neighbors.Options{Kernels: s.job.Kernels(), Threads: s.job.Threads()}
}

// Longest is the length of the longest bridge.
func Longest(bridges []Bridge) float64 {
	longest := math.Inf(-1)
	for _, b := range bridges {
		longest = max(longest, b.Length)
	}
	return longest
}

// Reaching is a number of neighbours with which every bridge is an edge of the graph, so that
// the graph is connected: of each bridge, the end is counted to which the other is nearer.
// O(samples) a bridge.
func Reaching(x samples.Samples, bridges []Bridge) int {
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
