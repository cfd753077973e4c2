//go:build !noasm

package blas

// In all of these n is a positive multiple of the width of the vectors, 4 or 8.

//go:noescape
func gaussArgumentsAVX2(n int, c, least float64, x, t, dst *float64)

//go:noescape
func weighAVX2(n int, p, x, t, u, v *float64)

//go:noescape
func multiplyAVX2(n int, x, t, dst *float64)

//go:noescape
func quotientsAVX2(n int, floor float64, x, t, dst *float64)

//go:noescape
func rootsAVX2(n int, floor float64, x, dst *float64)

//go:noescape
func multiplyRatiosAVX2(n int, floor, least float64, num, den, y *float64)

//go:noescape
func gaussWeightsAVX512(n int, c float64, x, t, p, u, v *float64)
