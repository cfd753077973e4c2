package main

import (
	"fmt"
	"math/bits"
)

// laneRows is the number of rows of the factor that are under way at a time.
const laneRows = 4

// laneGroup is this many rows of a kernel: of the factor from the addresses in R8 to R11 on, of the
// right-hand sides at those in R12 to R15.
type laneGroup struct {
	rows, vectors int
	label         string
}

// laneKernel writes the loops over groups of rows and over the rows that are left.
func laneKernel(name string, lanes int, scattered bool, group func(laneGroup)) {
	parameters := []string{"width int", "count int", "ld int", "l *float64", "top *float64", "b *float64"}
	if scattered {
		parameters = append(parameters, "rows *int32")
	} else {
		name += "Next"
	}
	begin(fmt.Sprintf("%s%dNEON", name, lanes), parameters...)
	load(0, "width", "count", "ld", "l", "top", "b")
	if scattered {
		load(6, "rows")
	}
	emit("LSL $3, R2")
	some := func(rows int, label string) {
		for r := range rows {
			emit("MOVD R3, R%d", 8+r)
			emit("ADD R2, R3")
			if scattered {
				emit("MOVW.P 4(R6), R%d", 12+r)
				emit("ADD R%d<<%d, R5, R%d", 12+r, bits.Len(uint(8*lanes))-1, 12+r)
			} else {
				emit("MOVD R5, R%d", 12+r)
				emit("ADD $%d, R5", 8*lanes)
			}
		}
		group(laneGroup{rows, lanes / 2, label})
	}
	label("groups")
	emit("SUBS $%d, R1", laneRows)
	emit("BLT rest")
	some(laneRows, "group")
	emit("B groups")
	label("rest")
	emit("ADDS $%d, R1", laneRows)
	emit("BEQ done")
	label("single")
	some(1, "one")
	repeat("R1", "single")
	label("done")
	emit("RET")
}

// eachColumn writes the loop over the columns of the factor, with R19 at the row of top.
func (g laneGroup) eachColumn(body func()) {
	emit("MOVD R4, R19")
	emit("MOVD R0, R20")
	label(g.label)
	body()
	repeat("R20", g.label)
}

// products adds to top, or takes from it, in V16 and after, the products of entries with rows.
func (g laneGroup) products(macro string, operands func(r, v int) (n, d int)) {
	for r := range g.rows {
		emit("FMOVD.P 8(R%d), F%d", 8+r, 20+r)
		for v := range g.vectors {
			n, d := operands(r, v)
			emit("%s(%d, %d, %d)", macro, n, 20+r, d)
		}
	}
}

// subtract takes the product of rows of the factor with top from rows of b.
func (g laneGroup) subtract() {
	zero(0, g.rows*g.vectors)
	g.eachColumn(func() {
		transfer("VLD1", "R19", 16, g.vectors)
		g.products("FMLA2E0", func(r, v int) (n, d int) { return 16 + v, r*g.vectors + v })
	})
	for r := range g.rows {
		emit("VLD1 (R%d), %s", 12+r, list(16, g.vectors, "D2"))
		for v := range g.vectors {
			emit("FSUB2(%d, %d, %d)", 16+v, r*g.vectors+v, 16+v)
		}
		emit("VST1 %s, (R%d)", list(16, g.vectors, "D2"), 12+r)
	}
}

// spread takes from top the products of the transposed rows of the factor with rows of b.
func (g laneGroup) spread() {
	for r := range g.rows {
		emit("VLD1 (R%d), %s", 12+r, list(r*g.vectors, g.vectors, "D2"))
	}
	g.eachColumn(func() {
		emit("VLD1 (R19), %s", list(16, g.vectors, "D2"))
		g.products("FMLS2E0", func(r, v int) (n, d int) { return r*g.vectors + v, 16 + v })
		transfer("VST1", "R19", 16, g.vectors)
	})
}
