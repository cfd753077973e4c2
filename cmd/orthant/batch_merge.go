package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/disk"
)

// merge is one "orthant batch merge".
type merge struct {
	*invocation
	out   string
	mixed bool
}

func newBatchMerge(inv *invocation) *cobra.Command {
	m := &merge{invocation: inv}
	cmd := &cobra.Command{
		Use:   "merge --out DIR [flags]",
		Short: "Put the journals of all shards of a batch together",
		Long: `Merge reads the journals of all shards in DIR, the folder of a batch that was done
by --shard, and writes one for them all, DIR/` + batchJournal + `, in the order of the jobs.
It reads no file of jobs and no output.

All shards have to be there, and they have to be of the same jobs. They have to be
done by the same version of the program, backend and instruction set, because others
give other last bits. If something is wrong, an error names it, and nothing is written.

Exit status: 0 if all jobs are done, 1 if some failed or were not done, 2 if the
shards do not belong together, 3 if some only did not converge.`,
		Example: `  echo '{"command": "generate", "name": "helix", "out": "helix.npy"}' > jobs.jsonl
  orthant batch jobs.jsonl --shard 1/2 --out made
  orthant batch jobs.jsonl --shard 2/2 --out made
  orthant batch merge --out made`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error { return m.run() },
	}
	addGroup(cmd, "What to merge", func(f *pflag.FlagSet) {
		f.StringVarP(&m.out, "out", "o", "", "folder `DIR` of the batch")
		f.BoolVar(&m.mixed, "accept-mixed", false, "merge what other versions, backends or instruction sets have made, too")
	})
	return cmd
}

// shardJournal is what the journal of a shard holds.
type shardJournal struct {
	name    string
	headers []*shardHeader
	records []*record
}

// last is the header of the last start.
func (j *shardJournal) last() *shardHeader { return j.headers[len(j.headers)-1] }

func (m *merge) run() error {
	if m.out == "" {
		return wrong("--out is missing: the folder of the batch")
	}
	journals, err := m.read()
	if err != nil {
		return err
	}
	if err := errors.Join(m.whole(journals), m.alike(journals)); err != nil {
		return wrong("%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	var all []*record
	for _, j := range journals {
		all = append(all, j.last().of(j.records)...)
	}
	slices.SortFunc(all, func(a, b *record) int { return a.Index - b.Index })
	if err := m.notElsewhere(all); err != nil {
		return err
	}
	if len(all) > 0 {
		if err := m.write(all); err != nil {
			return err
		}
	}
	return m.conclude(journals[0].last(), all)
}

// read reads the journals of the shards, in their order.
func (m *merge) read() ([]*shardJournal, error) {
	entries, err := disk.Files().ReadDir(m.out)
	if err != nil {
		return nil, &files.Error{Path: m.out, Op: files.OpRead, Err: err}
	}
	var list []*shardJournal
	held := m.keeping(m.out)
	for _, name := range shardJournalsIn(entries) {
		j, path := &shardJournal{name: name}, filepath.Join(m.out, name)
		_, err := files.ReadJournal(path, m.reading(), func(line []byte) error {
			if h, err := readHeader(line); err == nil {
				j.headers = append(j.headers, h)
				return held.add(h)
			}
			r, err := readRecord(line)
			if err == nil {
				j.records = append(j.records, r)
				err = held.add(r)
			}
			return err
		})
		if err = errors.Join(err, held.err); err != nil {
			return nil, err
		}
		if len(j.headers) == 0 || (shard{j.last().Shard, j.last().Of}).journal() != name {
			return nil, wrong("%s does not say what it is the journal of; do that shard again in an empty folder", path)
		}
		list = append(list, j)
	}
	if len(list) == 0 {
		return nil, wrong("%s holds no journal of a shard; give the --out of a batch with --shard", m.out)
	}
	slices.SortFunc(list, func(a, b *shardJournal) int { return a.last().Shard - b.last().Shard })
	return list, nil
}

// whole refuses shards of different numbers, and names those that are missing.
func (m *merge) whole(journals []*shardJournal) error {
	of := journals[0].last().Of
	there := make([]bool, of+1)
	for _, j := range journals {
		if j.last().Of != of {
			return fmt.Errorf("%s and %s are parts of %d and of %d; keep each split in a folder of its own", journals[0].name, j.name, of, j.last().Of)
		}
		there[j.last().Shard] = true
	}
	var missing []string
	for i := 1; i <= of; i++ {
		if !there[i] {
			missing = append(missing, shard{i, of}.String())
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s not there yet: %s; do them first", counted(len(missing), "shard"), strings.Join(missing[:min(len(missing), 20)], ", "))
	}
	return nil
}

// alike refuses shards of different jobs, and of programs that give other bits.
func (m *merge) alike(journals []*shardJournal) error {
	first := journals[0].last()
	for _, j := range journals {
		h := j.last()
		if h.Sum != first.Sum || h.Jobs != first.Jobs {
			return fmt.Errorf("%s and %s are of different jobs (%d and %d): the file changed, or --out or --seed was another; do the shards of the earlier one again with --resume", journals[0].name, j.name, first.Jobs, h.Jobs)
		}
		if m.mixed {
			continue
		}
		for _, h := range j.headers {
			if a, b := first.program(), h.program(); a != b {
				return fmt.Errorf("%s was done by %s and %s by %s, whose last bits may differ; give --accept-mixed to merge them all the same, or do it again in an empty folder (ORTHANT_ISA chooses the instruction set)", journals[0].name, a, j.name, b)
			}
		}
	}
	return nil
}

// program is what decides the last bits of numbers.
func (h *shardHeader) program() string {
	return fmt.Sprintf("%s (%s, %s, %s)", h.Version, h.Arch, h.Backend, h.ISA)
}

// notElsewhere refuses to replace a journal that knows of a job which no shard has.
func (m *merge) notElsewhere(all []*record) error {
	path := filepath.Join(m.out, batchJournal)
	known := latest(all)
	refused, err := files.ReadJournal(path, m.reading(), func(line []byte) error {
		r, err := readRecord(line)
		if err == nil && known[string(r.Job)] == nil {
			err = errors.New("a job of no shard")
		}
		return err
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case refused > 0:
		return wrong("%s holds the journal of another batch; move it away first", path)
	}
	return nil
}

// write puts the journal of all in its place.
func (m *merge) write(all []*record) error {
	o, err := m.createRaw(filepath.Join(m.out, batchJournal))
	if err != nil {
		return err
	}
	for _, r := range all {
		line, err := json.Marshal(r)
		if err != nil {
			return err
		}
		if _, err := o.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return m.commit()
}

// mergeReport is what --json prints of a merge.
type mergeReport struct {
	tally
	Shards  int     `json:"shards"`
	Left    int     `json:"not_done"`
	CPU     float64 `json:"jobs_seconds"` // of all jobs, added up
	Journal string  `json:"journal"`
}

// conclude says what came of the jobs of all shards.
func (m *merge) conclude(h *shardHeader, all []*record) error {
	report := mergeReport{tally: tally{Jobs: h.Jobs, Failures: []failure{}}, Shards: h.Of, Left: h.Jobs - len(all), Journal: m.out + "/" + batchJournal}
	for _, r := range all {
		report.CPU += r.Seconds
		switch r.Status {
		case jobDone:
			report.OK++
		case jobNotConverged:
			report.NotConverged++
		default:
			report.Failed++
			if len(report.Failures) < listedFailures {
				report.Failures = append(report.Failures, failure{r.Index, r.Line, r.ExitCode, r.Error})
			}
		}
	}
	if m.json {
		if err := m.printJSON(report); err != nil {
			return err
		}
	}
	w := m.say()
	line(w, "jobs", "%d of %s: %d ok, %d failed, %d not converged, %d not done", h.Jobs, counted(h.Of, "shard"), report.OK, report.Failed, report.NotConverged, report.Left)
	line(w, "time", "%s of all jobs together", duration(report.CPU))
	if len(all) > 0 {
		line(w, "written", "%s", report.Journal)
	}
	switch {
	case report.Left > 0:
		return fmt.Errorf("%s of %d are not done; the shards with --resume do the rest, then merge again", counted(report.Left, "job"), h.Jobs)
	case report.Failed > 0:
		return fmt.Errorf("%s of %d failed, the first on line %d; %s has the reasons", counted(report.Failed, "job"), h.Jobs, report.Failures[0].Line, report.Journal)
	case report.NotConverged > 0:
		return &notConverged{Text: fmt.Sprintf("%s of %d did not converge; the best results found are written (status not_converged in %s)", counted(report.NotConverged, "job"), h.Jobs, report.Journal)}
	}
	return nil
}
