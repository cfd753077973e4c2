//go:build !noasm

#include "textflag.h"

// func prefetchAVX2(first *byte, lines int)
TEXT ·prefetchAVX2(SB), NOSPLIT, $0-16
	MOVQ first+0(FP), AX
	MOVQ lines+8(FP), CX

line:
	PREFETCHT0 (AX)
	ADDQ $64, AX
	DECQ CX
	JNZ  line
	RET
