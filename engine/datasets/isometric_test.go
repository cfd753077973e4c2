package datasets

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// TestSCurveIsIsometric compares the samples with the letter's two arcs of unit radius,
// and small steps along it with those of the coordinate t.
func TestSCurveIsIsometric(t *testing.T) {
	const n = 4000
	s := generate(t, "s-curve", n, nil)
	type place struct{ t, x, z float64 }
	var along []place
	for i := range n {
		x, p := s.X.RawRowView(i), s.Params.RawRowView(i)
		center := math.Copysign(1, -p[1]) // of the arc that the sample lies on
		if math.Abs(math.Hypot(x[0], x[2]-center)-1) > 1e-15*4 || x[1] != p[0] || p[0] < 0 || p[0] >= 2 || math.Abs(p[1]) > 1.5*math.Pi {
			t.Fatalf("sample %v with the coordinates %v", x, p)
		}
		along = append(along, place{p[1], x[0], x[2]})
	}
	slices.SortFunc(along, func(a, b place) int { return cmp.Compare(a.t, b.t) })
	for i, b := range along[1:] {
		a := along[i]
		chord := math.Hypot(b.x-a.x, b.z-a.z)
		// A chord of a unit circle is short of its arc by its cube over 24; where the arcs meet, likewise.
		if arc := b.t - a.t; arc-chord > arc*arc*arc/20+1e-14 || chord-arc > 1e-14 {
			t.Errorf("from t = %v to %v the chord is %v", a.t, b.t, chord)
		}
	}
	if first, last := along[0].t, along[n-1].t; first > -1.5*math.Pi+0.1 || last < 1.5*math.Pi-0.1 {
		t.Errorf("t from %v to %v, want all of ±1.5π", first, last)
	}
}

func TestSCurveInSequence(t *testing.T) {
	const n = 7 // an odd number of normals
	s := generate(t, "s-curve", n, map[string]string{"noise": "0.5"})
	clean := generate(t, "s-curve", n, nil)
	rng, noise := blas.NewStream(7), make([]float64, 3*n)
	for range 2 * n {
		rng.Uniform()
	}
	rng.Normals(noise)
	for i := range noise {
		if got, want := s.X.RawMatrix().Data[i], clean.X.RawMatrix().Data[i]+0.5*noise[i]; math.Abs(got-want) > 1e-15*4 {
			t.Errorf("number %d is %v, want %v", i, got, want)
		}
	}
	if !mat.Equal(s.Params, clean.Params) {
		t.Error("the noise changed the coordinates")
	}
}

// TestRingOfTrefoil adds up the chords of a fine polygon along the knot.
func TestRingOfTrefoil(t *testing.T) {
	const n, fine = 30, 3000
	set := map[string]string{"noise": "0", "dims": "3"}
	plain := generate(t, "trefoil", n, set)
	set["params"] = "isometric"
	ring := generate(t, "trefoil", n, set)
	if !mat.Equal(plain.X, ring.X) {
		t.Error("params changed the points")
	}
	at := func(t float64) []float64 {
		r := 2 + math.Cos(3*t)
		return []float64{r * math.Cos(2*t), r * math.Sin(2*t), math.Sin(3 * t)}
	}
	length := make([]float64, n*fine+1)
	for i := range n * fine {
		a, b := 2*math.Pi*float64(i)/(n*fine), 2*math.Pi*float64(i+1)/(n*fine)
		length[i+1] = length[i] + floats.Distance(at(a), at(b), 2)
	}
	for i := range n {
		phi := 2 * math.Pi * length[i*fine] / length[n*fine]
		p := ring.Params.RawRowView(i)
		// Chords of 7e-5 rad are short by a relative 1e-9, nearly the same share everywhere.
		if math.Hypot(p[0]-math.Cos(phi), p[1]-math.Sin(phi)) > 1e-8 {
			t.Errorf("sample %d lies at %v, want the angle %v", i, p, phi)
		}
	}
}
