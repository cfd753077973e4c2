//go:build !noasm

#include "textflag.h"

// func prefetchAVX2(first *byte, lines, step int)
TEXT ·prefetchAVX2(SB), NOSPLIT, $0-24
	MOVQ first+0(FP), AX
	MOVQ lines+8(FP), CX
	MOVQ step+16(FP), DX

line:
	PREFETCHT0 (AX)
	ADDQ DX, AX
	DECQ CX
	JNZ  line
	RET
