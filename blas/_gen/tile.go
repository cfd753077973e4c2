package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// element is a type of numbers: its size in bytes and its instructions.
type element struct {
	name      string
	size      int
	broadcast func(...Op)
	load      func(...Op)
	store     func(...Op)
	maskLoad  func(...Op)
	fma       func(...Op)
	mul       func(...Op)
}

var f64 = element{"64", 8, VBROADCASTSD, VMOVUPD, VMOVUPD, three(VMASKMOVPD), VFMADD231PD, VMULPD}
var f32 = element{"32", 4, VBROADCASTSS, VMOVUPS, VMOVUPS, three(VMASKMOVPS), VFMADD231PS, VMULPS}

func (e element) goType() string { return "float" + e.name }

type level struct {
	name      string
	bytes     int // of a vector
	registers []VecPhysical
}

var (
	avx2   = level{"AVX2", 32, []VecPhysical{Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15}}
	avx512 = level{"AVX512", 64, []VecPhysical{Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15,
		Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23, Z24, Z25, Z26, Z27, Z28, Z29, Z30, Z31}}
)

// masks holds, for each size of number, a table of as many words of ones as a
// vector has lanes, followed by as many zeros.
type masks map[int]Mem

func maskTables() masks {
	m := masks{}
	for _, e := range []element{f64, f32} {
		lanes := 32 / e.size
		table := GLOBL("mask"+e.name, RODATA|NOPTR)
		for i := range 2 * lanes {
			switch {
			case e.size == 8 && i < lanes:
				DATA(8*i, U64(1<<64-1))
			case e.size == 8:
				DATA(8*i, U64(0))
			case i < lanes:
				DATA(4*i, U32(1<<32-1))
			default:
				DATA(4*i, U32(0))
			}
		}
		m[e.size] = table
	}
	return m
}

// tile writes one kernel: rows × (vectors·lanes) numbers of C,
//
//	C = alpha·(Σₚ A(·,p)·B(p,·)) + beta·C,
//
// each sum one chain of fused multiply-adds in increasing p. A has any strides,
// the rows of B and C are contiguous. In the masked form the last vector holds
// only tail numbers, and nothing beyond them is touched. beta = 0 does not read C.
func tile(e element, l level, vectors, rows int, masked bool, tables masks) {
	name := fmt.Sprintf("tile%s%s_%dx%d", e.name, l.name, rows, vectors)
	if masked && l.name == "AVX2" {
		name += "m"
	}
	t := e.goType()
	TEXT(name, NOSPLIT, fmt.Sprintf("func(k int, a *%s, rsA, csA int, b *%s, rsB int, c *%s, ldc, tail int, alpha, beta %s)", t, t, t, t))
	Pragma("noescape")
	g := &tileWriter{e: e, l: l, vectors: vectors, rows: rows, masked: masked}
	g.assign()
	g.prologue(tables)
	g.loop()
	g.epilogue()
}

type tileWriter struct {
	e             element
	l             level
	vectors, rows int
	masked        bool
	acc           [][]VecPhysical
	b             []VecPhysical
	spare         []VecPhysical
	mask          Mem // AVX2
}

func (g *tileWriter) assign() {
	free := g.l.registers
	take := func() VecPhysical {
		r := free[0]
		free = free[1:]
		return r
	}
	for range g.rows {
		var row []VecPhysical
		for range g.vectors {
			row = append(row, take())
		}
		g.acc = append(g.acc, row)
	}
	for range g.vectors {
		g.b = append(g.b, take())
	}
	g.spare = free
}

// bases are the registers that address rows 0-2, 3-5, … of A and of C.
var bases = []GPPhysical{RSI, RDX, RAX, R12, R13}

// spread sets the bases of the rows from the first one and the stride.
func (g *tileWriter) spread(stride GPPhysical) {
	for i := 3; i < g.rows; i += 3 {
		LEAQ(Mem{Base: bases[i/3-1], Index: stride, Scale: 2}, bases[i/3])
		ADDQ(stride, bases[i/3])
	}
}

func (g *tileWriter) prologue(tables masks) {
	size := uint64(3)
	if g.e.size == 4 {
		size = 2
	}
	Load(Param("k"), RCX)
	Load(Param("a"), RSI)
	Load(Param("rsA"), R8)
	Load(Param("csA"), R9)
	Load(Param("b"), RDI)
	Load(Param("rsB"), R10)
	Load(Param("c"), RBX)
	Load(Param("ldc"), R11)
	for _, r := range []GPPhysical{R8, R9, R10, R11} {
		SHLQ(U8(size), r)
	}
	if g.masked {
		Load(Param("tail"), R12)
		if g.l.name == "AVX2" {
			// The table's ones end where the tail's must.
			lanes := g.l.bytes / g.e.size
			LEAQ(tables[g.e.size], R13)
			SHLQ(U8(size), R12)
			SUBQ(R12, R13)
			g.mask = Mem{Base: R13, Disp: lanes * g.e.size}
		} else {
			BZHIQ(R12, allOnes(), R13)
			KMOVW(R13.As32(), K1)
		}
	}
	g.divide()
	g.spread(R8)
	for _, row := range g.acc {
		for _, r := range row {
			if g.l.name == "AVX512" {
				VPXORQ(r, r, r)
			} else {
				VXORPD(r, r, r)
			}
		}
	}
}

// hidden is the number of multiply-adds that hide the way of the lines of C from memory, and fewest that of the terms of a
// sum from which the lines are asked for.
const hidden, fewest = 1152, 64

// divide sets RCX to the terms before the lines of C are asked for and R14 to those that follow, or to 0 if the sum
// is short. Asked for at the beginning, the lines would leave the first cache again before they are
// written: where rows of C are a power of two apart they share a set with lines of A and of B.
func (g *tileWriter) divide() {
	XORQ(R14, R14)
	CMPQ(RCX, U8(fewest))
	JL(LabelRef("near"))
	MOVQ(U32(hidden/(g.rows*g.vectors)), R14)
	CMPQ(RCX, R14)
	CMOVQLT(RCX, R14)
	SUBQ(R14, RCX)
	Label("near")
}

// prefetch asks for the lines of C and goes on with the last terms, once.
func (g *tileWriter) prefetch() {
	Label("rest")
	TESTQ(R14, R14)
	JE(LabelRef("done"))
	MOVQ(R14, RCX)
	MOVQ(RBX, R14)
	for i := range g.rows {
		for line := 0; line < g.vectors*g.l.bytes; line += 64 {
			PREFETCHT0(Mem{Base: R14, Disp: line})
		}
		if i+1 < g.rows {
			ADDQ(R11, R14)
		}
	}
	XORQ(R14, R14)
	JMP(LabelRef("loop"))
}

func allOnes() GPPhysical {
	MOVQ(I32(-1), R13)
	return R13
}

func strided(base []GPPhysical, i int, stride GPPhysical) Mem {
	m := Mem{Base: base[i/3]}
	if i%3 > 0 {
		m.Index, m.Scale = stride, uint8(i%3)
	}
	return m
}

func (g *tileWriter) loop() {
	TESTQ(RCX, RCX)
	JE(LabelRef("rest"))
	Label("loop")
	last := g.vectors - 1
	for v, b := range g.b {
		at := Mem{Base: RDI, Disp: v * g.l.bytes}
		switch {
		case !g.masked || v < last:
			g.e.load(at, b)
		case g.l.name == "AVX512":
			g.maskedLoad512(at, b)
		default:
			m := g.spare[0]
			VMOVUPD(g.mask, m)
			g.e.maskLoad(at, m, b)
		}
	}
	for i, row := range g.acc {
		s := g.spare[i%len(g.spare)]
		g.e.broadcast(strided(bases, i, R8), s)
		for v, r := range row {
			g.e.fma(g.b[v], s, r)
		}
	}
	for i := 0; i < g.rows; i += 3 {
		ADDQ(R9, bases[i/3])
	}
	ADDQ(R10, RDI)
	DECQ(RCX)
	JNE(LabelRef("loop"))
	g.prefetch()
	Label("done")
}

func (g *tileWriter) maskedLoad512(at Mem, r VecPhysical) {
	if g.e.size == 8 {
		VMOVUPD_Z(at, K1, r)
	} else {
		VMOVUPS_Z(at, K1, r)
	}
}

func (g *tileWriter) epilogue() {
	alpha, beta := g.b[0], g.spare[0]
	var mask VecPhysical
	rest := append(append([]VecPhysical{}, g.b[1:]...), g.spare[1:]...)
	t := rest[0]
	if g.masked && g.l.name == "AVX2" {
		mask = rest[1]
		VMOVUPD(g.mask, mask)
	}
	g.e.broadcast(argument("alpha"), alpha)
	g.e.broadcast(argument("beta"), beta)
	MOVQ(RBX, RSI)
	g.spread(R11)
	// beta is zero if nothing but its sign bit is set.
	if g.e.size == 8 {
		MOVQ(argument("beta"), RCX)
		SHLQ(U8(1), RCX)
	} else {
		MOVL(argument("beta"), RCX.As32())
		SHLL(U8(1), RCX.As32())
	}
	JE(LabelRef("write"))
	g.each(func(at Mem, r VecPhysical, masked bool) {
		switch {
		case !masked:
			g.e.mul(at, beta, t)
		case mask != nil:
			g.e.maskLoad(at, mask, t)
			g.e.mul(t, beta, t)
		default:
			g.maskedLoad512(at, t)
			g.e.mul(t, beta, t)
		}
		g.e.fma(r, alpha, t)
		g.put(at, t, mask, masked)
	})
	VZEROUPPER()
	RET()
	Label("write")
	g.each(func(at Mem, r VecPhysical, masked bool) {
		g.e.mul(r, alpha, t)
		g.put(at, t, mask, masked)
	})
	VZEROUPPER()
	RET()
}

// argument is the place of an argument in the frame of the kernel.
func argument(name string) Mem {
	at, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return at.Addr
}

func (g *tileWriter) each(do func(at Mem, r VecPhysical, masked bool)) {
	for i, row := range g.acc {
		for v, r := range row {
			at := strided(bases, i, R11)
			at.Disp = v * g.l.bytes
			do(at, r, g.masked && v == g.vectors-1)
		}
	}
}

func (g *tileWriter) put(at Mem, t, mask VecPhysical, masked bool) {
	switch {
	case !masked:
		g.e.store(t, at)
	case mask != nil:
		g.e.maskLoad(t, mask, at)
	case g.e.size == 8:
		VMOVUPD(t, K1, at)
	default:
		VMOVUPS(t, K1, at)
	}
}

func three(op func(a, b, c Op)) func(...Op) {
	return func(o ...Op) { op(o[0], o[1], o[2]) }
}
