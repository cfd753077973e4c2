//go:build !noasm

package blas

import "unsafe"

// prefetch asks for lines of the cache, the first of which holds the byte at p.
//
//go:noescape
func prefetch(p unsafe.Pointer, lines int)
