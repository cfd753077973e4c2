//go:build unix

package bench

import (
	"os"
	"runtime"
	"syscall"
)

// ProcessorSeconds returns the processor time, user and system, of this process
// and of the children that it has waited for.
func ProcessorSeconds() (own, children float64) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) == nil {
		own = usedBy(&u)
	}
	if syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u) == nil {
		children = usedBy(&u)
	}
	return own, children
}

func usedBy(u *syscall.Rusage) float64 { return float64(u.Utime.Nano()+u.Stime.Nano()) * 1e-9 }

// childUsage returns the processor seconds of a process that has ended, and the
// largest resident size that the system holds against it.
func childUsage(s *os.ProcessState) (cpu float64, peak int64) {
	u, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, 0
	}
	peak = int64(u.Maxrss)
	if runtime.GOOS != "darwin" && runtime.GOOS != "ios" {
		peak *= 1024 // counted in KiB everywhere else
	}
	return usedBy(u), peak
}
