package memory

import (
	"os"

	"github.com/orthant-go/orthant/blas/limits"
)

// Total is all memory that the system has; 0 where it does not say.
func Total() int64 {
	total, _ := limits.PhysicalMemory()
	return total
}

// Peak is the largest resident size of this process so far.
func Peak() int64 { return PeakOf(os.Getpid()) }

// BeginPeak is not possible here: the peak is that of the whole process.
func BeginPeak() bool { return false }

// Resident is the resident size of this process.
func Resident() int64 {
	now, _ := limits.ResidentMemory(os.Getpid())
	return now
}

// PeakOf is the peak of another process; 0 also where there is none.
func PeakOf(pid int) int64 {
	_, peak := limits.ResidentMemory(pid)
	return peak
}
