package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// company tally the jobs in this process, to tell whether the process's time is
// that of one.
type company struct{ starts, running atomic.Int64 }

// clock returns the processor clock of a job that begins now. On one thread it is
// that of the operating system's thread, to which the job keeps until release;
// else that of the process, as long as the job has it to itself.
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
			r.Warnings = list(inv.warnings)
		}
	}()
	inv.beside, inv.most, inv.shared = clock, limit, b.structures
	within, done := b.limits.within(ctx)
	defer done()
	args := b.commandLine(j, s.threads)
	begin := time.Now()
	err := b.limits.late(within, ctx, inv.execute(within, rootOf(inv, j.make), args))
	r.Seconds = time.Since(begin).Seconds()
	if cpu, known := clock(); known {
		r.CPU = &cpu
	}
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
			// Beside the jobs, as a disk may take long for it and their results must not wait.
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

// How many failed jobs are told of as they fail, and in the report of --json.
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
	case b.records != nil: // who asks for them tells of them
	case n <= shownFailures:
		b.bar.wipe()
		tell(b.err, fmt.Sprintf("%s failed: %s", b.jobs[r.at].where(), r.Error))
	case n == shownFailures+1:
		b.bar.wipe()
		tell(b.err, fmt.Sprintf("further failures are only in %s/%s", b.out, b.shard.journal()))
	}
	// In the order of the jobs, whichever ended first.
	list := b.tally.Failures
	at, _ := slices.BinarySearchFunc(list, r.Index, func(f failure, index int) int { return f.Index - index })
	list = slices.Insert(list, at, failure{r.Index, r.Line, r.ExitCode, r.Error})
	b.tally.Failures = list[:min(len(list), listedFailures)]
}
