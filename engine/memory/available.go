package memory

import "github.com/orthant-go/orthant/blas/limits"

// Available is what new work in this process could have without swapping, within its
// control groups and its own limits, in bytes; 0: not known, which bounds nothing.
func Available() int64 { return limits.Here().Free() }
