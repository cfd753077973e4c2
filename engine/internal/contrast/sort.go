package contrast

import (
	"cmp"
	"math"
	"slices"
)

// ranked is an entry to be sorted, with its group.
type ranked struct {
	key   uint64
	group int32
}

// keyOf returns an integer that orders as the numbers do.
func keyOf(v float64) uint64 {
	if v == 0 { // the negative one, too
		return 1 << 63
	}
	b := math.Float64bits(v)
	if b>>63 != 0 {
		return ^b
	}
	return b | 1<<63
}

// radixFrom is the number of entries from which counting digits is faster than comparing.
const radixFrom = 512

// sorted sorts a list by its keys, with room for as many; it returns the sorted list and the room for the next.
// Equal keys may come in any order.
func sorted(list, room []ranked) (ascending, free []ranked) {
	if len(list) < radixFrom {
		slices.SortFunc(list, func(a, b ranked) int { return cmp.Compare(a.key, b.key) })
		return list, room
	}
	var counts [8][256]int32
	for i := range list {
		key := list[i].key
		for d := range counts {
			counts[d][byte(key>>(8*d))]++
		}
	}
	room = slices.Grow(room[:0], len(list))[:len(list)]
	for d := range counts {
		count := &counts[d]
		if count[byte(list[0].key>>(8*d))] == int32(len(list)) {
			continue // all have the same digit
		}
		at := int32(0)
		for v, c := range count {
			count[v] = at
			at += c
		}
		for i := range list {
			digit := byte(list[i].key >> (8 * d))
			room[count[digit]] = list[i]
			count[digit]++
		}
		list, room = room, list
	}
	return list, room
}
