package sparse

import (
	"container/heap"
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
)

// schedule divides a factorisation into tasks: whole subtrees of the tree of
// panels that are too small to share, and the panels above them one by one. A
// task may begin when its children are done, because only panels of the subtree
// below a panel update it.
type schedule struct {
	tasks []task
	ready readyTasks
	left  int // tasks not done
}

// task is a range of panels, computed in ascending order by one worker.
type task struct {
	lo, hi  int32
	parent  int32 // task, or none
	waiting int32 // children that are not done
	// path is the work from here up to the root. The longest path goes first.
	path float64
}

const (
	// tasksPerThread is how many subtrees there are at least for each thread, as
	// far as the tree allows: many, so that they even out.
	tasksPerThread = 12
	// updateCost and entryCost express, in flops, the cost of an update and an entry in addition to
	// their flops.
	updateCost = 2000
	entryCost  = 20
)

// plan makes the tasks for a number of threads and queues those that wait for
// nothing.
func (s *numeric) plan(threads int) *schedule {
	count := len(s.rowLo)
	own, below := make([]float64, count), make([]float64, count)
	start := make([]int32, count) // first panel of each subtree
	var total float64
	for p := range count {
		start[p] = int32(p)
		own[p] = s.work[p] + updateCost*float64(s.listAt[p+1]-s.listAt[p]) + entryCost*float64(s.valueAt[p+1]-s.valueAt[p])
		total += own[p]
	}
	// A child precedes its parent, so below[p] is complete when p is reached.
	for p := range count {
		below[p] += own[p]
		if up := s.above(int32(p)); up != none {
			below[up] += below[p]
			start[up] = min(start[up], start[p])
		}
	}
	limit := total / float64(tasksPerThread*threads)
	alone := func(p int32) bool { return p == none || below[p] > limit }
	c := &schedule{}
	at := make([]int32, count) // task of a panel that is one by itself
	var size []float64
	for p := range int32(count) {
		up := s.above(p)
		last := len(c.tasks) - 1
		switch {
		case alone(p):
			at[p] = int32(len(c.tasks))
			c.tasks = append(c.tasks, task{lo: p, hi: p + 1, parent: up})
			size = append(size, own[p])
		case !alone(up):
			// Inside a subtree whose task comes with its root.
		case last >= 0 && c.tasks[last].hi == start[p] && c.tasks[last].parent == up && size[last]+below[p] <= limit:
			// A small subtree joins its neighbour.
			c.tasks[last].hi = p + 1
			size[last] += below[p]
		default:
			c.tasks = append(c.tasks, task{lo: start[p], hi: p + 1, parent: up})
			size = append(size, below[p])
		}
	}
	c.left = len(c.tasks)
	for t := c.left - 1; t >= 0; t-- {
		k := &c.tasks[t]
		k.path = size[t]
		if k.parent != none {
			k.parent = at[k.parent]
			k.path += c.tasks[k.parent].path
			c.tasks[k.parent].waiting++
		}
	}
	c.ready.tasks = c.tasks
	for t := range c.tasks {
		if c.tasks[t].waiting == 0 {
			c.ready.queue = append(c.ready.queue, int32(t))
		}
	}
	heap.Init(&c.ready)
	return c
}

// take removes the most urgent task that may begin, none if there is no such.
func (c *schedule) take() int32 {
	if len(c.ready.queue) == 0 {
		return none
	}
	return heap.Pop(&c.ready).(int32)
}

// done records that a task is finished and reports whether that let its parent
// begin.
func (c *schedule) done(t int32) bool {
	c.left--
	up := c.tasks[t].parent
	if up == none {
		return false
	}
	c.tasks[up].waiting--
	if c.tasks[up].waiting > 0 {
		return false
	}
	heap.Push(&c.ready, up)
	return true
}

// readyTasks is a heap of the tasks that may begin, the longest path first.
type readyTasks struct {
	tasks []task
	queue []int32
}

func (r *readyTasks) Len() int { return len(r.queue) }

func (r *readyTasks) Less(i, j int) bool {
	a, b := r.queue[i], r.queue[j]
	if x, y := r.tasks[a].path, r.tasks[b].path; x != y {
		return x > y
	}
	return a < b
}

func (r *readyTasks) Swap(i, j int) { r.queue[i], r.queue[j] = r.queue[j], r.queue[i] }

func (r *readyTasks) Push(t any) { r.queue = append(r.queue, t.(int32)) }

func (r *readyTasks) Pop() any {
	last := len(r.queue) - 1
	t := r.queue[last]
	r.queue = r.queue[:last]
	return t
}

// pool is the workers of one factorisation and their shared data: the tasks, and the panels whose
// strips are available.
type pool struct {
	mu       sync.Mutex
	wake     sync.Cond // there is something to take, or the end
	schedule *schedule
	open     []*sharedLoop // oldest first, all with strips left to take

	// A panel that fails ends the tasks behind it, but not those before: the
	// error is the one of the first panel that fails, as on one thread.
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

// fork runs do on a goroutine of its own. join waits for its end and raises its panic
// again where it is called: a panic that is not recovered would end the process, whatever language
// its caller is written in.
func fork(do func()) (join func()) {
	done := make(chan struct{})
	var crash any
	go func() {
		defer close(done)
		defer func() { crash = recover() }()
		do()
	}()
	return func() {
		<-done
		if crash != nil {
			panic(crash)
		}
	}
}
