package blas

// PathLanes is the number of searches that the functions below treat side by
// side: row r of a block of lengths is rows[r·PathLanes : (r+1)·PathLanes].
// Lengths are finite or +Inf, and not below 0. Places are not checked.
const PathLanes = 16

// ShortenGather lowers best, one row, to the least of itself and the rows at the
// given places, each longer by its own length: the product of a row with a
// matrix where the sum is a minimum and the product a sum.
func ShortenGather(at []int32, length, rows, best []float64) {
	if len(at) == 0 {
		return
	}
	length, best = length[:len(at)], best[:PathLanes]
	if kernel.pathsGather != nil {
		kernel.pathsGather(len(at), noescape(&at[0]), noescape(&length[0]), noescape(&rows[0]), noescape(&best[0]))
		return
	}
	for q, r := range at {
		row, add := rows[int(r)*PathLanes:(int(r)+1)*PathLanes], length[q]
		for l, v := range row {
			if v += add; v < best[l] {
				best[l] = v
			}
		}
	}
}

// ShortenScatter lowers each row at the given places, which must differ, to the
// least of itself and the row from, longer by that place's length.
func ShortenScatter(at []int32, length, from, rows []float64) {
	if len(at) == 0 {
		return
	}
	length, from = length[:len(at)], from[:PathLanes]
	if kernel.pathsScatter != nil {
		kernel.pathsScatter(len(at), noescape(&at[0]), noescape(&length[0]), noescape(&from[0]), noescape(&rows[0]))
		return
	}
	for q, r := range at {
		row, add := rows[int(r)*PathLanes:(int(r)+1)*PathLanes], length[q]
		for l, v := range from {
			if v += add; v < row[l] {
				row[l] = v
			}
		}
	}
}

// ShortenMark is [ShortenScatter] that also sets mark at the places whose rows it lowers.
func ShortenMark(at []int32, length, from, rows []float64, mark []bool) {
	if len(at) == 0 {
		return
	}
	length, from = length[:len(at)], from[:PathLanes]
	if kernel.pathsMark != nil {
		kernel.pathsMark(len(at), noescape(&at[0]), noescape(&length[0]), noescape(&from[0]), noescape(&rows[0]), noescape(&mark[0]))
		return
	}
	for q, r := range at {
		row, add := rows[int(r)*PathLanes:(int(r)+1)*PathLanes], length[q]
		for l, v := range from {
			if v += add; v < row[l] {
				row[l], mark[r] = v, true
			}
		}
	}
}
