package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
)

// The exit statuses.
const (
	exitDone         = 0
	exitFailed       = 1
	exitUsage        = 2
	exitNotConverged = 3
	exitInterrupted  = 130
)

// inputError is an error that the user can mend: in the command line, in an
// input, or in what the two ask for together.
type inputError struct{ err error }

func (e *inputError) Error() string { return e.err.Error() }
func (e *inputError) Unwrap() error { return e.err }

// wrong returns an inputError.
func wrong(format string, args ...any) error { return &inputError{fmt.Errorf(format, args...)} }

// notConverged says that the result is the best found but not what was asked.
type notConverged struct{ text string }

func (e *notConverged) Error() string { return e.text }

// internalError is a panic caught.
type internalError struct {
	text  string
	stack []byte
}

func (e *internalError) Error() string { return "internal error: " + e.text }

// commandError names the command in which an error came up.
type commandError struct {
	command string
	err     error
}

func (e *commandError) Unwrap() error { return e.err }

func (e *commandError) Error() string {
	text := e.err.Error()
	for _, said := range []string{"orthant: ", "engine: ", "datasets: ", "neighbors: ", "blas: ", "bench: "} {
		text = strings.TrimPrefix(text, said) // the command's name says as much
	}
	return e.command + ": " + text
}

// fromWork classifies an error of a computation on given input: but for what the
// user can do nothing about, it is the input that is wrong.
func fromWork(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if _, ok := errors.AsType[blas.NonConvergence](err); ok {
		return err
	}
	if text := err.Error(); asFlags(text) != text && !engine.IsMemory(err) {
		err = errors.New(asFlags(text))
	}
	return &inputError{err}
}

// status returns the exit status for the outcome of a run.
func status(err error) int {
	if err == nil {
		return exitDone
	}
	if errors.Is(err, context.Canceled) {
		return exitInterrupted
	}
	if _, ok := errors.AsType[*notConverged](err); ok {
		return exitNotConverged
	}
	if e, ok := errors.AsType[*files.Error](err); ok {
		if e.Op == files.OpWrite {
			return exitFailed
		}
		return exitUsage
	}
	if _, ok := errors.AsType[*inputError](err); ok {
		return exitUsage
	}
	return exitFailed
}

// printError prints the outcome of a run as one line, if there is anything to
// say: a reader who closed the pipe knows.
func printError(w io.Writer, err error) {
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return
	}
	if errors.Is(err, context.Canceled) {
		text := "orthant: interrupted"
		if e, ok := errors.AsType[*interrupted](err); ok {
			text += "; " + e.hint
		}
		tell(w, text)
		return
	}
	text := oneLine(err)
	e, internal := errors.AsType[*internalError](err)
	debug := os.Getenv("ORTHANT_DEBUG") == "1"
	if internal && !debug {
		text += " (please report it; ORTHANT_DEBUG=1 shows where)"
	}
	tell(w, text)
	if internal && debug {
		fmt.Fprintln(w, string(e.stack))
	}
}

// oneLine returns the text of an error on one line, fit to be shown.
func oneLine(err error) string {
	return visible(strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", " "))
}

// interrupted is an interrupt after which something can be done.
type interrupted struct{ hint string }

func (e *interrupted) Error() string { return context.Canceled.Error() + "; " + e.hint }
func (e *interrupted) Unwrap() error { return context.Canceled }
