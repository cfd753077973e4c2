//go:build !noasm

package blas

//go:noescape
func pathsGatherAVX2(count int, at *int32, length, rows, best *float64)

//go:noescape
func pathsScatterAVX2(count int, at *int32, length, from, rows *float64)

//go:noescape
func pathsMarkAVX2(count int, at *int32, length, from, rows *float64, mark *bool)

//go:noescape
func pathsMarkAVX512(count int, at *int32, length, from, rows *float64, mark *bool)
