package main

import (
	"errors"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/memory"
)

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

// shared is what the jobs may hold together: the limit less the program; 0: no limit.
func (b *batch) shared() int64 {
	if b.memory <= 0 {
		return 0
	}
	return max(int64(b.memory)-memory.Least, 1)
}

// reserved is what a job gets that is guessed to need so much: an even part at least, as a
// guess may be too low, and at most all. One that its part does not suffice for runs
// again by itself.
func (b *batch) reserved(need int64) int64 {
	all := b.shared()
	if all == 0 {
		return need
	}
	return min(max(need, all/int64(max(b.workers, 1))), all)
}

// limitOf is the limit of a process for a job that so much is reserved for.
func (b *batch) limitOf(reserved int64) byteSize {
	if b.memory <= 0 {
		return b.most
	}
	return byteSize(reserved + memory.Least)
}

// smallJobs is what each of a batch's jobs takes at most, in bytes, where the heap is collected less often.
const smallJobs = 16 << 20

// collectRarely lets the heap of small jobs grow to nine times what they hold before it is collected: at a few megabytes
// each, collecting it, giving its memory back and taking it again are a twentieth of their time. It returns what undoes that.
func (b *batch) collectRarely() (undo func()) {
	large := func(j *job) bool { return j.need > smallJobs || len(j.after) > 0 } // an input that is made later may be large
	if os.Getenv("GOGC") != "" || slices.ContainsFunc(b.jobs, large) {
		return func() {}
	}
	before := debug.SetGCPercent(800)
	return func() { debug.SetGCPercent(before) }
}

// keeping accounts for the lines of journals that are kept in memory, within its limit.
type keeping struct {
	*invocation
	from  string
	bytes int64
	err   error // the refusal of a line
}

func (inv *invocation) keeping(from string) *keeping { return &keeping{invocation: inv, from: from} }

// add accounts for a line, and ends the reading where there is no room for it.
func (k *keeping) add(line interface{ bytes() int64 }) error {
	k.bytes += line.bytes()
	if k.err = k.fits("the journal in "+k.from+" takes", k.bytes, "do the jobs in several batches, each in a folder of its own"); k.err != nil {
		return fs.SkipAll
	}
	return nil
}

// What a record and a header take besides their texts: their fields, and places in lists
// and tables. Measured on journals of many small jobs.
const (
	recordBytes = 768
	headerBytes = 256
	inputBytes  = 48
	nameBytes   = 32
)

func (r *record) bytes() int64 {
	n := int64(recordBytes + 2*len(r.Job) + len(r.Result) + len(r.Error) + len(r.ErrorID))
	for _, i := range r.Inputs {
		n += inputBytes + int64(len(i.Path)+len(i.Time))
	}
	n += writtenBytes(r.Written)
	for _, list := range [][]string{r.Outputs, r.Warnings} {
		for _, text := range list {
			n += nameBytes + int64(len(text))
		}
	}
	return n
}

func writtenBytes(list []written) (n int64) {
	for _, w := range list {
		n += inputBytes + int64(len(w.Path)+len(w.Sum))
	}
	return n
}

func (h *shardHeader) bytes() int64 {
	n := int64(headerBytes)
	for _, name := range h.Own {
		n += nameBytes + int64(len(name))
	}
	return n
}

// isStarved reports whether a job was refused for want of memory.
func isStarved(err error) bool {
	_, byCommand := errors.AsType[*overMemory](err)
	return byCommand || engine.IsMemory(err) || files.IsTooLarge(err)
}

// smallestJob is what any job takes, in bytes: buffers of files, scratch.
const smallestJob = 4 << 20

// estimate guesses the memory that the job takes, from the sizes of its inputs and
// its method. Inputs that are not there yet count nothing.
func (j *job) estimate() int64 {
	need := int64(smallestJob)
	rows, cols := whole(j.said["samples"]), 8 // of what it draws
	var largest int64
	for _, path := range j.inputs {
		n, m, bytes := sizeOf(path, j.images())
		if need += bytes; bytes > largest {
			largest, rows, cols = bytes, n, m
		}
	}
	name, _ := j.said["method"].(string)
	set, _ := j.said["set"].(map[string]any)
	o := engine.Options{Landmarks: whole(set["landmarks"]), Threads: 1}
	return need + engine.EstimateMemory(name, rows, cols, whole(j.said["neighbors"]), o)
}

// images says how images become the job's samples.
func (j *job) images() files.ImageOptions {
	var size imageSize
	if text, given := j.said["resize"].(string); given && size.Set(text) != nil {
		size = imageSize{}
	}
	return files.ImageOptions{Height: size.height, Width: size.width, Grey: j.said["grey"] == true}
}

// sizeOf returns the shape of a matrix in a file and its bytes as float64, by its header,
// its first lines or the first image.
func sizeOf(path string, how files.ImageOptions) (rows, cols int, bytes int64) {
	read := files.ExtentOf
	if files.IsImages(path) {
		read = func(path string) (files.Extent, error) { return files.ImagesExtent(path, how) }
	}
	e, err := read(path)
	if err != nil {
		return 0, 0, 0 // reading it will fail, too, or it is a pipe
	}
	return e.Rows, e.Cols, e.Bytes()
}
