package main

import (
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/disk"
	"github.com/orthant-go/orthant/engine/files"
)

// smallestJob is what any job takes, in bytes: buffers of files, scratch.
const smallestJob = 4 << 20

// estimate guesses the memory that the job takes, from the sizes of its inputs and
// its method. Inputs that are not there yet count nothing.
func (j *job) estimate() int64 {
	need := int64(smallestJob)
	rows, cols := whole(j.said["samples"]), 8 // of what it draws
	var largest int64
	for _, path := range j.inputs {
		n, m, bytes := sizeOf(path)
		if need += bytes; bytes > largest {
			largest, rows, cols = bytes, n, m
		}
	}
	name, _ := j.said["method"].(string)
	set, _ := j.said["set"].(map[string]any)
	o := engine.Options{Landmarks: whole(set["landmarks"]), Threads: 1}
	return need + engine.EstimateMemory(name, rows, cols, whole(j.said["neighbors"]), o)
}

// sizeOf guesses the shape of a matrix in a file and its bytes as float64.
func sizeOf(path string) (rows, cols int, bytes int64) {
	info, err := disk.Files().Stat(path)
	if err != nil || !info.Mode().IsRegular() { // a pipe may have nobody at its other end
		return 0, 0, 0
	}
	// A number takes 8 bytes in memory, and in most files about as many: 0.123456,
	// or 123 and what is saved by compression.
	rows, cols, bytes = int(info.Size()/80), 10, info.Size()
	if !files.BeginsWithShape(path) {
		return rows, cols, bytes
	}
	r, err := files.OpenRows(path, files.Options{})
	if err != nil {
		return rows, cols, bytes // reading it will fail, too
	}
	defer r.Close()
	if cols = max(r.Cols(), 1); r.Rows() >= 0 {
		return r.Rows(), cols, 8 * int64(r.Rows()) * int64(cols)
	}
	return int(info.Size()/int64(8*cols)) + 1, cols, bytes
}
