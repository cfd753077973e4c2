package main

import ends "github.com/orthant-go/orthant/cmd/internal/outcome"

// The exit statuses, and the errors that they tell apart.
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
