//go:build !openblas || !cgo

// Package openblas links OpenBLAS and LAPACKE in builds with the tag openblas.
package openblas
