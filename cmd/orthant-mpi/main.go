//go:build mpi

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/orthant-go/orthant/cmd/internal/outcome"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/wording"
)

// version is set when a release is linked (-ldflags "-X main.version=…").
var version string

// MPI and PETSc stay on the thread on which they began.
func init() { runtime.LockOSThread() }

func main() {
	p, err := join()
	if err != nil {
		outcome.Print(os.Stderr, &outcome.CommandError{Command: "orthant-mpi", Err: err})
		os.Exit(outcome.Failed)
	}
	signal.Ignore(syscall.SIGPIPE, syscall.SIGXFSZ)
	stopped := make(chan os.Signal, 1)
	signal.Notify(stopped, os.Interrupt, syscall.SIGTERM)
	go p.stop(stopped)
	os.Exit(p.run(os.Args[1:]))
}

// stop ends the process when mpirun asks for it: because the user did, or because another process
// of the job has ended. The main goroutine may be deep in MUMPS and is not waited for.
func (p processes) stop(stopped <-chan os.Signal) {
	<-stopped
	if p.ended.Load() {
		return // the outcome is known, and said
	}
	files.DiscardAll()
	if p.rank == 0 {
		outcome.PrintLine(os.Stderr, "orthant-mpi: interrupted, or another process of the job has ended; nothing half-written is left")
	}
	os.Exit(outcome.Stopped)
}

// patience is how long the other processes wait with an error for process 0 to say it.
const patience = time.Second

// run executes the command line and returns the exit status of all processes. What one process
// alone meets, a panic or an error of a library, ends the job at once.
func (p processes) run(args []string) (status int) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		p.ended.Store(true)
		files.DiscardAll()
		err, is := v.(*libraryError)
		said := error(err)
		if !is {
			said = &outcome.InternalError{Text: fmt.Sprint(v), Stack: debug.Stack()}
		}
		if p.rank > 0 {
			said = fmt.Errorf("process %d: %w", p.rank, said)
			if is { // the others are likely to have it too
				time.Sleep(patience)
			}
		}
		outcome.Print(os.Stderr, &outcome.CommandError{Command: "orthant-mpi", Err: said})
		p.abort(outcome.Failed)
	}()
	inv := &invocation{processes: p}
	err := inv.execute(wording.In(context.Background(), outcome.Flags), args)
	p.ended.Store(true)
	status = outcome.Done
	if err != nil {
		files.DiscardAll()
		status = outcome.Status(err)
		if e, is := errors.AsType[*agreed](err); is {
			status = e.status
		}
		if p.rank == 0 {
			outcome.Print(os.Stderr, &outcome.CommandError{Command: inv.command, Err: err})
		}
	}
	p.leave()
	return status
}
