//go:build !windows

package messages

// ofSystem returns a text with the words that the list has for errors of the system: those of this one.
func ofSystem(text string) string { return text }
