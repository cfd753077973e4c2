// Operations on vectors of 128 bits that Go's assembler has no names for: those on floating-point
// numbers, two of 64 bits or four of 32, and a few on whole numbers. Arguments are numbers of
// registers, operands first, as in d = n − m. A digit after E is the number of m that all of n are
// multiplied with.

#define FADD2(n, m, d) WORD $(0x4E60D400 | (m)<<16 | (n)<<5 | (d))
#define FSUB2(n, m, d) WORD $(0x4EE0D400 | (m)<<16 | (n)<<5 | (d))
#define FMUL2(n, m, d) WORD $(0x6E60DC00 | (m)<<16 | (n)<<5 | (d))
#define FDIV2(n, m, d) WORD $(0x6E60FC00 | (m)<<16 | (n)<<5 | (d))
#define FSQRT2(n, d) WORD $(0x6EE1F800 | (n)<<5 | (d))
#define FMLA2(n, m, d) WORD $(0x4E60CC00 | (m)<<16 | (n)<<5 | (d))
#define FMLS2(n, m, d) WORD $(0x4EE0CC00 | (m)<<16 | (n)<<5 | (d))
#define FMUL2E0(n, m, d) WORD $(0x4FC09000 | (m)<<16 | (n)<<5 | (d))
#define FMLA2E0(n, m, d) WORD $(0x4FC01000 | (m)<<16 | (n)<<5 | (d))
#define FMLA2E1(n, m, d) WORD $(0x4FC01800 | (m)<<16 | (n)<<5 | (d))
#define FMLS2E0(n, m, d) WORD $(0x4FC05000 | (m)<<16 | (n)<<5 | (d))
#define FMLS2E1(n, m, d) WORD $(0x4FC05800 | (m)<<16 | (n)<<5 | (d))

#define FADD4(n, m, d) WORD $(0x4E20D400 | (m)<<16 | (n)<<5 | (d))
#define FSUB4(n, m, d) WORD $(0x4EA0D400 | (m)<<16 | (n)<<5 | (d))
#define FMLA4(n, m, d) WORD $(0x4E20CC00 | (m)<<16 | (n)<<5 | (d))
#define FMUL4E0(n, m, d) WORD $(0x4F809000 | (m)<<16 | (n)<<5 | (d))
#define FMLA4E0(n, m, d) WORD $(0x4F801000 | (m)<<16 | (n)<<5 | (d))
#define FMLA4E1(n, m, d) WORD $(0x4FA01000 | (m)<<16 | (n)<<5 | (d))
#define FMLA4E2(n, m, d) WORD $(0x4F801800 | (m)<<16 | (n)<<5 | (d))
#define FMLA4E3(n, m, d) WORD $(0x4FA01800 | (m)<<16 | (n)<<5 | (d))

// FMAX and FMIN give NaN where one is NaN, FMAXNM the other.
#define FMAX2(n, m, d) WORD $(0x4E60F400 | (m)<<16 | (n)<<5 | (d))
#define FMIN2(n, m, d) WORD $(0x4EE0F400 | (m)<<16 | (n)<<5 | (d))
#define FMAXNM2(n, m, d) WORD $(0x4E60C400 | (m)<<16 | (n)<<5 | (d))

// Comparisons give ones where n ≥ m or n > m, zeros elsewhere and for NaN.
#define FCMGE2(n, m, d) WORD $(0x6E60E400 | (m)<<16 | (n)<<5 | (d))
#define FCMGT2(n, m, d) WORD $(0x6EE0E400 | (m)<<16 | (n)<<5 | (d))
#define FCMGE4(n, m, d) WORD $(0x6E20E400 | (m)<<16 | (n)<<5 | (d))
#define CMGT4(n, m, d) WORD $(0x4EA03400 | (m)<<16 | (n)<<5 | (d))

// FADDP4 writes the sums of neighbours in n, then in m; FADDP1 the sum of both numbers of n.
#define FADDP4(n, m, d) WORD $(0x6E20D400 | (m)<<16 | (n)<<5 | (d))
#define FADDP1(n, d) WORD $(0x7E70D800 | (n)<<5 | (d))

// SCVTF2 converts whole numbers of 64 bits. SSHLL2LOW and SSHLL2HIGH widen two of the four whole
// numbers of n, shifted by eight bits. SSHR4ONE halves four, rounded down.
#define SCVTF2(n, d) WORD $(0x4E61D800 | (n)<<5 | (d))
#define SSHLL2LOW(n, d) WORD $(0x0F28A400 | (n)<<5 | (d))
#define SSHLL2HIGH(n, d) WORD $(0x4F28A400 | (n)<<5 | (d))
#define SSHR4ONE(n, d) WORD $(0x4F3F0400 | (n)<<5 | (d))

// UMAXV4 is the largest of four whole numbers, ADDV8 the sum of eight of 16 bits.
#define UMAXV4(n, d) WORD $(0x6EB0A800 | (n)<<5 | (d))
#define ADDV8(n, d) WORD $(0x4E71B800 | (n)<<5 | (d))

// SMLAL and SMLAL2 add the products of the lower and of the upper four numbers of 16 bits.
#define SMLAL(n, m, d) WORD $(0x0E608000 | (m)<<16 | (n)<<5 | (d))
#define SMLAL2(n, m, d) WORD $(0x4E608000 | (m)<<16 | (n)<<5 | (d))

// SDOT adds to each whole number of d the product of four bytes of n with four bytes of m, those
// of the given index.
#define SDOT0(n, m, d) WORD $(0x4F80E000 | (m)<<16 | (n)<<5 | (d))
#define SDOT1(n, m, d) WORD $(0x4FA0E000 | (m)<<16 | (n)<<5 | (d))
#define SDOT2(n, m, d) WORD $(0x4F80E800 | (m)<<16 | (n)<<5 | (d))
#define SDOT3(n, m, d) WORD $(0x4FA0E800 | (m)<<16 | (n)<<5 | (d))
