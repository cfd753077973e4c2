package sparse

import "container/heap"

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
	// updateCost and entryCost express in flops what an update and an entry cost
	// beside their flops.
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
			// A small subtree joins the one beside it.
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

// done records that a task is finished and tells whether that let its parent
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
