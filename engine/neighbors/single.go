package neighbors

import (
	"math"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
)

// singleSearch is what the blocked search compares where its products are formed
// in single precision, at twice the speed and half the traffic: the data and the
// thresholds of [blockSearch], scaled so that no centred row is longer than 1,
// with a wider margin.
type singleSearch struct {
	centred     []float32
	half, reach []float32
	shrunk      []float64 // half before rounding
	scale       float64   // of squared lengths
	doubtful    atomic.Bool
}

func newSingleSearch(x Points, centred []float64) *singleSearch {
	s := &singleSearch{centred: make([]float32, len(centred)), scale: 1,
		half: make([]float32, x.N), reach: make([]float32, x.N), shrunk: make([]float64, x.N)}
	var longest float64
	for i := range x.N {
		row := centred[i*x.M : (i+1)*x.M]
		s.shrunk[i] = blas.Dot(row, row)
		longest = max(longest, s.shrunk[i])
	}
	length := 1.0 // a power of two, which loses no digit
	if longest > 0 {
		_, exponent := math.Frexp(math.Sqrt(longest))
		length = math.Ldexp(1, -max(exponent, -500))
		s.scale = length * length
	}
	for i, v := range centred {
		s.centred[i] = float32(v * length)
	}
	margin := singleMargin(x.M)
	for i, square := range s.shrunk {
		s.shrunk[i] = square*s.scale/2*(1-2*margin) - singleTiny
		s.half[i] = down[float32](s.shrunk[i])
		s.reach[i] = float32(math.Inf(-1))
	}
	return s
}

// singleMargin is the margin of m-term products. With u = 2⁻²⁴, rounding of the
// data moves a product by 2u·‖x‖‖y‖, that of its sums, over 256 terms at a time,
// by (256 + m/256 + 2)u·‖x‖‖y‖, and the comparison by 2u(‖x‖² + ‖y‖²). Since
// ‖x‖‖y‖ ≤ (‖x‖² + ‖y‖²)/2, the margin is about twice what is needed.
func singleMargin(m int) float64 { return float64(min(m, 256)+m/256+16) * 0x1p-24 }

// singleTiny covers numbers too small for single precision.
const singleTiny = 1e-36

// tighten lowers the reach of sample i to the worst squared distance it holds.
func (s *singleSearch) tighten(i int, bound float64) {
	s.reach[i] = down[float32](s.shrunk[i] - bound*s.scale/2)
}

// judge gives single precision up where it does not separate: among points in
// tight clusters far apart, the margin lets whole clusters through. Tiles away
// from the diagonal, whose lists are full, should measure few of their pairs.
func (s *singleSearch) judge(off, measured, pairs, k int) {
	if off > 2+k/32 && measured > pairs/4 {
		s.doubtful.Store(true)
	}
}
