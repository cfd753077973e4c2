package main

import (
	ends "github.com/orthant-go/orthant/cmd/internal/outcome"
	"github.com/orthant-go/orthant/engine"
)

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
	wrong       = ends.Wrong
	status      = ends.Status
	printError  = ends.Print
	oneLine     = ends.OneLine
	tell        = ends.Tell
	visible     = ends.Visible
	visibleJSON = ends.VisibleJSON
)

// fromWork classifies an error of a computation on given input, and names flags where the
// engine names its options.
func fromWork(err error) error {
	classified := ends.FromWork(err)
	if _, mended := classified.(*inputError); mended && !engine.IsMemory(err) {
		if text := asFlags(err.Error()); text != err.Error() {
			return wrong("%s", text)
		}
	}
	return classified
}
