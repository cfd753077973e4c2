package sparse

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
)

// crew is the workers of one factorisation and what they share: the tasks, and
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

// shared is a loop over strips that several workers take part in.
type sharedLoop struct {
	do                func(w *worker, i int) error
	count, next, left int
}

// errStopped ends the work of one worker because another's has failed.
var errStopped = errors.New("sparse: stopped")

// runParallel computes all panels on several goroutines, which have ended when
// it returns.
func (n *numeric) runParallel(ctx context.Context, threads int) error {
	c := &pool{schedule: n.plan(threads)}
	c.wake.L = &c.mu
	c.failed.Store(math.MaxInt32)
	var all sync.WaitGroup
	for range threads {
		all.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					c.end(nil, p)
				}
			}()
			w := n.worker(ctx)
			w.pool = c
			c.work(w)
		})
	}
	all.Wait()
	if c.crash != nil {
		panic(c.crash)
	}
	if c.stop != nil {
		return c.stop
	}
	return c.failure
}

// end stops all workers for an error or a panic.
func (c *pool) end(err error, crash any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.stopped.Load() {
		c.stop, c.crash = err, crash
	}
	c.stopped.Store(true)
	c.wake.Broadcast()
}

// fail records the error of a panel.
func (c *pool) fail(p int32, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p < c.failed.Load() {
		c.failure = err
		c.failed.Store(p)
	}
}

// work does strips and tasks until there are none. Strips go first: whoever
// shares them is waited for.
func (c *pool) work(w *worker) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.stopped.Load() && c.schedule.left > 0 {
		if c.help(w) {
			continue
		}
		t := c.schedule.take()
		if t == none {
			c.wake.Wait()
			continue
		}
		task := &c.schedule.tasks[t]
		if !c.unlocked(func() error { return c.panels(w, task.lo, task.hi) }) {
			return
		}
		if c.schedule.done(t) || c.schedule.left == 0 {
			c.wake.Broadcast()
		}
	}
}

// unlocked runs do without the lock, ends the work where it fails, and reports
// whether to go on. The lock is held afterwards, after a panic too.
func (c *pool) unlocked(do func() error) bool {
	c.mu.Unlock()
	var err error
	func() {
		defer c.mu.Lock()
		err = do()
	}()
	if err == nil {
		return true
	}
	if !c.stopped.Load() {
		c.stop = err
		c.stopped.Store(true)
		c.wake.Broadcast()
	}
	return false
}

// panels computes a range of panels, up to the first known to fail.
func (c *pool) panels(w *worker, lo, hi int32) error {
	for p := lo; p < hi && p < c.failed.Load(); p++ {
		if c.stopped.Load() {
			return errStopped
		}
		err := w.computePanel(p)
		if err == nil {
			continue
		}
		if cancelled := w.ctx.Err(); cancelled != nil {
			return cancelled
		}
		if err == errStopped {
			return err
		}
		c.fail(p, err)
	}
	return nil
}

// help does one strip of the oldest open panel; the lock is held. It returns
// false if there is none.
func (c *pool) help(w *worker) bool {
	if len(c.open) == 0 {
		return false
	}
	s := c.open[0]
	i := s.next
	s.next++
	if s.next == s.count {
		c.open = append(c.open[:0], c.open[1:]...)
	}
	c.unlocked(func() error { return s.do(w, i) })
	s.left--
	if s.left == 0 {
		c.wake.Broadcast()
	}
	return true
}

// share runs do for 0 ≤ i < count, other workers helping where there are any,
// and returns when all are done.
func (w *worker) share(count int, do func(w *worker, i int) error) error {
	c := w.pool
	if c == nil {
		for i := range count {
			if err := do(w, i); err != nil {
				return err
			}
		}
		return nil
	}
	if count == 0 {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &sharedLoop{do: do, count: count, left: count}
	c.open = append(c.open, s)
	c.wake.Broadcast()
	for s.left > 0 {
		if c.stopped.Load() {
			return errStopped
		}
		if !c.help(w) {
			c.wake.Wait()
		}
	}
	return nil
}
