package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/disk"
	"github.com/orthant-go/orthant/sparse"
)

// runKey names a run, counted from 0, of a rank.
type runKey struct{ rank, run int }

// runsOf is the first line of the journal of many runs: what they are runs of.
type runsOf struct {
	Kind     string         `json:"kind"` // "factorize"
	Method   string         `json:"method"`
	Params   map[string]any `json:"params"`
	Samples  int            `json:"samples"`
	Features int            `json:"features"`
	Data     string         `json:"data_sha256"` // of the numbers, whatever file they are in
	Seed     uint64         `json:"seed"`        // of run 0
	HeldOut  float64        `json:"held_out,omitempty"`
	Weights  string         `json:"weights_sha256,omitempty"`
}

// runRecord is a line of the journal.
type runRecord struct {
	Rank       int       `json:"rank"`
	Run        int       `json:"run"` // counting from 0
	Seed       uint64    `json:"seed"`
	Iterations int       `json:"iterations"`
	Converged  bool      `json:"converged"`
	Objective  number    `json:"objective"`
	Error      number    `json:"relative_error"`
	Loss       *number   `json:"held_out_loss,omitempty"`  // mean of the entries that it did not see
	Predicted  *number   `json:"held_out_error,omitempty"` // ‖X − WH‖/‖X‖ over these
	Written    []written `json:"written,omitempty"`
}

func (r *runRecord) bytes() int64 { return headerBytes + writtenBytes(r.Written) }

// runsJournal is the journal of many runs and the folder that it is in.
type runsJournal struct {
	*files.Journal
	f       *factorization
	folder  string // absolute, links followed
	kept    map[runKey]*runRecord
	of      *runsOf // the first line, until it is written
	resumed int     // of them made before
	chosen  []int   // the samples whose labels are kept
}

// openRuns opens the journal in the folder, which keeps other commands out, and sees which
// runs are there.
func (f *factorization) openRuns(x mat.Matrix, method engine.Method) (*runsJournal, error) {
	n, m := x.Dims()
	params := finite(engine.Values(method))
	params["standardize"] = cmp.Or(f.options.Standardize, "none")
	of := runsOf{"factorize", method.Name(), params, n, m, dataSum(x), f.seed, f.many.heldOut, ""}
	if f.weights != nil {
		of.Weights = dataSum(f.weights)
	}
	if err := disk.MakeFolders(filepath.Join(f.many.out, "runs")); err != nil {
		return nil, wrong("--out: %w", err)
	}
	j := &runsJournal{f: f, kept: map[runKey]*runRecord{}, chosen: engine.LabelledSamples(n)}
	var err error
	if j.folder, err = files.Resolve(f.many.out); err != nil {
		return nil, wrong("--out: %w", err)
	}
	path := filepath.Join(f.many.out, batchJournal)
	var first *runsOf
	var found []*runRecord
	var refused int
	held := f.keeping(path)
	if j.Journal, refused, err = files.OpenJournal(path, f.reading(), func(line []byte) error {
		if first == nil {
			first = new(runsOf)
			return readLine(line, first, func() bool { return first.Kind == "factorize" })
		}
		r := new(runRecord)
		err := readLine(line, r, func() bool { return r.Rank > 0 && len(r.Written) > 0 })
		if err == nil {
			found = append(found, r)
			err = held.add(r)
		}
		return err
	}); err != nil {
		return nil, err
	}
	if held.err != nil {
		j.Close()
		return nil, held.err
	}
	if err := f.fitsJournal(path, of, first, refused); err != nil {
		j.Close()
		return nil, err
	}
	if first == nil { // it is written with the first run: a command that is refused leaves no journal
		j.of = &of
	}
	for _, r := range found {
		if r.stands(j.folder) {
			j.kept[runKey{r.Rank, r.Run}] = r
		}
	}
	j.resumed = len(j.wanted())
	return j, nil
}

// readLine reads a line of the journal.
func readLine(line []byte, to any, whole func() bool) error {
	if err := json.Unmarshal(line, to); err != nil {
		return err
	}
	if !whole() {
		return errors.New("no line of the journal of runs")
	}
	return nil
}

// usualParameters are the defaults of the parameters of runs, as texts.
func usualParameters(method string) map[string]string {
	usual := map[string]string{"standardize": "none"}
	if m, err := engine.New(method); err == nil {
		for _, p := range engine.Parameters(m) {
			usual[p.Key] = fmt.Sprint(p.Default)
		}
	}
	return usual
}

// fitsJournal refuses a journal of something else.
func (f *factorization) fitsJournal(path string, of runsOf, first *runsOf, refused int) error {
	switch {
	case first == nil && refused == 0:
		return nil
	case first == nil || first.Kind != "factorize":
		return wrong("%s is not the journal of many runs; give --out another folder", path)
	}
	for _, c := range []struct {
		what        string
		there, here any
	}{
		{"data set", beginning(first.Data), beginning(of.Data)}, {"method", first.Method, of.Method}, {"seed", first.Seed, of.Seed},
		{"share of held-out entries", first.HeldOut, of.HeldOut}, {"matrix of weights", beginning(first.Weights), beginning(of.Weights)},
	} {
		if c.there != c.here {
			return wrong("%s is the journal of runs of another %s (%v, here %v); give --out another folder", path, c.what, c.there, c.here)
		}
	}
	usual := usualParameters(of.Method)
	for _, key := range slices.Sorted(maps.Keys(of.Params)) {
		if _, written := first.Params[key]; !written && fmt.Sprint(of.Params[key]) == usual[key] {
			continue // the journal is of an earlier version, which did not have the parameter
		}
		there, here := jsonText(first.Params[key]), jsonText(of.Params[key])
		if there != here {
			return wrong("%s is the journal of runs with %s=%s, here it is %s; give --out another folder", path, key, there, here)
		}
	}
	if !f.many.resume {
		return wrong("%s holds runs of an earlier command; give --resume to make what is missing, or --out another folder", f.many.out)
	}
	return nil
}

// beginning is enough of a checksum to distinguish data, in a message too.
func beginning(sum string) string { return "checksum " + sum[:min(16, len(sum))] }

// stands reports whether the files of the run are there as it left them.
func (r *runRecord) stands(folder string) bool {
	for _, w := range r.Written {
		if !w.stands(folder) {
			return false
		}
	}
	return true
}

// wanted are the runs of the present command that are made, by rank and run.
func (j *runsJournal) wanted() (list []*runRecord) {
	for _, key := range sortedRuns(j.kept) {
		if key.run < j.f.many.runs && slices.Contains(j.f.rank.ranks, key.rank) {
			list = append(list, j.kept[key])
		}
	}
	return list
}

// path is where something of a run is kept.
func (j *runsJournal) path(what string, key runKey) string {
	return filepath.Join(j.f.many.out, "runs", fmt.Sprintf("%s.k_%d.iter_%d.npy", what, key.rank, key.run))
}

// keep writes the components of a run and the labels of some samples, and then its line.
func (j *runsJournal) keep(r *engine.FactorRun) (err error) {
	key := runKey{r.Rank, r.Run}
	var out outputs
	defer func() {
		if err != nil {
			for _, o := range out {
				o.Discard()
			}
		}
	}()
	for _, what := range []string{"spectra", "labels"} {
		o, err := files.Create(j.path(what, key), nil)
		if err != nil {
			return err
		}
		out = append(out, o)
	}
	if err = out[0].WriteMatrix(r.H, j.f.writing()); err != nil {
		return err
	}
	labels := make([]int64, len(j.chosen))
	r.Labels(j.chosen, labels)
	if err = out[1].WriteLabels(labels); err != nil {
		return err
	}
	if err = files.CommitAll(out...); err != nil {
		return err
	}
	if j.of != nil {
		if err = j.Add(j.of); err != nil {
			return err
		}
		j.of = nil
	}
	record := &runRecord{r.Rank, r.Run, r.Seed, r.Iterations, r.Converged, number(r.Objective), number(r.RelativeError), nil, nil, writtenBy(out, j.folder)}
	if r.HeldOut {
		loss, predicted := number(r.HeldOutLoss), number(r.HeldOutError)
		record.Loss, record.Predicted = &loss, &predicted
	}
	if err = j.Add(record); err != nil {
		return err
	}
	j.kept[key] = record
	return nil
}

// close closes the journal with all lines on the disk.
func (j *runsJournal) close() {
	_ = j.Sync() // what a run had to say about writing, it said
	_ = j.Close()
}

// dataSum is the checksum of the numbers of a matrix, stored dense or sparse.
func dataSum(x mat.Matrix) string {
	h := sha256.New()
	n, m := x.Dims()
	sum := numberSum{Hash: h}
	sum.add(uint64(n))
	sum.add(uint64(m))
	if a, isSparse, err := sparse.Of(x); isSparse && err == nil {
		for i := range n {
			cols, vals := a.Row(i)
			for p, j := range cols {
				if vals[p] != 0 {
					sum.entry(i, int(j), m, vals[p])
				}
			}
		}
	} else {
		for i := range n {
			for j := range m {
				if v := x.At(i, j); v != 0 {
					sum.entry(i, j, m, v)
				}
			}
		}
	}
	sum.flush()
	return hex.EncodeToString(h.Sum(nil))
}

// numberSum gathers numbers for a checksum.
type numberSum struct {
	hash.Hash
	buffer []byte
}

func (s *numberSum) add(v uint64) {
	s.buffer = binary.LittleEndian.AppendUint64(s.buffer, v)
	if len(s.buffer) >= 1<<15 {
		s.flush()
	}
}

func (s *numberSum) entry(i, j, m int, v float64) {
	s.add(uint64(i)*uint64(m) + uint64(j))
	s.add(math.Float64bits(v))
}

func (s *numberSum) flush() {
	s.Write(s.buffer)
	s.buffer = s.buffer[:0]
}
