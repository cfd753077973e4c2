package sddm

import "math/bits"

// degreeQueue gives out vertices in the order of their degrees, about: degrees up to exactDegree have a bucket each, and of the
// larger ones each power of two has finer buckets. Within a bucket the first to come is the first to go.
type degreeQueue struct {
	head, tail []int32 // of each bucket, −1 where it is empty
	next, prev []int32 // of each vertex within its bucket
	bucket     []int32 // of each vertex, −1 once it is out
	lowest     int     // no bucket before this one holds a vertex
}

const (
	exactDegree = 64
	finer       = 8 // buckets of a power of two
)

// bucketOf is the bucket of a degree.
func bucketOf(degree int32) int {
	if degree < exactDegree {
		return int(degree)
	}
	power := bits.Len32(uint32(degree)) - 1 // at least 6
	return exactDegree + (power-6)*finer + int(degree>>(power-3))&(finer-1)
}

func newDegreeQueue(degrees []int32) *degreeQueue {
	n := len(degrees)
	buckets := bucketOf(1<<31-1) + 1
	q := &degreeQueue{head: filled(buckets, -1), tail: filled(buckets, -1), next: make([]int32, n), prev: make([]int32, n), bucket: make([]int32, n)}
	for v, d := range degrees {
		q.append(int32(v), bucketOf(d))
	}
	return q
}

func filled(n int, v int32) []int32 {
	x := make([]int32, n)
	for i := range x {
		x[i] = v
	}
	return x
}

func (q *degreeQueue) append(v int32, to int) {
	last := q.tail[to]
	q.bucket[v], q.prev[v], q.next[v], q.tail[to] = int32(to), last, -1, v
	if last < 0 {
		q.head[to] = v
	} else {
		q.next[last] = v
	}
	q.lowest = min(q.lowest, to)
}

func (q *degreeQueue) remove(v int32) {
	from, before, after := q.bucket[v], q.prev[v], q.next[v]
	if before < 0 {
		q.head[from] = after
	} else {
		q.next[before] = after
	}
	if after < 0 {
		q.tail[from] = before
	} else {
		q.prev[after] = before
	}
	q.bucket[v] = -1
}

// take removes a vertex of about the smallest degree; there must be one.
func (q *degreeQueue) take() int32 {
	for q.head[q.lowest] < 0 {
		q.lowest++
	}
	v := q.head[q.lowest]
	q.remove(v)
	return v
}

// move gives a vertex that is still in the queue another degree.
func (q *degreeQueue) move(v, degree int32) {
	if to := bucketOf(degree); int32(to) != q.bucket[v] {
		q.remove(v)
		q.append(v, to)
	}
}
