package sparse

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
)

// pool is the workers of one factorisation and what they share: the tasks, and
// the panels whose strips are to be had.
type pool struct {
	mu       sync.Mutex
	wake     sync.Cond // there is something to take, or the end
	schedule *schedule
	open     []*sharedLoop // oldest first, all with strips left to take

	// A panel that fails ends the tasks behind it, but not those before: the
	// error is that of the first panel that fails, as on one thread.
	failed  atomic.Int32 // the first panel known to fail
	failure error
	stopped atomic.Bool
	stop    error // why, where no panel failed
	crash   any   // a panic
}

// sharedLoop is a loop over strips that several workers take part in.
type sharedLoop struct {
	do                func(w *worker, i int) error
	count, next, left int
}

// errStopped ends the work of one worker because another's has failed.
var errStopped = errors.New("sparse: stopped")

// runParallel computes all panels on several goroutines, which have ended when
// it returns.
func (n *numeric) runParallel(ctx context.Context, threads int) error {
	p := &pool{schedule: n.plan(threads)}
	p.wake.L = &p.mu
	p.failed.Store(math.MaxInt32)
	var all sync.WaitGroup
	for range threads {
		all.Go(func() {
			defer func() {
				if crash := recover(); crash != nil {
					p.end(nil, crash)
				}
			}()
			w := n.worker(ctx)
			w.pool = p
			p.work(w)
		})
	}
	all.Wait()
	if p.crash != nil {
		panic(p.crash)
	}
	if p.stop != nil {
		return p.stop
	}
	return p.failure
}

// end stops all workers for an error or a panic.
func (p *pool) end(err error, crash any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.stopped.Load() {
		p.stop, p.crash = err, crash
	}
	p.stopped.Store(true)
	p.wake.Broadcast()
}

// fail records the error of a panel.
func (p *pool) fail(panel int32, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if panel < p.failed.Load() {
		p.failure = err
		p.failed.Store(panel)
	}
}

// work does strips and tasks until there are none. Strips go first: whoever
// shares them is waited for.
func (p *pool) work(w *worker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.stopped.Load() && p.schedule.left > 0 {
		if p.help(w) {
			continue
		}
		t := p.schedule.take()
		if t == none {
			p.wake.Wait()
			continue
		}
		task := &p.schedule.tasks[t]
		if !p.unlocked(func() error { return p.computePanels(w, task.lo, task.hi) }) {
			return
		}
		if p.schedule.done(t) || p.schedule.left == 0 {
			p.wake.Broadcast()
		}
	}
}

// unlocked runs do without the lock, ends the work where it fails, and reports
// whether to go on. The lock is held afterwards, after a panic too.
func (p *pool) unlocked(do func() error) bool {
	p.mu.Unlock()
	var err error
	func() {
		defer p.mu.Lock()
		err = do()
	}()
	if err == nil {
		return true
	}
	if !p.stopped.Load() {
		p.stop = err
		p.stopped.Store(true)
		p.wake.Broadcast()
	}
	return false
}

// computePanels computes a range of panels, up to the first known to fail.
func (p *pool) computePanels(w *worker, lo, hi int32) error {
	for panel := lo; panel < hi && panel < p.failed.Load(); panel++ {
		if p.stopped.Load() {
			return errStopped
		}
		err := w.computePanel(panel)
		if err == nil {
			continue
		}
		if canceled := w.ctx.Err(); canceled != nil {
			return canceled
		}
		if err == errStopped {
			return err
		}
		p.fail(panel, err)
	}
	return nil
}

// help does one strip of the oldest open panel; the lock is held. It returns
// false if there is none.
func (p *pool) help(w *worker) bool {
	if len(p.open) == 0 {
		return false
	}
	s := p.open[0]
	i := s.next
	s.next++
	if s.next == s.count {
		p.open = append(p.open[:0], p.open[1:]...)
	}
	p.unlocked(func() error { return s.do(w, i) })
	s.left--
	if s.left == 0 {
		p.wake.Broadcast()
	}
	return true
}

// share runs do for 0 ≤ i < count, other workers of the pool helping where there are any,
// and returns when all are done.
func (w *worker) share(count int, do func(w *worker, i int) error) error {
	p := w.pool
	if count == 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &sharedLoop{do: do, count: count, left: count}
	p.open = append(p.open, s)
	p.wake.Broadcast()
	for s.left > 0 {
		if p.stopped.Load() {
			return errStopped
		}
		if !p.help(w) {
			p.wake.Wait()
		}
	}
	return nil
}
