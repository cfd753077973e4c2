package blas

import "unsafe"

// cacheLine is the size of a line of the cache, in bytes.
const cacheLine = 64

// Prefetch asks the processor to bring a slice into its cache while other work goes on. Loops over rows
// at scattered places, which no processor foresees, ask for a row some steps before they read it. It
// reads nothing, and does nothing in builds without assembly.
func Prefetch[T any](row []T) {
	if kernel.prefetch != nil && len(row) > 0 {
		first := unsafe.Pointer(unsafe.SliceData(row))
		skip := uintptr(first) % cacheLine
		kernel.prefetch(noescape((*byte)(first)), int((skip+uintptr(len(row))*unsafe.Sizeof(row[0])+cacheLine-1)/cacheLine), cacheLine)
	}
}
