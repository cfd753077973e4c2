//go:build !noasm

#include "textflag.h"

// func prefetchNEON(first *byte, lines int)
TEXT ·prefetchNEON(SB), NOSPLIT, $0-16
	MOVD first+0(FP), R0
	MOVD lines+8(FP), R1

prefetchLine:
	PRFM (R0), PLDL1KEEP
	ADD  $64, R0
	SUB  $1, R1
	CBNZ R1, prefetchLine
	RET
