//go:build !noasm

package blas

// rankTwoAVX2 subtracts a·x + b·y from row. n is a multiple of 4, and above 0.
//
//go:noescape
func rankTwoAVX2(n int, a float64, x *float64, b float64, y, row *float64)
