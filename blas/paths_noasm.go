//go:build !amd64 || noasm

package blas

func pathsGatherAVX2(count int, at *int32, length, rows, best *float64) { panic("unreachable") }

func pathsScatterAVX2(count int, at *int32, length, from, rows *float64) { panic("unreachable") }

func pathsMarkAVX2(count int, at *int32, length, from, rows *float64, mark *bool) {
	panic("unreachable")
}

func pathsMarkAVX512(count int, at *int32, length, from, rows *float64, mark *bool) {
	panic("unreachable")
}
