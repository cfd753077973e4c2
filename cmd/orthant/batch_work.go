package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/disk"
)

// company tally the jobs in this process, to decide whether the process's time belongs
// to one.
type company struct{ starts, running atomic.Int64 }

// clock returns the processor clock of a job that begins now. On one thread it is
// the clock of the operating system's thread, to which the job is bound until release;
// else the clock of the process, as long as the job has it to itself.
func (c *company) clock(threads int) (clock processorClock, release func()) {
	mine, alone := c.starts.Add(1), c.running.Add(1) == 1
	if _, known := threadSeconds(); threads == 1 && known {
		runtime.LockOSThread()
		begin, _ := threadSeconds()
		return func() (float64, bool) {
				now, known := threadSeconds()
				return now - begin, known
			}, func() {
				runtime.UnlockOSThread()
				c.running.Add(-1)
			}
	}
	_, begin := processUsage()
	return func() (float64, bool) {
		_, now := processUsage()
		return now - begin, alone && c.starts.Load() == mine && now > 0
	}, func() { c.running.Add(-1) }
}

// perform runs a job within its part of the memory, 0: without a limit. It returns nil
// for one that was interrupted.
func (b *batch) perform(ctx context.Context, s start, limit byteSize) (r *record) {
	j := b.jobs[s.job]
	r = &record{at: s.job, Index: j.index, Line: j.line, Job: j.text, Threads: s.threads, Inputs: inputsOf(j.inputs), Outputs: list(j.outputs)}
	var out, said bytes.Buffer
	var heard io.Writer = io.Discard
	if b.limits.log != "" {
		heard = &said
	}
	inv := newInvocation(streams{strings.NewReader(""), &out, heard})
	clock, release := b.company.clock(s.threads)
	defer release()
	defer func() {
		if p := recover(); p != nil { // of what prepares the command, which recovers itself
			err := &commandError{Command: "orthant " + j.command, Err: &internalError{Text: fmt.Sprint(p), Stack: debug.Stack()}}
			r.Status, r.ExitCode, r.Error = outcomeOf(err)
			r.ErrorID = errorID(err)
			r.Warnings = list(inv.warnings)
		}
	}()
	inv.ownClock, inv.most, inv.shared = clock, limit, b.structures
	within, done := b.limits.within(ctx)
	defer done()
	args := b.commandLine(j, s.threads)
	begin := time.Now()
	err := b.limits.late(within, ctx, inv.execute(within, rootOf(inv, j.make), args))
	r.Seconds = time.Since(begin).Seconds()
	if cpu, known := clock(); known {
		r.CPU = &cpu
	}
	r.ErrorID = errorID(err)
	if r.Status, r.ExitCode, r.Error = outcomeOf(err); r.ExitCode == exitInterrupted {
		return nil
	}
	r.starved = isStarved(err)
	if r.Written = []written{}; r.finished() {
		r.Written = writtenBy(inv.outputs, b.folder)
	}
	r.Warnings = list(inv.warnings)
	if text := bytes.TrimSpace(out.Bytes()); json.Valid(text) {
		r.Result = text
	}
	if err := b.limits.keep(r, args, said.String()); err != nil {
		r.Warnings = append(r.Warnings, oneLine(err))
	}
	return r
}

// commandLine returns the arguments of a job: its own after those that the batch
// chooses.
func (b *batch) commandLine(j *job, threads int) []string {
	args := []string{j.command, "--json", "--progress=never"}
	if j.threads == 0 {
		args = append(args, fmt.Sprintf("--threads=%d", threads))
	}
	return append(args, j.args...)
}

// How often the journal is brought to the disk, and how long jobs may take to stop
// after an interrupt before they are left to their end with the process.
const (
	syncInterval = time.Second
	stopping     = grace / 2
)

// work runs the jobs until all are done or the context is.
func (b *batch) work(ctx context.Context) error {
	defer b.collectRarely()()
	h := &hands{batch: b, plan: b.schedule(), done: make(chan struct{})}
	b.structures = &sharedFiles{kept: map[string]*sharedFile{}}
	for i, j := range b.jobs {
		if b.kept[i] == nil {
			b.structures.expect(j)
		}
	}
	b.bar = b.newLine()
	defer b.bar.end()
	b.countKept()
	h.jobs, h.cancel = context.WithCancel(ctx)
	defer h.cancel()
	h.begin()
	tick := time.NewTicker(syncInterval)
	defer tick.Stop()
	var interrupt <-chan struct{} = ctx.Done()
	var given <-chan time.Time // the time to stop
	var holding chan error     // what holds returns; nil: it is not under way
	for working := true; working; {
		select {
		case <-h.done:
			working = false
		case <-tick.C:
			// Concurrently with the jobs, as a disk may take long for it and their results must not wait.
			if holding == nil {
				holding = make(chan error, 1)
				go func(done chan<- error) { done <- b.holds() }(holding)
			}
			h.show()
		case err := <-holding:
			if holding = nil; err != nil {
				h.stop(err)
			}
		case <-interrupt:
			interrupt, given = nil, time.After(stopping)
		case <-given:
			h.leave()
			return b.interrupted()
		}
	}
	if holding != nil {
		if err := <-holding; err != nil {
			h.stop(err)
		}
	}
	switch {
	case h.broken != nil:
		return h.broken
	case ctx.Err() != nil:
		return b.interrupted()
	}
	return b.journal.Sync()
}

// holds brings the journal to the disk, and of a shard sees that it is still this process's.
func (b *batch) holds() error {
	if err := b.journal.Sync(); err != nil || b.claim == nil {
		return err
	}
	return b.claim.renew()
}

// take records what came of a job, and of those that waited for it in vain.
func (b *batch) take(plan *schedule, job int, r *record) error {
	if all := b.shared(); r != nil && r.starved && all > 0 && plan.tasks[job].need < all {
		plan.again(job, all) // by itself, with all of the memory
		return nil
	}
	lost := plan.ended(job, r != nil && r.finished())
	if r == nil {
		return nil // interrupted
	}
	if err := b.add(r); err != nil {
		return err
	}
	for _, i := range plan.readers[job] {
		plan.tasks[i].need = b.reserved(b.jobs[i].estimate()) // now that its input is there
	}
	for _, i := range lost {
		j := b.jobs[i]
		err := b.add(&record{at: i, Index: j.index, Line: j.line, Job: j.text, Status: jobFailed, ExitCode: exitFailed, Inputs: inputsOf(j.inputs), Outputs: list(j.outputs), Written: []written{}, Warnings: []string{},
			Error: fmt.Sprintf("not run: a job that writes its input failed, %s first", b.jobs[job].where())})
		if err != nil {
			return err
		}
	}
	return nil
}

// How many failed jobs are reported as they fail, and in the report of --json.
const (
	shownFailures  = 5
	listedFailures = 20
)

// add appends a record to the journal and tally it.
func (b *batch) add(r *record) error {
	if err := b.journal.Add(r); err != nil {
		return err
	}
	b.structures.release(b.jobs[r.at])
	if b.records != nil {
		b.records[r.at] = r
	}
	switch r.Status {
	case jobDone:
		b.tally.OK++
	case jobNotConverged:
		b.tally.NotConverged++
	default:
		b.tally.Failed++
		b.failed(r)
	}
	b.bar.show()
	return nil
}

func (b *batch) failed(r *record) {
	switch n := b.tally.Failed; {
	case b.records != nil: // whoever asks for them reports them
	case n <= shownFailures:
		b.bar.wipe()
		printLine(b.err, fmt.Sprintf("%s failed: %s", b.jobs[r.at].where(), r.Error))
	case n == shownFailures+1:
		b.bar.wipe()
		printLine(b.err, fmt.Sprintf("further failures are only in %s/%s", b.out, b.shard.journal()))
	}
	// In the order of the jobs, whichever ended first.
	list := b.tally.Failures
	at, _ := slices.BinarySearchFunc(list, r.Index, func(f failure, index int) int { return f.Index - index })
	list = slices.Insert(list, at, failure{r.Index, r.Line, r.ExitCode, r.Error})
	b.tally.Failures = list[:min(len(list), listedFailures)]
}

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

// jobLimits are what the jobs of a batch may do, and what is kept of what they say.
type jobLimits struct {
	timeout     time.Duration
	unconverged bool
	log         string
}

func (l *jobLimits) define(f *pflag.FlagSet) {
	f.DurationVar(&l.timeout, "timeout", 0, "a job that takes longer than `TIME`, such as 90s or 2h, has failed")
	f.BoolVar(&l.unconverged, "accept-unconverged", false, "exit status 0 even if jobs did not converge")
	f.StringVar(&l.log, "log", "", "folder `DIR` for what each job says, a file each; it is made if need be")
}

func (l *jobLimits) check() error {
	if l.timeout < 0 {
		return wrong("--timeout is %s; give a time such as 90s, 10m or 2h", l.timeout)
	}
	if l.log != "" {
		if err := disk.MakeFolders(l.log); err != nil {
			return wrong("--log: %w", err)
		}
	}
	return nil
}

// within is the context of a job that begins now.
func (l *jobLimits) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, l.timeout)
}

// late is the error of a job that was stopped by its time limit, where err is the error of any stop.
func (l *jobLimits) late(job, all context.Context, err error) error {
	stopped := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if stopped && all.Err() == nil && errors.Is(job.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("stopped after %s (--timeout)", l.timeout)
	}
	return err
}

// path is the file for what a job says.
func (l *jobLimits) path(job int) string {
	return filepath.Join(l.log, fmt.Sprintf("job-%06d.log", job))
}

// keep writes what a job has said, with its command line and how it ended.
func (l *jobLimits) keep(r *record, args []string, said string) error {
	if l.log == "" {
		return nil
	}
	var text strings.Builder
	fmt.Fprintf(&text, "orthant %s\n%s", strings.Join(args, " "), said)
	if r.Error != "" {
		fmt.Fprintln(&text, r.Error)
	}
	fmt.Fprintf(&text, "%s, exit status %d, %.3g s\n", r.Status, r.ExitCode, r.Seconds)
	o, err := files.CreateRaw(l.path(r.Index), nil)
	if err != nil {
		return err
	}
	defer o.Discard()
	if _, err := o.Write([]byte(text.String())); err != nil {
		return err
	}
	return o.Commit()
}
