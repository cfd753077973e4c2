package sparse

// arena hands out slices in the manner of a stack: what was taken after a mark
// is given back all at once. The slices are not cleared.
type arena[T any] struct {
	blocks [][]T
	at     arenaMark
}

// arenaMark is a height of the stack: a block and the elements used of it.
type arenaMark struct{ block, used int }

// arenaBlock is the least number of elements that is asked of the heap at once.
const arenaBlock = 1 << 14

func (a *arena[T]) take(n int) []T {
	for ; a.at.block < len(a.blocks); a.at = (arenaMark{a.at.block + 1, 0}) {
		if block := a.blocks[a.at.block]; len(block)-a.at.used >= n {
			lo := a.at.used
			a.at.used += n
			return block[lo:a.at.used:a.at.used]
		}
		if a.at.used == 0 { // too small, and free: replace it
			a.blocks = a.blocks[:a.at.block]
			break
		}
	}
	a.blocks = append(a.blocks, make([]T, max(n, arenaBlock)))
	a.at = arenaMark{len(a.blocks) - 1, n}
	return a.blocks[a.at.block][:n:n]
}

// shorten gives back the end of the slice that was taken last.
func (a *arena[T]) shorten(s []T, n int) []T {
	a.at.used -= len(s) - n
	return s[:n:n]
}

func (a *arena[T]) mark() arenaMark { return a.at }

func (a *arena[T]) release(m arenaMark) { a.at = m }
