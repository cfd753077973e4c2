package main

import (
	"runtime/debug"
	"testing"

	"github.com/orthant-go/orthant/engine/memory"
)

// The runtime keeps to the limits of the tasks under way, and to its own when all are done.
func TestTasksBoundTheRuntime(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	expect := func(when string, want int64) {
		t.Helper()
		if got := debug.SetMemoryLimit(-1); got != want {
			t.Errorf("%s: a limit of %d, want %d", when, got, want)
		}
	}
	const one, two = int64(1) << 30, int64(2) << 30
	first := bounded(one)
	expect("one task", one-memory.Program)
	second := bounded(two)
	expect("two tasks", one+two-memory.Program)
	without := bounded(0)
	expect("one without a limit beside them", before)
	without()
	first()
	expect("the second alone", two-memory.Program)
	second()
	expect("none", before)
	tiny := bounded(1)
	expect("next to nothing", 32<<20)
	tiny()
	expect("none again", before)
}
