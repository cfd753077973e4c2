package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"

	"github.com/orthant-go/orthant/blas"
)

// shardHeader is the line of a shard's journal that each start of it begins with: by these
// lines the shards are told to belong together, or not.
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

const shardKind = "batch-shard"

// headerOf describes the shard to do, before it takes its own of the jobs.
func (b *batch) headerOf(jobs []*job) shardHeader {
	about := blas.Describe(b.kernels)
	return shardHeader{shardKind, b.shard.index, b.shard.of, len(jobs), sumOfJobs(jobs), versionText(), about.Arch, about.Backend, about.ISA, []string{}, []int{}}
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
