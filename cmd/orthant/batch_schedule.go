package main

import "slices"

// task is what the schedule knows of a job.
type task struct {
	need    int64 // bytes of memory, as far as known
	threads int   // that the job asks for; 0: whatever is free
	after   []int // the jobs whose outputs it reads
}

// schedule decides which jobs run when: in their order, as many at a time as there
// are workers and as fit into memory together. It is not safe for concurrent use.
type schedule struct {
	tasks          []task
	workers, cores int
	memory         int64 // 0: no limit

	waiting []int // jobs whose inputs are there, in order
	missing []int // by job: how many others it still waits for
	readers [][]int
	passed  int // how often the first in line was passed by others that fitted

	running map[int]int // threads by job
	used    int64
}

// start is a job with the threads that it is to use.
type start struct{ job, threads int }

// newSchedule returns the schedule of the tasks but for those that are done.
func newSchedule(tasks []task, done func(int) bool, workers, cores int, memory int64) *schedule {
	s := &schedule{
		tasks: tasks, workers: max(workers, 1), cores: max(cores, 1), memory: memory,
		missing: make([]int, len(tasks)), readers: make([][]int, len(tasks)), running: map[int]int{},
	}
	for i, t := range tasks {
		if done(i) {
			continue
		}
		for _, j := range t.after {
			if !done(j) {
				s.missing[i]++
				s.readers[j] = append(s.readers[j], i)
			}
		}
		if s.missing[i] == 0 {
			s.waiting = append(s.waiting, i)
		}
	}
	return s
}

// How far down the line a job may be that is taken in place of the first, which
// does not fit; and how often that may happen before the first is waited for.
const (
	lookAhead = 64
	patience  = 32
)

// next returns the jobs to start now, and counts them as running.
func (s *schedule) next() []start {
	var chosen []int
	for at := 0; at < min(len(s.waiting), lookAhead) && len(s.running) < s.workers; {
		i := s.waiting[at]
		if !s.fits(i) {
			if s.passed >= patience {
				break
			}
			at++
			continue
		}
		if s.passed++; at == 0 {
			s.passed = 0
		}
		if at == 0 {
			s.waiting = s.waiting[1:]
		} else {
			s.waiting = slices.Delete(s.waiting, at, at+1)
		}
		s.running[i] = 0
		s.used += s.tasks[i].need
		chosen = append(chosen, i)
	}
	return s.share(chosen)
}

// fits reports whether a job has room next to the running ones. One that is larger than
// the limit runs alone: whether it can run at all is its own to say.
func (s *schedule) fits(i int) bool {
	return s.memory <= 0 || len(s.running) == 0 || s.used+s.tasks[i].need <= s.memory
}

// share gives each of the chosen its threads: those it asks for, else an even part
// of the cores that no other job uses, or one where none is free.
func (s *schedule) share(chosen []int) []start {
	free := s.cores
	for _, threads := range s.running {
		free -= threads
	}
	sharing := 0
	for _, i := range chosen {
		if s.running[i] = s.tasks[i].threads; s.running[i] == 0 {
			sharing++
		}
		free -= s.running[i]
	}
	starts := make([]start, len(chosen))
	for at, i := range chosen {
		if s.tasks[i].threads == 0 {
			s.running[i] = max(free/sharing, 1)
			free -= s.running[i]
			sharing--
		}
		starts[at] = start{i, s.running[i]}
	}
	return starts
}

// again puts a job that runs back in line, with another need.
func (s *schedule) again(job int, need int64) {
	delete(s.running, job)
	s.used -= s.tasks[job].need
	s.tasks[job].need = need
	at, _ := slices.BinarySearch(s.waiting, job)
	s.waiting = slices.Insert(s.waiting, at, job)
}

// ended takes a job off, and lets those that waited for its outputs go, if it made
// them. It returns the jobs that can never run now.
func (s *schedule) ended(job int, ok bool) (lost []int) {
	if _, ran := s.running[job]; ran {
		delete(s.running, job)
		s.used -= s.tasks[job].need
	}
	for _, i := range s.readers[job] {
		switch {
		case s.missing[i] < 0: // lost before
		case !ok:
			s.missing[i] = -1
			lost = append(append(lost, i), s.ended(i, false)...)
		default:
			if s.missing[i]--; s.missing[i] == 0 {
				at, _ := slices.BinarySearch(s.waiting, i)
				s.waiting = slices.Insert(s.waiting, at, i)
			}
		}
	}
	return lost
}
