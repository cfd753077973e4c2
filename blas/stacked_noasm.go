//go:build !amd64 || noasm

package blas

import "unsafe"

func productsWide8(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, int, *float64, int, int) {
	panic(noAssembly)
}

func productsWide16(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, int, *float64, int, int) {
	panic(noAssembly)
}

func productsWide24(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, int, *float64, int, int) {
	panic(noAssembly)
}

func productsWide32(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, int, *float64, int, int) {
	panic(noAssembly)
}

func quotientsWide(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, *float64, *float64, int) {
	panic(noAssembly)
}

func productsNear8(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, int, *float64, int, int) {
	panic(noAssembly)
}

func productsNear16(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, int, *float64, int, int) {
	panic(noAssembly)
}

func productsNear24(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, int, *float64, int, int) {
	panic(noAssembly)
}

func productsNear32(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, int, *float64, int, int) {
	panic(noAssembly)
}

func quotientsNear(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, *float64, *float64, int) {
	panic(noAssembly)
}

func productsShort8(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, int, *float64, int, int) {
	panic(noAssembly)
}

func productsShort16(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, int, *float64, int, int) {
	panic(noAssembly)
}

func productsShort24(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, int, *float64, int, int) {
	panic(noAssembly)
}

func productsShort32(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, int, *float64, int, int) {
	panic(noAssembly)
}

func quotientsShort(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, *float64, *float64, int) {
	panic(noAssembly)
}
