//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// The bits of a mask: of eight places in numbers of 16 bits, of sixteen in bytes.
DATA scanBits<>+0(SB)/8, $0x0008000400020001
DATA scanBits<>+8(SB)/8, $0x0080004000200010
DATA scanBits<>+16(SB)/8, $0x8040201008040201
DATA scanBits<>+24(SB)/8, $0x8040201008040201
GLOBL scanBits<>(SB), RODATA|NOPTR, $32

// EIGHT writes the mask of eight places, from the comparisons in V4 to V7. R6 takes any of them.
#define EIGHT \
	VUZP1  V5.S4, V4.S4, V4.S4   \
	VUZP1  V7.S4, V6.S4, V6.S4   \
	VUZP1  V6.H8, V4.H8, V4.H8   \
	VAND   V29.B16, V4.B16, V4.B16 \
	ADDV8(4, 4)                  \
	VMOV   V4.H[0], R7           \
	ORR    R7, R6                \
	MOVB.P R7, 1(R4)

// SIXTEEN is the same for sixteen places.
#define SIXTEEN \
	VUZP1  V5.H8, V4.H8, V4.H8   \
	VUZP1  V7.H8, V6.H8, V6.H8   \
	VUZP1  V6.B16, V4.B16, V4.B16 \
	VAND   V29.B16, V4.B16, V4.B16 \
	VADDP  V4.B16, V4.B16, V4.B16 \
	VADDP  V4.B16, V4.B16, V4.B16 \
	VADDP  V4.B16, V4.B16, V4.B16 \
	VMOV   V4.H[0], R7           \
	ORR    R7, R6                \
	MOVH.P R7, 2(R4)

// ROWS loads four vectors of each row: V0 to V3, V4 to V7 and V16 to V19.
#define ROWS(kind) \
	VLD1.P 64(R1), [V0.kind, V1.kind, V2.kind, V3.kind] \
	VLD1.P 64(R2), [V4.kind, V5.kind, V6.kind, V7.kind] \
	VLD1.P 64(R3), [V16.kind, V17.kind, V18.kind, V19.kind]

// BEYOND leaves in V4 to V7 where v − h ≥ t or v − c ≥ r, for the rows v, h and r of ROWS.
#define BEYOND(FSUB, FCMGE) \
	FSUB(0, 4, 4)   \
	FSUB(1, 5, 5)   \
	FSUB(2, 6, 6)   \
	FSUB(3, 7, 7)   \
	FSUB(0, 31, 0)  \
	FSUB(1, 31, 1)  \
	FSUB(2, 31, 2)  \
	FSUB(3, 31, 3)  \
	FCMGE(4, 30, 4) \
	FCMGE(5, 30, 5) \
	FCMGE(6, 30, 6) \
	FCMGE(7, 30, 7) \
	FCMGE(0, 16, 0) \
	FCMGE(1, 17, 1) \
	FCMGE(2, 18, 2) \
	FCMGE(3, 19, 3) \
	EITHER

// EITHER leaves in V4 to V7 where one of two comparisons holds.
#define EITHER \
	VORR V0.B16, V4.B16, V4.B16 \
	VORR V1.B16, V5.B16, V5.B16 \
	VORR V2.B16, V6.B16, V6.B16 \
	VORR V3.B16, V7.B16, V7.B16

// func scan64NEON(eights int, v, h, r *float64, c, t float64, mask *uint64) uint64
TEXT ·scan64NEON(SB), NOSPLIT, $0-64
	MOVD  eights+0(FP), R0
	MOVD  v+8(FP), R1
	MOVD  h+16(FP), R2
	MOVD  r+24(FP), R3
	FMOVD c+32(FP), F31
	FMOVD t+40(FP), F30
	MOVD  mask+48(FP), R4
	VDUP  V31.D[0], V31.D2
	VDUP  V30.D[0], V30.D2
	MOVD  $scanBits<>(SB), R5
	VLD1  (R5), [V29.B16]
	MOVD  ZR, R6

scan64Loop:
	ROWS(D2)
	BEYOND(FSUB2, FCMGE2)
	EIGHT
	SUB  $1, R0
	CBNZ R0, scan64Loop
	MOVD R6, ret+56(FP)
	RET

// func scan32NEON(sixteens int, v, h, r *float32, c, t float32, mask *uint64) uint64
TEXT ·scan32NEON(SB), NOSPLIT, $0-56
	MOVD  sixteens+0(FP), R0
	MOVD  v+8(FP), R1
	MOVD  h+16(FP), R2
	MOVD  r+24(FP), R3
	FMOVS c+32(FP), F31
	FMOVS t+36(FP), F30
	MOVD  mask+40(FP), R4
	VDUP  V31.S[0], V31.S4
	VDUP  V30.S[0], V30.S4
	MOVD  $scanBits<>+16(SB), R5
	VLD1  (R5), [V29.B16]
	MOVD  ZR, R6

scan32Loop:
	ROWS(S4)
	BEYOND(FSUB4, FCMGE4)
	SIXTEEN
	SUB  $1, R0
	CBNZ R0, scan32Loop
	MOVD R6, ret+48(FP)
	RET

// func scanSquaresNEON(eights int, v, h, r *float64, c, t float64, mask *uint64) uint64
TEXT ·scanSquaresNEON(SB), NOSPLIT, $0-64
	MOVD  eights+0(FP), R0
	MOVD  v+8(FP), R1
	MOVD  h+16(FP), R2
	MOVD  r+24(FP), R3
	FMOVD c+32(FP), F31
	FMOVD t+40(FP), F30
	MOVD  mask+48(FP), R4
	VDUP  V31.D[0], V31.D2
	VDUP  V30.D[0], V30.D2
	MOVD  $scanBits<>(SB), R5
	VLD1  (R5), [V29.B16]
	MOVD  ZR, R6

squaresLoop:
	ROWS(D2)
	FSUB2(4, 16, 4)
	FSUB2(5, 17, 5)
	FSUB2(6, 18, 6)
	FSUB2(7, 19, 7)
	FSUB2(16, 31, 16)
	FSUB2(17, 31, 17)
	FSUB2(18, 31, 18)
	FSUB2(19, 31, 19)
	FMUL2(16, 16, 16)
	FMUL2(17, 17, 17)
	FMUL2(18, 18, 18)
	FMUL2(19, 19, 19)
	FMLA2(0, 16, 4)
	FMLA2(1, 17, 5)
	FMLA2(2, 18, 6)
	FMLA2(3, 19, 7)
	FCMGE2(4, 30, 4)
	FCMGE2(5, 30, 5)
	FCMGE2(6, 30, 6)
	FCMGE2(7, 30, 7)
	EIGHT
	SUB  $1, R0
	CBNZ R0, squaresLoop
	MOVD R6, ret+56(FP)
	RET

// func scanCodesNEON(sixteens int, v, h, r *int32, c, t int32, mask *uint64) uint64
TEXT ·scanCodesNEON(SB), NOSPLIT, $0-56
	MOVD sixteens+0(FP), R0
	MOVD v+8(FP), R1
	MOVD h+16(FP), R2
	MOVD r+24(FP), R3
	MOVW c+32(FP), R7
	MOVW t+36(FP), R8
	MOVD mask+40(FP), R4
	VDUP R7, V31.S4
	VDUP R8, V30.S4
	MOVD $scanBits<>+16(SB), R5
	VLD1 (R5), [V29.B16]
	MOVD ZR, R6

codesLoop:
	ROWS(S4)
	VSUB V4.S4, V0.S4, V4.S4
	VSUB V5.S4, V1.S4, V5.S4
	VSUB V6.S4, V2.S4, V6.S4
	VSUB V7.S4, V3.S4, V7.S4
	VSUB V31.S4, V0.S4, V0.S4
	VSUB V31.S4, V1.S4, V1.S4
	VSUB V31.S4, V2.S4, V2.S4
	VSUB V31.S4, V3.S4, V3.S4
	CMGT4(4, 30, 4)
	CMGT4(5, 30, 5)
	CMGT4(6, 30, 6)
	CMGT4(7, 30, 7)
	CMGT4(0, 16, 0)
	CMGT4(1, 17, 1)
	CMGT4(2, 18, 2)
	CMGT4(3, 19, 3)
	EITHER
	SIXTEEN
	SUB  $1, R0
	CBNZ R0, codesLoop
	MOVD R6, ret+48(FP)
	RET

// func largestNEON(eights int, col *int32) uint32
TEXT ·largestNEON(SB), NOSPLIT, $0-20
	MOVD eights+0(FP), R0
	MOVD col+8(FP), R1
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16

largestLoop:
	VLD1.P 32(R1), [V2.S4, V3.S4]
	VUMAX  V2.S4, V0.S4, V0.S4
	VUMAX  V3.S4, V1.S4, V1.S4
	SUB    $1, R0
	CBNZ   R0, largestLoop
	VUMAX  V1.S4, V0.S4, V0.S4
	UMAXV4(0, 0)
	FMOVS  F0, ret+16(FP)
	RET
