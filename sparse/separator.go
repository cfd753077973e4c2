package sparse

import "github.com/orthant-go/orthant/blas"

// The sides of a vertex: two parts without an edge between them, and the
// separator.
const (
	left, right, middle = int8(0), int8(1), int8(2)
)

// separator is a division of a graph, with what its refinement needs to know
// about the vertices of the separator.
type separator struct {
	*graph
	side   []int8
	weight [3]int32   // of the vertices of each side
	fixed  int32      // vertices of this weight stay where they are; 0: all may move
	list   []int32    // the vertices of the separator
	at     []int32    // place of a vertex in list
	beside [2][]int32 // of a vertex of the separator: weight of its neighbours on either side
	queue  [2]gains   // moves to either side

	locked []int32 // the number of the pass that moved a vertex
	pass   int32
	moves  []move
	pulled []int32
}

// move is a vertex that went from the separator to a side, and the number of
// vertices that all moves so far have pulled into the separator.
type move struct {
	v      int32 // none where a vertex was pulled in to start from
	to     int8
	pulled int32
}

// reserve makes room for graphs of n vertices.
func (s *separator) reserve(n int) {
	if len(s.at) >= n {
		return
	}
	all := make([]int32, 6*n)
	part := func(k int) []int32 { return all[k*n : (k+1)*n : (k+1)*n] }
	s.at, s.beside[left], s.beside[right], s.locked = part(0), part(1), part(2), part(3)
	s.queue[left].place, s.queue[right].place = part(4), part(5)
	for v := range n {
		s.queue[left].place[v], s.queue[right].place[v] = none, none
	}
	s.pass = 0
}

// load takes a division of g over. side is shared, and changed by refinement.
func (s *separator) load(g *graph, side []int8) {
	s.graph, s.side = g, side
	s.weight = [3]int32{}
	s.list = s.list[:0]
	for v, x := range side {
		s.weight[x] += g.vw[v]
		if x == middle {
			s.at[v] = int32(len(s.list))
			s.list = append(s.list, int32(v))
		}
	}
	for _, v := range s.list {
		s.weigh(v)
	}
}

// weigh sets what vertex v has next to it.
func (s *separator) weigh(v int32) {
	var sum [3]int32
	for _, u := range s.neighbors(v) {
		sum[s.side[u]] += s.vw[u]
	}
	s.beside[left][v], s.beside[right][v] = sum[left], sum[right]
}

// gain is the weight that the separator loses when v moves to a side: the weight of v, minus the
// weights of its neighbours on the other side, which enter the separator.
func (s *separator) gain(v int32, to int8) int32 { return s.vw[v] - s.beside[1-to][v] }

func (s *separator) enlist(v int32) {
	s.at[v] = int32(len(s.list))
	s.list = append(s.list, v)
}

func (s *separator) delist(v int32) {
	last := s.list[len(s.list)-1]
	s.list[s.at[v]], s.at[last] = last, s.at[v]
	s.list = s.list[:len(s.list)-1]
}

// shift moves v from the separator to a side and pulls its neighbours on the
// other side into the separator. Vertices in the queues are kept up to date;
// those pulled in are offered for a move to the same side, so that the
// separator can go on that way.
func (s *separator) shift(v int32, to int8) {
	other := 1 - to
	s.delist(v)
	s.side[v] = to
	weight := s.vw[v]
	s.weight[middle] -= weight
	s.weight[to] += weight
	s.locked[v] = s.pass
	for _, u := range s.neighbors(v) {
		switch s.side[u] {
		case middle:
			s.beside[to][u] += weight
			if q := &s.queue[other]; q.has(u) {
				q.change(u, s.gain(u, other))
			}
		case other:
			s.pull(u, to)
		}
	}
	s.moves = append(s.moves, move{v, to, int32(len(s.pulled))})
}

// pull takes u from its side into the separator and offers it for a move to
// the side given.
func (s *separator) pull(u int32, to int8) {
	from, weight := s.side[u], s.vw[u]
	q := &s.queue[1-from]
	s.side[u] = middle
	s.weight[from] -= weight
	s.weight[middle] += weight
	s.enlist(u)
	s.pulled = append(s.pulled, u)
	var sum [3]int32
	for _, x := range s.neighbors(u) {
		sum[s.side[x]] += s.vw[x]
		if s.side[x] == middle {
			s.beside[from][x] -= weight
			if q.has(x) {
				q.change(x, s.gain(x, 1-from))
			}
		}
	}
	s.beside[left][u], s.beside[right][u] = sum[left], sum[right]
	if s.locked[u] != s.pass {
		s.queue[to].push(u, s.gain(u, to))
	}
}

// undo takes back all moves but the first count and empties the queues.
func (s *separator) undo(count int) {
	s.queue[left].clear()
	s.queue[right].clear()
	for len(s.moves) > count {
		m := s.moves[len(s.moves)-1]
		s.moves = s.moves[:len(s.moves)-1]
		before := int32(0)
		if len(s.moves) > 0 {
			before = s.moves[len(s.moves)-1].pulled
		}
		if m.v != none {
			s.restore(m)
		}
		for len(s.pulled) > int(before) {
			u := s.pulled[len(s.pulled)-1]
			s.pulled = s.pulled[:len(s.pulled)-1]
			s.push(u, 1-m.to)
		}
	}
}

// restore returns the vertex of a move to the separator.
func (s *separator) restore(m move) {
	weight := s.vw[m.v]
	s.side[m.v] = middle
	s.weight[m.to] -= weight
	s.weight[middle] += weight
	s.enlist(m.v)
	var sum [3]int32
	for _, u := range s.neighbors(m.v) {
		sum[s.side[u]] += s.vw[u]
		if s.side[u] == middle {
			s.beside[m.to][u] -= weight
		}
	}
	s.beside[left][m.v], s.beside[right][m.v] = sum[left], sum[right]
}

// push returns a vertex that was pulled in to its side.
func (s *separator) push(u int32, to int8) {
	weight := s.vw[u]
	s.delist(u)
	s.side[u] = to
	s.weight[middle] -= weight
	s.weight[to] += weight
	for _, x := range s.neighbors(u) {
		if s.side[x] == middle {
			s.beside[to][x] += weight
		}
	}
}

// How far a pass of refinement goes on beyond the best division met.
const maxClimb = 200

// cost is the minimised quantity: the weight of the separator, more if one side is
// heavier (after Ashcraft and Liu 1998). Where nothing separates two parts, the
// most even ones are best.
//
// Against the rule to take the lightest separator between sides of bounded
// weight this halved the flops for data in clusters, and saved a tenth for one
// cloud in twelve dimensions.
func (s *separator) cost() float64 {
	light, heavy := s.weight[left], s.weight[right]
	if light > heavy {
		light, heavy = heavy, light
	}
	return (float64(s.weight[middle]) + 0.01) * (1 + float64(heavy)/(float64(light)+0.5))
}

// begin starts a pass: no vertex has moved yet.
func (s *separator) begin() {
	s.pass++
	s.moves, s.pulled = s.moves[:0], s.pulled[:0]
}

// refine makes the separator better by moving its vertices to the sides, one
// after the other, the greatest gain first and losses as well, and going back
// to the best division met (Fiduccia and Mattheyses 1982, for vertex separators
// Ashcraft and Liu 1996). No side grows beyond heaviest. It stops after a pass
// without progress.
func (s *separator) refine(heaviest int32) {
	for range maxPasses {
		if !s.improve(heaviest) {
			return
		}
	}
}

// improve is one pass of refine; it reports whether it made progress.
func (s *separator) improve(heaviest int32) bool {
	s.begin()
	for _, v := range s.list {
		s.queue[left].push(v, s.gain(v, left))
		s.queue[right].push(v, s.gain(v, right))
	}
	climb := min(maxClimb, len(s.list)+8)
	least, count := s.cost(), 0
	for len(s.moves)-count < climb {
		to := s.choose(heaviest)
		if to == middle {
			break
		}
		v := s.queue[to].pop()
		if q := &s.queue[1-to]; q.has(v) {
			q.remove(v)
		}
		s.shift(v, to)
		if cost := s.cost(); cost < least {
			least, count = cost, len(s.moves)
		}
	}
	s.undo(count)
	return count > 0
}

// choose returns the side to which the next vertex moves: the side of greater
// gain, the lighter one if the gains are equal, provided that the vertex fits and pulls no fixed one in.
// It is middle where no move is left. Vertices that may not move leave the queue.
func (s *separator) choose(heaviest int32) int8 {
	for to := left; to <= right; to++ {
		q := &s.queue[to]
		for !q.empty() && (s.weight[to]+s.vw[q.top()] > heaviest || s.fixed > 0 && q.best() <= -s.fixed/2) {
			q.pop()
		}
	}
	l, r := &s.queue[left], &s.queue[right]
	switch {
	case l.empty() && r.empty():
		return middle
	case l.empty():
		return right
	case r.empty():
		return left
	}
	if d := l.best() - r.best(); d > 0 || d == 0 && s.weight[left] < s.weight[right] {
		return left
	}
	return right
}

// grow divides a graph whose vertices are all on the right: a vertex drawn at
// random enters the separator, which then moves through the graph, the vertex of
// greatest gain first, until the left side is as heavy as it may be. The best
// division on the way is taken. Where the separator runs out, as it does at the
// end of a component, another vertex is drawn.
func (s *separator) grow(heaviest int32, random *blas.Stream) {
	s.begin()
	q := &s.queue[left]
	least, count := -1.0, 0
	for s.weight[left] < heaviest && s.weight[right] > 0 {
		if q.empty() {
			u := int32(random.Below(s.n))
			for s.side[u] != right {
				if u++; int(u) == s.n {
					u = 0
				}
			}
			s.pull(u, left)
			s.moves = append(s.moves, move{none, left, int32(len(s.pulled))})
		}
		v := q.pop()
		if s.weight[left]+s.vw[v] > heaviest {
			continue
		}
		s.shift(v, left)
		if cost := s.cost(); s.weight[right] <= heaviest && (least < 0 || cost < least) {
			least, count = cost, len(s.moves)
		}
	}
	if least < 0 {
		count = len(s.moves) // no division was within the bound; this one is close
	}
	s.undo(count)
}

// gains is a priority queue of vertices by gain, a binary heap that knows the place
// of each vertex. Of equal gains the one that was set last comes first:
// moves then follow one another in one place, which finds better separators
// than jumping about.
type gains struct {
	item  []int32
	key   []int64 // gain, then time
	place []int32 // of a vertex in the heap, none where it is not in it
	time  int64
}

const timeBits = 32 // of a key; more changes do not happen between two clears

func (q *gains) empty() bool { return len(q.item) == 0 }

func (q *gains) has(v int32) bool { return q.place[v] != none }

// top returns the vertex of greatest gain, best that gain.
func (q *gains) top() int32 { return q.item[0] }

func (q *gains) best() int32 { return int32(q.key[0] >> timeBits) }

// pop takes the vertex of greatest gain out of the queue.
func (q *gains) pop() int32 {
	v := q.item[0]
	q.remove(v)
	return v
}

func (q *gains) newKey(gain int32) int64 {
	q.time++
	return int64(gain)<<timeBits | q.time
}

func (q *gains) push(v, gain int32) {
	q.item, q.key = append(q.item, v), append(q.key, 0)
	q.up(len(q.item)-1, v, q.newKey(gain))
}

// change gives a vertex of the queue a new gain.
func (q *gains) change(v, gain int32) {
	at := int(q.place[v])
	key := q.newKey(gain)
	if key >= q.key[at] {
		q.up(at, v, key)
	} else {
		q.down(at, v, key)
	}
}

// remove takes a vertex of the queue out of it.
func (q *gains) remove(v int32) {
	at := int(q.place[v])
	q.place[v] = none
	last := len(q.item) - 1
	u, key := q.item[last], q.key[last]
	gone := q.key[at]
	q.item, q.key = q.item[:last], q.key[:last]
	switch {
	case at == last:
	case key >= gone:
		q.up(at, u, key)
	default:
		q.down(at, u, key)
	}
}

// clear empties the queue.
func (q *gains) clear() {
	for _, v := range q.item {
		q.place[v] = none
	}
	q.item, q.key, q.time = q.item[:0], q.key[:0], 0
}

// up puts v at the free place at or at an ancestor of it.
func (q *gains) up(at int, v int32, key int64) {
	for at > 0 {
		above := (at - 1) / 2
		if q.key[above] >= key {
			break
		}
		q.item[at], q.key[at] = q.item[above], q.key[above]
		q.place[q.item[at]] = int32(at)
		at = above
	}
	q.item[at], q.key[at], q.place[v] = v, key, int32(at)
}

// down puts v at the free place at or at a descendant of it.
func (q *gains) down(at int, v int32, key int64) {
	for {
		below := 2*at + 1
		if below >= len(q.item) {
			break
		}
		if below+1 < len(q.item) && q.key[below+1] > q.key[below] {
			below++
		}
		if q.key[below] <= key {
			break
		}
		q.item[at], q.key[at] = q.item[below], q.key[below]
		q.place[q.item[at]] = int32(at)
		at = below
	}
	q.item[at], q.key[at], q.place[v] = v, key, int32(at)
}
