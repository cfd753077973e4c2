package patch

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

// minColumn is the length below which an orthogonalised column counts as dependent
// on the preceding ones.
const minColumn = 1e-10

// orthonormal is a growing orthonormal basis of short vectors, by modified
// Gram–Schmidt with reorthogonalisation, which is accurate to rounding
// (Giraud, Langou and Rozložník 2005). It is the scratch of one worker.
type orthonormal struct {
	length  int
	count   int
	vectors []float64 // vectors[j·length : (j+1)·length] is vector j
}

func newOrthonormal(length, most int) *orthonormal {
	return &orthonormal{vectors: make([]float64, length*most)}
}

// reset empties the basis for vectors of the given length.
func (b *orthonormal) reset(length int) { b.length, b.count = length, 0 }

// room returns the storage for the next vector, to be filled before [orthonormal.keep].
func (b *orthonormal) room() []float64 {
	return b.vectors[b.count*b.length : (b.count+1)*b.length]
}

// keep orthogonalises the vector in the room and adds it to the basis,
// unless at most `least` of its length remains.
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

// vector returns vector j.
func (b *orthonormal) vector(j int) []float64 { return b.vectors[j*b.length : (j+1)*b.length] }
