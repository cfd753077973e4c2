//go:build !unix && !windows

package limits

// ProcessorSeconds is not known here; processor times are then 0.
func ProcessorSeconds() float64 { return 0 }
