package scale

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

// land brings a sample that lies off all sheets to one: to its foot on the plane at the
// nearest sample that is much less lonely. Without one it stays. A plane of its own nearest would lie between the
// sheets.
func (o *mover) land(x []float64, far float64) {
	k := min(landings+1, o.by.near.N())
	o.search.Nearest(x, k)
	o.order = ordered(o.order[:0], o.search)
	for _, c := range o.order {
		at := o.by.near.At(int(c.place))
		o.fit(at, o.by.k)
		if c.square == 0 || far < lonely*o.last {
			continue
		}
		for j, v := range x {
			o.from[j] = v - at[j]
		}
		along, length := o.scratch[:o.d], 0.0
		for a := range along {
			along[a] = blas.Dot(o.plane.axes[a*o.m:(a+1)*o.m], o.from[:o.m])
			length += along[a] * along[a]
		}
		if c.square-length <= 4*max(o.off, o.by.typical) {
			return // it is on the plane: of a corner, or of a place with few samples
		}
		copy(o.z, at)
		// Beyond the rim of a sheet the plane says nothing.
		by := min(1, math.Sqrt(o.last/max(length, math.SmallestNonzeroFloat64))/4)
		for a, v := range along {
			blas.Axpy(by*v, o.plane.axes[a*o.m:(a+1)*o.m], o.z)
		}
		return
	}
}
