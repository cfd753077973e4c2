package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/orthant-go/orthant/engine/files"
)

// streams are where a run reads and writes, apart from files.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // from then on another interrupt ends the program at once
	writeErrorsForSignals()
	err := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	printError(os.Stderr, err)
	os.Exit(status(err))
}

// grace is how long an interrupted run may take to end by itself. What it waits
// for can be a read from a pipe that never comes.
const grace = 2 * time.Second

// run executes one command line. Whatever goes wrong, no temporary file is left.
func run(ctx context.Context, args []string, s streams) error {
	inv := newInvocation(s)
	done := make(chan error, 1)
	go func() { done <- inv.execute(ctx, args) }()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		select {
		case err = <-done:
		case <-time.After(grace):
			err = &commandError{command: "orthant", err: ctx.Err()}
		}
	}
	if err != nil {
		files.DiscardAll()
	}
	return err
}

// execute parses the command line and runs the subcommand that it names. A panic
// becomes an error.
func (inv *invocation) execute(ctx context.Context, args []string) (err error) {
	name := "orthant"
	defer func() {
		if p := recover(); p != nil {
			err = &commandError{name, &internalError{fmt.Sprint(p), debug.Stack()}}
		}
	}()
	root := newRoot(inv)
	root.SetArgs(args)
	found, _, err := root.Find(args)
	if err != nil {
		return &commandError{name, unknownCommand(root, args, err)}
	}
	name = found.CommandPath()
	if err := root.ExecuteContext(ctx); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err() // whatever failed, failed because of it
		}
		return &commandError{name, err}
	}
	return nil
}
