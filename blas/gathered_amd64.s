//go:build !noasm

#include "textflag.h"

// Both loops keep four rows under way, so that four chains of fused
// multiply-adds hide each other's latency. Every row is summed in the same eight
// lanes whichever of the four it is: a distance has the same bits both ways
// round.

// REDUCE leaves the sums of Y0, Y1, Y2, Y3 in X0.
#define REDUCE \
	VHADDPS      Y1, Y0, Y0 \
	VHADDPS      Y3, Y2, Y2 \
	VHADDPS      Y2, Y0, Y0 \
	VEXTRACTF128 $1, Y0, X1 \
	VADDPS       X1, X0, X0

// ROWS points R9 to R12 at the rows of the next four places.
#define ROWS \
	MOVLQSX (BX), R9 \
	MOVLQSX 4(BX), R10 \
	MOVLQSX 8(BX), R11 \
	MOVLQSX 12(BX), R12 \
	IMULQ   CX, R9 \
	IMULQ   CX, R10 \
	IMULQ   CX, R11 \
	IMULQ   CX, R12 \
	ADDQ    DI, R9 \
	ADDQ    DI, R10 \
	ADDQ    DI, R11 \
	ADDQ    DI, R12 \
	VXORPS  Y0, Y0, Y0 \
	VXORPS  Y1, Y1, Y1 \
	VXORPS  Y2, Y2, Y2 \
	VXORPS  Y3, Y3, Y3 \
	XORQ    AX, AX

// func gatheredSquaresAVX2(x, rows *float32, at *int32, width, count int, out *float32)
TEXT ·gatheredSquaresAVX2(SB), NOSPLIT, $0-48
	MOVQ x+0(FP), SI
	MOVQ rows+8(FP), DI
	MOVQ at+16(FP), BX
	MOVQ width+24(FP), CX
	MOVQ count+32(FP), DX
	MOVQ out+40(FP), R8
	SHLQ $2, CX

four:
	SUBQ $4, DX
	JLT  done
	ROWS

columns:
	VMOVUPS     (SI)(AX*1), Y4
	VSUBPS      (R9)(AX*1), Y4, Y5
	VSUBPS      (R10)(AX*1), Y4, Y6
	VSUBPS      (R11)(AX*1), Y4, Y7
	VSUBPS      (R12)(AX*1), Y4, Y8
	VFMADD231PS Y5, Y5, Y0
	VFMADD231PS Y6, Y6, Y1
	VFMADD231PS Y7, Y7, Y2
	VFMADD231PS Y8, Y8, Y3
	ADDQ        $32, AX
	CMPQ        AX, CX
	JLT         columns

	REDUCE
	VMOVUPS X0, (R8)
	ADDQ    $16, R8
	ADDQ    $16, BX
	JMP     four

done:
	VZEROUPPER
	RET

// func gatheredDotsAVX2(x, rows *float32, at *int32, width, count int, out *float32)
TEXT ·gatheredDotsAVX2(SB), NOSPLIT, $0-48
	MOVQ x+0(FP), SI
	MOVQ rows+8(FP), DI
	MOVQ at+16(FP), BX
	MOVQ width+24(FP), CX
	MOVQ count+32(FP), DX
	MOVQ out+40(FP), R8
	SHLQ $2, CX

four:
	SUBQ $4, DX
	JLT  done
	ROWS

columns:
	VMOVUPS     (SI)(AX*1), Y4
	VFMADD231PS (R9)(AX*1), Y4, Y0
	VFMADD231PS (R10)(AX*1), Y4, Y1
	VFMADD231PS (R11)(AX*1), Y4, Y2
	VFMADD231PS (R12)(AX*1), Y4, Y3
	ADDQ        $32, AX
	CMPQ        AX, CX
	JLT         columns

	REDUCE
	VMOVUPS X0, (R8)
	ADDQ    $16, R8
	ADDQ    $16, BX
	JMP     four

done:
	VZEROUPPER
	RET
