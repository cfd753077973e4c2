// Package library is the functions of orthant.h in plain Go. Two programs put it into the hands of other languages:
// cmd/liborthant, whose functions in C pass their arguments on to [Call], and "orthant serve", which gets the same arguments
// through a pipe and a mapped file. Neither knows what a function does, so a new one is written here alone, and declared in C.
//
// calls.go has the functions by their names, layout.go the structures of the header. The work of a call is prepared by task.go
// and problem.go, and carried out under result.go.
package library
