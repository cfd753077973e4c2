//go:build !amd64 || noasm

package blas

func gatheredSquaresAVX2(x, rows *float32, at *int32, width, count int, out *float32) {
	panic("unreachable")
}

func gatheredDotsAVX2(x, rows *float32, at *int32, width, count int, out *float32) {
	panic("unreachable")
}
