package communities

import (
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
)

// space holds the arrays of a run for as many vertices as the first graph has.
type space struct {
	group   []community
	touched []int32
	members []int32 // their numbers of vertices
	queue   []int32
	waiting []bool
	free    []int32 // communities without vertices

	workers []worker
	order   []int32
	first   []int
	inner   []float64 // weight of a part to the others of its community
	mass    []float64
	single  []bool
}

func newSpace(n int) space {
	return space{
		group: make([]community, n), members: pages.Make[int32](n), queue: pages.Make[int32](n), waiting: make([]bool, n), free: make([]int32, 0, n),
		order: pages.Make[int32](n), first: pages.Make[int](n + 1), inner: pages.Make[float64](n), mass: pages.Make[float64](n), single: make([]bool, n),
	}
}

// community is what a visit looks at, in one line of the cache.
type community struct {
	to     float64 // weight of the edges to it, 0 between visits
	volume float64 // sum of the sizes of its vertices
}

// rises is the share of its degree by which the move of a vertex must raise the quality: less may be a rounding error.
const rises = 1e-10

// polled is the number of steps between two looks at the context.
const polled = 1 << 12

// move visits the vertices in random order, moves each to the community with the largest gain, which may be an empty one, and visits the neighbours of a moved
// vertex again that are not in its community. It reports whether any moved.
func (s *search) move(g *graph, label []int32) (moved bool, err error) {
	n := g.len()
	group, members, queue, waiting := s.space.group[:n], s.space.members[:n], s.space.queue[:n], s.space.waiting[:n]
	clear(group)
	clear(members)
	for i, c := range label {
		group[c].volume += g.size[i]
		members[c]++
	}
	free := s.space.free[:0]
	for c := n - 1; c >= 0; c-- {
		if members[c] == 0 {
			free = append(free, int32(c))
		}
	}
	for i := range queue {
		queue[i], waiting[i] = int32(i), true
	}
	random := blas.NewStream(s.stream())
	shuffle(queue, random)
	touched := s.space.touched
	// queue is a ring, which holds each vertex at most once.
	for head, size, steps := 0, n, 0; size > 0; steps++ {
		if steps%polled == 0 && s.ctx.Err() != nil {
			return false, s.ctx.Err()
		}
		v := queue[head]
		if head++; head == n {
			head = 0
		}
		size--
		waiting[v] = false
		own := label[v]
		cols, vals := g.row(v)
		touched = touched[:0]
		var degree float64
		for q, j := range cols {
			if j == v {
				continue
			}
			c, w := label[j], vals[q]
			at := &group[c]
			if at.to == 0 {
				touched = append(touched, c)
			}
			at.to += w
			degree += w
		}
		pull := s.rate * g.size[v]
		best, gain := own, group[own].to-float64(pull*(group[own].volume-g.size[v]))+float64(rises*degree)
		for _, c := range touched {
			at := &group[c]
			if d := at.to - float64(pull*at.volume); d > gain && c != own {
				best, gain = c, d
			}
			at.to = 0
		}
		if gain < 0 && members[own] > 1 { // alone it has the gain 0
			best = free[len(free)-1]
			free = free[:len(free)-1]
		}
		if best == own {
			continue
		}
		moved = true
		label[v] = best
		group[best].volume += g.size[v]
		members[best]++
		group[own].volume -= g.size[v]
		if members[own]--; members[own] == 0 {
			group[own].volume = 0
			free = append(free, own)
		}
		for _, j := range cols {
			if !waiting[j] && label[j] != best {
				waiting[j] = true
				at := head + size
				if at >= n {
					at -= n
				}
				queue[at] = j
				size++
			}
		}
	}
	s.space.touched = touched
	return moved, nil
}

// shuffle puts a list into a random order.
func shuffle(list []int32, random *blas.Stream) {
	for i := len(list) - 1; i > 0; i-- {
		j := random.Below(i + 1)
		list[i], list[j] = list[j], list[i]
	}
}
