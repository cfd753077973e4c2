package layout

import (
	"math"
	"math/bits"

	"gonum.org/v1/gonum/mat"
)

// place is a vertex's coordinates, zeros behind those that the map has.
type place [maxColumns]float64

// maxColumns is the number of columns that a tree can have.
const maxColumns = 3

// placesOf are the rows of y, of which the columns beyond maxColumns are left out.
func placesOf(y *mat.Dense) []place {
	n, dim := y.Dims()
	places := make([]place, n)
	for i := range places {
		copy(places[i][:], y.RawRowView(i)[:min(dim, maxColumns)])
	}
	return places
}

// morton is the order of vertices along a Morton curve: near ones of the order are near in the map.
type morton struct {
	order        []int32 // the vertices along the curve
	codes, spare []coded
	width        float64 // of the smallest cube with all places
	levels       int     // halvings of the width: bits of a coordinate
}

// resized is a slice of a length, whose entries are undefined.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// coded is a vertex with its place on the curve.
type coded struct {
	code uint64
	i    int32
}

// sort puts the places in the order of the curve.
func (m *morton) sort(places []place) {
	at := make([]float64, 0, 3*len(places))
	for _, p := range places {
		at = append(at, p[:]...)
	}
	m.sortFlat(at, 3)
}

// sortFlat puts places of two or three coordinates in the order of the curve; equal ones stay in the
// order of their numbers.
func (m *morton) sortFlat(at []float64, axes int) {
	n := len(at) / axes
	m.order, m.codes, m.spare = resized(m.order, n), resized(m.codes, n), resized(m.spare, n)
	var low, high place
	copy(low[:], at[:axes])
	high = low
	for i := 0; i < len(at); i += axes {
		for k, v := range at[i : i+axes] {
			low[k], high[k] = min(low[k], v), max(high[k], v)
		}
	}
	m.width = math.SmallestNonzeroFloat64
	for k := range low {
		m.width = max(m.width, high[k]-low[k])
	}
	m.levels = 63 / axes
	scale := float64(uint64(1)<<m.levels-1) / m.width
	if math.IsInf(scale, 1) { // the places coincide, or nearly
		scale = 0
	}
	if axes == 2 {
		for i := range m.codes {
			x, y := uint64((at[2*i]-low[0])*scale), uint64((at[2*i+1]-low[1])*scale)
			m.codes[i] = coded{spread2(x) | spread2(y)<<1, int32(i)}
		}
	} else {
		for i := range m.codes {
			x, y, z := uint64((at[3*i]-low[0])*scale), uint64((at[3*i+1]-low[1])*scale), uint64((at[3*i+2]-low[2])*scale)
			m.codes[i] = coded{spread3(x) | spread3(y)<<1 | spread3(z)<<2, int32(i)}
		}
	}
	m.sortCodes()
	for k, c := range m.codes {
		m.order[k] = c.i
	}
}

// sortCodes sorts by code, from the last byte to the first one.
func (m *morton) sortCodes() {
	var differ uint64
	for _, c := range m.codes {
		differ |= c.code ^ m.codes[0].code
	}
	for shift := bits.TrailingZeros64(differ) &^ 7; shift < 64 && differ>>shift != 0; shift += 8 {
		if differ>>shift&255 == 0 {
			continue
		}
		var next [256]int32
		for _, c := range m.codes {
			next[c.code>>shift&255]++
		}
		var sum int32
		for k := range next {
			sum, next[k] = sum+next[k], sum
		}
		for _, c := range m.codes {
			k := c.code >> shift & 255
			m.spare[next[k]] = c
			next[k]++
		}
		m.codes, m.spare = m.spare, m.codes
	}
}

// spread2 puts a zero behind every bit of 31.
func spread2(x uint64) uint64 {
	x = (x | x<<16) & 0x0000ffff0000ffff
	x = (x | x<<8) & 0x00ff00ff00ff00ff
	x = (x | x<<4) & 0x0f0f0f0f0f0f0f0f
	x = (x | x<<2) & 0x3333333333333333
	return (x | x<<1) & 0x5555555555555555
}

// spread3 puts two zeros behind every bit of 21.
func spread3(x uint64) uint64 {
	x = (x | x<<32) & 0x1f00000000ffff
	x = (x | x<<16) & 0x1f0000ff0000ff
	x = (x | x<<8) & 0x100f00f00f00f00f
	x = (x | x<<4) & 0x10c30c30c30c30c3
	return (x | x<<2) & 0x1249249249249249
}
