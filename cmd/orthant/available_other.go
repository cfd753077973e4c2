//go:build !linux

package main

// availableMemory is not known here; without --memory nothing is refused.
func availableMemory() int64 { return 0 }

// ownPeak is not known here apart from the resource usage.
func ownPeak() int64 { return 0 }
