package main

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/disk"
)

// batch is one "orthant batch".
type batch struct {
	*invocation
	out     string
	folder  string // the same, absolute and links followed
	workers int
	resume  bool
	parts   shardFlags
	shard   shard
	limits  jobLimits
	reads   []namedFile // by itself, before its jobs do
	planned bool

	header     shardHeader // of a shard
	claim      *claim
	jobs       []*job          // of the shard
	kept       map[int]*record // of an earlier run, by job
	journal    *files.Journal
	company    company // of the jobs in this process
	structures *sharedFiles
	tally      tally
	records    map[int]*record // of the jobs that have ended, for who asks; nil: they are only in the journal
	bar        *batchLine
	began      time.Time
}

func newBatch(inv *invocation) *cobra.Command {
	b := &batch{invocation: inv}
	cmd := &cobra.Command{
		Use:   "batch JOBS.jsonl --out DIR [flags]",
		Short: "Run many jobs in one process",
		Long: `Batch runs the jobs of a file, one JSON object a line: a command and its flags
without their dashes.

  {"command": "embed", "method": "neml", "in": "x.npy", "out": "y.npy", "neighbors": 10, "set": {"gamma": 1e-4}}

The commands are
` + wrapped(commandNames(), 0) + `.
JOBS.jsonl may be - for standard input. Relative outputs land under DIR and may
not leave it; relative inputs are looked for from the working directory, as by
the command itself.

An input may be a pattern (*, ?, [a-z]): the line then makes one job for each file
that matches. In the other paths of the line, {stem} stands for the file's name
without its extension, {name} for the name with it, and {folder} for its folder's
name. {out} is DIR: a job that reads "{out}/y.npy" waits for the job that writes it.

Several jobs run at a time: as many as there are cores, and as fit into --memory
together. They share the cores. The result of a job does not depend on that. --seed
and --backend apply to every job that does not set its own.

DIR/` + batchJournal + ` has a line for every job that ended, with what --json would print.
A job that fails does not stop the others. After an interrupt, a kill or a failure
the same command with --resume does what is left. A finished job is not run again if
its line, its input files and its output files are unchanged.

With --shard I/N only a part of the jobs is done; other machines that share DIR do
the other parts. "orthant batch merge" puts their journals together.

Exit status: 0 if all went well, 1 if a job failed, 2 if the file of jobs is wrong
(then none is run), 3 if some only did not converge, 130 if interrupted.`,
		Example: `  orthant generate swiss-roll --samples 500 --seed 1 --out roll-1.npy
  orthant generate swiss-roll --samples 500 --seed 2 --out roll-2.npy
  echo '{"command": "embed", "method": "lle", "in": "roll-*.npy", "out": "{stem}-y.npy"}' > jobs.jsonl
  orthant batch jobs.jsonl --out embedded`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return wrong("give one file of jobs, or - for standard input")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return b.run(cmd.Context(), args[0], cmd.Flags()) },
	}
	addGroup(cmd, "What to run", func(f *pflag.FlagSet) {
		f.StringVarP(&b.out, "out", "o", "", "folder `DIR` for outputs and the journal; it is made if need be")
		f.IntVarP(&b.workers, "workers", "w", 0, "at most `W` jobs at a time (default: as many as cores)")
		f.BoolVar(&b.resume, "resume", false, "do what an earlier run in DIR left undone")
		b.parts.define(f)
		f.BoolVar(&b.planned, "plan", false, "only print the number of jobs, the expected time and a command line for Slurm")
	})
	addGroup(cmd, "What a job may do", b.limits.define)
	cmd.AddCommand(newBatchMerge(b.invocation))
	return cmd
}

// commandNames lists the commands that a job may name.
func commandNames() string {
	var names []string
	for _, c := range subcommands() {
		names = append(names, c.name)
	}
	return strings.Join(names, ", ")
}

func (b *batch) run(ctx context.Context, path string, flags *pflag.FlagSet) error {
	b.began = time.Now()
	switch {
	case b.out == "":
		return wrong("--out is missing: the folder for the outputs and the journal")
	case flags.Changed("workers") && b.workers < 1:
		return wrong("--workers is %d; give a whole number ≥ 1", b.workers)
	}
	var err error
	if b.shard, err = b.parts.chosen(flags); err != nil {
		return err
	}
	if err := b.load(path, flags); err != nil {
		return err
	}
	if b.planned {
		return b.plan(path)
	}
	if err := b.limits.check(); err != nil {
		return err
	}
	if err := b.open(ctx); err != nil {
		return err
	}
	defer b.claim.release()
	defer b.journal.Close()
	if err := b.prepare(); err != nil {
		return err
	}
	if err := b.work(ctx); err != nil {
		return err
	}
	return b.conclude()
}

// load reads the jobs and checks them, before anything is made.
func (b *batch) load(path string, flags *pflag.FlagSet) error {
	b.reads = []namedFile{lookUp("the file of jobs", path, b.in)}
	lines, err := readJobLines(path, b.in, b.room())
	if err != nil {
		return err
	}
	return b.makeJobs(lines, flags)
}

// makeJobs makes the jobs of lines and checks them.
func (b *batch) makeJobs(lines []*jobLine, flags *pflag.FlagSet) error {
	settings := map[string]string{}
	if flags.Changed("seed") {
		settings["seed"] = strconv.FormatUint(b.seed, 10)
	}
	if b.backend != "" {
		settings["backend"] = b.backend
	}
	taken := map[string]string{}
	maker := newJobMaker(b.out, settings)
	maker.taken, maker.overwrite = taken, b.overwrite
	for _, own := range b.reads {
		taken[maker.files.name(own)] = own.flag
	}
	for _, l := range lines {
		jobs, err := maker.jobs(l)
		if err != nil {
			return err
		}
		for _, j := range jobs {
			j.label = l.label
		}
		b.jobs = append(b.jobs, jobs...)
	}
	var err error
	if b.folder, err = files.Resolve(b.out); err != nil {
		return wrong("--out: %w", err)
	}
	for i, j := range b.jobs {
		j.index = i
	}
	if err := b.addOwn(taken, &maker.files); err != nil {
		return err
	}
	if err := link(b.jobs, taken); err != nil {
		return err
	}
	if !b.shard.whole() {
		b.header = b.headerOf(b.jobs)
		if b.jobs, err = b.shard.own(b.jobs); err != nil {
			return err
		}
		b.header.takes(b.jobs)
	}
	for _, j := range b.jobs {
		j.need = j.estimate()
	}
	return nil
}

// addOwn adds to the files that no job may write, and what they are, the files that the batch
// writes itself: the journal, for a shard all journals, and the jobs' messages.
func (b *batch) addOwn(taken map[string]string, names *fileNames) error {
	own := map[string]string{filepath.Join(b.folder, batchJournal): "the journal of the batch"}
	for i := range b.shard.of {
		journal := filepath.Join(b.folder, shard{i + 1, b.shard.of}.journal())
		own[journal], own[journal+".claim"] = "the journal of the batch", "the journal of the batch"
	}
	if b.limits.log != "" {
		for _, j := range b.jobs {
			own[b.limits.path(j.index)] = "the log of a job"
		}
	}
	for _, path := range slices.Sorted(maps.Keys(own)) {
		what := own[path]
		resolved, err := names.resolve(path)
		if err != nil {
			return wrong("--out: %w", err)
		}
		if read := taken[resolved]; read != "" {
			return wrong("%s would replace %s, %s: they are the same file; give the batch another folder", what, read, path)
		}
		taken[resolved] = what
	}
	return nil
}

// open makes the folder and opens its journal, which keeps other batches out, or other
// processes that do the same shard.
func (b *batch) open(ctx context.Context) error {
	if err := disk.MakeFolders(b.out); err != nil {
		return wrong("--out: %w", err)
	}
	path := filepath.Join(b.out, b.shard.journal())
	openJournal := files.OpenJournal
	if !b.shard.whole() {
		var err error
		if b.claim, err = claimShard(ctx, path, b.shard); err != nil {
			return err
		}
		openJournal = files.OpenClaimedJournal
	}
	err := b.openJournal(path, openJournal)
	if err != nil {
		b.claim.release()
	}
	return err
}

// openJournal opens the journal and sees what is done.
func (b *batch) openJournal(path string, open func(path string, o files.Options, each func(line []byte) error) (*files.Journal, int, error)) error {
	last := map[string]*record{} // by the text of the job
	held := b.keeping(path)
	var refused, torn, headers int
	var err error
	if b.journal, refused, err = open(path, b.reading(), func(line []byte) error {
		if h, err := readHeader(line); err == nil && !b.shard.whole() && h.Shard == b.shard.index && h.Of == b.shard.of {
			headers++
			return nil
		}
		r, err := readRecord(line)
		if err == nil {
			if b.records == nil { // results, which are most of a journal, are not requested
				r.Result = nil
			}
			if err := held.add(r); err != nil {
				return err
			}
			last[string(r.Job)] = r
		} else if isTorn(line) {
			torn++
		}
		return err
	}); err != nil {
		return err
	}
	switch {
	case held.err != nil:
		err = held.err
	case len(last) == 0 && refused > torn:
		err = wrong("%s is not the journal of a batch; give --out another folder", path)
	case len(last)+torn+headers > 0 && !b.resume:
		err = wrong("%s holds the journal of an earlier batch; give --resume to do what it left undone, or --out another folder", b.out)
	case !b.shard.whole():
		err = b.journal.Add(b.header)
	}
	if err != nil {
		b.journal.Close()
		return err
	}
	b.kept = b.stillGood(last)
	return nil
}

// headerOf describes the shard to do, before it takes its own of the jobs.
func (b *batch) headerOf(jobs []*job) shardHeader {
	about := blas.Describe(b.kernels)
	return shardHeader{shardKind, b.shard.index, b.shard.of, len(jobs), sumOfJobs(jobs), versionText(), about.Arch, about.Backend, about.ISA, []string{}, []int{}}
}

// stillGood returns the records of jobs that need not run again: finished, with the
// same text, the same inputs and their outputs in place, and reading nothing that
// is made anew. It is given the last record of each job, by its text.
func (b *batch) stillGood(last map[string]*record) map[int]*record {
	kept := map[int]*record{}
	for i, j := range b.jobs {
		if r := last[string(j.text)]; r != nil && r.finished() && r.describes(j, b.folder) {
			kept[i] = r
		}
	}
	for changed := true; changed; {
		changed = false
		for i, j := range b.jobs {
			if kept[i] != nil && slices.ContainsFunc(j.after, func(other int) bool { return kept[other] == nil }) {
				delete(kept, i)
				changed = true
			}
		}
	}
	return kept
}

// prepare makes the folders of the outputs and removes what a killed run left, of
// jobs that are kept as well: they may have been done again when it was killed.
func (b *batch) prepare() error {
	var targets []string
	made := map[string]bool{}
	for i, j := range b.jobs {
		targets = append(targets, j.outputs...)
		if b.kept[i] != nil {
			continue
		}
		for _, path := range j.outputs {
			folder := filepath.Dir(path)
			if !made[folder] {
				if err := disk.MakeFolders(folder); err != nil {
					return wrong("line %d: %w", j.line, err)
				}
				made[folder] = true
			}
		}
	}
	return files.RemoveLeftovers(targets)
}

// cores is the number of cores that the jobs share.
func (b *batch) cores() int { return limits.ForProcess(b.threads) }

// schedule returns the plan of what is to be done.
func (b *batch) schedule() *schedule {
	tasks := make([]task, len(b.jobs))
	for i, j := range b.jobs {
		tasks[i] = j.task
		tasks[i].threads = min(j.threads, limits.ForProcess(j.threads))
	}
	if b.workers == 0 {
		b.workers = b.cores()
	}
	for i := range tasks {
		tasks[i].need = b.reserved(tasks[i].need)
	}
	return newSchedule(tasks, func(i int) bool { return b.kept[i] != nil }, b.workers, b.cores(), b.shared())
}
