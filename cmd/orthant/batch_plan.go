package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/disk"
)

// batchPlan is what --plan tells of the jobs, before any is done.
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
	// shardSeconds is what a shard is to take at least, so that its start is no part of it.
	shardSeconds = 600
	// unknownShards are the shards of jobs whose time is not known.
	unknownShards = 8
	// taskBytes are what a task needs beside its jobs' estimates.
	taskBytes = 128 << 20
)

// plan tells what the jobs are and how they may be shared out. It makes nothing.
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

// kind is what jobs have in common whose times are alike: the command and its method.
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
