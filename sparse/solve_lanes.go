package sparse

import "github.com/orthant-go/orthant/blas"

// triangleRows is the height of the blocks in which triangles are solved with: within a
// block row after row, between blocks by products.
const triangleRows = 4

// forwardTop solves with the triangle on top of a panel of the given width, whose diagonal
// holds reciprocals, for right-hand sides in 4 or 8 lanes.
func forwardTop(lanes int, top, values []float64, width int) {
	for lo := 0; lo < width; lo += triangleRows {
		n := min(triangleRows, width-lo)
		block := values[lo*width:]
		if lo > 0 {
			blas.SubtractRows(lanes, lo, n, block, width, top, top[lo*lanes:], nil)
		}
		for j := range n {
			x := top[(lo+j)*lanes : (lo+j+1)*lanes]
			row := block[j*width+lo : j*width+lo+j+1]
			for k, v := range row[:j] {
				subtractLanes(v, top[(lo+k)*lanes:(lo+k+1)*lanes], x)
			}
			scaleLanes(row[j], x)
		}
	}
}

// backwardTop solves with the transposed triangle.
func backwardTop(lanes int, top, values []float64, width int) {
	for lo := (width - 1) / triangleRows * triangleRows; lo >= 0; lo -= triangleRows {
		n := min(triangleRows, width-lo)
		block := values[lo*width:]
		for j := n - 1; j >= 0; j-- {
			x := top[(lo+j)*lanes : (lo+j+1)*lanes]
			row := block[j*width+lo : j*width+lo+j+1]
			scaleLanes(row[j], x)
			for k, v := range row[:j] {
				subtractLanes(v, x, top[(lo+k)*lanes:(lo+k+1)*lanes])
			}
		}
		if lo > 0 {
			blas.SpreadRows(lanes, lo, n, block, width, top, top[lo*lanes:], nil)
		}
	}
}

// subtractLanes takes v·x from y. Rows have 4 or 8 lanes.
func subtractLanes(v float64, x, y []float64) {
	for ; len(x) >= 4 && len(y) >= 4; x, y = x[4:], y[4:] {
		y[0] -= v * x[0]
		y[1] -= v * x[1]
		y[2] -= v * x[2]
		y[3] -= v * x[3]
	}
}

func scaleLanes(v float64, x []float64) {
	for ; len(x) >= 4; x = x[4:] {
		x[0], x[1], x[2], x[3] = x[0]*v, x[1]*v, x[2]*v, x[3]*v
	}
}
