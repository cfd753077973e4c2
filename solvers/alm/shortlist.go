package alm

import "math"

// shortlist keeps the entries of the least distance seen so far, a heap with the
// largest on top. Of equal distances the lower index is nearer.
type shortlist struct {
	distance []float64
	index    []int32
	count    int
}

func newShortlist(most int) *shortlist {
	return &shortlist{distance: make([]float64, most), index: make([]int32, most)}
}

func (l *shortlist) full() bool { return l.count == len(l.distance) }

// farther reports whether entry a is behind b.
func (l *shortlist) farther(a, b int) bool {
	return l.distance[a] > l.distance[b] || l.distance[a] == l.distance[b] && l.index[a] > l.index[b]
}

// offer takes an entry if it belongs to the list.
func (l *shortlist) offer(d float64, j int32) {
	if !l.full() {
		at := l.count
		l.distance[at], l.index[at] = d, j
		l.count++
		for at > 0 && l.farther(at, (at-1)/2) {
			l.swap(at, (at-1)/2)
			at = (at - 1) / 2
		}
		return
	}
	if d > l.distance[0] || d == l.distance[0] && j > l.index[0] {
		return
	}
	l.distance[0], l.index[0] = d, j
	l.sink(l.count)
}

// offerAll offers all samples but i at their distances.
func (l *shortlist) offerAll(i int, distances []float64) {
	bound := math.Inf(1)
	for j, d := range distances {
		if d <= bound && j != i {
			l.offer(d, int32(j))
			if l.full() {
				bound = l.distance[0]
			}
		}
	}
}

// offerSums is offerAll for distances + max(0, lengths[i] + lengths + products).
func (l *shortlist) offerSums(i int, distances, lengths, products []float64) {
	bound, own := math.Inf(1), lengths[i]
	lengths, products = lengths[:len(distances)], products[:len(distances)]
	for j, d := range distances {
		d += max(0, own+lengths[j]+products[j])
		if d <= bound && j != i {
			l.offer(d, int32(j))
			if l.full() {
				bound = l.distance[0]
			}
		}
	}
}

// sink moves the top of a heap of so many entries to its place.
func (l *shortlist) sink(count int) {
	at := 0
	for {
		child := 2*at + 1
		if child >= count {
			return
		}
		if child+1 < count && l.farther(child+1, child) {
			child++
		}
		if !l.farther(child, at) {
			return
		}
		l.swap(at, child)
		at = child
	}
}

func (l *shortlist) swap(a, b int) {
	l.distance[a], l.distance[b] = l.distance[b], l.distance[a]
	l.index[a], l.index[b] = l.index[b], l.index[a]
}

// sort puts the entries in ascending order, which ends the heap.
func (l *shortlist) sort() {
	for count := l.count - 1; count > 0; count-- {
		l.swap(0, count)
		l.sink(count)
	}
}
