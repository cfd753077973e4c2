//go:build !noasm

#include "textflag.h"

// Rows of a sparse matrix times a panel, and the quotients of a Kullback–Leibler step.
// Entry R9 of the rows has its column in SI and its value in DI: in Wide 4 and 8 bytes,
// in Near 2 and 8, in Short 2 and 4.

DATA stackedFloor<>+0(SB)/8, $0x3C9CD2B297D889BC // 1e-16
GLOBL stackedFloor<>(SB), RODATA|NOPTR, $8

#define WIDE \
	MOVLQSX      (SI)(R9*4), AX; \
	VBROADCASTSD (DI)(R9*8), Y15

#define NEAR \
	MOVWLZX      (SI)(R9*2), AX; \
	VBROADCASTSD (DI)(R9*8), Y15

#define SHORT \
	MOVWLZX      (SI)(R9*2), AX; \
	VXORPS       X15, X15, X15; \
	VCVTSS2SD    (DI)(R9*4), X15, X15; \
	VBROADCASTSD X15, Y15

#define CLEAR8 \
	VXORPD Y0, Y0, Y0; \
	VXORPD Y1, Y1, Y1

#define LOAD8 \
	VMOVUPD 0(R8), Y0; \
	VMOVUPD 32(R8), Y1

#define ADD8 \
	VFMADD231PD 0(BX)(AX*1), Y15, Y0; \
	VFMADD231PD 32(BX)(AX*1), Y15, Y1

#define STORE8 \
	VMOVUPD Y0, 0(R8); \
	VMOVUPD Y1, 32(R8)

#define CLEAR16 \
	VXORPD Y0, Y0, Y0; \
	VXORPD Y1, Y1, Y1; \
	VXORPD Y2, Y2, Y2; \
	VXORPD Y3, Y3, Y3

#define LOAD16 \
	VMOVUPD 0(R8), Y0; \
	VMOVUPD 32(R8), Y1; \
	VMOVUPD 64(R8), Y2; \
	VMOVUPD 96(R8), Y3

#define ADD16 \
	VFMADD231PD 0(BX)(AX*1), Y15, Y0; \
	VFMADD231PD 32(BX)(AX*1), Y15, Y1; \
	VFMADD231PD 64(BX)(AX*1), Y15, Y2; \
	VFMADD231PD 96(BX)(AX*1), Y15, Y3

#define STORE16 \
	VMOVUPD Y0, 0(R8); \
	VMOVUPD Y1, 32(R8); \
	VMOVUPD Y2, 64(R8); \
	VMOVUPD Y3, 96(R8)

#define CLEAR24 \
	VXORPD Y0, Y0, Y0; \
	VXORPD Y1, Y1, Y1; \
	VXORPD Y2, Y2, Y2; \
	VXORPD Y3, Y3, Y3; \
	VXORPD Y4, Y4, Y4; \
	VXORPD Y5, Y5, Y5

#define LOAD24 \
	VMOVUPD 0(R8), Y0; \
	VMOVUPD 32(R8), Y1; \
	VMOVUPD 64(R8), Y2; \
	VMOVUPD 96(R8), Y3; \
	VMOVUPD 128(R8), Y4; \
	VMOVUPD 160(R8), Y5

#define ADD24 \
	VFMADD231PD 0(BX)(AX*1), Y15, Y0; \
	VFMADD231PD 32(BX)(AX*1), Y15, Y1; \
	VFMADD231PD 64(BX)(AX*1), Y15, Y2; \
	VFMADD231PD 96(BX)(AX*1), Y15, Y3; \
	VFMADD231PD 128(BX)(AX*1), Y15, Y4; \
	VFMADD231PD 160(BX)(AX*1), Y15, Y5

#define STORE24 \
	VMOVUPD Y0, 0(R8); \
	VMOVUPD Y1, 32(R8); \
	VMOVUPD Y2, 64(R8); \
	VMOVUPD Y3, 96(R8); \
	VMOVUPD Y4, 128(R8); \
	VMOVUPD Y5, 160(R8)

#define CLEAR32 \
	VXORPD Y0, Y0, Y0; \
	VXORPD Y1, Y1, Y1; \
	VXORPD Y2, Y2, Y2; \
	VXORPD Y3, Y3, Y3; \
	VXORPD Y4, Y4, Y4; \
	VXORPD Y5, Y5, Y5; \
	VXORPD Y6, Y6, Y6; \
	VXORPD Y7, Y7, Y7

#define LOAD32 \
	VMOVUPD 0(R8), Y0; \
	VMOVUPD 32(R8), Y1; \
	VMOVUPD 64(R8), Y2; \
	VMOVUPD 96(R8), Y3; \
	VMOVUPD 128(R8), Y4; \
	VMOVUPD 160(R8), Y5; \
	VMOVUPD 192(R8), Y6; \
	VMOVUPD 224(R8), Y7

#define ADD32 \
	VFMADD231PD 0(BX)(AX*1), Y15, Y0; \
	VFMADD231PD 32(BX)(AX*1), Y15, Y1; \
	VFMADD231PD 64(BX)(AX*1), Y15, Y2; \
	VFMADD231PD 96(BX)(AX*1), Y15, Y3; \
	VFMADD231PD 128(BX)(AX*1), Y15, Y4; \
	VFMADD231PD 160(BX)(AX*1), Y15, Y5; \
	VFMADD231PD 192(BX)(AX*1), Y15, Y6; \
	VFMADD231PD 224(BX)(AX*1), Y15, Y7

#define STORE32 \
	VMOVUPD Y0, 0(R8); \
	VMOVUPD Y1, 32(R8); \
	VMOVUPD Y2, 64(R8); \
	VMOVUPD Y3, 96(R8); \
	VMOVUPD Y4, 128(R8); \
	VMOVUPD Y5, 160(R8); \
	VMOVUPD Y6, 192(R8); \
	VMOVUPD Y7, 224(R8)

#define PRODUCTS(FETCH, CLEAR, LOAD, ADD, STORE) \
	MOVQ rows+0(FP), CX; \
	MOVQ ptr+8(FP), DX; \
	MOVQ col+16(FP), SI; \
	MOVQ val+24(FP), DI; \
	MOVQ x+32(FP), BX; \
	MOVQ ldx+40(FP), R11; \
	MOVQ y+48(FP), R8; \
	MOVQ ldy+56(FP), R12; \
	MOVQ add+64(FP), R13; \
	MOVQ (DX), R9; \
row: \
	ADDQ  $8, DX; \
	MOVQ  (DX), R10; \
	TESTQ R13, R13; \
	JNE   more; \
	CLEAR; \
	JMP   entries; \
more: \
	LOAD; \
entries: \
	CMPQ  R9, R10; \
	JGE   done; \
	FETCH; \
	IMULQ R11, AX; \
	ADD; \
	INCQ  R9; \
	JMP   entries; \
done: \
	STORE; \
	ADDQ R12, R8; \
	DECQ CX; \
	JNE  row; \
	VZEROUPPER; \
	RET

// Of entry R9, with the factor's row in BX: the sum of products with R14, four lanes of
// it; the value by that; and its products with the row, which R8 takes. R11 is the
// number of bytes of a row.
#define QUOTIENTS(FETCH) \
	MOVQ rows+0(FP), CX; \
	MOVQ ptr+8(FP), DX; \
	MOVQ col+16(FP), SI; \
	MOVQ val+24(FP), DI; \
	MOVQ a+32(FP), R14; \
	MOVQ b+40(FP), R13; \
	MOVQ y+48(FP), R8; \
	MOVQ ld+56(FP), R11; \
	VBROADCASTSD stackedFloor<>(SB), Y14; \
	ADDQ R11, R14; \
	ADDQ R11, R8; \
	ADDQ R11, R13; \
	MOVQ (DX), R9; \
row: \
	ADDQ $8, DX; \
	MOVQ (DX), R10; \
entries: \
	CMPQ   R9, R10; \
	JGE    done; \
	FETCH; \
	IMULQ  R11, AX; \
	LEAQ   (R13)(AX*1), BX; \
	VXORPD Y0, Y0, Y0; \
	MOVQ   R11, R12; \
	NEGQ   R12; \
dot: \
	VMOVUPD     (R14)(R12*1), Y1; \
	VFMADD231PD (BX)(R12*1), Y1, Y0; \
	ADDQ        $32, R12; \
	JNE         dot; \
	VMAXPD      Y0, Y14, Y0; \
	VDIVPD      Y0, Y15, Y0; \
	MOVQ        R11, R12; \
	NEGQ        R12; \
axpy: \
	VMOVUPD     (R8)(R12*1), Y1; \
	VFMADD231PD (BX)(R12*1), Y0, Y1; \
	VMOVUPD     Y1, (R8)(R12*1); \
	ADDQ        $32, R12; \
	JNE         axpy; \
	INCQ        R9; \
	JMP         entries; \
done: \
	ADDQ R11, R8; \
	ADDQ R11, R14; \
	DECQ CX; \
	JNE  row; \
	VZEROUPPER; \
	RET

// func productsWide8(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)
TEXT ·productsWide8(SB), NOSPLIT, $0-72
	PRODUCTS(WIDE, CLEAR8, LOAD8, ADD8, STORE8)

// func productsWide16(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)
TEXT ·productsWide16(SB), NOSPLIT, $0-72
	PRODUCTS(WIDE, CLEAR16, LOAD16, ADD16, STORE16)

// func productsWide24(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)
TEXT ·productsWide24(SB), NOSPLIT, $0-72
	PRODUCTS(WIDE, CLEAR24, LOAD24, ADD24, STORE24)

// func productsWide32(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)
TEXT ·productsWide32(SB), NOSPLIT, $0-72
	PRODUCTS(WIDE, CLEAR32, LOAD32, ADD32, STORE32)

// func productsNear8(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)
TEXT ·productsNear8(SB), NOSPLIT, $0-72
	PRODUCTS(NEAR, CLEAR8, LOAD8, ADD8, STORE8)

// func productsNear16(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)
TEXT ·productsNear16(SB), NOSPLIT, $0-72
	PRODUCTS(NEAR, CLEAR16, LOAD16, ADD16, STORE16)

// func productsNear24(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)
TEXT ·productsNear24(SB), NOSPLIT, $0-72
	PRODUCTS(NEAR, CLEAR24, LOAD24, ADD24, STORE24)

// func productsNear32(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)
TEXT ·productsNear32(SB), NOSPLIT, $0-72
	PRODUCTS(NEAR, CLEAR32, LOAD32, ADD32, STORE32)

// func productsShort8(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)
TEXT ·productsShort8(SB), NOSPLIT, $0-72
	PRODUCTS(SHORT, CLEAR8, LOAD8, ADD8, STORE8)

// func productsShort16(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)
TEXT ·productsShort16(SB), NOSPLIT, $0-72
	PRODUCTS(SHORT, CLEAR16, LOAD16, ADD16, STORE16)

// func productsShort24(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)
TEXT ·productsShort24(SB), NOSPLIT, $0-72
	PRODUCTS(SHORT, CLEAR24, LOAD24, ADD24, STORE24)

// func productsShort32(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)
TEXT ·productsShort32(SB), NOSPLIT, $0-72
	PRODUCTS(SHORT, CLEAR32, LOAD32, ADD32, STORE32)

// func quotientsWide(rows int, ptr *int, col, val unsafe.Pointer, a, b, y *float64, ld int)
TEXT ·quotientsWide(SB), NOSPLIT, $0-64
	QUOTIENTS(WIDE)

// func quotientsNear(rows int, ptr *int, col, val unsafe.Pointer, a, b, y *float64, ld int)
TEXT ·quotientsNear(SB), NOSPLIT, $0-64
	QUOTIENTS(NEAR)

// func quotientsShort(rows int, ptr *int, col, val unsafe.Pointer, a, b, y *float64, ld int)
TEXT ·quotientsShort(SB), NOSPLIT, $0-64
	QUOTIENTS(SHORT)
