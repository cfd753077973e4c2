//go:build !windows

package outcome

import (
	"os"

	"golang.org/x/term"
)

// Terminal reports whether a person reads a file.
func Terminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
