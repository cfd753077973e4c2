package blas

import (
	"math"
	"testing"
)

// The kernel has the bits of the loop that it takes the place of, for rows of every length and of
// entries whose products and sums round. The last entries of a row are Go's, whose compiler fuses
// products and sums where the processor is told to have that (GOAMD64=v3).
func TestRankTwo(t *testing.T) {
	s := NewStream(7)
	for n := range 41 {
		x, y, row := make([]float64, n), make([]float64, n), make([]float64, n+2)
		s.Normals(x)
		s.Normals(y)
		s.Normals(row)
		ab := make([]float64, 2)
		s.Normals(ab)
		want := append([]float64(nil), row...)
		for i := range n {
			p, q := float64(ab[0]*x[i]), float64(ab[1]*y[i])
			want[i] -= float64(p + q)
		}
		rankTwo(row[:n], ab[0], x, ab[1], y)
		for i := range row {
			if isa >= isaAVX2 && i < n&^3 && n&^3 >= rankTwoTerms && math.Float64bits(row[i]) != math.Float64bits(want[i]) || math.Abs(row[i]-want[i]) > 1e-14 {
				t.Fatalf("entry %d of %d: %v, not %v", i, n, row[i], want[i])
			}
		}
	}
}
