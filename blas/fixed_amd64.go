//go:build !noasm

package blas

//go:noescape
func fixedAVX2(quads int, coarse *int32, fine *uint8, values *float64)
