package layout

import (
	"context"
	"sync"

	"github.com/orthant-go/orthant/blas"
)

// meeting is the turn of a tile in an epoch. Each block has one meeting in every round.
type meeting struct {
	tile, round   int
	first, second int // blocks, equal for the tile within a block
	begun         bool
}

// meetings are all tiles in order: each block with itself, and then all pairs of blocks as in a tournament,
// in an order that is drawn for each epoch.
func (b *blocks) meetings(seed uint64, epoch int) []meeting {
	count := b.count()
	stream := blas.NewStream(seed ^ uint64(epoch)<<32 ^ 0x726F756E64)
	seat := make([]int, count)
	for c := range seat {
		d := stream.Below(c + 1)
		seat[c], seat[d] = seat[d], c
	}
	all := make([]meeting, 0, count*(count+1)/2)
	for _, c := range seat {
		all = append(all, meeting{tile: b.number(c, c), first: c, second: c})
	}
	circle := count - 1
	for r := range circle {
		for k := range count / 2 {
			c, d := seat[(r+k)%circle], seat[(r+circle-k)%circle]
			if k == 0 {
				d = seat[circle]
			}
			all = append(all, meeting{tile: b.number(c, d), round: r + 1, first: c, second: d})
		}
	}
	return all
}

// eachTile calls do for all tiles of an epoch. A tile begins when all earlier ones that share a block with it have
// ended: what do writes to its two blocks is as if one tile followed the other, whatever the number of threads.
func (b *blocks) eachTile(ctx context.Context, threads int, seed uint64, epoch int, do func(tile int)) error {
	q := &queue{meetings: b.meetings(seed, epoch), ended: make([]int, b.count())}
	q.change.L = &q.mutex
	workers := min(blas.Threads(threads), (b.count()+1)/2)
	return blas.For(ctx, workers, workers, 1, func(int, int, int) {
		for m := q.next(ctx); m != nil; m = q.next(ctx) {
			func() {
				defer q.end(m) // after a panic, too: others would wait for it
				do(m.tile)
			}()
		}
	})
}

// queue has the meetings of an epoch under way.
type queue struct {
	mutex    sync.Mutex
	change   sync.Cond // a meeting has ended
	meetings []meeting
	begun    int   // meetings before the first that has not
	ended    []int // meetings of each block, and so the round of its next one
}

// next returns the first meeting that can begin, and waits for one. It returns nil when all have begun or ctx
// is cancelled.
func (q *queue) next(ctx context.Context) *meeting {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	for ctx.Err() == nil {
		for q.begun < len(q.meetings) && q.meetings[q.begun].begun {
			q.begun++
		}
		if q.begun == len(q.meetings) {
			return nil
		}
		for k := q.begun; k < len(q.meetings); k++ {
			if m := &q.meetings[k]; !m.begun && q.ended[m.first] == m.round && q.ended[m.second] == m.round {
				m.begun = true
				return m
			}
		}
		q.change.Wait()
	}
	return nil
}

func (q *queue) end(m *meeting) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.ended[m.first]++
	if m.second != m.first {
		q.ended[m.second]++
	}
	q.change.Broadcast()
}
