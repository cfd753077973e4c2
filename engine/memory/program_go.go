//go:build !openblas || !cgo

package memory

// Of it 20 MiB are pages of the code that the kernel has mapped; machines differ by 3 MiB in
// how many they map around those that were needed.
const program = 39 << 20
