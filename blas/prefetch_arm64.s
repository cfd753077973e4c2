//go:build !noasm

#include "textflag.h"

// func prefetchNEON(first *byte, lines, step int)
TEXT ·prefetchNEON(SB), NOSPLIT, $0-24
	MOVD first+0(FP), R0
	MOVD lines+8(FP), R1
	MOVD step+16(FP), R2

prefetchLine:
	PRFM (R0), PLDL1KEEP
	ADD  R2, R0
	SUB  $1, R1
	CBNZ R1, prefetchLine
	RET
