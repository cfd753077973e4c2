//go:build !amd64 || noasm

package blas

func fixedAVX2(quads int, coarse *int32, fine *uint8, values *float64) { panic("unreachable") }
