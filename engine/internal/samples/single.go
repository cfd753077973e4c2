package samples

import (
	"math"

	"github.com/orthant-go/orthant/engine/internal/magnitude"
)

// OfSingle makes samples of n × m entries in float32, whose storage they take over. They are
// for solvers that take them as they are ([Samples.Single]): they have no Row and no Data.
func OfSingle(n, m int, data []float32) Samples { return Samples{n: n, m: m, single: data[:n*m]} }

// Single returns all entries of samples in float32, without a copy; nil: they are float64.
func (x Samples) Single() []float32 { return x.single }

// firstSingle finds the first entry in float32 of which something holds; row −1: none does.
func (x Samples) firstSingle(holds func(v float64) bool) (row, col int, value float64) {
	for at, v := range x.single {
		if v := float64(v); holds(v) {
			return at / x.m, at % x.m, v
		}
	}
	return -1, 0, 0
}

// largestSingle is [Samples.Largest] of entries in float32.
func (x Samples) largestSingle() (row, col int, value float64) {
	place, most := -1, float32(0)
	for at, v := range x.single {
		if v = max(v, -v); v > most {
			place, most = at, v
		}
	}
	if place < 0 {
		return -1, 0, 0
	}
	return place / x.m, place % x.m, float64(x.single[place])
}

// widened are samples in float32 as float64, divided by 2^exponent, in a copy.
func (x Samples) widened(exponent int) Samples {
	x.data = make([]float64, len(x.single))
	for i, v := range x.single {
		x.data[i] = magnitude.Times(float64(v), -exponent)
	}
	x.single = nil
	return x
}

// singleRow is row i of entries in float32.
func (x Samples) singleRow(i int) []float32 { return x.single[i*x.m : (i+1)*x.m] }

// singleHash is [rowHash] of entries in float32.
func singleHash(row []float32) uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, v := range row {
		h = (h ^ uint64(math.Float32bits(v+0))) * 0x100000001b3
		h ^= h >> 29
	}
	return h
}
