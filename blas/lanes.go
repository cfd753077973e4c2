package blas

// Lanes are several vectors side by side, such as the right-hand sides of a sparse
// triangular system: row r of b is b[r·lanes : (r+1)·lanes]. The functions of this file
// take a count × width matrix L, row-major with rows ld apart, and treat 4 or 8 lanes.

// SubtractRows takes L·top from rows of b, where top has width rows: row i of the product
// from row rows[i] of b, or from row i where rows is nil. Each entry of the product is one
// chain of fused multiply-adds from 0. It panics where L has fewer than count rows; rows
// outside b are not checked. L may be b itself where rows is nil and width is lanes.
func SubtractRows(lanes, width, count int, l []float64, ld int, top, b []float64, rows []int32) {
	if !checkLanes(lanes, width, count, l, ld, top, b, rows) {
		return
	}
	if f := kernel.subtractRows[lanes/8]; f != nil && rows == nil {
		f(width, count, ld, noescape(&l[0]), noescape(&top[0]), noescape(&b[0]))
		return
	}
	if f := kernel.subtractRowsScattered[lanes/8]; f != nil && rows != nil {
		f(width, count, ld, noescape(&l[0]), noescape(&top[0]), noescape(&b[0]), noescape(&rows[0]))
		return
	}
	var s [8]float64
	for i := range count {
		clear(s[:])
		for k, v := range l[i*ld:][:width] {
			for q, t := range top[k*lanes : (k+1)*lanes] {
				s[q] = fma(v, t, s[q])
			}
		}
		x := laneRow(lanes, b, rows, i)
		for q := range x {
			x[q] -= s[q]
		}
	}
}

// SpreadRows takes Lᵀ times rows of b from top: rows[i] of b goes with row i of L, or row
// i does where rows is nil. Each entry of top is one chain of fused multiply-adds over the
// rows of L. What panics is as in [SubtractRows].
func SpreadRows(lanes, width, count int, l []float64, ld int, top, b []float64, rows []int32) {
	if !checkLanes(lanes, width, count, l, ld, top, b, rows) {
		return
	}
	if f := kernel.spreadRows[lanes/8]; f != nil && rows == nil {
		f(width, count, ld, noescape(&l[0]), noescape(&top[0]), noescape(&b[0]))
		return
	}
	if f := kernel.spreadRowsScattered[lanes/8]; f != nil && rows != nil {
		f(width, count, ld, noescape(&l[0]), noescape(&top[0]), noescape(&b[0]), noescape(&rows[0]))
		return
	}
	for i := range count {
		x := laneRow(lanes, b, rows, i)
		for k, v := range l[i*ld:][:width] {
			to := top[k*lanes : (k+1)*lanes]
			for q, t := range x {
				to[q] = fma(-v, t, to[q])
			}
		}
	}
}

// checkLanes panics on errors that the assembly would not notice, and reports whether there is
// anything to do.
func checkLanes(lanes, width, count int, l []float64, ld int, top, b []float64, rows []int32) bool {
	if lanes != 4 && lanes != 8 {
		panic("blas: rows of 4 or 8 lanes are wanted")
	}
	if width <= 0 || count <= 0 {
		return false
	}
	if ld < width {
		panic("blas: rows that overlap")
	}
	// Lengths alone: goroutines that share b may be writing to other rows of it.
	need := 1
	if rows == nil {
		need = count * lanes
	}
	if len(l) < ld*(count-1)+width || len(top) < width*lanes || len(b) < need || rows != nil && len(rows) < count {
		panic("blas: slices shorter than their rows")
	}
	return true
}

func laneRow(lanes int, b []float64, rows []int32, i int) []float64 {
	if rows != nil {
		i = int(rows[i])
	}
	return b[i*lanes : (i+1)*lanes]
}
