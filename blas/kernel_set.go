package blas

import "unsafe"

// kernelSet holds the kernels in assembly of one instruction level, with the shapes that the Go
// code around them must know. A kernel that a set lacks is nil, and the Go code, which is the
// definition, computes the same bits in its place (in single precision, the same within rounding);
// the set of Go alone therefore holds the tiles of products and nothing else. Kernels check no
// bounds, and treat whole vectors: the callers see to both. Lengths count numbers unless a name
// says otherwise (quads are four numbers, eights eight).
//
// The set in use is kernel. Pointers go to a kernel by noescape.
type kernelSet struct {
	level isaLevel
	// usable reports whether this processor has the instructions, and whether they pay on it.
	usable func() bool

	// Matrix products.

	family64 *family[float64]
	family32 *family[float32]
	// vectorized reports whether the products run on vector instructions: they are then
	// faster than any other backend's, and in single precision than in double.
	vectorized bool

	// Vectors. See [Dot], [SquaredDistance] and [Axpy]. They are called for a few numbers at a
	// time, where a call through a table would add a quarter to it: an architecture has them as
	// functions (dotDirect, squaredDistanceDirect and, below longTerms, axpyDirect).

	// direct reports whether the set has these three functions; axpy goes with them.
	direct bool
	axpy   func(n int, a float64, x, y *float64)
	// axpyFour adds four rows of x, ld apart, to y, each times its number of a.
	axpyFour func(n int, a, x *float64, ld int, y *float64)
	// rankTwo subtracts a·x + b·y from row. n is a multiple of 4, and above 0.
	rankTwo func(n int, a float64, x *float64, b float64, y, row *float64)

	// Elementwise. n is a positive multiple of 4 (of 8 for gaussWeights).

	exp            func(sixteens int, x, dst *float64)
	gaussArguments func(n int, c, least float64, x, t, dst *float64)
	gaussWeights   func(n int, c float64, x, t, p, u, v *float64)
	weigh          func(n int, p, x, t, u, v *float64)
	multiply       func(n int, x, t, dst *float64)
	quotients      func(n int, floor float64, x, t, dst *float64)
	roots          func(n int, floor float64, x, dst *float64)
	multiplyRatios func(n int, floor, least float64, num, den, y *float64)
	fixed40s       func(quads int, coarse *int32, fine *uint8, values *float64)

	// Scans, which set bits of mask and return any of them. See [Candidates].

	scan64      func(eights int, g, h, r *float64, c, t float64, mask *uint64) uint64
	scan32      func(sixteens int, g, h, r *float32, c, t float32, mask *uint64) uint64
	scanSquares func(eights int, g, h, r *float64, c, t float64, mask *uint64) uint64
	scanCodes   func(sixteens int, g, h, r *int32, c, t int32, mask *uint64) uint64

	// Products of signed bytes. A set that has codes16 wants them widened: see [Codes].

	// codes8 multiplies codeTall samples with one group, and with two.
	codes8 [2]func(quads int, a, b *int8, next int, begin, c *int32, ldc int)
	// codes16 multiplies codeShort samples with one group.
	codes16 func(quads int, a, b *int16, c *int32, ldc int)

	// Rows at scattered places. See [GatheredSquares32] and [ShortenGather].

	gatheredSquares func(x, rows *float32, at *int32, width, count int, out *float32)
	gatheredDots    func(x, rows *float32, at *int32, width, count int, out *float32)
	prefetch        func(first *byte, lines, step int)
	pathsGather     func(count int, at *int32, length, rows, best *float64)
	pathsScatter    func(count int, at *int32, length, from, rows *float64)
	pathsMark       func(count int, at *int32, length, from, rows *float64, mark *bool)

	// Sparse matrices.

	largest               func(eights int, col *int32) uint32
	spmv                  func(rows int, ptr *int, col *int32, val, x, y *float64)
	spmm4, spmm8, spmm16  func(rows int, ptr *int, col *int32, val, x, y *float64)
	products              [3][StackWidth / 8]productKernel // by the kind of [Entries], and by the width over 8, less 1
	entryQuotients        [3]quotientKernel                // by the kind of [Entries]
	subtractRows          [2]laneKernel                    // of 4 lanes, and of 8
	subtractRowsScattered [2]scatteredLaneKernel
	spreadRows            [2]laneKernel
	spreadRowsScattered   [2]scatteredLaneKernel

	// Passes of factorisations. See [MulSigned] and [PanelGrams]. A set has both of grams2 and
	// grams3, of ratio and ratioHalf, and of quartic and quarticHalf, or neither.

	signed func(rows, quads int, c *float64, ldc int, x, sums *float64)
	// signedFour handles four rows at a time; the remaining rows go to signed.
	signedFour  func(quads int, c *float64, ldc int, x, sums *float64)
	grams2      func(rows, ld int, x, y0, y1, out *float64)
	grams3      func(rows, ld int, x, y0, y1, y2, out *float64)
	ratio       func(rows, w, cols int, u, a, b, la, lb, floor, moved *float64)
	ratioHalf   func(rows, w, cols int, u, a, la, floor, moved *float64)
	quartic     func(rows, w, cols int, u, a, b, m, s, floor *float64, alpha float64, moved *float64)
	quarticHalf func(rows, w, cols int, u, a, m, s, floor *float64, alpha float64, moved *float64)
}

// laneKernel is [SubtractRows] or [SpreadRows] where rows follow one another.
type laneKernel func(width, count, ld int, l, top, b *float64)

// scatteredLaneKernel is the same where they do not.
type scatteredLaneKernel func(width, count, ld int, l, top, b *float64, rows *int32)

// productKernel is the product of some rows with a panel. See [Entries.Products].
type productKernel func(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)

// quotientKernel is [Entries.AddQuotients].
type quotientKernel func(rows int, ptr *int, col, val unsafe.Pointer, a, b, y *float64, ld int)

// noescape returns p, hidden from the compiler, which cannot see through the table that no kernel
// keeps a pointer: without it, callers would have to allocate every array that a kernel reads.
//
//go:nocheckptr
func noescape[T any](p *T) *T {
	at := uintptr(unsafe.Pointer(p))
	return (*T)(unsafe.Add(nil, at))
}
