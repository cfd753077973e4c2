package sparse

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

// weigh sets what vertex v has beside it.
func (s *separator) weigh(v int32) {
	var sum [3]int32
	for _, u := range s.neighbors(v) {
		sum[s.side[u]] += s.vw[u]
	}
	s.beside[left][v], s.beside[right][v] = sum[left], sum[right]
}

// gain is what the separator loses in weight when v goes to a side: v, but not
// its neighbours on the other side, which come in.
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
