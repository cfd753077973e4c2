//go:build mpi

package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/orthant-go/orthant/cmd/internal/outcome"
)

// tell prints one line for a person, on process 0.
func (inv *invocation) tell(format string, args ...any) {
	if inv.rank > 0 {
		return
	}
	inv.wipe()
	outcome.Tell(os.Stderr, fmt.Sprintf(format, args...))
}

// warn keeps a warning for the report and prints it at once.
func (inv *invocation) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	inv.warnings = append(inv.warnings, text)
	if !inv.quiet {
		inv.tell("warning: %s", text)
	}
}

// explains tells a line of what is going to be done, where that is asked for.
func (inv *invocation) explains(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	inv.explained = append(inv.explained, text)
	if inv.explain || inv.verbose {
		inv.tell("%s", text)
	}
}

// phase times a phase and shows it.
func (inv *invocation) phase(name string) (end func()) {
	inv.fault(name)
	inv.show(name, 0)
	return inv.clock.Phase(name)
}

// show redraws the line of progress, on process 0.
func (inv *invocation) show(name string, done float64) {
	if inv.rank > 0 || inv.progress == "never" {
		return
	}
	if inv.progress == "auto" && (inv.json || inv.quiet || !term.IsTerminal(int(os.Stderr.Fd()))) {
		return
	}
	const width = 30
	full := int(width * done)
	inv.drawn = true
	fmt.Fprintf(os.Stderr, "\r%-10s %s%s %3.0f %%\x1b[K", name, strings.Repeat("█", full), strings.Repeat("░", width-full), 100*done)
}

// wipe makes room for a line of text.
func (inv *invocation) wipe() {
	if inv.drawn {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
	inv.drawn = false
}

// restarts is the number of restarts of the search for eigenvectors at most: 1 where a test asks
// for it by ORTHANT_MPI_FAULT=restart.
func (inv *invocation) restarts() int {
	if os.Getenv("ORTHANT_MPI_FAULT") == "restart" {
		return 1
	}
	return mostRestarts
}

// fault has a phase fail on a process, for the tests of what becomes of the others:
// ORTHANT_MPI_FAULT=panic:1:solve or wait:1:solve.
func (inv *invocation) fault(name string) {
	text := os.Getenv("ORTHANT_MPI_FAULT")
	if text == "" {
		return
	}
	switch text {
	case fmt.Sprintf("panic:%d:%s", inv.rank, name):
		panic("a test asked for it")
	case fmt.Sprintf("wait:%d:%s", inv.rank, name):
		time.Sleep(time.Minute)
	}
}
