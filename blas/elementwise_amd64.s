//go:build !noasm

#include "textflag.h"

// n is a multiple of the width of the vectors throughout.

DATA negative<>+0(SB)/8, $0x8000000000000000
GLOBL negative<>(SB), RODATA|NOPTR, $8

// func gaussArgumentsAVX2(n int, c, least float64, x, t, dst *float64)
TEXT ·gaussArgumentsAVX2(SB), NOSPLIT, $0-48
	MOVQ         n+0(FP), CX
	VBROADCASTSD c+8(FP), Y15
	VBROADCASTSD least+16(FP), Y13
	VBROADCASTSD negative<>(SB), Y14
	VXORPD       Y14, Y15, Y15
	MOVQ         x+24(FP), SI
	MOVQ         t+32(FP), DX
	MOVQ         dst+40(FP), DI
	SHLQ         $3, CX
	ADDQ         CX, SI
	ADDQ         CX, DX
	ADDQ         CX, DI
	NEGQ         CX

gaussLoop:
	VMOVUPD (SI)(CX*1), Y0
	VSUBPD  (DX)(CX*1), Y0, Y0
	VMULPD  Y0, Y0, Y0
	VMULPD  Y15, Y0, Y0
	VMAXPD  Y13, Y0, Y0
	VMOVUPD Y0, (DI)(CX*1)
	ADDQ    $32, CX
	JNE     gaussLoop
	VZEROUPPER
	RET

// The constants of gaussWeightsAVX512: log₂e, ln 2 in two parts, the number that
// rounds to whole ones, the least exponent, and the terms of Exp.
DATA gaussTable<>+0(SB)/8, $0x3ff71547652b82fe
DATA gaussTable<>+8(SB)/8, $0x3fe62e42fee00000
DATA gaussTable<>+16(SB)/8, $0x3dea39ef35793c76
DATA gaussTable<>+24(SB)/8, $0x4338000000000000
DATA gaussTable<>+32(SB)/8, $0xc079000000000000
DATA gaussTable<>+40(SB)/8, $0x3ff0000000000000
DATA gaussTable<>+48(SB)/8, $0x3ff0000000000000
DATA gaussTable<>+56(SB)/8, $0x3fe0000000000001
DATA gaussTable<>+64(SB)/8, $0x3fc5555555555556
DATA gaussTable<>+72(SB)/8, $0x3fa5555555553d63
DATA gaussTable<>+80(SB)/8, $0x3f811111111109b3
DATA gaussTable<>+88(SB)/8, $0x3f56c16c1788bd90
DATA gaussTable<>+96(SB)/8, $0x3f2a01a01a7c41d5
DATA gaussTable<>+104(SB)/8, $0x3efa019b90d2ae7a
DATA gaussTable<>+112(SB)/8, $0x3ec71de0dae63bb3
DATA gaussTable<>+120(SB)/8, $0x3e9289185613a3d6
DATA gaussTable<>+128(SB)/8, $0x3e5af38a9b0ec855
GLOBL gaussTable<>(SB), RODATA|NOPTR, $136

// func gaussWeightsAVX512(n int, c float64, x, t, p, u, v *float64)
//
// The exponential is that of expAVX2; above the least exponent 2ⁿ needs no two
// factors.
TEXT ·gaussWeightsAVX512(SB), NOSPLIT, $0-56
	MOVQ         n+0(FP), CX
	VBROADCASTSD c+8(FP), Z12
	VBROADCASTSD negative<>(SB), Z11
	VPXORQ       Z11, Z12, Z12
	VBROADCASTSD gaussTable<>+0(SB), Z13
	VBROADCASTSD gaussTable<>+8(SB), Z14
	VBROADCASTSD gaussTable<>+16(SB), Z15
	VBROADCASTSD gaussTable<>+24(SB), Z16
	VBROADCASTSD gaussTable<>+32(SB), Z17
	VBROADCASTSD gaussTable<>+40(SB), Z18
	VBROADCASTSD gaussTable<>+48(SB), Z19
	VBROADCASTSD gaussTable<>+56(SB), Z20
	VBROADCASTSD gaussTable<>+64(SB), Z21
	VBROADCASTSD gaussTable<>+72(SB), Z22
	VBROADCASTSD gaussTable<>+80(SB), Z23
	VBROADCASTSD gaussTable<>+88(SB), Z24
	VBROADCASTSD gaussTable<>+96(SB), Z25
	VBROADCASTSD gaussTable<>+104(SB), Z26
	VBROADCASTSD gaussTable<>+112(SB), Z27
	VBROADCASTSD gaussTable<>+120(SB), Z28
	VBROADCASTSD gaussTable<>+128(SB), Z29
	MOVQ         x+16(FP), SI
	MOVQ         t+24(FP), DX
	MOVQ         p+32(FP), BX
	MOVQ         u+40(FP), DI
	MOVQ         v+48(FP), R8
	SHLQ         $3, CX
	ADDQ         CX, SI
	ADDQ         CX, DX
	ADDQ         CX, BX
	ADDQ         CX, DI
	ADDQ         CX, R8
	NEGQ         CX

weightLoop:
	VMOVUPD      (SI)(CX*1), Z0
	VMOVUPD      (DX)(CX*1), Z1
	VSUBPD       Z1, Z0, Z2
	VMULPD       Z2, Z2, Z2
	VMULPD       Z12, Z2, Z2
	VMAXPD       Z17, Z2, Z2
	VMOVAPD      Z16, Z3
	VFMADD231PD  Z13, Z2, Z3
	VSUBPD       Z16, Z3, Z3
	VFNMADD231PD Z14, Z3, Z2
	VFNMADD231PD Z15, Z3, Z2
	VMOVAPD      Z29, Z4
	VFMADD213PD  Z28, Z2, Z4
	VFMADD213PD  Z27, Z2, Z4
	VFMADD213PD  Z26, Z2, Z4
	VFMADD213PD  Z25, Z2, Z4
	VFMADD213PD  Z24, Z2, Z4
	VFMADD213PD  Z23, Z2, Z4
	VFMADD213PD  Z22, Z2, Z4
	VFMADD213PD  Z21, Z2, Z4
	VFMADD213PD  Z20, Z2, Z4
	VFMADD213PD  Z19, Z2, Z4
	VFMADD213PD  Z18, Z2, Z4
	VSCALEFPD    Z3, Z4, Z4
	VMOVUPD      Z4, (BX)(CX*1)
	VMULPD       Z0, Z4, Z5
	VMULPD       Z1, Z4, Z6
	VMOVUPD      Z5, (DI)(CX*1)
	VMOVUPD      Z6, (R8)(CX*1)
	ADDQ         $64, CX
	JNE          weightLoop
	VZEROUPPER
	RET

// func weighAVX2(n int, p, x, t, u, v *float64)
TEXT ·weighAVX2(SB), NOSPLIT, $0-48
	MOVQ n+0(FP), CX
	MOVQ p+8(FP), BX
	MOVQ x+16(FP), SI
	MOVQ t+24(FP), DX
	MOVQ u+32(FP), DI
	MOVQ v+40(FP), R8
	SHLQ $3, CX
	ADDQ CX, BX
	ADDQ CX, SI
	ADDQ CX, DX
	ADDQ CX, DI
	ADDQ CX, R8
	NEGQ CX

weighLoop:
	VMOVUPD (BX)(CX*1), Y0
	VMULPD  (SI)(CX*1), Y0, Y1
	VMULPD  (DX)(CX*1), Y0, Y2
	VMOVUPD Y1, (DI)(CX*1)
	VMOVUPD Y2, (R8)(CX*1)
	ADDQ    $32, CX
	JNE     weighLoop
	VZEROUPPER
	RET

// func quotientsAVX2(n int, floor float64, x, t, dst *float64)
TEXT ·quotientsAVX2(SB), NOSPLIT, $0-40
	MOVQ         n+0(FP), CX
	VBROADCASTSD floor+8(FP), Y15
	MOVQ         x+16(FP), SI
	MOVQ         t+24(FP), DX
	MOVQ         dst+32(FP), DI
	SHLQ         $3, CX
	ADDQ         CX, SI
	ADDQ         CX, DX
	ADDQ         CX, DI
	NEGQ         CX

quotientLoop:
	// MAX returns the source named first, the floor, when the other is NaN.
	VMOVUPD (DX)(CX*1), Y0
	VMAXPD  Y15, Y0, Y0
	VMOVUPD (SI)(CX*1), Y1
	VDIVPD  Y0, Y1, Y1
	VMOVUPD Y1, (DI)(CX*1)
	ADDQ    $32, CX
	JNE     quotientLoop
	VZEROUPPER
	RET

// func rootsAVX2(n int, floor float64, x, dst *float64)
TEXT ·rootsAVX2(SB), NOSPLIT, $0-32
	MOVQ         n+0(FP), CX
	VBROADCASTSD floor+8(FP), Y15
	MOVQ         x+16(FP), SI
	MOVQ         dst+24(FP), DI
	SHLQ         $3, CX
	ADDQ         CX, SI
	ADDQ         CX, DI
	NEGQ         CX

rootLoop:
	VMOVUPD (SI)(CX*1), Y0
	VMAXPD  Y15, Y0, Y0
	VSQRTPD Y0, Y0
	VMOVUPD Y0, (DI)(CX*1)
	ADDQ    $32, CX
	JNE     rootLoop
	VZEROUPPER
	RET

// func multiplyRatiosAVX2(n int, floor, least float64, num, den, y *float64)
TEXT ·multiplyRatiosAVX2(SB), NOSPLIT, $0-48
	MOVQ         n+0(FP), CX
	VBROADCASTSD floor+8(FP), Y15
	VBROADCASTSD least+16(FP), Y14
	MOVQ         num+24(FP), SI
	MOVQ         den+32(FP), DX
	MOVQ         y+40(FP), DI
	SHLQ         $3, CX
	ADDQ         CX, SI
	ADDQ         CX, DX
	ADDQ         CX, DI
	NEGQ         CX

ratioLoop:
	VMOVUPD (DX)(CX*1), Y0
	VMAXPD  Y15, Y0, Y0
	VMOVUPD (SI)(CX*1), Y1
	VDIVPD  Y0, Y1, Y1
	VMULPD  (DI)(CX*1), Y1, Y1
	VCMPPD  $0x1d, Y14, Y1, Y2      // ≥, false for NaN
	VANDPD  Y2, Y1, Y1
	VMOVUPD Y1, (DI)(CX*1)
	ADDQ    $32, CX
	JNE     ratioLoop
	VZEROUPPER
	RET

// func multiplyAVX2(n int, x, t, dst *float64)
TEXT ·multiplyAVX2(SB), NOSPLIT, $0-32
	MOVQ n+0(FP), CX
	MOVQ x+8(FP), SI
	MOVQ t+16(FP), DX
	MOVQ dst+24(FP), DI
	SHLQ $3, CX
	ADDQ CX, SI
	ADDQ CX, DX
	ADDQ CX, DI
	NEGQ CX

multiplyLoop:
	VMOVUPD (SI)(CX*1), Y0
	VMULPD  (DX)(CX*1), Y0, Y0
	VMOVUPD Y0, (DI)(CX*1)
	ADDQ    $32, CX
	JNE     multiplyLoop
	VZEROUPPER
	RET
