package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/orthant-go/orthant/internal/disk"
)

// batchJournal is the name of the journal in the folder of a batch.
const batchJournal = "journal.jsonl"

const shardKind = "batch-shard"

// record is what the journal keeps of a job.
type record struct {
	Index    int             `json:"index"` // of the job in the file, counting from 0
	Line     int             `json:"line"`  // of the jobs file, counting from 1
	Job      json.RawMessage `json:"job"`
	Status   string          `json:"status"`
	ExitCode int             `json:"exit_code"`
	Error    string          `json:"error,omitempty"`
	ErrorID  string          `json:"error_id,omitempty"` // "orthant explain" explains it
	Seconds  float64         `json:"seconds"`
	CPU      *float64        `json:"cpu_seconds"` // null: not known, as other jobs ran meanwhile
	Threads  int             `json:"threads"`
	Inputs   []input         `json:"inputs"`
	Outputs  []string        `json:"outputs"`
	Written  []written       `json:"written"` // the files of a finished job; null in journals of earlier versions
	Warnings []string        `json:"warnings"`
	Result   json.RawMessage `json:"result"` // what --json prints

	at      int  // of the job among the jobs of this process
	starved bool // it was refused for its part of the memory
}

// What came of a job.
const (
	jobDone         = "ok"
	jobFailed       = "failed"
	jobNotConverged = "not_converged" // its outputs are written all the same
)

// input is a file as it was when the job began.
type input struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"` // −1: there was none
	Time  string `json:"modified"`
}

func inputsOf(paths []string) []input {
	list := []input{}
	for _, path := range paths {
		info, err := disk.Files().Stat(path)
		if err != nil {
			list = append(list, input{Path: path, Bytes: -1})
			continue
		}
		list = append(list, input{path, info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano)})
	}
	return list
}

func readRecord(line []byte) (*record, error) {
	r := new(record)
	if err := json.Unmarshal(line, r); err != nil {
		return nil, err
	}
	if len(r.Job) == 0 || r.Status == "" {
		return nil, errors.New("no record of a job")
	}
	return r, nil
}

// finished reports whether the job need not run again for its own sake.
func (r *record) finished() bool { return r.Status == jobDone || r.Status == jobNotConverged }

// isTorn reports whether a line that is no record is the rest of some: what a full disk
// has left of one, with or without another behind it, or what a loss of power has, after
// which a file may hold zeros.
func isTorn(line []byte) bool {
	return bytes.Contains(line, []byte(`{"index":`)) || bytes.Contains(line, []byte(`{"kind":"`+shardKind)) || bytes.IndexByte(line, 0) >= 0
}

// describes reports whether the job's inputs match the record and its outputs
// are unchanged. An input that the job has replaced is one of its outputs.
func (r *record) describes(j *job, folder string) bool {
	inputs := inputsOf(j.inputs)
	for at, path := range j.sources {
		if at < len(r.Inputs) && slices.Contains(j.targets, path) {
			inputs[at] = r.Inputs[at]
		}
	}
	if !slices.Equal(r.Inputs, inputs) {
		return false
	}
	for _, path := range j.outputs {
		info, err := disk.Files().Stat(path)
		if err != nil || info.Mode().IsRegular() && info.Size() == 0 { // no output is empty
			return false
		}
	}
	return !slices.ContainsFunc(r.Written, func(w written) bool { return !w.stands(folder) })
}

// latest are the last records of jobs, by their text.
func latest(found []*record) map[string]*record {
	last := map[string]*record{}
	for _, r := range found {
		last[string(r.Job)] = r
	}
	return last
}

// outcomeOf says what came of a job that ended with an error or without one.
func outcomeOf(err error) (outcome string, code int, text string) {
	code = status(err)
	switch code {
	case exitDone:
		return jobDone, code, ""
	case exitNotConverged:
		return jobNotConverged, code, oneLine(err)
	}
	return jobFailed, code, oneLine(err)
}

// written is a file as a job left it.
type written struct {
	Path  string `json:"path"`   // within the folder of the batch, or absolute
	Bytes int64  `json:"bytes"`  // −1: it could not be read again
	Sum   string `json:"sha256"` // of what it holds
}

// writtenBy describes the files that a job has put in their places. Those within the
// folder of the batch are named from there, so that the folder may be moved.
func writtenBy(from outputs, folder string) []written {
	list := []written{}
	for _, o := range from {
		path := o.File()
		if path == "" {
			continue
		}
		w := written{Path: path, Bytes: -1}
		if within, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(within) {
			w.Path = filepath.ToSlash(within)
		}
		if size, sum, err := checksum(path); err == nil {
			w.Bytes, w.Sum = size, sum
		}
		list = append(list, w)
	}
	return list
}

// stands reports whether the file is there and as it was. Its size is checked first,
// as that is known without reading it.
func (w written) stands(folder string) bool {
	path := filepath.FromSlash(w.Path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	if info, err := disk.Files().Stat(path); err != nil || info.Size() != w.Bytes {
		return false
	}
	_, sum, err := checksum(path)
	return err == nil && sum == w.Sum
}

// checksum reads a file and returns its size and the SHA-256 sum of its bytes.
func checksum(path string) (size int64, sum string, err error) {
	f, _, err := disk.OpenRegular(path)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	hash := sha256.New()
	if size, err = io.Copy(hash, f); err != nil {
		return 0, "", err
	}
	return size, hex.EncodeToString(hash.Sum(nil)), nil
}
