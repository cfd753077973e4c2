package main

import "fmt"

// tileRows is the number of rows of the tallest tile: with four vectors to a row, 24 of the
// registers are sums, four hold a row of B and four a column of A.
const tileRows = 6

const sumsOfB, sumsOfA = 4 * tileRows, 4*tileRows + 4

// element is a type of numbers.
type element struct {
	bits, size, lanes int
	kind              string // of a vector
	letter            string // of the instructions for one
	digit             string // of the macros for vectors
}

var (
	f64 = element{64, 8, 2, "D2", "D", "2"}
	f32 = element{32, 4, 4, "S4", "S", "4"}
)

// row is n numbers next to each other at an address: the first of as many registers as they fill.
// In singles, n may be known to the last vector only: then R4 has the number in that, 1 to 3.
type row struct {
	e          element
	first, n   int
	unknown    bool
	base, step string // the registers of the address, and of what is added to it
}

// move loads or stores a row.
func (r row) move(store bool, labels string) {
	whole, rest := r.n/r.e.lanes, r.n%r.e.lanes
	op, one := "VLD1", func(letter string) {
		emit("FMOV%s %d(%s), F%d", letter, 16*whole, r.base, r.first+whole)
	}
	if store {
		op, one = "VST1", func(letter string) {
			emit("FMOV%s F%d, %d(%s)", letter, r.first+whole, 16*whole, r.base)
		}
	}
	third := func() {
		emit("ADD $%d, %s, R25", 16*whole+8, r.base)
		if store {
			emit("VST1 V%d.S[2], (R25)", r.first+whole)
		} else {
			emit("VLD1 (R25), V%d.S[2]", r.first+whole)
		}
	}
	advanced := rest == 0 && !r.unknown
	if whole > 0 {
		place := "(" + r.base + ")"
		if advanced {
			op, place = op+".P", place+"("+r.step+")"
		}
		registers := list(r.first, whole, r.e.kind)
		if store {
			place, registers = registers, place
		}
		emit("%s %s, %s", op, place, registers)
	}
	switch {
	case r.unknown:
		emit("TBNZ $1, R4, %sTwo", labels)
		one("S")
		emit("B %sHave", labels)
		label(labels + "Two")
		one("D")
		emit("TBZ $0, R4, %sHave", labels)
		third()
		label(labels + "Have")
	case rest == 1:
		one(r.e.letter)
	case rest == 2:
		one("D")
	case rest == 3:
		one("D")
		third()
	}
	if !advanced {
		emit("ADD %s, %s", r.step, r.base)
	}
}

// tile writes one kernel, as tileFunc defines it: rows × (vectors·lanes) numbers of C. In the masked
// form the last vector holds fewer.
func tile(e element, vectors, rows int, masked bool) {
	name := fmt.Sprintf("tile%dNEON_%dx%d", e.bits, rows, vectors)
	if masked {
		name += "m"
	}
	t := fmt.Sprintf("float%d", e.bits)
	begin(name, "k int", "a *"+t, "rsA int", "csA int", "b *"+t, "rsB int", "c *"+t, "ldc int", "tail int", "alpha "+t, "beta "+t)
	of := row{e: e, n: vectors * e.lanes}
	if masked && e.lanes == 2 {
		of.n-- // tail is 1
	} else if masked {
		of.n, of.unknown = of.n-e.lanes, true
	}
	load(0, "k", "a", "b", "c")
	if of.unknown {
		load(4, "tail")
	}
	load(8, "rsA", "csA", "rsB", "ldc")
	for r := 8; r <= 11; r++ {
		emit("LSL $%d, R%d", e.size/4+1, r)
	}
	// The distances of rows 2 to 5 of A from the first.
	for i, set := range []string{"LSL $1, R8, R12", "ADD R8, R12, R13", "LSL $2, R8, R14", "ADD R8, R14, R15"} {
		if i+2 < rows {
			emit("%s", set)
		}
	}
	zero(0, rows*vectors)
	add := func(i, register, index int) {
		for v := range vectors {
			emit("FMLA%sE%d(%d, %d, %d)", e.digit, index, sumsOfB+v, register, i*vectors+v)
		}
	}
	b := of
	b.first, b.base, b.step = sumsOfB, "R2", "R10"
	if rows > 1 {
		emit("CMP $%d, R8", e.size)
		emit("BEQ next")
	}
	label("apart")
	b.move(false, "apartB")
	for i := range rows {
		at := []string{"(R1)", "(R1)(R8)", "(R1)(R12)", "(R1)(R13)", "(R1)(R14)", "(R1)(R15)"}[i]
		emit("FMOV%s %s, F%d", e.letter, at, sumsOfA+i%4)
		add(i, sumsOfA+i%4, 0)
	}
	emit("ADD R9, R1")
	repeat("R0", "apart")
	if rows > 1 {
		emit("B done")
		label("next")
		b.move(false, "nextB")
		row{e: e, first: sumsOfA, n: rows, base: "R1", step: "R9"}.move(false, "")
		for i := range rows {
			add(i, sumsOfA+i/e.lanes, i%e.lanes)
		}
		repeat("R0", "next")
		label("done")
	}
	const alpha, beta = sumsOfA, sumsOfA + 1
	emit("FMOV%s alpha+%d(FP), F%d", e.letter, offsets["alpha"], alpha)
	emit("FMOV%s beta+%d(FP), F%d", e.letter, offsets["beta"], beta)
	emit("FCMP%s $(0.0), F%d", e.letter, beta)
	emit("BEQ write")
	c := of
	c.base, c.step = "R3", "R11"
	for i := range rows {
		read := c
		read.first, read.base = sumsOfB, "R1"
		if i == 0 {
			emit("MOVD R3, R1")
		}
		read.move(false, fmt.Sprintf("read%d", i))
		for v := range vectors {
			emit("FMUL%sE0(%d, %d, %d)", e.digit, sumsOfB+v, beta, sumsOfB+v)
			emit("FMLA%sE0(%d, %d, %d)", e.digit, i*vectors+v, alpha, sumsOfB+v)
		}
		c.first = sumsOfB
		c.move(true, fmt.Sprintf("add%d", i))
	}
	emit("RET")
	label("write")
	for i := range rows {
		for v := range vectors {
			emit("FMUL%sE0(%d, %d, %d)", e.digit, i*vectors+v, alpha, i*vectors+v)
		}
		c.first = i * vectors
		c.move(true, fmt.Sprintf("write%d", i))
	}
	emit("RET")
}
