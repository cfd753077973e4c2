//go:build unix

package descriptors

import "syscall"

// least are the files that Go's runtime itself opens, with the standard streams.
const least = 8

// usage is the exit status of a wrong command line or environment.
const usage = 2

func init() {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) == nil && l.Cur < least {
		_, _ = syscall.Write(2, []byte("orthant: the limit of open files is below 8, which the program needs at least: raise it (ulimit -n)\n"))
		syscall.Exit(usage)
	}
}
