package nonnegative

import (
	"runtime"
	"sync/atomic"
)

// pool is the workers of an iteration. They wait between its phases, so that a
// phase neither starts goroutines nor allocates. One goroutine at a time may use
// a pool; close ends its workers.
type pool struct {
	phase  func(worker, block int)
	blocks int
	next   atomic.Int64 // the first block that no worker has taken

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
	p := &pool{caller: waiter{wake: make(chan struct{}, 1)}}
	if threads <= runtime.GOMAXPROCS(0) {
		p.spins = spinning // every worker has a core to look from
	}
	for worker := 1; worker < min(threads, blocks); worker++ {
		m := &waiter{wake: make(chan struct{}, 1)}
		p.members = append(p.members, m)
		go p.serve(m, worker)
	}
	return p
}

func (p *pool) serve(m *waiter, worker int) {
	seen := uint32(0)
	begun := func() bool { return p.begun.Load() != seen }
	for {
		m.until(p.spins, begun)
		seen = p.begun.Load()
		if p.closed.Load() {
			return
		}
		p.take(worker)
		if p.working.Add(-1) == 0 {
			p.caller.rouse()
		}
	}
}

// run calls phase for every block and waits for the last. Which worker takes
// which block is not determined: blocks write to places of their own. A panic in
// phase is raised again here.
func (p *pool) run(blocks int, phase func(worker, block int)) {
	p.phase, p.blocks = phase, blocks
	p.next.Store(0)
	p.working.Store(int32(len(p.members)))
	p.begin()
	p.take(0)
	p.caller.until(p.spins, p.rested)
	if crash := p.crash.Load(); crash != nil {
		panic(*crash)
	}
}

// size is the number of workers, the caller included.
func (p *pool) size() int { return len(p.members) + 1 }

func (p *pool) begin() {
	p.begun.Add(1)
	for _, m := range p.members {
		m.rouse()
	}
}

func (p *pool) rested() bool { return p.working.Load() == 0 }

func (p *pool) take(worker int) {
	defer p.recover()
	for {
		b := int(p.next.Add(1)) - 1
		if b >= p.blocks {
			return
		}
		p.phase(worker, b)
	}
}

func (p *pool) recover() {
	if crash := recover(); crash != nil {
		p.keep(crash)
	}
}

// keep is apart from recover so that only a panic allocates.
func (p *pool) keep(crash any) {
	p.crash.CompareAndSwap(nil, &crash)
	p.next.Store(int64(p.blocks))
}

// close ends the workers; the last phase must have ended.
func (p *pool) close() {
	p.closed.Store(true)
	p.begin()
}
