package bench

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/orthant-go/orthant/blas"
)

// Options say how a run is done.
type Options struct {
	Out     string            // folder of the records; made where it is not there
	Version string            // of the command: measurements of another version are made anew
	Again   bool              // measure everything anew
	Say     func(line string) // receives the progress of the run; nil: none is reported
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
// An error is about the folder, or two cases of one name, or is the error of ctx.
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

// pending is a case of a group that still has repeats to run.
type pending struct {
	*Case
	at     int // its number among the cases of the run
	key    string
	wanted int
	over   bool // recorded, one way or the other
}

// group runs cases interleaved: the first repeat of each, then the second.
func (r *run) group(ctx context.Context, s *Suite, cases []Case) error {
	list := make([]*pending, len(cases))
	for i := range cases {
		p := &pending{Case: &cases[i], key: r.key(s.Name, &cases[i]), wanted: cases[i].repeats(r.env)}
		if err := r.begin(ctx, s, p); err != nil {
			return err
		}
		list[i] = p
	}
	for number := 1; ; number++ {
		running := false
		for _, p := range list {
			if p.over || number > p.wanted {
				continue
			}
			running = true
			if number <= len(r.repeats[p.key]) && number < p.wanted {
				continue
			}
			if err := r.step(ctx, s, p, number); err != nil {
				return err
			}
		}
		if !running {
			return nil
		}
	}
}

// begin sees whether a case has to be run and can be.
func (r *run) begin(ctx context.Context, s *Suite, p *pending) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r.at++
	p.at = r.at
	before := r.records.get(s.Name, p.Name)
	if before != nil && before.Done() && before.Key == p.key && before.Repeats >= p.wanted && !r.options.Again {
		r.summary.Kept++
		p.over = true
		return nil
	}
	what, err := Missing(r.env, p.Case)
	switch {
	case err != nil:
		return r.fail(s, p, err)
	case what == "":
		return nil
	}
	p.over = true
	r.summary.Missing = append(r.summary.Missing, s.Name+"/"+p.Name+": "+what)
	r.say("[%d/%d] %s/%s  left out: %s", p.at, r.summary.Cases, s.Name, p.Name, what)
	if before != nil && before.Version == r.options.Version && before.Quick == r.env.Quick && (before.Done() || before.Missing == what) {
		return nil // what was measured is not lost because it cannot be measured now
	}
	record := r.record(s, p, nil)
	record.Missing = what
	return r.write(record)
}

// step runs one repeat, where it was not run before, and records the case after
// its last.
func (r *run) step(ctx context.Context, s *Suite, p *pending, number int) error {
	if number > len(r.repeats[p.key]) {
		one, err := r.measure(ctx, s, p, number)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return r.fail(s, p, err)
		}
		r.keep(*one)
		r.summary.Took.Wall += one.Signs.Wall
		r.summary.Took.CPU += one.Signs.CPU
		if err := r.journal.add(one); err != nil {
			return err
		}
		r.say("[%d/%d] %s/%s  %d/%d  %s", p.at, r.summary.Cases, s.Name, p.Name, number, p.wanted, figures(one))
	}
	if number < p.wanted {
		return nil
	}
	p.over = true
	r.summary.Measured++
	return r.write(r.record(s, p, r.repeats[p.key][:p.wanted]))
}

// figures prints what a repeat cost.
func figures(one *repeat) string {
	text := fmt.Sprintf("%.4g s", one.Seconds["total"])
	if cpu, found := one.CPUSeconds["total"]; found {
		text += fmt.Sprintf(", processor %.4g s", cpu)
	}
	return text
}

// fail records that a case came to nothing.
func (r *run) fail(s *Suite, p *pending, err error) error {
	p.over = true
	r.summary.Failed = append(r.summary.Failed, s.Name+"/"+p.Name+": "+err.Error())
	r.say("[%d/%d] %s/%s  FAILED: %v", p.at, r.summary.Cases, s.Name, p.Name, err)
	record := r.record(s, p, nil)
	record.Error = err.Error()
	return r.write(record)
}

// write appends a record, which from then on is the record of its case.
func (r *run) write(record *Record) error {
	r.records.put(record)
	return r.file.add(record)
}

// measure runs one repeat.
func (r *run) measure(ctx context.Context, s *Suite, p *pending, number int) (*repeat, error) {
	one := &repeat{Key: p.key, Suite: s.Name, Case: p.Name, Number: number, Started: time.Now().UTC().Format(time.RFC3339)}
	c := *p.Case
	c.number = number
	watch := observe()
	var pictures map[string]grid
	if c.Fresh {
		m, err := runFresh(ctx, s.Name, r.env, &c)
		if err != nil {
			return nil, err
		}
		if m.Error != "" {
			return nil, fmt.Errorf("%s", m.Error)
		}
		one.measured, pictures = m.measured, m.Pictures
	} else {
		out, err := runHere(ctx, r.env, &c)
		if err != nil {
			return nil, err
		}
		one.measured = out.plain()
		var wrong string
		if pictures, wrong = grids(out); wrong != "" {
			return nil, fmt.Errorf("%s", wrong)
		}
	}
	one.Signs = watch.done()
	if c.FirstRepeat() { // the others are not looked at
		has := func(quality string) bool { _, found := one.Quality[quality]; return found }
		if what := errorMissing(c.Accuracy, has); what != "" {
			return nil, fmt.Errorf("%s", what)
		}
	}
	var err error
	one.Pictures, err = r.draw(p.key, s.Name, p.Name, pictures)
	return one, err
}

// key names what a case is: the case with its parameters, the content of the
// files that it reads, the version of the command, what computes, and whether it
// is the quick version. Measurements under one key may be put together; a case
// with another key is another case.
func (r *run) key(suite string, c *Case) string {
	text := fmt.Sprintf("%s\n%s\n%s\n%d %d\n%s\n%v\n%d\n%t\n%t\n%s\n", suite, c.Name, c.Data, c.N, c.M, c.Method, c.Params, c.ThreadCount(), c.Fresh, r.env.Quick, r.options.Version)
	backend := blas.MustSelect("")
	if c.Backend != "" {
		if chosen, err := blas.Select(c.Backend); err == nil {
			backend = chosen
		}
	}
	text += c.Backend + " " + backend.Name() + " " + blas.Describe(backend).ISA + "\n"
	if len(c.Env) > 0 {
		text += strings.Join(c.Env, " ") + "\n"
	}
	for _, need := range c.Needs {
		if name, isData := strings.CutPrefix(need, "data:"); isData && (r.env.Data != "" || shippedFile(name) != "") {
			text += name + " " + r.fileHash(name) + "\n"
		}
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:16]
}

// fileHash returns the hash of a file of the data folder, read once a run; ""
// where it cannot be read.
func (r *run) fileHash(name string) string {
	if r.hashes == nil {
		r.hashes = map[string]func() string{}
	}
	if r.hashes[name] == nil {
		r.hashes[name] = sync.OnceValue(func() string {
			h, err := hashFile(DataFile(r.env.Data, name))
			if err != nil {
				return ""
			}
			return h
		})
	}
	return r.hashes[name]()
}
