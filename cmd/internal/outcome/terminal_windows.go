package outcome

import (
	"os"

	"golang.org/x/sys/windows"
)

// Terminal reports whether a person reads a file: a console that erases lines by escape sequences, which the
// consoles of Windows 10 and later do when they are asked to.
func Terminal(f *os.File) bool {
	var mode uint32
	console := windows.Handle(f.Fd())
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	const escapes = windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING
	return mode&escapes != 0 || windows.SetConsoleMode(console, mode|escapes) == nil
}
