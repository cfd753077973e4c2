//go:build !amd64 || noasm

package blas

func gaussArgumentsAVX2(int, float64, float64, *float64, *float64, *float64) { panic(noAssembly) }
func weighAVX2(int, *float64, *float64, *float64, *float64, *float64)        { panic(noAssembly) }
func multiplyAVX2(int, *float64, *float64, *float64)                         { panic(noAssembly) }
func quotientsAVX2(int, float64, *float64, *float64, *float64)               { panic(noAssembly) }
func rootsAVX2(int, float64, *float64, *float64)                             { panic(noAssembly) }
func multiplyRatiosAVX2(int, float64, float64, *float64, *float64, *float64) { panic(noAssembly) }

func gaussWeightsAVX512(int, float64, *float64, *float64, *float64, *float64, *float64) {
	panic(noAssembly)
}
