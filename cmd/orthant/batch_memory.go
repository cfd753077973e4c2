package main

import (
	"errors"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/memory"
)

// shared is what the jobs may hold together: the limit less the program; 0: no limit.
func (b *batch) shared() int64 {
	if b.memory <= 0 {
		return 0
	}
	return max(int64(b.memory)-memory.Least, 1)
}

// reserved is what a job gets that is guessed to need so much: an even part at least, as a
// guess may be too low, and at most all. One that its part does not suffice for runs
// again by itself.
func (b *batch) reserved(need int64) int64 {
	all := b.shared()
	if all == 0 {
		return need
	}
	return min(max(need, all/int64(max(b.workers, 1))), all)
}

// limitOf is the limit of a process for a job that so much is reserved for.
func (b *batch) limitOf(reserved int64) byteSize {
	if b.memory <= 0 {
		return b.most
	}
	return byteSize(reserved + memory.Least)
}

// smallJobs is what each of a batch's jobs takes at most, in bytes, where the heap is collected less often.
const smallJobs = 16 << 20

// collectRarely lets the heap of small jobs grow to nine times what they hold before it is collected: at a few megabytes
// each, collecting it, giving its memory back and taking it again are a twentieth of their time. It returns what undoes that.
func (b *batch) collectRarely() (undo func()) {
	large := func(j *job) bool { return j.need > smallJobs || len(j.after) > 0 } // an input that is made later may be large
	if os.Getenv("GOGC") != "" || slices.ContainsFunc(b.jobs, large) {
		return func() {}
	}
	before := debug.SetGCPercent(800)
	return func() { debug.SetGCPercent(before) }
}

// keeping accounts for the lines of journals that are kept in memory, within its limit.
type keeping struct {
	*invocation
	from  string
	bytes int64
	err   error // the refusal of a line
}

func (inv *invocation) keeping(from string) *keeping { return &keeping{invocation: inv, from: from} }

// add accounts for a line, and ends the reading where there is no room for it.
func (k *keeping) add(line interface{ bytes() int64 }) error {
	k.bytes += line.bytes()
	if k.err = k.fits("the journal in "+k.from+" takes", k.bytes, "do the jobs in several batches, each in a folder of its own"); k.err != nil {
		return fs.SkipAll
	}
	return nil
}

// What a record and a header take besides their texts: their fields, and places in lists
// and tables. Measured on journals of many small jobs.
const (
	recordBytes = 768
	headerBytes = 256
	inputBytes  = 48
	nameBytes   = 32
)

func (r *record) bytes() int64 {
	n := int64(recordBytes + 2*len(r.Job) + len(r.Result) + len(r.Error) + len(r.ErrorID))
	for _, i := range r.Inputs {
		n += inputBytes + int64(len(i.Path)+len(i.Time))
	}
	n += writtenBytes(r.Written)
	for _, list := range [][]string{r.Outputs, r.Warnings} {
		for _, text := range list {
			n += nameBytes + int64(len(text))
		}
	}
	return n
}

func writtenBytes(list []written) (n int64) {
	for _, w := range list {
		n += inputBytes + int64(len(w.Path)+len(w.Sum))
	}
	return n
}

func (h *shardHeader) bytes() int64 {
	n := int64(headerBytes)
	for _, name := range h.Own {
		n += nameBytes + int64(len(name))
	}
	return n
}

// isStarved reports whether a job was refused for want of memory.
func isStarved(err error) bool {
	_, byCommand := errors.AsType[*overMemory](err)
	return byCommand || engine.IsMemory(err) || files.IsTooLarge(err)
}

// smallestJob is what any job takes, in bytes: buffers of files, scratch.
const smallestJob = 4 << 20

// estimate guesses the memory that the job takes, from the sizes of its inputs and
// its method. Inputs that are not there yet count nothing.
func (j *job) estimate() int64 {
	need := int64(smallestJob)
	rows, cols := whole(j.said["samples"]), 8 // of what it draws
	var largest int64
	for _, path := range j.inputs {
		n, m, bytes := sizeOf(path, j.images())
		if need += bytes; bytes > largest {
			largest, rows, cols = bytes, n, m
		}
	}
	name, _ := j.said["method"].(string)
	set, _ := j.said["set"].(map[string]any)
	o := engine.Options{Landmarks: whole(set["landmarks"]), Threads: 1}
	return need + engine.EstimateMemory(name, rows, cols, whole(j.said["neighbors"]), o)
}

// images says how images become the job's samples.
func (j *job) images() files.ImageOptions {
	var size imageSize
	if text, given := j.said["resize"].(string); given && size.Set(text) != nil {
		size = imageSize{}
	}
	return files.ImageOptions{Height: size.height, Width: size.width, Grey: j.said["grey"] == true}
}

// sizeOf returns the shape of a matrix in a file and its bytes as float64, by its header,
// its first lines or the first image.
func sizeOf(path string, how files.ImageOptions) (rows, cols int, bytes int64) {
	read := files.ExtentOf
	if files.IsImages(path) {
		read = func(path string) (files.Extent, error) { return files.ImagesExtent(path, how) }
	}
	e, err := read(path)
	if err != nil {
		return 0, 0, 0 // reading it will fail, too, or it is a pipe
	}
	return e.Rows, e.Cols, e.Bytes()
}
