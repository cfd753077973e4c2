package solvers

import (
	"runtime"
	"sync/atomic"
)

// team is the workers of an iteration: they wait between its phases, so that a
// phase neither starts goroutines nor allocates. One goroutine at a time may use
// a team; close ends its workers.
type pool struct {
	phase  func(worker, block int)
	blocks int
	next   atomic.Int64 // the first block that nobody has taken

	begun   atomic.Uint32 // phases so far
	closed  atomic.Bool
	working atomic.Int32 // workers that have not ended the phase
	members []*waiter    // all but the caller, who is worker 0
	caller  waiter
	spins   int
	crash   atomic.Pointer[any]
}

// waiter is a goroutine that waits for a condition: at first by looking again
// and again, because the next phase is mostly microseconds away and waking a
// goroutine takes tens of them, and then asleep.
type waiter struct {
	asleep atomic.Bool
	wake   chan struct{}
}

// spinning is the number of looks before sleep, some ten microseconds.
const spinning = 1 << 14

// until returns when the condition holds. Whoever makes it hold calls rouse.
func (w *waiter) until(spins int, holds func() bool) {
	for !holds() {
		if spins--; spins > 0 {
			continue
		}
		w.asleep.Store(true)
		if holds() && w.asleep.CompareAndSwap(true, false) {
			return
		}
		<-w.wake
	}
}

func (w *waiter) rouse() {
	if w.asleep.CompareAndSwap(true, false) {
		w.wake <- struct{}{}
	}
}

// newPool starts workers, none where one thread is enough.
func newPool(threads, blocks int) *pool {
	t := &pool{caller: waiter{wake: make(chan struct{}, 1)}}
	if threads <= runtime.GOMAXPROCS(0) {
		t.spins = spinning // every worker has a core to look from
	}
	for worker := 1; worker < min(threads, blocks); worker++ {
		m := &waiter{wake: make(chan struct{}, 1)}
		t.members = append(t.members, m)
		go t.serve(m, worker)
	}
	return t
}

func (t *pool) serve(m *waiter, worker int) {
	seen := uint32(0)
	begun := func() bool { return t.begun.Load() != seen }
	for {
		m.until(t.spins, begun)
		seen = t.begun.Load()
		if t.closed.Load() {
			return
		}
		t.take(worker)
		if t.working.Add(-1) == 0 {
			t.caller.rouse()
		}
	}
}

// run calls phase for every block and waits for the last. Which worker takes
// which block is not determined: blocks write to places of their own. A panic in
// phase is raised again here.
func (t *pool) run(blocks int, phase func(worker, block int)) {
	t.phase, t.blocks = phase, blocks
	t.next.Store(0)
	t.working.Store(int32(len(t.members)))
	t.begin()
	t.take(0)
	t.caller.until(t.spins, t.rested)
	if crash := t.crash.Load(); crash != nil {
		panic(*crash)
	}
}

// size is the number of workers, the caller included.
func (t *pool) size() int { return len(t.members) + 1 }

func (t *pool) begin() {
	t.begun.Add(1)
	for _, m := range t.members {
		m.rouse()
	}
}

func (t *pool) rested() bool { return t.working.Load() == 0 }

func (t *pool) take(worker int) {
	defer t.recover()
	for {
		b := int(t.next.Add(1)) - 1
		if b >= t.blocks {
			return
		}
		t.phase(worker, b)
	}
}

func (t *pool) recover() {
	if p := recover(); p != nil {
		t.keep(p)
	}
}

// keep is apart from recover so that only a panic allocates.
func (t *pool) keep(p any) {
	t.crash.CompareAndSwap(nil, &p)
	t.next.Store(int64(t.blocks))
}

// close ends the workers; the last phase must have ended.
func (t *pool) close() {
	t.closed.Store(true)
	t.begin()
}
