package layout

import (
	"fmt"
	"math"
	"unsafe"

	"gonum.org/v1/gonum/mat"
)

// maxCoordinate is the largest entry of a start whose squared distances a float32 holds.
const maxCoordinate = 1e15

// single returns the rows of y in single precision, in the given order. It refuses a start
// with an entry that is not finite or above maxCoordinate.
func single(y *mat.Dense, order []int32) ([]float32, error) {
	if err := finite(y); err != nil {
		return nil, err
	}
	n, dim := y.Dims()
	at := make([]float32, 0, n*dim)
	for _, i := range order {
		for k, v := range y.RawRowView(int(i)) {
			if math.Abs(v) > maxCoordinate {
				return nil, fmt.Errorf("layout: row %d, column %d (counting from 0) of the start is %v; give coordinates of at most %g", i, k, v, float64(maxCoordinate))
			}
			at = append(at, float32(v))
		}
	}
	return at, nil
}

// double puts places in single precision into y, back in its order.
func double(y *mat.Dense, order []int32, at []float32) {
	_, dim := y.Dims()
	for p, i := range order {
		row := y.RawRowView(int(i))
		for k := range row {
			row[k] = float64(at[p*dim+k])
		}
	}
}

type float interface{ float32 | float64 }

// points are the places of two columns in the same memory: one check of an index for both entries.
func points[T float](at []T) [][2]T {
	return unsafe.Slice((*[2]T)(unsafe.Pointer(unsafe.SliceData(at))), len(at)/2)
}

// squared is the squared distance of two places.
func squared(p, q []float32) float32 {
	var s float32
	for m := range p {
		d := p[m] - q[m]
		s += float32(d * d)
	}
	return s
}
