package patch

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// The curvature patch annihilates constants and tangent coordinates, D has mean square 1, and
// equal weights give LTSA's patch.
func TestCurvedPatch(t *testing.T) {
	in := onRoll(t)
	rule := curved{tangent{2, false}, 1e-2}
	bases := must.Get(rule.tangentBases(in))(t)
	c := rule.newCalculator(in, bases)
	for i := range in.X.N() {
		l := lowerPatch(t, in, Curved(2, false, 1e-2), i)
		n := c.decompose(i)
		if square := blas.Dot(c.weight[:n], c.weight[:n]) / float64(n); math.Abs(square-1) > 1e-13 {
			t.Fatalf("mean square weight %g", square)
		}
		ones := make([]float64, n)
		for a := range ones {
			ones[a] = 1
		}
		for _, v := range [][]float64{ones, c.spectrum.vectors[:n], c.spectrum.vectors[n : 2*n]} {
			if far := annihilates(l, v); far > 1e-12 {
				t.Fatalf("patch %d leaves %g of a tangent coordinate", i, far)
			}
		}
		plain, even := lowerPatch(t, in, Tangent(2, false), i), lowerPatch(t, in, Curved(2, false, 1e9), i)
		var difference mat.Dense
		difference.Sub(even, plain)
		if far := mat.Norm(&difference, 2); far > 1e-8 {
			t.Fatalf("δ = 1e9: patch %d is %g from LTSA's", i, far)
		}
	}
}

func TestPrincipalAngle(t *testing.T) {
	s := angleSolver{m: 4, rest: make([]float64, 8), gram: make([]float64, 4), values: make([]float64, 2), work: make([]float64, 4)}
	for _, angle := range []float64{0, 1e-9, 0.3, 1.2, math.Pi / 2} {
		p := []float64{1, 0, 0, 0, 0, 1, 0, 0}
		q := []float64{math.Cos(angle / 2), 0, math.Sin(angle / 2), 0, 0, math.Cos(angle), 0, math.Sin(angle)}
		for _, got := range []float64{s.between(p, q), s.between(q, p)} {
			if math.Abs(got-angle) > 1e-12+1e-7*angle*angle*angle { // arcsine near 90° keeps half the digits
				t.Errorf("angle %g, want %g", got, angle)
			}
		}
		if got := s.between(p[:4], q); math.Abs(got-angle/2) > 1e-12 {
			t.Errorf("angle of a line and a plane %g, want %g", got, angle/2)
		}
		if got := s.between(p, nil); got != 0 {
			t.Errorf("angle to nothing is %g", got)
		}
	}
}
