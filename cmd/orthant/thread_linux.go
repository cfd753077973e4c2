package main

import "syscall"

// threadSeconds returns the processor seconds, user and system, of the operating
// system's thread that runs the caller.
func threadSeconds() (seconds float64, known bool) {
	const ofThread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if syscall.Getrusage(ofThread, &u) != nil {
		return 0, false
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) * 1e-9, true
}
