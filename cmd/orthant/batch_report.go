package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"time"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/disk"
)

// tally is how a batch goes, and the part of its report about the jobs.
type tally struct {
	Jobs         int       `json:"jobs"`
	OK           int       `json:"ok"`
	Failed       int       `json:"failed"`
	NotConverged int       `json:"not_converged"`
	Skipped      int       `json:"skipped"` // finished by an earlier run
	Failures     []failure `json:"failures"`

	keptUnconverged int
}

// failure is a job that failed; the report lists the first few.
type failure struct {
	Index    int    `json:"index"`
	Line     int    `json:"line"`
	ExitCode int    `json:"exit_code"`
	Error    string `json:"error"`
}

// ran tally the jobs that this run has finished.
func (c *tally) ran() int { return c.OK + c.Failed + c.NotConverged }

func (b *batch) countKept() {
	b.tally.Jobs, b.tally.Skipped, b.tally.Failures = len(b.jobs), len(b.kept), []failure{}
	for _, r := range b.kept {
		if r.Status == jobNotConverged {
			b.tally.keptUnconverged++
		}
	}
}

// batchReport is what --json prints of a batch.
type batchReport struct {
	tally
	Speed   number `json:"jobs_per_second"` // of this run
	Workers int    `json:"workers"`
	Memory  int64  `json:"memory_bytes"` // that the jobs share; 0: no limit
	Out     string `json:"out"`
	Journal string `json:"journal"`
	Shard   string `json:"shard,omitempty"` // "3/8"
	cost
	machine
}

// conclude says how the batch went, and fails where a job did.
func (b *batch) conclude() error {
	b.bar.end()
	c := b.spent()
	c.Threads = b.cores()
	seconds := time.Since(b.began).Seconds()
	speed := float64(b.tally.ran()) / seconds
	journal := b.out + "/" + b.shard.journal()
	if b.json {
		if err := b.printJSON(batchReport{b.tally, number(speed), b.workers, int64(b.memory), b.out, journal, b.shard.named(), c, b.machine()}); err != nil {
			return err
		}
	}
	w := b.say()
	text := fmt.Sprintf("%d: %d ok, %d failed", b.tally.Jobs, b.tally.OK, b.tally.Failed)
	if b.tally.NotConverged > 0 {
		text += fmt.Sprintf(", %d not converged", b.tally.NotConverged)
	}
	if b.resume {
		text += fmt.Sprintf(", %d done before", b.tally.Skipped)
	}
	if !b.shard.whole() {
		text += fmt.Sprintf(" (shard %s of %s)", b.shard, counted(b.header.Jobs, "job"))
	}
	line(w, "jobs", "%s", text)
	line(w, "time", "%s, %.3g a second, at most %d at a time", duration(seconds), speed, b.workers)
	line(w, "written", "%s (what each job has to say: %s)", b.out, journal)
	if b.tally.Failed > 0 {
		return fmt.Errorf("%s of %d failed, the first on line %d. %s has the reasons. Run the same command with --resume to try again",
			counted(b.tally.Failed, "job"), b.tally.Jobs, b.tally.Failures[0].Line, journal)
	}
	if n := b.tally.NotConverged + b.tally.keptUnconverged; n > 0 && !b.limits.unconverged {
		return &notConverged{Text: fmt.Sprintf("%s of %d did not converge; the best results found are written (status not_converged in %s)", counted(n, "job"), b.tally.Jobs, journal)}
	}
	return nil
}

// interrupted says how far an interrupted batch has come. What is recorded stays so.
func (b *batch) interrupted() error {
	b.bar.end()
	_ = b.journal.Sync() // the interrupt is what matters now
	return &interrupted{Hint: fmt.Sprintf("%d of %s done; the same command with --resume does the rest", b.tally.ran()-b.tally.Failed+b.tally.Skipped, counted(b.tally.Jobs, "job"))}
}

// batchLine is the line on a terminal that shows how far the batch is.
type batchLine struct {
	*progressLine
	b *batch
}

func (b *batch) newLine() *batchLine { return &batchLine{b.progressOf(), b} }

// show redraws the line: done, failed, rate, and the time left.
func (l *batchLine) show() {
	if l.progressLine == nil {
		return
	}
	c := &l.b.tally
	done := c.ran() + c.Skipped
	l.draw("batch", float64(done)/float64(max(c.Jobs, 1)), func() string {
		return pace(c, time.Since(l.b.began).Seconds())
	})
}

// pace says how far a batch is after the given seconds.
func pace(c *tally, seconds float64) string {
	done := c.ran() + c.Skipped
	text := fmt.Sprintf("%d/%d", done, c.Jobs)
	if c.Failed > 0 {
		text += fmt.Sprintf(", %d failed", c.Failed)
	}
	if c.ran() == 0 || seconds <= 0 {
		return text
	}
	rate := float64(c.ran()) / seconds
	text += fmt.Sprintf(", %.3g/s", rate)
	left := time.Duration(float64(c.Jobs-done) / rate * float64(time.Second))
	return text + fmt.Sprintf(", %s left", left.Round(time.Second))
}

// batchPlan is what --plan reports of the jobs, before any is done.
type batchPlan struct {
	Jobs    int     `json:"jobs"`
	Bytes   int64   `json:"input_bytes"`
	Largest int64   `json:"largest_job_bytes"` // of memory, estimated
	Seconds *number `json:"seconds"`           // of all jobs on one core each, one after the other; null: not known
	Known   int     `json:"jobs_with_known_kind"`
	Shards  int     `json:"shards"`
	Slurm   string  `json:"slurm"`
}

const (
	// shardSeconds is what a shard is to take at least, so that its start is not part of it.
	shardSeconds = 600
	// unknownShards are the shards of jobs whose time is not known.
	unknownShards = 8
	// taskBytes are what a task needs in addition to its jobs' estimates.
	taskBytes = 128 << 20
)

// plan reports what the jobs are and how they may be shared out. It makes nothing.
func (b *batch) plan(path string) error {
	p := batchPlan{Jobs: len(b.jobs)}
	seen := map[string]bool{}
	for _, j := range b.jobs {
		p.Largest = max(p.Largest, j.need)
		for at, input := range j.sources {
			if seen[input] {
				continue
			}
			seen[input] = true
			if info, err := disk.Files().Stat(j.inputs[at]); err == nil {
				p.Bytes += info.Size()
			}
		}
	}
	known := b.knownSeconds()
	total := 0.0
	for _, j := range b.jobs {
		if s, found := known[j.kind()]; found {
			p.Known++
			total += s
		}
	}
	p.Shards = min(unknownShards, p.Jobs)
	if p.Known > 0 { // jobs of unknown kinds are taken for average ones
		s := number(total / float64(p.Known) * float64(p.Jobs))
		p.Seconds = &s
		p.Shards = min(p.Jobs, max(1, int(math.Ceil(float64(s)/shardSeconds))))
	}
	if b.parts.shards > 0 {
		p.Shards = b.parts.shards
	}
	p.Slurm = fmt.Sprintf("sbatch --array=1-%d --cpus-per-task=1 --mem=%dM slurm.sh %s %s", p.Shards, (p.Largest+taskBytes)>>20, path, b.out)
	if b.json {
		return b.printJSON(p)
	}
	w := b.say()
	line(w, "jobs", "%d", p.Jobs)
	line(w, "inputs", "%s", limits.FormatBytes(p.Bytes))
	line(w, "memory", "%s for the largest job, as estimated", limits.FormatBytes(p.Largest))
	switch {
	case p.Seconds == nil:
		line(w, "time", "not known: no job of these kinds is in a journal in %s yet (do one shard of many, and ask again)", b.out)
	case p.Known < p.Jobs:
		line(w, "time", "about %s on one core, by the journals in %s for %d of the jobs", duration(float64(*p.Seconds)), b.out, p.Known)
	default:
		line(w, "time", "about %s on one core, by the journals in %s", duration(float64(*p.Seconds)), b.out)
	}
	line(w, "Slurm", "%s", p.Slurm)
	line(w, "Kubernetes", "completions: %d, --shards %d, memory: %dMi", p.Shards, p.Shards, (p.Largest+taskBytes)>>20)
	return nil
}

// kind is what jobs of similar times have in common: the command and its method.
func (j *job) kind() string {
	name, _ := j.said["method"].(string)
	if name == "" {
		name, _ = j.said["name"].(string)
	}
	return j.command + " " + name
}

// knownSeconds are the mean seconds of finished jobs, by kind, in the journals that the folder
// holds. Jobs on several threads count with them.
func (b *batch) knownSeconds() map[string]float64 {
	sum, count := map[string]float64{}, map[string]float64{}
	byText := map[string]*job{}
	for _, j := range b.jobs {
		byText[string(j.text)] = j
	}
	entries, _ := disk.Files().ReadDir(b.out) // where there is none, nothing is known
	for _, name := range append(shardJournalsIn(entries), batchJournal) {
		_, err := files.ReadJournal(filepath.Join(b.out, name), b.reading(), func(line []byte) error {
			r, err := readRecord(line)
			if err != nil {
				return err
			}
			if j := byText[string(r.Job)]; j != nil && r.finished() {
				sum[j.kind()] += r.Seconds * float64(max(r.Threads, 1))
				count[j.kind()]++
			}
			return nil
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			b.warn("%v; the jobs in it do not count", err)
		}
	}
	for kind := range sum {
		sum[kind] /= count[kind]
	}
	return sum
}
