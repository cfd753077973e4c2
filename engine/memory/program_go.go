//go:build !openblas || !cgo

package memory

const program = 29 << 20
