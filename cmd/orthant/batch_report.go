package main

import (
	"fmt"
	"time"
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
		return fmt.Errorf("%s of %d failed, the first on line %d; %s tells why, and the same command with --resume tries again",
			counted(b.tally.Failed, "job"), b.tally.Jobs, b.tally.Failures[0].Line, journal)
	}
	if n := b.tally.NotConverged + b.tally.keptUnconverged; n > 0 && !b.limits.unconverged {
		return &notConverged{Text: fmt.Sprintf("%s of %d did not converge; the best results found are written (status not_converged in %s)", counted(n, "job"), b.tally.Jobs, journal)}
	}
	return nil
}

// interrupted says where an interrupted batch stands. What is recorded stays so.
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

// pace says how far a batch is after so many seconds.
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
