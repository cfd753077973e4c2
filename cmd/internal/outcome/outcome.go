// Package outcome has how a command ends: its exit status, and the one line that says why.
package outcome

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/internal/visible"
)

// The exit statuses.
const (
	Done        = 0
	Failed      = 1
	Usage       = 2
	Unconverged = 3
	Stopped     = 130
)

// InputError is an error that the user can correct: in the command line, in an
// input, or in what the two ask for together.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }
func (e *InputError) Unwrap() error { return e.Err }

// Wrong returns an InputError.
func Wrong(format string, args ...any) error { return &InputError{Err: fmt.Errorf(format, args...)} }

// NotConverged says that the result is the best found but not what was asked.
type NotConverged struct{ Text string }

func (e *NotConverged) Error() string { return e.Text }

// InternalError is a panic caught.
type InternalError struct {
	Text  string
	Stack []byte
}

func (e *InternalError) Error() string { return "internal error: " + e.Text }

// CommandError names the command in which an error came up.
type CommandError struct {
	Command string
	Err     error
}

func (e *CommandError) Unwrap() error { return e.Err }

func (e *CommandError) Error() string {
	text := wording.Error(e.Err, Flags)
	for _, said := range []string{"orthant: ", "engine: ", "datasets: ", "neighbors: ", "blas: ", "bench: "} {
		text = strings.TrimPrefix(text, said) // the command's name says as much
	}
	return e.Command + ": " + text
}

// FromWork classifies an error of a computation on given input: but for what the
// user can do nothing about, it is the input that is wrong.
func FromWork(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if _, ok := errors.AsType[blas.NonConvergence](err); ok {
		return err
	}
	return &InputError{Err: err}
}

// Status returns the exit status for the outcome of a run.
func Status(err error) int {
	if err == nil {
		return Done
	}
	if errors.Is(err, context.Canceled) {
		return Stopped
	}
	if _, ok := errors.AsType[*NotConverged](err); ok {
		return Unconverged
	}
	if e, ok := errors.AsType[*files.Error](err); ok {
		// Another command line does not help against a full disk.
		if e.Op == files.OpWrite || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
			return Failed
		}
		return Usage
	}
	if _, ok := errors.AsType[*InputError](err); ok {
		return Usage
	}
	return Failed
}

// Print prints the outcome of a run as one line, if there is anything to
// say: a reader who closed the pipe knows.
func Print(w io.Writer, err error) {
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return
	}
	if errors.Is(err, context.Canceled) {
		text := "orthant: interrupted"
		if e, ok := errors.AsType[*Interrupted](err); ok {
			text += "; " + e.Hint
		}
		PrintLine(w, text)
		return
	}
	text := OneLine(err)
	e, internal := errors.AsType[*InternalError](err)
	debug := os.Getenv("ORTHANT_DEBUG") == "1"
	if internal && !debug {
		text += " (please report it; ORTHANT_DEBUG=1 shows where)"
	}
	PrintLine(w, text)
	if internal && debug {
		fmt.Fprintln(w, string(e.Stack))
	}
}

// OneLine returns the text of an error on one line, fit to be shown.
func OneLine(err error) string {
	return visible.Text(strings.ReplaceAll(strings.TrimSpace(wording.Error(err, Flags)), "\n", " "))
}

// Interrupted is an interrupt after which something can be done.
type Interrupted struct{ Hint string }

func (e *Interrupted) Error() string { return context.Canceled.Error() + "; " + e.Hint }
func (e *Interrupted) Unwrap() error { return context.Canceled }

// PrintLine prints one line for a person. What a user, a file or its name says may be in it:
// every such line goes through here, so that none of it reaches a terminal as a command.
func PrintLine(w io.Writer, text string) { fmt.Fprintln(w, visible.Text(text)) }

// flags are the flags of the parameters that have one of their own; the others are set by --set.
var flags = map[string]string{
	"labels": "--labels", "method": "--method", "memory": "--memory", "missing": "--missing", "standardize": "--scale", "neighbors": "--neighbors", "dim": "--dim",
	"neighbors_method": "--neighbors-method", "certified": "--certify", "next": "--report", "init_w": "--init-w", "init_h": "--init-h", "blocks": "--blocks", "block_weights": "--block-weights", "datasets": "--datasets", "dataset_weights": "--dataset-weights", "own_penalty": "--own-penalty", "dataset": "--dataset",
	"given_graph": "--graph", "given_distances": "--distances", "radius": "--radius", "metric": "--metric", "recall": "--recall", "denoise": "--denoise", "iterations": "--iterations", "tolerance": "--tolerance",
	"delimiter": "--delimiter", "transpose": "--transpose", "skip_rows": "--skip-rows", "columns": "--columns", "drop": "--drop", "thousands": "--thousands", "resize": "--resize",
}

// Flags words a parameter as the command line has it, for package wording: --dim 3,
// --set components=largest.
func Flags(key, value string) string {
	switch flag := flags[key]; {
	case key == "call":
		return `"orthant ` + value + `"`
	case flag != "" && value == "":
		return flag
	case flag != "":
		return flag + " " + value
	case value == "":
		return key
	}
	return "--set " + key + "=" + value
}
