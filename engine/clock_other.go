//go:build !unix

package engine

// processorSeconds is not known here; processor times are then 0.
func processorSeconds() float64 { return 0 }
