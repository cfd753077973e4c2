//go:build !windows

package limits

// memoryByCalls finds nothing where the kernel is asked by files, or is not asked.
func memoryByCalls() []Memory { return nil }
