package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// laneRows is the number of rows of the factor that are under way at a time.
const laneRows = 4

// lanes writes the kernels for right-hand sides in rows of 4 and of 8 lanes, at scattered
// rows and at consecutive ones.
func lanes() {
	for _, width := range []int{4, 8} {
		for _, scattered := range []bool{true, false} {
			laneKernel("subtractRows", width, scattered, subtractGroup)
			laneKernel("spreadRows", width, scattered, spreadGroup)
		}
	}
}

// laneGroup is this many rows of a kernel: of the factor from the addresses in l on, of the
// right-hand sides at the addresses that place leaves in a register.
type laneGroup struct {
	rows    int
	vectors int // of 4 lanes in a row
	l       []Register
	place   func(row int) Mem
	label   string
}

// laneKernel writes the loops over groups of rows and over the rows that are left.
func laneKernel(name string, lanes int, scattered bool, group func(laneGroup)) {
	signature := "func(width, count, ld int, l, top, b *float64)"
	if scattered {
		signature = "func(width, count, ld int, l, top, b *float64, rows *int32)"
	} else {
		name += "Next"
	}
	TEXT(fmt.Sprintf("%s%dAVX2", name, lanes), NOSPLIT, signature)
	Pragma("noescape")
	Load(Param("width"), RCX)
	Load(Param("count"), RDX)
	Load(Param("l"), RSI)
	Load(Param("top"), RDI)
	Load(Param("b"), R8)
	if scattered {
		Load(Param("rows"), R9)
	}
	Load(Param("ld"), R10)
	SHLQ(U8(3), R10)
	bytes := 8 * lanes
	place := func(row int) Mem {
		if !scattered {
			return Mem{Base: R8, Disp: bytes * row}
		}
		MOVLQSX(Mem{Base: R9, Disp: 4 * row}, RAX)
		SHLQ(U8(map[int]uint8{4: 5, 8: 6}[lanes]), RAX)
		return Mem{Base: R8, Index: RAX, Scale: 1}
	}
	advance := func(rows int) {
		if scattered {
			ADDQ(U8(uint8(4*rows)), R9)
		} else {
			ADDQ(U32(uint32(bytes*rows)), R8)
		}
		for range rows {
			ADDQ(R10, RSI)
		}
	}
	Label("groups")
	SUBQ(U8(laneRows), RDX)
	JLT(LabelRef("rest"))
	LEAQ(Mem{Base: RSI, Index: R10, Scale: 1}, R11)
	LEAQ(Mem{Base: R11, Index: R10, Scale: 1}, R12)
	LEAQ(Mem{Base: R12, Index: R10, Scale: 1}, R13)
	group(laneGroup{laneRows, lanes / 4, []Register{RSI, R11, R12, R13}, place, "group"})
	advance(laneRows)
	JMP(LabelRef("groups"))
	Label("rest")
	ADDQ(U8(laneRows), RDX)
	JZ(LabelRef("done"))
	Label("single")
	group(laneGroup{1, lanes / 4, []Register{RSI}, place, "one"})
	advance(1)
	DECQ(RDX)
	JNE(LabelRef("single"))
	Label("done")
	VZEROUPPER()
	RET()
}

var laneVectors = []VecPhysical{Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7}

// eachColumn writes the loop over the columns of the factor, with RBX at the row of top.
func (g laneGroup) eachColumn(body func()) {
	XORQ(RAX, RAX)
	MOVQ(RDI, RBX)
	Label(g.label)
	body()
	ADDQ(U8(uint8(32*g.vectors)), RBX)
	INCQ(RAX)
	CMPQ(RAX, RCX)
	JL(LabelRef(g.label))
}

func (g laneGroup) entry(row int) Mem { return Mem{Base: g.l[row], Index: RAX, Scale: 8} }

// subtractGroup takes the product of rows of the factor with top from rows of b.
func subtractGroup(g laneGroup) {
	for _, s := range laneVectors[:g.rows*g.vectors] {
		VXORPD(s, s, s)
	}
	g.eachColumn(func() {
		top := []VecPhysical{Y8, Y9}[:g.vectors]
		for v, t := range top {
			VMOVUPD(Mem{Base: RBX, Disp: 32 * v}, t)
		}
		for r := range g.rows {
			VBROADCASTSD(g.entry(r), Y10)
			for v, t := range top {
				VFMADD231PD(t, Y10, laneVectors[r*g.vectors+v])
			}
		}
	})
	for r := range g.rows {
		to := g.place(r)
		for v := range g.vectors {
			VMOVUPD(to.Offset(32*v), Y8)
			VSUBPD(laneVectors[r*g.vectors+v], Y8, Y8)
			VMOVUPD(Y8, to.Offset(32*v))
		}
	}
}

// spreadGroup takes from top the products of the transposed rows of the factor with rows
// of b.
func spreadGroup(g laneGroup) {
	for r := range g.rows {
		from := g.place(r)
		for v := range g.vectors {
			VMOVUPD(from.Offset(32*v), laneVectors[r*g.vectors+v])
		}
	}
	g.eachColumn(func() {
		top := []VecPhysical{Y8, Y9}[:g.vectors]
		for v, t := range top {
			VMOVUPD(Mem{Base: RBX, Disp: 32 * v}, t)
		}
		for r := range g.rows {
			VBROADCASTSD(g.entry(r), Y10)
			for v, t := range top {
				VFNMADD231PD(laneVectors[r*g.vectors+v], Y10, t)
			}
		}
		for v, t := range top {
			VMOVUPD(t, Mem{Base: RBX, Disp: 32 * v})
		}
	})
}

const (
	// spreadColumns is the number of columns of the factor whose sums stay in registers.
	spreadColumns = 8
	// laneAhead is how far ahead the factor is fetched, in bytes. It is read once, from
	// memory, in pieces too short for the processor to see the pattern.
	laneAhead = 2048
)

// lanes512 writes the kernels for right-hand sides in rows of 8 lanes, one vector each.
// Their sums equal the sums of the kernels in ymm registers, to the bit.
func lanes512() {
	for _, scattered := range []bool{true, false} {
		subtractRows512(scattered)
		spreadRows512(scattered)
	}
}

// rows512 begins a kernel: RCX is the width, RDX the count, RSI the factor with R10 bytes
// from row to row, RDI top, R8 the right-hand sides, R9 their rows where they are scattered.
func rows512(name string, scattered bool) {
	signature := "func(width, count, ld int, l, top, b *float64)"
	if scattered {
		signature = "func(width, count, ld int, l, top, b *float64, rows *int32)"
	} else {
		name += "Next"
	}
	TEXT(name+"8AVX512", NOSPLIT, signature)
	Pragma("noescape")
	Load(Param("width"), RCX)
	Load(Param("count"), RDX)
	Load(Param("l"), RSI)
	Load(Param("top"), RDI)
	Load(Param("b"), R8)
	if scattered {
		Load(Param("rows"), R9)
	}
	Load(Param("ld"), R10)
	SHLQ(U8(3), R10)
}

// place512 is a row of the right-hand sides, by way of RAX where they are scattered.
func place512(scattered bool, row int) Mem {
	if !scattered {
		return Mem{Base: R8, Disp: 64 * row}
	}
	MOVLQSX(Mem{Base: R9, Disp: 4 * row}, RAX)
	SHLQ(U8(6), RAX)
	return Mem{Base: R8, Index: RAX, Scale: 1}
}

// subtractRows512 takes the product of rows of the factor with top from rows of b, four
// rows at a time.
func subtractRows512(scattered bool) {
	rows512("subtractRows", scattered)
	sums := []VecPhysical{Z0, Z1, Z2, Z3}
	group := func(l []Register, label string) {
		for r := range l {
			VPXORQ(sums[r], sums[r], sums[r])
			PREFETCHT0(Mem{Base: l[r], Disp: laneAhead})
		}
		XORQ(RAX, RAX)
		MOVQ(RDI, RBX)
		Label(label)
		VMOVUPD(Mem{Base: RBX}, Z8)
		for r := range l {
			VFMADD231PD_BCST(Mem{Base: l[r], Index: RAX, Scale: 8}, Z8, sums[r])
		}
		ADDQ(U8(64), RBX)
		INCQ(RAX)
		CMPQ(RAX, RCX)
		JL(LabelRef(label))
		for r := range l {
			to := place512(scattered, r)
			VMOVUPD(to, Z8)
			VSUBPD(sums[r], Z8, Z8)
			VMOVUPD(Z8, to)
		}
		if scattered {
			ADDQ(U8(uint8(4*len(l))), R9)
		} else {
			ADDQ(U32(uint32(64*len(l))), R8)
		}
		for range l {
			ADDQ(R10, RSI)
		}
	}
	Label("groups")
	SUBQ(U8(laneRows), RDX)
	JLT(LabelRef("rest"))
	LEAQ(Mem{Base: RSI, Index: R10, Scale: 1}, R11)
	LEAQ(Mem{Base: R11, Index: R10, Scale: 1}, R12)
	LEAQ(Mem{Base: R12, Index: R10, Scale: 1}, R13)
	group([]Register{RSI, R11, R12, R13}, "group")
	JMP(LabelRef("groups"))
	Label("rest")
	ADDQ(U8(laneRows), RDX)
	JZ(LabelRef("done"))
	Label("single")
	group([]Register{RSI}, "one")
	DECQ(RDX)
	JNE(LabelRef("single"))
	Label("done")
	VZEROUPPER()
	RET()
}

// spreadRows512 takes from top the products of the transposed rows of the factor with rows
// of b, eight columns of the factor at a time, whose sums stay in registers.
func spreadRows512(scattered bool) {
	rows512("spreadRows", scattered)
	sums := []VecPhysical{Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7}
	MOVQ(R8, R14)
	if scattered {
		MOVQ(R9, R12)
	}
	Label("columns")

	for columns := 1; columns < spreadColumns; columns++ {
		CMPQ(RCX, U8(uint8(columns)))
		JEQ(LabelRef(fmt.Sprintf("columns%d", columns)))
	}
	for columns := spreadColumns; columns > 0; columns-- {
		Label(fmt.Sprintf("columns%d", columns))
		for k := range columns {
			VMOVUPD(Mem{Base: RDI, Disp: 64 * k}, sums[k])
		}
		MOVQ(RSI, R11)
		MOVQ(RDX, R13)
		MOVQ(R14, R8)
		if scattered {
			MOVQ(R12, R9)
		}
		label := fmt.Sprintf("rows%d", columns)
		Label(label)
		PREFETCHT0(Mem{Base: R11, Disp: laneAhead})
		VMOVUPD(place512(scattered, 0), Z8)
		for k := range columns {
			VFNMADD231PD_BCST(Mem{Base: R11, Disp: 8 * k}, Z8, sums[k])
		}
		if scattered {
			ADDQ(U8(4), R9)
		} else {
			ADDQ(U8(64), R8)
		}
		ADDQ(R10, R11)
		DECQ(R13)
		JNE(LabelRef(label))
		for k := range columns {
			VMOVUPD(sums[k], Mem{Base: RDI, Disp: 64 * k})
		}
		if columns < spreadColumns {
			VZEROUPPER()
			RET()
			continue
		}
		ADDQ(U32(64*spreadColumns), RDI)
		ADDQ(U32(8*spreadColumns), RSI)
		SUBQ(U8(spreadColumns), RCX)
		JNE(LabelRef("columns"))
		VZEROUPPER()
		RET()
	}
}
