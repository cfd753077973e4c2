package neighbors

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

// packedRows is a copy of the data for the approximate search: centred, scaled to
// entries of at most 1, in single precision, with rows padded with zeros to
// groups of eight columns, and ordered so that near samples are mostly near
// in memory too.
type packedRows struct {
	n, width int
	rows     []float32
	label    []int32 // label[p] is the sample whose row is at place p
	scale    float64 // scale of the centred data, a power of two
	radius   float64 // largest norm of a row
}

// group is the number of rows that squares processes at a time.
const group = 4

func padded(count int) int { return (count + group - 1) &^ (group - 1) }

// newPackedRows copies the data in the given order; nil: in that of the samples.
func newPackedRows(x *Stored, order []int32) *packedRows {
	if order == nil {
		order = counted(x.n)
	}
	s := &packedRows{n: x.n, width: max(8, (x.m+7)&^7), label: order}
	s.rows = make([]float32, x.n*s.width)
	mean, into := columnMeans(x), x.scratch()
	var size float64
	for i := range x.n {
		for j, v := range x.Row(i, into) {
			size = max(size, math.Abs(v-mean[j]))
		}
	}
	s.scale = 1
	if size > 0 {
		_, exponent := math.Frexp(size)
		s.scale = math.Ldexp(1, min(-exponent, 1000)) // finite even for subnormal sizes
	}
	for p, i := range order {
		row := s.row(p)
		var norm float64
		for j, v := range x.Row(int(i), into) {
			v = float64(v-mean[j]) * s.scale
			row[j] = float32(v)
			norm += float64(v * v)
		}
		s.radius = max(s.radius, math.Sqrt(norm))
	}
	return s
}

func (s *packedRows) row(p int) []float32 { return s.rows[p*s.width : (p+1)*s.width] }

// arranged returns a copy with the rows in the given order.
func (s *packedRows) arranged(order []int32) *packedRows {
	t := *s
	t.rows, t.label = make([]float32, len(s.rows)), make([]int32, s.n)
	for p, q := range order {
		copy(t.row(p), s.row(int(q)))
		t.label[p] = s.label[q]
	}
	return &t
}

// squares writes the squared distances of x to the rows at the given places,
// whose number must be a multiple of group. Exchanging x and a row gives the same bits.
func (s *packedRows) squares(x []float32, at []int32, out []float32) {
	blas.GatheredSquares32(x, s.rows, at, out)
}

// dots writes the products of x with the rows at the given places.
func (s *packedRows) dots(x []float32, at []int32, out []float32) {
	blas.GatheredDots32(x, s.rows, at, out)
}
