package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/orthant-go/orthant/blas"
)

// part is one of the two parts of a soak, with what came of it.
type part struct {
	*soak
	began     time.Time
	folder    string // of the batch that runs
	processes int    // that have ended
	samples   []sample
	lines     int   // of the journal, as far as it was counted
	counted   int64 // bytes

	whole    int            // jobs, from the first one, that the first batch went through
	digests  map[int]string // of the first batch, by job
	failures []string
}

func (p *part) journal() string { return filepath.Join(p.folder, "journal.jsonl") }

func (p *part) journalLines() int {
	n, to := countLines(p.journal(), p.counted)
	p.lines, p.counted = p.lines+n, to
	return p.lines
}

// in goes on in another folder.
func (p *part) in(name string) { p.folder, p.lines, p.counted = filepath.Join(p.out, name), 0, 0 }

// process runs a batch until it ends; where it has not after so long, stop ends it. Where
// atWork is set that time begins with the first job that ends: how long a start takes
// depends on the jobs and on the machine, and kills during starts alone would get nowhere.
// It returns the status.
func (p *part) process(jobs string, limit time.Duration, atWork bool, stop os.Signal) (status int, err error) {
	cmd := exec.Command(p.orthant, "batch", jobs, "--out", p.folder, "--resume", "--quiet", "--progress", "never")
	cmd.Env = append(os.Environ(), traced)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return 0, err
	}
	log, err := os.OpenFile(filepath.Join(p.out, "stderr.txt"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return 0, err
	}
	defer log.Close()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	g, ended := &goroutines{rest: log}, make(chan struct{})
	var both sync.WaitGroup
	both.Go(func() { p.watch(cmd.Process.Pid, g, ended) })
	both.Go(func() {
		if atWork {
			p.firstEnd(ended)
		}
		select {
		case <-ended:
		case <-time.After(limit):
			_ = cmd.Process.Signal(stop)
		}
	})
	g.read(stderr) // until the process has ended
	_ = cmd.Wait()
	close(ended)
	both.Wait()
	p.processes++
	return cmd.ProcessState.ExitCode(), nil
}

// firstEnd returns once a job has ended in the process that has just begun, or that itself has.
func (p *part) firstEnd(ended <-chan struct{}) {
	_, size := countLines(p.journal(), 0)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return
		case <-tick.C:
		}
		if lines, _ := countLines(p.journal(), size); lines > 0 {
			return
		}
	}
}

// undisturbed runs the batch for the time of the part, in another folder where one is done.
func (s *soak) undisturbed(jobs []job) (*part, error) {
	p := &part{soak: s, began: time.Now()}
	for round := 0; ; round++ {
		left := s.each - time.Since(p.began)
		if round > 0 && left < s.each/20 {
			break
		}
		p.in(fmt.Sprintf("calm-%d", round+1))
		status, err := p.process(s.file(), left, false, os.Interrupt)
		if err != nil {
			return nil, err
		}
		// Status 1 is the status of a batch with failed jobs, which broken inputs cause.
		if status != 0 && status != 1 && status != 3 && status != 130 {
			p.failures = append(p.failures, fmt.Sprintf("the batch ended with status %d", status))
		}
		if err := p.sum(jobs, round == 0); err != nil {
			return nil, err
		}
	}
	p.failures = append(p.failures, grown(p.samples)...)
	p.report("undisturbed")
	return p, nil
}

// sum judges the journal of a batch that has ended.
func (p *part) sum(jobs []job, first bool) error {
	j, err := judge(p.folder, jobs)
	if err != nil {
		return err
	}
	p.failures = append(p.failures, j.failures...)
	if left := leftovers(p.folder); len(left) > 0 {
		p.failures = append(p.failures, fmt.Sprintf("%s and %d others are left", left[0], len(left)-1))
	}
	for i, times := range j.finished {
		if times > 1 {
			p.failures = append(p.failures, fmt.Sprintf("job %d was done %d times", i, times))
		}
	}
	if first {
		p.digests = j.digests
		for p.whole < len(jobs) && j.digests[p.whole] != "" {
			p.whole++
		}
	}
	fmt.Printf("%-10s%d of %d jobs ended: %d ok, %d refused, %d not converged, %d otherwise; %d lines cut short\n",
		filepath.Base(p.folder), len(j.digests), len(jobs), j.codes[0], j.codes[2], j.codes[3], len(j.digests)-j.codes[0]-j.codes[2]-j.codes[3], j.torn)
	return nil
}

// withKills runs the jobs that the undisturbed part went through, and kills the batch every
// few seconds for the time of the part. Then it lets it end.
func (s *soak) withKills(jobs []job) (*part, error) {
	p := &part{soak: s, began: time.Now()}
	file, err := s.firstJobs(len(jobs))
	if err != nil {
		return nil, err
	}
	random, kills := blas.NewStream(s.seed+1), 0
	for round := 0; ; round++ {
		p.in(fmt.Sprintf("killed-%d", round+1))
		seen, at := map[int]bool{}, int64(0)
		for ended := false; !ended; {
			limit, killing := 10*s.each, time.Since(p.began) < s.each
			if killing {
				limit = time.Duration((2 + 4*random.Uniform()) * float64(time.Second))
			}
			// One in five is killed whether or not it has come to work.
			status, err := p.process(file, limit, killing && random.Uniform() < 0.8, os.Kill)
			if err != nil {
				return nil, err
			}
			if ended = status >= 0; !ended {
				kills++
			}
			if !ended && !killing {
				return nil, fmt.Errorf("the batch does not end: %s", p.folder)
			}
			if at, _, err = readJournal(p.journal(), at, func(r *record) { seen[r.Index] = seen[r.Index] || r.finished() }); err != nil && ended {
				return nil, err
			}
		}
		if err := p.sum(jobs, round == 0); err != nil {
			return nil, err
		}
		for i, finished := range seen {
			if finished && p.digests[i] == "" && round == 0 {
				p.failures = append(p.failures, fmt.Sprintf("job %d was finished and is lost", i))
			}
		}
		if time.Since(p.began) >= s.each {
			break
		}
	}
	if p.whole < len(jobs) {
		p.failures = append(p.failures, fmt.Sprintf("job %d has no record in the end", p.whole))
	}
	fmt.Printf("kills     %d\n", kills)
	p.report("with kills")
	return p, nil
}

// firstJobs writes the first lines of the file of jobs to another one.
func (s *soak) firstJobs(count int) (path string, err error) {
	text, err := os.ReadFile(s.file())
	if err != nil {
		return "", err
	}
	end := 0
	for i := 0; i < len(text) && count > 0; i++ {
		if text[i] == '\n' {
			end, count = i+1, count-1
		}
	}
	path = filepath.Join(s.out, "first-jobs.jsonl")
	return path, os.WriteFile(path, text[:end], 0o666)
}

// report prints what the processes took.
func (p *part) report(name string) {
	fmt.Printf("%s: %.0f s, %d processes; at most %.0f MiB resident, %.0f descriptors, %.0f goroutines; %d failures\n", name,
		time.Since(p.began).Seconds(), p.processes, most(p.samples, growth[0].of)/(1<<20), most(p.samples, growth[1].of), most(p.samples, growth[2].of), len(p.failures))
}
