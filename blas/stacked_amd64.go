//go:build !noasm

package blas

import "unsafe"

//go:noescape
func productsWide8(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)

//go:noescape
func productsWide16(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)

//go:noescape
func productsWide24(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)

//go:noescape
func productsWide32(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)

//go:noescape
func quotientsWide(rows int, ptr *int, col, val unsafe.Pointer, a, b, y *float64, ld int)

//go:noescape
func productsNear8(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)

//go:noescape
func productsNear16(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)

//go:noescape
func productsNear24(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)

//go:noescape
func productsNear32(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)

//go:noescape
func quotientsNear(rows int, ptr *int, col, val unsafe.Pointer, a, b, y *float64, ld int)

//go:noescape
func productsShort8(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)

//go:noescape
func productsShort16(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)

//go:noescape
func productsShort24(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)

//go:noescape
func productsShort32(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)

//go:noescape
func quotientsShort(rows int, ptr *int, col, val unsafe.Pointer, a, b, y *float64, ld int)
