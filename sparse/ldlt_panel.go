package sparse

import (
	"errors"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// A pivot of which the rows below the panel would grow by more than 1/pivotShare is moved
// away from zero, by pivotShare of the largest entry at most unless entries have grown before.
// The pivots of a panel are chosen among its own columns, so that the structure of L is as
// analysed. This replaces delaying a pivot (Schenk and Gärtner 2006).
const pivotShare = 0x1p-26

// computeIndefinite computes panel p of an LDLᵀ, whose entries of A are in place: its
// updates, its top, the rest divided by that.
func (w *worker) computeIndefinite(p int32) error {
	rows, width := w.panel(p)
	values := w.factor.panelValues(p)
	strip := min(int(w.strip[p]), len(rows))
	if strip < len(rows) {
		if err := w.updateStrips(p, strip); err != nil {
			return err
		}
	} else if err := w.update(p, w.local, 0, len(rows)); err != nil {
		return err
	}
	w.pivot(p, values, len(rows), width)
	first := int(w.first[p])
	for j := range width {
		if d := values[j*width+j]; !(d > 0 && d <= math.MaxFloat64) {
			if w.stable {
				return errUnstable
			}
			return fmt.Errorf("sparse: LDLᵀ factorisation: the pivot of row and column %d (counting from 0) is not finite: the entries overflow; scale the matrix to sizes near 1",
				w.perm[first+int(w.factor.pivots.order[first+j])])
		}
	}
	if strip < len(rows) {
		if err := w.divideStrips(p, strip); err != nil {
			return err
		}
	} else {
		w.divide(p, width, len(rows))
	}
	w.markZeros(p, values, len(rows), width)
	if w.stable && w.unstable(p, values, width) {
		return errUnstable
	}
	return nil
}

// errUnstable ends a factorisation by [numeric.stable].
var errUnstable = errors.New("sparse: LDLᵀ factorisation: a pivot of its panel is not stable")

// maxGrowth is the growth of entries up to which the pivots of a panel count as stable.
const maxGrowth = 0x1p16

// unstable reports whether a pivot of panel p was moved by more than what counts as zero, or was so small that the
// entries below it grew.
func (w *worker) unstable(p int32, values []float64, width int) bool {
	at := int(w.first[p])
	for _, moved := range w.factor.pivots.moved[at : at+width] {
		if math.Abs(moved) > w.vanish {
			return true
		}
	}
	below := largestOf(values[width*width:])
	return !(below*below <= maxGrowth*w.largest)
}

// pivot factorises the top of panel p. Where it is definite that is by Cholesky, which
// needs no interchanges; otherwise by [bunchKaufman].
func (w *worker) pivot(p int32, values []float64, height, width int) {
	v, at := w.factor.pivots, int(w.first[p])
	b := w.dense
	b.least = w.minPivot(largestOf(values[width*width : height*width]))
	if b.definite(values, width) {
		v.traits[p] = positive
		for j := range width {
			v.order[at+j], v.swaps[at+j] = int32(j), int32(j)
			v.kind[at+j], v.sign[at+j], v.moved[at+j] = single, 1, 0
		}
		return
	}
	b.factorize(values, width, v.order[at:at+width], v.swaps[at:at+width], v.kind[at:at+width], v.sign[at:at+width], v.axes[at:at+width], v.moved[at:at+width])
	var t trait
	for j := range width {
		if v.order[at+j] != int32(j) {
			t |= interchanged
		}
		if v.kind[at+j] == firstOfTwo {
			t |= paired
		}
		if v.sign[at+j] < 0 {
			t |= negative
		} else {
			t |= positive
		}
	}
	v.traits[p] = t
}

// minPivot is the size that pivots have at least, where the largest entry below the
// panel is of size below.
func (w *worker) minPivot(below float64) float64 {
	return max(pivotShare*below*min(1, below/w.largest), 0x1p-52*w.largest)
}

// largestOf is the size of the largest number.
func largestOf(x []float64) float64 {
	var most float64
	for _, v := range x {
		if v = math.Abs(v); v > most {
			most = v
		}
	}
	return most
}

// divideIndefinite is [divideRows] for a panel of an LDLᵀ.
func (w *worker) divideIndefinite(p int32, values []float64, lo, hi, width int) {
	v, at := w.factor.pivots, int(w.first[p])
	t := v.traits[p]
	if t&interchanged != 0 {
		swaps := v.swaps[at : at+width]
		for r := lo; r < hi; r++ {
			row := values[r*width : (r+1)*width]
			for j, other := range swaps {
				row[j], row[other] = row[other], row[j]
			}
		}
	}
	divideRows(w.kernels, values, lo, hi, width)
	if t&paired != 0 {
		for j := range width {
			if v.kind[at+j] != firstOfTwo {
				continue
			}
			a, b := v.axes[at+j], v.axes[at+j+1]
			for r := lo; r < hi; r++ {
				x := values[r*width+j : r*width+j+2]
				x[0], x[1] = a[0]*x[0]+a[1]*x[1], b[0]*x[0]+b[1]*x[1]
			}
		}
	}
	if t&negative != 0 {
		sign := v.sign[at : at+width]
		for r := lo; r < hi; r++ {
			blas.Multiply(values[r*width:(r+1)*width], values[r*width:(r+1)*width], sign)
		}
	}
}

// signs makes the right factor of the products of an update by panel d: its rows lo to hi
// times the signs of its pivots.
func (w *worker) signs(d int32, lo, hi int) {
	v, now := w.factor.pivots, &w.now
	switch t := v.traits[d]; {
	case t&negative == 0:
		return
	case t&positive == 0:
		now.sign = -1
		return
	}
	at, k := int(w.first[d]), now.k
	sign := v.sign[at : at+k]
	for r := lo; r < hi; r++ {
		blas.Multiply(w.signed[(r-lo)*k:(r-lo+1)*k], now.source[r*k:(r+1)*k], sign)
	}
	now.right, now.base = w.signed, lo
}

// markZeros finds the pivots that are zero within rounding, with all that is left of their
// columns: eigenvalues of zero, as far as the factorisation shows.
func (w *worker) markZeros(p int32, values []float64, height, width int) {
	v, at := w.factor.pivots, int(w.first[p])
	for j := range width {
		inverse := values[j*width+j]
		found := v.sign[at+j]/(inverse*inverse) - v.moved[at+j] // the pivot as it was
		if v.kind[at+j] != single || math.Abs(found) > w.vanish {
			continue
		}
		var left float64
		for r := j + 1; r < height; r++ {
			left = max(left, math.Abs(values[r*width+j]))
		}
		if left/inverse <= w.vanish {
			v.kind[at+j] = zeroPivot
		}
	}
}

// scaleColumn multiplies column j of a panel by the scales of its rows and its own, or by the common scale.
func (w *worker) scaleColumn(values []float64, rows []int32, width, j int) {
	if w.lift != 0 {
		for k := range rows[j:] {
			values[(j+k)*width+j] = twoSided(values[(j+k)*width+j], w.lift, w.lift)
		}
		return
	}
	own := w.scale[w.perm[rows[j]]]
	for k, i := range rows[j:] {
		if at := (j+k)*width + j; values[at] != 0 {
			values[at] = twoSided(values[at], own, w.scale[w.perm[i]])
		}
	}
}
