package main

import "github.com/orthant-go/orthant/engine/memory"

// availableMemory is what new work could have without swapping; 0: not known.
func availableMemory() int64 { return memory.Available() }

// ownPeak is the largest resident size of this process so far; 0: not known.
func ownPeak() int64 { return memory.Peak() }
