package patch

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

// minColumn is the length below which a column that has been orthogonalised
// counts as dependent on those before it.
const minColumn = 1e-10

// orthonormal is a growing orthonormal basis of short vectors, one worker's
// scratch: modified Gram–Schmidt, done twice, which leaves rounding only
// (Giraud, Langou and Rozložník 2005).
type orthonormal struct {
	length  int
	count   int
	vectors []float64 // vectors[j·length : (j+1)·length] is the j-th
}

func newOrthonormal(length, most int) *orthonormal {
	return &orthonormal{vectors: make([]float64, length*most)}
}

// reset empties the basis for vectors of that length.
func (b *orthonormal) reset(length int) { b.length, b.count = length, 0 }

// room is where the next vector is to be written before [orthonormal.keep].
func (b *orthonormal) room() []float64 {
	return b.vectors[b.count*b.length : (b.count+1)*b.length]
}

// keep orthogonalises what was written into the room and adds it to the basis,
// unless no more than `least` of its length is left.
func (b *orthonormal) keep(least float64) bool {
	v := b.room()
	blas.OrthogonalizeRows(b.vectors[:b.count*b.length], v)
	norm := math.Sqrt(blas.Dot(v, v))
	if !(norm > least) {
		return false
	}
	blas.Scale(1/norm, v)
	b.count++
	return true
}

// vector returns the j-th one.
func (b *orthonormal) vector(j int) []float64 { return b.vectors[j*b.length : (j+1)*b.length] }
