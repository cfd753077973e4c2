package sparse

import "github.com/orthant-go/orthant/blas"

// How far a pass of refinement goes on beyond the best division met.
const maxClimb = 200

// cost is what is made least: the weight of the separator, more if one side is
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

// choose returns the side to which the next vertex moves: that of the greater
// gain, of equals the lighter one, provided that the vertex fits and pulls no fixed one in.
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
