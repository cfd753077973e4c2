package sparse

// Right-hand sides in lanes: row k of b is a [4]float64 or [8]float64, and the
// loops keep one row in registers while they run over the columns of a panel.

func row4(b []float64, k int) *[4]float64 { return (*[4]float64)(b[4*k : 4*k+4]) }

func row8(b []float64, k int) *[8]float64 { return (*[8]float64)(b[8*k : 8*k+8]) }

// forwardTop4 solves with the triangle on top of a panel of the given width.
func forwardTop4(top, values []float64, width int) {
	for j := range width {
		row := values[j*width : j*width+j+1]
		x := row4(top, j)
		subtract4(x, row[:j], top)
		d := row[j]
		x[0], x[1], x[2], x[3] = x[0]*d, x[1]*d, x[2]*d, x[3]*d
	}
}

// forward4 subtracts L·top from the given rows of b.
func forward4(b, top, values []float64, rows []int32, width int) {
	for ; len(rows) >= 2; rows, values = rows[2:], values[2*width:] {
		subtractTwo4(row4(b, int(rows[0])), row4(b, int(rows[1])), values[:width], values[width:2*width], top)
	}
	if len(rows) > 0 {
		subtract4(row4(b, int(rows[0])), values[:width], top)
	}
}

// backward4 subtracts from top the product of Lᵀ with the given rows of b.
func backward4(b, top, values []float64, rows []int32, width int) {
	for ; len(rows) >= 2; rows, values = rows[2:], values[2*width:] {
		spreadTwo4(top, values[:width], values[width:2*width], row4(b, int(rows[0])), row4(b, int(rows[1])))
	}
	if len(rows) > 0 {
		spread4(top, values[:width], row4(b, int(rows[0])))
	}
}

// backwardTop4 solves with the transposed triangle on top of a panel.
func backwardTop4(top, values []float64, width int) {
	for j := width - 1; j >= 0; j-- {
		row := values[j*width : j*width+j+1]
		x := row4(top, j)
		d := row[j]
		x[0], x[1], x[2], x[3] = x[0]*d, x[1]*d, x[2]*d, x[3]*d
		spread4(top, row[:j], x)
	}
}

// subtract4 takes the product of a row of L with the rows of top from x.
func subtract4(x *[4]float64, row, top []float64) {
	var s0, s1, s2, s3 float64
	for k, v := range row {
		t := row4(top, k)
		s0 += v * t[0]
		s1 += v * t[1]
		s2 += v * t[2]
		s3 += v * t[3]
	}
	x[0] -= s0
	x[1] -= s1
	x[2] -= s2
	x[3] -= s3
}

// subtractTwo4 is subtract4 for two rows, whose sums do not wait for each other.
func subtractTwo4(x, y *[4]float64, rowX, rowY, top []float64) {
	var s0, s1, s2, s3, r0, r1, r2, r3 float64
	rowY = rowY[:len(rowX)]
	for k, v := range rowX {
		t, w := row4(top, k), rowY[k]
		s0 += v * t[0]
		s1 += v * t[1]
		s2 += v * t[2]
		s3 += v * t[3]
		r0 += w * t[0]
		r1 += w * t[1]
		r2 += w * t[2]
		r3 += w * t[3]
	}
	x[0] -= s0
	x[1] -= s1
	x[2] -= s2
	x[3] -= s3
	y[0] -= r0
	y[1] -= r1
	y[2] -= r2
	y[3] -= r3
}

// spread4 takes from the rows of top the entries of a row of L times x.
func spread4(top, row []float64, x *[4]float64) {
	x0, x1, x2, x3 := x[0], x[1], x[2], x[3]
	for k, v := range row {
		t := row4(top, k)
		t[0] -= v * x0
		t[1] -= v * x1
		t[2] -= v * x2
		t[3] -= v * x3
	}
}

// spreadTwo4 is spread4 for two rows at once.
func spreadTwo4(top, rowX, rowY []float64, x, y *[4]float64) {
	x0, x1, x2, x3 := x[0], x[1], x[2], x[3]
	y0, y1, y2, y3 := y[0], y[1], y[2], y[3]
	rowY = rowY[:len(rowX)]
	for k, v := range rowX {
		t, w := row4(top, k), rowY[k]
		t[0] -= v*x0 + w*y0
		t[1] -= v*x1 + w*y1
		t[2] -= v*x2 + w*y2
		t[3] -= v*x3 + w*y3
	}
}

// forwardTop8, forward8, backward8 and backwardTop8 are the same for eight
// right-hand sides.
func forwardTop8(top, values []float64, width int) {
	for j := range width {
		row := values[j*width : j*width+j+1]
		x := row8(top, j)
		subtract8(x, row[:j], top)
		scale8(x, row[j])
	}
}

func forward8(b, top, values []float64, rows []int32, width int) {
	for i, r := range rows {
		subtract8(row8(b, int(r)), values[i*width:(i+1)*width], top)
	}
}

func backward8(b, top, values []float64, rows []int32, width int) {
	for i, r := range rows {
		spread8(top, values[i*width:(i+1)*width], row8(b, int(r)))
	}
}

func backwardTop8(top, values []float64, width int) {
	for j := width - 1; j >= 0; j-- {
		row := values[j*width : j*width+j+1]
		x := row8(top, j)
		scale8(x, row[j])
		spread8(top, row[:j], x)
	}
}

func scale8(x *[8]float64, d float64) {
	for i := range x {
		x[i] *= d
	}
}

// subtract8 takes the product of a row of L with the rows of top from x.
func subtract8(x *[8]float64, row, top []float64) {
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	for k, v := range row {
		t := row8(top, k)
		s0 += v * t[0]
		s1 += v * t[1]
		s2 += v * t[2]
		s3 += v * t[3]
		s4 += v * t[4]
		s5 += v * t[5]
		s6 += v * t[6]
		s7 += v * t[7]
	}
	x[0] -= s0
	x[1] -= s1
	x[2] -= s2
	x[3] -= s3
	x[4] -= s4
	x[5] -= s5
	x[6] -= s6
	x[7] -= s7
}

// spread8 takes from the rows of top the entries of a row of L times x.
func spread8(top, row []float64, x *[8]float64) {
	x0, x1, x2, x3, x4, x5, x6, x7 := x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]
	for k, v := range row {
		t := row8(top, k)
		t[0] -= v * x0
		t[1] -= v * x1
		t[2] -= v * x2
		t[3] -= v * x3
		t[4] -= v * x4
		t[5] -= v * x5
		t[6] -= v * x6
		t[7] -= v * x7
	}
}
