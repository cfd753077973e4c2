package main

import (
	"context"
	"sync"
)

// hands are the goroutines that run the jobs of a batch. Each records what came of its job and
// goes on with the next one itself: to hand both over to another goroutine takes a tenth of a
// short job's time, as a job on one thread keeps to a thread of the operating system.
type hands struct {
	*batch
	jobs   context.Context // of the jobs: done when the batch's is, or when it cannot go on
	cancel context.CancelFunc
	done   chan struct{} // closed when nothing runs and nothing is to begin

	mu     sync.Mutex // for what follows, and the batch's tally, journal and bar
	plan   *schedule
	broken error // why the batch cannot go on
	gone   bool  // the batch has ended without waiting for its jobs
}

// begin begins the first jobs.
func (h *hands) begin() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if first, any := h.next(); any {
		go h.run(first)
	}
}

// chosen is a job that begins, and its part of the memory.
type chosen struct {
	start
	limit byteSize
}

// next begins the jobs that can begin now, but for the first, which it returns to be run by the
// caller. It closes done when there are none and nothing runs. The lock is held.
func (h *hands) next() (first chosen, any bool) {
	if h.broken == nil && h.jobs.Err() == nil {
		for _, s := range h.plan.next() {
			c := chosen{s, h.limitOf(h.plan.tasks[s.job].need)}
			if !any {
				first, any = c, true
				continue
			}
			go h.run(c)
		}
	}
	if len(h.plan.running) == 0 {
		close(h.done)
	}
	return first, any
}

// run runs a job, and after it others for as long as there are any.
func (h *hands) run(c chosen) {
	for more := true; more; {
		c, more = h.ended(c.job, h.perform(h.jobs, c.start, c.limit))
	}
}

// ended records what came of a job and returns the next one for this goroutine.
func (h *hands) ended(job int, r *record) (next chosen, any bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gone {
		return
	}
	if err := h.take(h.plan, job, r); err != nil {
		h.breakOff(err)
	}
	return h.next()
}

// breakOff ends the jobs that run and begins no more. The lock is held.
func (h *hands) breakOff(err error) {
	if h.broken == nil {
		h.broken = err
		h.cancel()
	}
}

// stop is breakOff for those who do not hold the lock.
func (h *hands) stop(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.breakOff(err)
}

// leave makes the jobs that still run record nothing any more.
func (h *hands) leave() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gone = true
}

func (h *hands) show() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bar.show()
}
