package main

import ends "github.com/orthant-go/orthant/cmd/internal/outcome"

// The exit statuses, and the errors that they distinguish.
const (
	exitDone         = ends.Done
	exitFailed       = ends.Failed
	exitUsage        = ends.Usage
	exitNotConverged = ends.Unconverged
	exitInterrupted  = ends.Stopped
)

type (
	inputError    = ends.InputError
	notConverged  = ends.NotConverged
	internalError = ends.InternalError
	commandError  = ends.CommandError
	interrupted   = ends.Interrupted
)

var (
	wrong      = ends.Wrong
	fromWork   = ends.FromWork
	status     = ends.Status
	printError = ends.Print
	oneLine    = ends.OneLine
	tell       = ends.Tell
)

const rootStatuses = `Exit status:
    0   done
    1   failed: a full disk, a job of a batch, an internal error
    2   the command line or an input is wrong; one line says which
    3   no convergence; or, from verify and with --strict, a verdict against the
        result; the best result found is written
  130   interrupted; nothing half-written is left
`
