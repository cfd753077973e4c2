package main

import (
	"errors"

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

// overMemory is the refusal of a command whose work would exceed the limit.
type overMemory struct{ error }

// isStarved tells whether a job was refused for want of memory.
func isStarved(err error) bool {
	_, byCommand := errors.AsType[*overMemory](err)
	return byCommand || engine.IsMemory(err) || files.IsTooLarge(err)
}
