//go:build !linux && !windows

package memory

// Total is not known here: 0.
func Total() int64 { return 0 }

// Peak is not known here apart from the resource usage: 0.
func Peak() int64 { return 0 }

// BeginPeak is not known here.
func BeginPeak() bool { return false }

// Resident is not known here: 0.
func Resident() int64 { return 0 }

// PeakOf is not known here: 0.
func PeakOf(int) int64 { return 0 }
