//go:build !noasm

package blas

//go:noescape
func gatheredSquaresAVX2(x, rows *float32, at *int32, width, count int, out *float32)

//go:noescape
func gatheredDotsAVX2(x, rows *float32, at *int32, width, count int, out *float32)
