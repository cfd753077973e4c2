package main

import (
	"github.com/orthant-go/orthant/engine"
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

// sizeOf tells the shape of a matrix in a file and its bytes as float64, by its header,
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
