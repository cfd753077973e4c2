//go:build !openblas || !cgo

package memory

const program = 26 << 20
