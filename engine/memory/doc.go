// Package memory reports how much memory there is, so that work which would end in the
// process being killed is refused before it begins.
package memory
