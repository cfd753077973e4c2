//go:build !openblas || !cgo

package memory

const program = 28 << 20
