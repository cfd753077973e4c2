package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Options say how a run is done.
type Options struct {
	Out     string            // folder of the records; made where it is not there
	Version string            // of the command: measurements of another version are made anew
	Again   bool              // measure everything anew
	Say     func(line string) // is told how the run goes; nil: nobody
}

// The files of a run in its folder.
const (
	RecordsFile  = "records.jsonl" // a line a case, see [Record]
	journalFile  = "journal.jsonl" // a line a repeat
	picturesPart = "pictures"
	scratchPart  = "scratch"
)

// Summary counts the cases of a run.
type Summary struct {
	Cases    int      `json:"cases"`
	Measured int      `json:"measured"`
	Kept     int      `json:"kept"`          // recorded before
	Missing  []string `json:"missing"`       // suite/case: what is not there
	Failed   []string `json:"failed"`        // suite/case: the error
	LeftOut  int      `json:"left_out"`      // by --quick
	Took     Cost     `json:"took,omitzero"` // by the repeats that were measured, reading and judging and all
}

// run is one run under way.
type run struct {
	env     *Env
	options Options
	journal *journal
	file    *journal // of the records
	records recordSet
	repeats map[string][]repeat // by key, in order
	machine Machine
	hashes  map[string]func() string
	summary Summary
	at      int // cases begun
}

// Run measures the cases of the suites and appends a [Record] for each to
// records.jsonl in the folder of the options.
//
// Suites run one after the other, the cases of a group interleaved (A B A B …).
// Every repeat is on the disk before the next one begins, in journal.jsonl, so
// that a run that is killed loses at most the repeat under way: a second run
// with the same folder goes on where the first stopped. A case that lacks
// something is recorded as missing, a case that fails as failed, and the run
// goes on; cases that were missing or failed are tried again by the next run.
//
// An error is about the folder, or two cases of one name, or is that of ctx.
func Run(ctx context.Context, suites Suites, e *Env, o Options) (*Summary, error) {
	if o.Say == nil {
		o.Say = func(string) {}
	}
	env := *e
	r := &run{env: &env, options: o, machine: thisMachine(), repeats: map[string][]repeat{}}
	r.summary.Missing, r.summary.Failed = []string{}, []string{}
	for _, s := range suites {
		cases, leftOut := s.Planned(r.env)
		if err := distinctNames(s.Name, cases); err != nil {
			return nil, err
		}
		r.summary.Cases += len(cases)
		r.summary.LeftOut += leftOut
	}
	if err := r.open(suites); err != nil {
		return nil, err
	}
	defer r.close()
	for _, s := range suites {
		cases, _ := s.Planned(r.env)
		for _, group := range groups(cases) {
			if err := r.group(ctx, &s, group); err != nil {
				return &r.summary, err
			}
		}
	}
	return &r.summary, nil
}

func distinctNames(suite string, cases []Case) error {
	seen := map[string]bool{}
	for _, c := range cases {
		if seen[c.Name] {
			return fmt.Errorf("bench: suite %s has two cases named %s", suite, c.Name)
		}
		seen[c.Name] = true
	}
	return nil
}

// open reads what earlier runs left in the folder.
func (r *run) open(suites Suites) error {
	for _, part := range []string{"", picturesPart} {
		if err := os.MkdirAll(filepath.Join(r.options.Out, part), 0o777); err != nil {
			return fmt.Errorf("bench: %w", err)
		}
	}
	again := map[string]bool{}
	for _, s := range suites {
		again[s.Name] = r.options.Again
	}
	path := filepath.Join(r.options.Out, journalFile)
	var refused [2]int
	var err error
	r.journal, refused[0], err = openJournal(path, func(line []byte) error {
		var one repeat
		if err := json.Unmarshal(line, &one); err != nil {
			return err
		}
		if !again[one.Suite] {
			r.keep(one)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if r.file, refused[1], err = openJournal(filepath.Join(r.options.Out, RecordsFile), r.records.line); err != nil {
		r.journal.close()
		return err
	}
	if bad := refused[0] + refused[1]; bad > 0 {
		r.say("%d damaged lines in %s are passed over", bad, r.options.Out)
	}
	r.env.scratch = filepath.Join(r.options.Out, scratchPart)
	if err := os.RemoveAll(r.env.scratch); err != nil { // a killed run left it, and what follows
		return fmt.Errorf("bench: %w", err)
	}
	unfinished, _ := filepath.Glob(filepath.Join(r.options.Out, picturesPart, ".*.tmp-*"))
	for _, path := range unfinished {
		os.Remove(path)
	}
	return nil
}

// keep puts a repeat to the others of its key. A first one begins anew: it is of
// a run with --again.
func (r *run) keep(one repeat) {
	if one.Number == 1 {
		r.repeats[one.Key] = nil
	}
	if len(r.repeats[one.Key]) == one.Number-1 {
		r.repeats[one.Key] = append(r.repeats[one.Key], one)
	}
}

func (r *run) close() {
	os.RemoveAll(r.env.scratch)
	r.file.close()
	r.journal.close()
}

func (r *run) say(format string, args ...any) { r.options.Say(fmt.Sprintf(format, args...)) }
