//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

DATA panelFloor<>+0(SB)/8, $0x3C9CD2B297D889BC // 1e-16
GLOBL panelFloor<>(SB), RODATA|NOPTR, $8

// STEP writes the loops of a step: over the rows, over the columns of a row four at a time, R10
// bytes from the first, and, between BEGIN and END, over the columns of U with EACH, which finds
// the number of U in V5 and the rows of the matrices at R12 and R13. END leaves in V0 and V1 the
// factors of the entries of U. The new entries go over A.
#define STEP(BEGIN, EACH, END) \
	MOVD  rows+0(FP), R0         \
	MOVD  w+8(FP), R1            \
	MOVD  cols+16(FP), R2        \
	MOVD  u+24(FP), R3           \
	MOVD  a+32(FP), R4           \
	LSL   $3, R1                 \
	VLD1  (R9), [V30.D2, V31.D2] \
	MOVD  $panelFloor<>(SB), R11 \
	VLD1R (R11), [V29.D2]        \
row:                             \
	MOVD  ZR, R10                \
columns:                         \
	ADD   R10, R4, R15           \
	ADD   R10, R5, R19           \
	BEGIN                        \
	MOVD  R3, R11                \
	ADD   R10, R6, R12           \
	ADD   R10, R7, R13           \
	MOVD  R2, R14                \
inner:                           \
	FMOVD.P 8(R11), F5           \
	EACH                         \
	SUB   $1, R14                \
	CBNZ  R14, inner             \
	ADD   R10, R3, R20           \
	VLD1  (R20), [V6.D2, V7.D2]  \
	END                          \
	ADD   R10, R8, R20           \
	VLD1  (R20), [V20.D2, V21.D2] \
	FMUL2(6, 0, 0)               \
	FMUL2(7, 1, 1)               \
	FCMGT2(20, 0, 22)            \
	FCMGT2(21, 1, 23)            \
	VBIT  V22.B16, V20.B16, V0.B16 \
	VBIT  V23.B16, V21.B16, V1.B16 \
	VST1  [V0.D2, V1.D2], (R15)  \
	FSUB2(0, 6, 0)               \
	FSUB2(1, 7, 1)               \
	FMLA2(0, 0, 30)              \
	FMLA2(1, 1, 31)              \
	ADD   $32, R10               \
	CMP   R1, R10                \
	BLT   columns                \
	ADD   R1, R3                 \
	ADD   R1, R4                 \
	ADD   R1, R5                 \
	SUB   $1, R0                 \
	CBNZ  R0, row                \
	VST1  [V30.D2, V31.D2], (R9) \
	RET

// The numerators of PanelRatio are in V0 and V1, the denominators in V2 and V3.
#define RATIOBEGIN \
	VLD1 (R15), [V0.D2, V1.D2] \
	VLD1 (R19), [V2.D2, V3.D2]

#define HALFBEGIN \
	VLD1 (R15), [V0.D2, V1.D2]  \
	VEOR V2.B16, V2.B16, V2.B16 \
	VEOR V3.B16, V3.B16, V3.B16

#define HALFEACH \
	VLD1.P (R12)(R1), [V16.D2, V17.D2] \
	FMLA2E0(16, 5, 2)                  \
	FMLA2E0(17, 5, 3)

#define RATIOEACH \
	VLD1.P (R13)(R1), [V18.D2, V19.D2] \
	HALFEACH                           \
	FMLA2E0(18, 5, 0)                  \
	FMLA2E0(19, 5, 1)

#define RATIOEND \
	FMAX2(2, 29, 2) \
	FMAX2(3, 29, 3) \
	FDIV2(0, 2, 0)  \
	FDIV2(1, 3, 1)  \
	FSQRT2(0, 0)    \
	FSQRT2(1, 1)

// func ratioNEON(rows, w, cols int, u, a, b, la, lb, floor, moved *float64)
TEXT ·ratioNEON(SB), NOSPLIT, $0-80
	MOVD b+40(FP), R5
	MOVD la+48(FP), R6
	MOVD lb+56(FP), R7
	MOVD floor+64(FP), R8
	MOVD moved+72(FP), R9
	STEP(RATIOBEGIN, RATIOEACH, RATIOEND)

// func ratioHalfNEON(rows, w, cols int, u, a, la, floor, moved *float64)
TEXT ·ratioHalfNEON(SB), NOSPLIT, $0-64
	MOVD la+40(FP), R6
	MOVD floor+48(FP), R8
	MOVD moved+56(FP), R9
	STEP(HALFBEGIN, HALFEACH, RATIOEND)

// The sums of PanelQuartic are in V0 and V1, alpha in V28, 4 and 2 in V27 and V26; c comes into V2
// and V3, b into V18 and V19.
#define QUARTICBEGIN \
	VEOR V0.B16, V0.B16, V0.B16 \
	VEOR V1.B16, V1.B16, V1.B16

#define QUARTICEACH \
	VLD1.P (R12)(R1), [V16.D2, V17.D2] \
	FMLA2E0(16, 5, 0)                  \
	FMLA2E0(17, 5, 1)

#define LINEAR \
	VLD1 (R19), [V18.D2, V19.D2] \
	FMUL2(18, 20, 18)            \
	FMUL2(19, 21, 19)

#define NOLINEAR \
	VEOR V18.B16, V18.B16, V18.B16 \
	VEOR V19.B16, V19.B16, V19.B16

#define QUARTICROOTS(LINEARS) \
	VLD1 (R13), [V20.D2, V21.D2] \
	VLD1 (R15), [V2.D2, V3.D2]   \
	FMUL2(2, 20, 2)              \
	FMUL2(3, 21, 3)              \
	FMLA2E0(6, 28, 2)            \
	FMLA2E0(7, 28, 3)            \
	LINEARS                      \
	FMUL2(18, 18, 22)            \
	FMUL2(19, 19, 23)            \
	FMUL2E0(0, 27, 0)            \
	FMUL2E0(1, 27, 1)            \
	FMLA2(0, 2, 22)              \
	FMLA2(1, 3, 23)              \
	FSQRT2(22, 22)               \
	FSQRT2(23, 23)               \
	FADD2(18, 22, 22)            \
	FADD2(19, 23, 23)            \
	FMAX2(22, 29, 22)            \
	FMAX2(23, 29, 23)            \
	FMUL2E0(2, 26, 2)            \
	FMUL2E0(3, 26, 3)            \
	FDIV2(2, 22, 0)              \
	FDIV2(3, 23, 1)              \
	FSQRT2(0, 0)                 \
	FSQRT2(1, 1)

#define QUARTICEND QUARTICROOTS(LINEAR)
#define QUARTICHALFEND QUARTICROOTS(NOLINEAR)

// func quarticNEON(rows, w, cols int, u, a, b, m, s, floor *float64, alpha float64, moved *float64)
TEXT ·quarticNEON(SB), NOSPLIT, $0-88
	MOVD  b+40(FP), R5
	MOVD  m+48(FP), R6
	MOVD  s+56(FP), R7
	MOVD  floor+64(FP), R8
	FMOVD alpha+72(FP), F28
	MOVD  moved+80(FP), R9
	FMOVD $4.0, F27
	FMOVD $2.0, F26
	STEP(QUARTICBEGIN, QUARTICEACH, QUARTICEND)

// func quarticHalfNEON(rows, w, cols int, u, a, m, s, floor *float64, alpha float64, moved *float64)
TEXT ·quarticHalfNEON(SB), NOSPLIT, $0-80
	MOVD  m+40(FP), R6
	MOVD  s+48(FP), R7
	MOVD  floor+56(FP), R8
	FMOVD alpha+64(FP), F28
	MOVD  moved+72(FP), R9
	FMOVD $4.0, F27
	FMOVD $2.0, F26
	STEP(QUARTICBEGIN, QUARTICEACH, QUARTICHALFEND)
