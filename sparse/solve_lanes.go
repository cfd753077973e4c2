package sparse

// Right-hand sides in lanes: row k of b is a [4]float64 or [8]float64, and the
// loops keep one row in registers while they run over the columns of a panel.

func row4(b []float64, k int) *[4]float64 { return (*[4]float64)(b[4*k : 4*k+4]) }

func row8(b []float64, k int) *[8]float64 { return (*[8]float64)(b[8*k : 8*k+8]) }

// solve4 solves L·Lᵀ·X = B in place for four right-hand sides.
func (f *Factor) solve4(b []float64) {
	s := f.symbolic
	count := int32(len(s.rowLo))
	for p := range count {
		rows, width := s.panel(p)
		values := f.panelValues(p)
		top := b[4*int(rows[0]):][:4*width]
		for j := range width {
			row := values[j*width : j*width+j+1]
			subtract4(row4(top, j), row[:j], top)
			x := row4(top, j)
			d := row[j]
			x[0], x[1], x[2], x[3] = x[0]*d, x[1]*d, x[2]*d, x[3]*d
		}
		below, values := rows[width:], values[width*width:]
		for ; len(below) >= 2; below, values = below[2:], values[2*width:] {
			subtractTwo4(row4(b, int(below[0])), row4(b, int(below[1])), values[:width], values[width:2*width], top)
		}
		if len(below) > 0 {
			subtract4(row4(b, int(below[0])), values, top)
		}
	}
	for p := count - 1; p >= 0; p-- {
		rows, width := s.panel(p)
		values := f.panelValues(p)
		top := b[4*int(rows[0]):][:4*width]
		below, rest := rows[width:], values[width*width:]
		for ; len(below) >= 2; below, rest = below[2:], rest[2*width:] {
			spreadTwo4(top, rest[:width], rest[width:2*width], row4(b, int(below[0])), row4(b, int(below[1])))
		}
		if len(below) > 0 {
			spread4(top, rest, row4(b, int(below[0])))
		}
		for j := width - 1; j >= 0; j-- {
			row := values[j*width : j*width+j+1]
			x := row4(top, j)
			d := row[j]
			x[0], x[1], x[2], x[3] = x[0]*d, x[1]*d, x[2]*d, x[3]*d
			spread4(top, row[:j], x)
		}
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

// solve8 solves L·Lᵀ·X = B in place for eight right-hand sides.
func (f *Factor) solve8(b []float64) {
	s := f.symbolic
	count := int32(len(s.rowLo))
	for p := range count {
		rows, width := s.panel(p)
		values := f.panelValues(p)
		top := b[8*int(rows[0]):][:8*width]
		for j := range width {
			row := values[j*width : j*width+j+1]
			x := row8(top, j)
			subtract8(x, row[:j], top)
			scale8(x, row[j])
		}
		for i, r := range rows[width:] {
			subtract8(row8(b, int(r)), values[(width+i)*width:(width+i+1)*width], top)
		}
	}
	for p := count - 1; p >= 0; p-- {
		rows, width := s.panel(p)
		values := f.panelValues(p)
		top := b[8*int(rows[0]):][:8*width]
		for i, r := range rows[width:] {
			spread8(top, values[(width+i)*width:(width+i+1)*width], row8(b, int(r)))
		}
		for j := width - 1; j >= 0; j-- {
			row := values[j*width : j*width+j+1]
			x := row8(top, j)
			scale8(x, row[j])
			spread8(top, row[:j], x)
		}
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
