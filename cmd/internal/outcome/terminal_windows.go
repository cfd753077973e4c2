package outcome

import (
	"os"

	"golang.org/x/sys/windows"
)

// Terminal reports whether a person reads a file: a console, of which nothing is asked but that it returns to the begin of a line.
func Terminal(f *os.File) bool {
	var mode uint32
	return windows.GetConsoleMode(windows.Handle(f.Fd()), &mode) == nil
}
