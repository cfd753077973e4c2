//go:build !unix

package bench

import "os"

// ProcessorSeconds is not known here.
func ProcessorSeconds() (own, children float64) { return 0, 0 }

// childUsage knows the processor time alone.
func childUsage(s *os.ProcessState) (cpu float64, peak int64) {
	return (s.UserTime() + s.SystemTime()).Seconds(), 0
}
