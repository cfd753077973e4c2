//go:build !noasm

#include "textflag.h"

DATA fixedUnit<>+0(SB)/8, $0x4070000000000000 // 256
GLOBL fixedUnit<>(SB), RODATA|NOPTR, $8

// func fixedAVX2(quads int, coarse *int32, fine *uint8, values *float64)
TEXT ·fixedAVX2(SB), NOSPLIT, $0-32
	MOVQ         quads+0(FP), CX
	MOVQ         coarse+8(FP), SI
	MOVQ         fine+16(FP), DX
	MOVQ         values+24(FP), DI
	VBROADCASTSD fixedUnit<>(SB), Y15

loop:
	VCVTDQ2PD   (SI), Y0
	VPMOVZXBD   (DX), X1
	VCVTDQ2PD   X1, Y1
	VFMADD231PD Y15, Y0, Y1
	VMOVUPD     Y1, (DI)
	ADDQ        $16, SI
	ADDQ        $4, DX
	ADDQ        $32, DI
	DECQ        CX
	JNE         loop
	VZEROUPPER
	RET
