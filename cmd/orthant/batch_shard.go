package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/sparse"
)

// shard is a part of a batch, one of several that share its folder. The zero value is the
// whole.
type shard struct{ index, of int } // index from 1 to of

// whole reports whether the batch is in one piece.
func (s shard) whole() bool { return s.of == 0 }

// String is "3/8".
func (s shard) String() string { return fmt.Sprintf("%d/%d", s.index, s.of) }

// named is the shard in a report, "" for the whole.
func (s shard) named() string {
	if s.whole() {
		return ""
	}
	return s.String()
}

// journal is the name of the shard's journal in the folder of the batch.
func (s shard) journal() string {
	if s.whole() {
		return batchJournal
	}
	return fmt.Sprintf("journal.%d-of-%d.jsonl", s.index, s.of)
}

// shardFlags are the words by which a shard is named.
type shardFlags struct {
	shard         string
	shards        int
	worker, total int
}

func (s *shardFlags) define(f *pflag.FlagSet) {
	f.StringVar(&s.shard, "shard", "", "do part `I/N` of the jobs alone, I from 1 to N; auto: by the variables of a Slurm array or of an indexed Kubernetes job")
	f.IntVar(&s.shards, "shards", 0, "`N` of --shard auto, if no variable contains it, or of --plan")
	f.IntVar(&s.worker, "worker-index", 0, "`I` of I/N, counting from 0, with --total-workers")
	f.IntVar(&s.total, "total-workers", 0, "`N` of I/N, with --worker-index")
}

// chosen is the shard that the flags name.
func (s *shardFlags) chosen(flags *pflag.FlagSet) (shard, error) {
	byWorker := flags.Changed("worker-index") || flags.Changed("total-workers")
	switch {
	case byWorker && flags.Changed("shard"):
		return shard{}, wrong("--shard and --worker-index say the same; give one of them")
	case byWorker:
		if !flags.Changed("worker-index") || !flags.Changed("total-workers") {
			return shard{}, wrong("--worker-index and --total-workers go together; give both")
		}
		return checkedShard(s.worker+1, s.total, fmt.Sprintf("--worker-index %d of --total-workers %d", s.worker, s.total), "an index from 0 to one less than the workers")
	case s.shard == "auto":
		return s.byVariables()
	case flags.Changed("shards") && !flags.Changed("plan"):
		return shard{}, wrong("--shards is for --shard auto and --plan; give --shard I/N")
	case s.shard == "":
		return shard{}, nil
	}
	first, second, found := strings.Cut(s.shard, "/")
	i, err := strconv.Atoi(first)
	n, more := strconv.Atoi(second)
	if !found || err != nil || more != nil {
		return shard{}, wrong("--shard is %q; give I/N, such as 3/8, or auto", s.shard)
	}
	return checkedShard(i, n, "--shard "+s.shard, "I/N with I from 1 to N")
}

func checkedShard(i, n int, said, wanted string) (shard, error) {
	if n < 1 || i < 1 || i > n {
		return shard{}, wrong("%s: there is no such part; give %s", said, wanted)
	}
	return shard{i, n}, nil
}

// byVariables reads the shard from the variables that Slurm and Kubernetes set.
func (s *shardFlags) byVariables() (shard, error) {
	const task, index = "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"
	switch {
	case os.Getenv(task) != "":
		return s.ofSlurm(task)
	case os.Getenv(index) != "":
		if s.shards < 1 {
			return shard{}, wrong("%s names the part but not the number of parts; give --shards N, the completions of the job", index)
		}
		i, err := wholeOf(index)
		if err != nil {
			return shard{}, err
		}
		return checkedShard(i+1, s.shards, fmt.Sprintf("%s=%d with --shards %d", index, i, s.shards), "--shards the completions of the job")
	}
	return shard{}, wrong("--shard auto: neither %s nor %s is set, so that no part is known; give --shard I/N", task, index)
}

// ofSlurm is the shard of a task of an array, whose numbers may begin anywhere and have gaps
// of one size.
func (s *shardFlags) ofSlurm(task string) (shard, error) {
	id, err := wholeOf(task)
	if err != nil {
		return shard{}, err
	}
	least, err := wholeOf("SLURM_ARRAY_TASK_MIN")
	if err != nil {
		return shard{}, err
	}
	step := 1
	if os.Getenv("SLURM_ARRAY_TASK_STEP") != "" {
		if step, err = wholeOf("SLURM_ARRAY_TASK_STEP"); err != nil {
			return shard{}, err
		}
	}
	n := s.shards
	if n == 0 {
		if n, err = wholeOf("SLURM_ARRAY_TASK_COUNT"); err != nil {
			return shard{}, err
		}
	}
	if step < 1 || (id-least)%step != 0 {
		return shard{}, wrong("--shard auto: task %d of an array that begins at %d in steps of %d; give --array=1-N", id, least, step)
	}
	return checkedShard((id-least)/step+1, n, fmt.Sprintf("--shard auto: task %d of an array of %d that begins at %d", id, n, least), "--array=1-N, all of it, and submit left-out tasks by --shard I/N")
}

// wholeOf reads a whole number ≥ 0 from a variable.
func wholeOf(variable string) (int, error) {
	v, err := strconv.Atoi(os.Getenv(variable))
	if err != nil || v < 0 {
		return 0, wrong("--shard auto: %s is %q; it has to be a whole number ≥ 0", variable, os.Getenv(variable))
	}
	return v, nil
}

// keys are by what jobs are shared out: a job that reads what others write goes with these,
// and they all have the least of the sums of those among them that wait for none. A job
// that is added therefore moves no other, unless it ties together what was apart.
func keys(jobs []*job) ([][sha256.Size]byte, error) {
	var reads []sparse.Triplet
	for i, j := range jobs {
		for _, other := range j.after {
			reads = append(reads, sparse.Triplet{Row: i, Col: other, Val: 1})
		}
	}
	graph, err := sparse.FromTriplets(len(jobs), len(jobs), reads)
	if err != nil {
		return nil, err
	}
	component, sizes, err := sparse.Components(graph)
	if err != nil {
		return nil, err
	}
	least, list := make([][sha256.Size]byte, len(sizes)), make([][sha256.Size]byte, len(jobs))
	for i, j := range jobs {
		sum, key := sha256.Sum256(j.text), &least[component[i]]
		if len(j.after) == 0 && (*key == [sha256.Size]byte{} || slices.Compare(sum[:], key[:]) < 0) {
			*key = sum
		}
	}
	for i, c := range component {
		list[i] = least[c]
	}
	return list, nil
}

// own returns the jobs of the shard. Each keeps the number that it has in the whole.
func (s shard) own(jobs []*job) ([]*job, error) {
	if s.whole() {
		return jobs, nil
	}
	all, err := keys(jobs)
	if err != nil {
		return nil, err
	}
	var list []*job
	place := map[int]int{} // in the shard, by that in the whole
	for i, key := range all {
		if binary.BigEndian.Uint64(key[:])%uint64(s.of) == uint64(s.index-1) {
			place[i] = len(list)
			mine := *jobs[i]
			list = append(list, &mine)
		}
	}
	for _, j := range list {
		j.after = slices.Clone(j.after)
		for at, other := range j.after {
			j.after[at] = place[other]
		}
	}
	return list, nil
}

// sumOfJobs distinguishes files of jobs, except for the order of their lines.
func sumOfJobs(jobs []*job) string {
	sums := make([][sha256.Size]byte, len(jobs))
	for i, j := range jobs {
		sums[i] = sha256.Sum256(j.text)
	}
	slices.SortFunc(sums, func(a, b [sha256.Size]byte) int { return slices.Compare(a[:], b[:]) })
	hash := sha256.New()
	for _, sum := range sums {
		hash.Write(sum[:])
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// shardHeader is the line of a shard's journal that each start of it begins with: these
// lines show whether the shards belong together.
type shardHeader struct {
	Kind    string   `json:"kind"` // "batch-shard"
	Shard   int      `json:"shard"`
	Of      int      `json:"of"`
	Jobs    int      `json:"jobs"`        // of all shards
	Sum     string   `json:"jobs_sha256"` // of what they are
	Version string   `json:"version"`
	Arch    string   `json:"arch"` // these three decide the last bits of numbers
	Backend string   `json:"backend"`
	ISA     string   `json:"isa"`
	Own     []string `json:"own"`   // jobs of the shard, by the beginnings of their sums
	Indices []int    `json:"index"` // and their numbers in the file, counting from 0
}

// takes writes down which jobs are the shard's.
func (h *shardHeader) takes(jobs []*job) {
	for _, j := range jobs {
		h.Own, h.Indices = append(h.Own, jobName(j.text)), append(h.Indices, j.index)
	}
}

// jobName is by what a header knows a job.
func jobName(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12])
}

// of are the last records of the shard's jobs, under their present numbers.
func (h *shardHeader) of(records []*record) []*record {
	index := map[string]int{}
	for at, name := range h.Own {
		index[name] = h.Indices[at]
	}
	var list []*record
	for text, r := range latest(records) {
		if at, found := index[jobName([]byte(text))]; found {
			r.Index = at
			list = append(list, r)
		}
	}
	return list
}

// readHeader reads a line that begins a start of a shard.
func readHeader(line []byte) (*shardHeader, error) {
	h := new(shardHeader)
	if err := json.Unmarshal(line, h); err != nil {
		return nil, err
	}
	if h.Kind != shardKind || len(h.Own) != len(h.Indices) || h.Of < 1 || h.Shard < 1 || h.Shard > h.Of {
		return nil, errors.New("no beginning of a shard")
	}
	return h, nil
}

// shardJournalsIn are the names of a folder's journals of shards.
func shardJournalsIn(entries []fs.DirEntry) []string {
	var names []string
	for _, e := range entries {
		var s shard
		if _, err := fmt.Sscanf(e.Name(), "journal.%d-of-%d.jsonl", &s.index, &s.of); err == nil && s.journal() == e.Name() {
			names = append(names, e.Name())
		}
	}
	return names
}
