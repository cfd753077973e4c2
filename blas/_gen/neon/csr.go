package main

import (
	"fmt"
	"math/bits"
)

// rowsOfCSR writes the frame of a product with rows of a compressed matrix: for each row first, then
// for its entries, chains at a time, the code for the next entry and its chain, then last.
func rowsOfCSR(name string, chains int, first func(), entry func(chain int), last func()) {
	begin(name, "rows int", "ptr *int", "col *int32", "val *float64", "x *float64", "y *float64")
	load(0, "rows", "ptr", "col", "val", "x", "y")
	emit("MOVD.P 8(R1), R9")
	emit("ADD R9<<2, R2")
	emit("ADD R9<<3, R3")
	label("row")
	emit("MOVD.P 8(R1), R10")
	emit("SUB R9, R10, R11")
	emit("MOVD R10, R9")
	first()
	emit("SUBS $%d, R11", chains)
	emit("BLT rest")
	label("entries")
	for c := range chains {
		entry(c)
	}
	emit("SUBS $%d, R11", chains)
	emit("BGE entries")
	label("rest")
	// The entries left begin the chains anew, one each.
	emit("ADD $%d, R11", chains)
	for c := range chains - 1 {
		emit("CBZ R11, store")
		entry(c)
		emit("SUB $1, R11")
	}
	label("store")
	last()
	repeat("R0", "row")
	emit("RET")
}

// compressedRows writes y = A·x in four chains a row, and Y = A·X for blocks of 4, 8 and 16 columns
// in two.
func compressedRows() {
	rowsOfCSR("spmvNEON", 4, func() {
		zero(0, 4)
	}, func(c int) {
		emit("MOVW.P 4(R2), R12")
		emit("FMOVD.P 8(R3), F%d", 16+c)
		emit("FMOVD (R4)(R12<<3), F%d", 24+c)
		emit("FMADDD F%d, F%d, F%d, F%d", 16+c, c, 24+c, c)
	}, func() {
		emit("FADDD F1, F0, F0")
		emit("FADDD F3, F2, F2")
		emit("FADDD F2, F0, F0")
		emit("FMOVD.P F0, 8(R5)")
	})
	for _, columns := range []int{4, 8, 16} {
		vectors := columns / 2
		rowsOfCSR(fmt.Sprintf("spmm%dNEON", columns), 2, func() {
			zero(0, 2*vectors)
		}, func(c int) {
			emit("MOVW.P 4(R2), R12")
			emit("FMOVD.P 8(R3), F24")
			emit("ADD R12<<%d, R4, R12", bits.Len(uint(8*columns))-1)
			addRow(vectors, c*vectors)
		}, func() {
			for v := range vectors {
				emit("FADD2(%d, %d, %d)", v, vectors+v, v)
			}
			transfer("VST1", "R5", 0, vectors)
		})
	}
}

// addRow adds the row at R12 times the number in V24 to sums.
func addRow(vectors, sums int) {
	for ; vectors > 0; vectors, sums = vectors-8, sums+8 {
		some := min(vectors, 8)
		transfer("VLD1", "R12", 16, some)
		for v := range some {
			emit("FMLA2E0(%d, 24, %d)", 16+v, sums+v)
		}
	}
}

// storage is how entries are kept: fetch leaves the column of the next one in R12 and its value in
// V24, and goes on to the one after it.
type storage struct {
	name                 string
	colShift, valueShift int
	fetch                func()
}

var (
	wide = storage{"Wide", 2, 3, func() {
		emit("MOVW.P 4(R2), R12")
		emit("FMOVD.P 8(R3), F24")
	}}
	near = storage{"Near", 1, 3, func() {
		emit("MOVHU.P 2(R2), R12")
		emit("FMOVD.P 8(R3), F24")
	}}
	short = storage{"Short", 1, 2, func() {
		emit("MOVHU.P 2(R2), R12")
		emit("FMOVS.P 4(R3), F24")
		emit("FCVTSD F24, F24")
	}}
)

// eachEntry writes the loop over the entries of the next row, with R0 rows to go.
func (s storage) eachEntry(body func()) {
	emit("MOVD.P 8(R1), R10")
	emit("SUBS R9, R10, R11")
	emit("MOVD R10, R9")
	emit("BEQ store")
	label("entries")
	s.fetch()
	body()
	repeat("R11", "entries")
	label("store")
}

func (s storage) seek() {
	emit("MOVD.P 8(R1), R9")
	emit("ADD R9<<%d, R2", s.colShift)
	emit("ADD R9<<%d, R3", s.valueShift)
}

// products writes a kernel of Entries.Products.
func products(s storage, columns int) {
	begin(fmt.Sprintf("products%s%dNEON", s.name, columns), "rows int", "ptr *int", "col unsafe.Pointer", "val unsafe.Pointer",
		"x *float64", "ldx int", "y *float64", "ldy int", "add int")
	load(0, "rows", "ptr", "col", "val", "x", "ldx", "y", "ldy", "add")
	s.seek()
	vectors := columns / 2
	label("row")
	emit("CBNZ R8, more")
	zero(0, vectors)
	emit("B begun")
	label("more")
	emit("MOVD R6, R12")
	transfer("VLD1", "R12", 0, vectors)
	label("begun")
	s.eachEntry(func() {
		emit("MADD R5, R4, R12, R12")
		addRow(vectors, 0)
	})
	emit("MOVD R6, R12")
	transfer("VST1", "R12", 0, vectors)
	emit("ADD R7, R6")
	repeat("R0", "row")
	emit("RET")
}

// quotients writes a kernel of Entries.AddQuotients: of each entry the sums of products with the
// row of A, in V0 and V1, the value by these, and the products of that with the row of B.
func quotients(s storage) {
	begin(fmt.Sprintf("quotients%sNEON", s.name), "rows int", "ptr *int", "col unsafe.Pointer", "val unsafe.Pointer",
		"a *float64", "b *float64", "y *float64", "ld int")
	load(0, "rows", "ptr", "col", "val", "a", "b", "y", "ld")
	emit("MOVD $%d, R12 // 1e-16", 0x3C9CD2B297D889BC)
	emit("VDUP R12, V25.D2")
	s.seek()
	label("row")
	s.eachEntry(func() {
		emit("MADD R7, R5, R12, R12")
		zero(0, 2)
		emit("MOVD R12, R13")
		emit("MOVD R4, R14")
		emit("MOVD R7, R15")
		label("dot")
		transfer("VLD1", "R14", 16, 2)
		transfer("VLD1", "R13", 18, 2)
		emit("FMLA2(16, 18, 0)")
		emit("FMLA2(17, 19, 1)")
		emit("SUBS $32, R15")
		emit("BNE dot")
		emit("VDUP V24.D[0], V24.D2")
		emit("FMAX2(0, 25, 0)")
		emit("FMAX2(1, 25, 1)")
		emit("FDIV2(24, 0, 0)")
		emit("FDIV2(24, 1, 1)")
		emit("MOVD R6, R14")
		emit("MOVD R7, R15")
		label("axpy")
		transfer("VLD1", "R12", 16, 2)
		emit("VLD1 (R14), %s", list(18, 2, "D2"))
		emit("FMLA2(16, 0, 18)")
		emit("FMLA2(17, 1, 19)")
		transfer("VST1", "R14", 18, 2)
		emit("SUBS $32, R15")
		emit("BNE axpy")
	})
	emit("ADD R7, R4")
	emit("ADD R7, R6")
	repeat("R0", "row")
	emit("RET")
}
