//go:build unix

package limits

import "syscall"

// ProcessorSeconds returns the processor time of the whole process, user and
// system.
func ProcessorSeconds() float64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) * 1e-9
}
