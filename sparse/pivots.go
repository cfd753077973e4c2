package sparse

// pivots are what an LDLᵀ has beside the panels of a Cholesky factor. A panel of it holds L̃ with
//
//	P(A + shift·I)Pᵀ = L̃·S·L̃ᵀ,   L̃ = L·|D|^½,   S = sign(D),
//
// so that where all pivots of a panel are positive it is that of Cholesky. A block of two
// pivots is turned to its axes first, D = QΛQᵀ: |D|^½ stands for Q|Λ|^½.
//
// Of the top of a panel the values hold the triangle L with the columns of single pivots
// times the root of theirs; what stands between L and L̃, for blocks of two, is in axes.
// Columns and rows of a top are in the order of its pivots; the rows below are where they were.
type pivots struct {
	traits []trait      // of each panel
	order  []int32      // of each pivot the place of its row among those of the panel
	swaps  []int32      // the same as interchanges: of each pivot, in turn, the place that it was exchanged with
	kind   []pivotKind  //
	sign   []float64    // 1 or −1
	axes   [][2]float64 // of each pivot of a block the row of |Λ|^−½Qᵀ
	moved  []float64    // what was added to a pivot that was too small
	sums   int          // the most additions that an entry takes part in besides one for each product
}

// pivotKind says what a pivot is.
type pivotKind int8

const (
	single pivotKind = iota
	firstOfTwo
	secondOfTwo
	zeroPivot // it and what is left of its column are rounding
)

// trait says in which ways a panel is not that of Cholesky.
type trait int8

const (
	interchanged trait = 1 << iota
	paired
	negative // some signs are
	positive // some signs are
)

func newPivots(s *Analysis) *pivots {
	return &pivots{
		traits: make([]trait, len(s.rowLo)), order: make([]int32, s.n), swaps: make([]int32, s.n), kind: make([]pivotKind, s.n),
		sign: make([]float64, s.n), axes: make([][2]float64, s.n), moved: make([]float64, s.n),
	}
}

// bytes is the memory of the pivots of so many rows.
func (v *pivots) bytes() int64 { return 49 * int64(len(v.order)) }

// arrange brings the rows of a top into the order of its pivots.
func (v *pivots) arrange(top []float64, lanes int, p, first int32) {
	if v.traits[p]&interchanged == 0 {
		return
	}
	for j, r := range v.swaps[first : int(first)+len(top)/lanes] {
		if int(r) != j {
			exchange(top[j*lanes:(j+1)*lanes], top[int(r)*lanes:(int(r)+1)*lanes])
		}
	}
}

// restore undoes arrange.
func (v *pivots) restore(top []float64, lanes int, p, first int32) {
	if v.traits[p]&interchanged == 0 {
		return
	}
	swaps := v.swaps[first : int(first)+len(top)/lanes]
	for j := len(swaps) - 1; j >= 0; j-- {
		if r := int(swaps[j]); r != j {
			exchange(top[j*lanes:(j+1)*lanes], top[r*lanes:(r+1)*lanes])
		}
	}
}

func exchange(x, y []float64) {
	for l, v := range y[:len(x)] {
		x[l], y[l] = v, x[l]
	}
}

// turn multiplies the rows of blocks of two by |Λ|^−½Qᵀ.
func (v *pivots) turn(top []float64, lanes int, p, first int32) {
	if v.traits[p]&paired == 0 {
		return
	}
	at := int(first)
	for j := range len(top) / lanes {
		if v.kind[at+j] != firstOfTwo {
			continue
		}
		a, b := v.axes[at+j], v.axes[at+j+1]
		x, y := top[j*lanes:(j+1)*lanes], top[(j+1)*lanes:(j+2)*lanes]
		for l, s := range x {
			t := y[l]
			x[l], y[l] = a[0]*s+a[1]*t, b[0]*s+b[1]*t
		}
	}
}

// turnBack multiplies them by the transpose, Q|Λ|^−½.
func (v *pivots) turnBack(top []float64, lanes int, p, first int32) {
	if v.traits[p]&paired == 0 {
		return
	}
	at := int(first)
	for j := range len(top) / lanes {
		if v.kind[at+j] != firstOfTwo {
			continue
		}
		a, b := v.axes[at+j], v.axes[at+j+1]
		x, y := top[j*lanes:(j+1)*lanes], top[(j+1)*lanes:(j+2)*lanes]
		for l, s := range x {
			t := y[l]
			x[l], y[l] = a[0]*s+b[0]*t, a[1]*s+b[1]*t
		}
	}
}

// flip multiplies by S.
func (v *pivots) flip(b []float64, lanes int) {
	for j, s := range v.sign {
		if s < 0 {
			for l, x := range b[j*lanes : (j+1)*lanes] {
				b[j*lanes+l] = -x
			}
		}
	}
}
