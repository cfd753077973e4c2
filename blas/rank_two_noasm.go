//go:build !amd64 || noasm

package blas

func rankTwoAVX2(n int, a float64, x *float64, b float64, y, row *float64) { panic(noAssembly) }
