package blas

import "math"

// Stream is the seeded random stream of the whole project: SplitMix64 (Steele,
// Lea and Flood 2014). Its output is fixed by the seed alone, on every machine
// and in every version, because data sets, starts and splits are defined by it.
type Stream struct{ state uint64 }

// NewStream returns the stream of a seed.
func NewStream(seed uint64) *Stream { return &Stream{state: seed} }

// Uint64 returns the next 64 bits.
func (s *Stream) Uint64() uint64 {
	s.state += 0x9E3779B97F4A7C15
	z := s.state
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// Uniform returns a number in [0, 1), a multiple of 2⁻⁵³.
func (s *Stream) Uniform() float64 { return float64(s.Uint64()>>11) * 0x1p-53 }

// Uniforms fills dst with uniform numbers.
func (s *Stream) Uniforms(dst []float64) {
	for i := range dst {
		dst[i] = s.Uniform()
	}
}

// Below returns a whole number in [0, m), as ⌊m · uniform⌋.
func (s *Stream) Below(m int) int { return int(s.Uniform() * float64(m)) }

// Normals fills dst with standard normal numbers by the Box–Muller transform.
// Every call begins a pair of its own: where len(dst) is odd, the second number
// of the last pair is thrown away.
func (s *Stream) Normals(dst []float64) {
	for i := 0; i < len(dst); i += 2 {
		r := math.Sqrt(-2 * math.Log(1-s.Uniform()))
		sin, cos := math.Sincos(2 * math.Pi * s.Uniform())
		dst[i] = r * cos
		if i+1 < len(dst) {
			dst[i+1] = r * sin
		}
	}
}
