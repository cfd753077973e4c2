package sparse

// gains is a priority queue of vertices by gain, a binary heap that knows where
// each vertex stands. Of equal gains the one that was set last comes first:
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
