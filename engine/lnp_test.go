package engine

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/vector"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// represented runs the uncapped pursuit over the k nearest of every sample.
func represented(t testing.TB, x *mat.Dense, k int) *neighbors.Graph {
	t.Helper()
	none := 0
	g := must(Represent(context.Background(), x, LNP{Neighbors: k, Cap: &none}, Options{}))(t)
	return g
}

func TestRepresentationIsConvexAndLocal(t *testing.T) {
	for _, name := range []string{"swiss-roll", "trefoil", "gaussians", "two-moons"} {
		t.Run(name, func(t *testing.T) {
			x := generate(t, name, 300, 1).X
			near := graphOf(t, x, 15)
			g := represented(t, x, 15)
			for i := range 300 {
				w := g.Weights(i)
				if slices.Min(w) <= 0 || math.Abs(vector.Sum(w)-1) > 15e-14 {
					t.Errorf("%s: weights of %d are %v", name, i, w)
				}
				if g.Of(i)[0] != near.Of(i)[0] || !slices.IsSorted(g.Distances(i)) {
					t.Errorf("%s: neighbours of %d are %v at %v, the nearest is %d", name, i, g.Of(i), g.Distances(i), near.Of(i)[0])
				}
				for _, j := range g.Of(i) {
					if !slices.Contains(near.Of(i), j) {
						t.Errorf("%s: %d is not among the nearest of %d", name, j, i)
					}
				}
			}
		})
	}
}

func TestPursuitIsInvariant(t *testing.T) {
	const n = 200
	x := generate(t, "swiss-roll", n, 2).X
	g := represented(t, x, 12)
	s := blas.NewStream(5)
	random := mat.NewDense(3, 3, nil)
	s.Normals(random.RawMatrix().Data)
	var qr mat.QR
	qr.Factorize(random)
	var q, rotated mat.Dense
	qr.QTo(&q)
	rotated.Mul(x, &q)
	scaled, moved, widened := mat.NewDense(n, 3, nil), mat.NewDense(n, 3, nil), mat.NewDense(n, 5, nil)
	scaled.Scale(0x1p-200, x)
	for i := range n {
		for j := range 3 {
			moved.Set(i, j, x.At(i, j)+7)
			widened.Set(i, j+1, x.At(i, j))
		}
	}
	for what, other := range map[string]*mat.Dense{"rotated": &rotated, "scaled by 2⁻²⁰⁰": scaled, "moved": moved, "with columns of zeros": widened} {
		t.Run(what, func(t *testing.T) {
			h := represented(t, other, 12)
			for i := range n {
				if !slices.Equal(g.Of(i), h.Of(i)) {
					t.Errorf("%s: neighbours of %d are %v, were %v", what, i, h.Of(i), g.Of(i))
					continue
				}
				expectClose(t, what, h.Weights(i), g.Weights(i), 1e-9)
			}
		})
	}
}

func TestPursuitDegenerate(t *testing.T) {
	for _, c := range []struct {
		name       string
		rows       [][]float64
		k          int
		coincident bool
		list       []int32 // of the first sample
		weights    []float64
	}{
		{"two samples", [][]float64{{0, 0}, {3, 4}}, 1, false, []int32{1}, []float64{1}},
		{"all equal", [][]float64{{1, 2}, {1, 2}, {1, 2}, {1, 2}}, 3, false, []int32{1}, []float64{1}},
		{"a duplicate is left out", [][]float64{{0, 0}, {0, 0}, {1, 0}, {-1, 0}}, 3, false, []int32{2, 3}, []float64{0.5, 0.5}},
		{"a duplicate is all", [][]float64{{0, 0}, {0, 0}, {1, 0}, {-1, 0}}, 3, true, []int32{1}, []float64{1}},
		{"collinear, one side", [][]float64{{0, 0}, {1, 1}, {2, 2}, {3, 3}}, 3, false, []int32{1}, []float64{1}},
		{"collinear, both sides", [][]float64{{0, 0}, {1, 1}, {2, 2}, {-3, -3}}, 3, false, []int32{1, 3}, []float64{0.75, 0.25}},
		{"right angles", [][]float64{{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}}, 3, false, []int32{1}, []float64{1}},
		{"a constant column", [][]float64{{0, 5}, {1, 5}, {-2, 5}}, 2, false, []int32{1, 2}, []float64{2.0 / 3, 1.0 / 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			none := 0
			g, err := Represent(context.Background(), matrix(c.rows), LNP{Neighbors: c.k, Cap: &none, Coincident: c.coincident}, Options{})
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				return
			}
			if !slices.Equal(g.Of(0), c.list) {
				t.Errorf("%s: neighbours %v, want %v", c.name, g.Of(0), c.list)
				return
			}
			expectClose(t, c.name, g.Weights(0), c.weights, 1e-12)
			for i := range g.Len() {
				if math.Abs(vector.Sum(g.Weights(i))-1) > 1e-14 {
					t.Errorf("%s: weights of %d are %v", c.name, i, g.Weights(i))
				}
			}
		})
	}
}

// New samples: a training sample keeps its place, and points on a curve between
// training samples come to lie between them.
func TestPursuitExtension(t *testing.T) {
	x := mat.NewDense(60, 2, nil)
	for i := range 60 {
		u := 2 * math.Pi * float64(i) / 60
		x.SetRow(i, []float64{math.Cos(u), math.Sin(u)})
	}
	for _, m := range []Method{LNP{Neighbors: 8}, SMCE{Neighbors: 8}} {
		t.Run(m.Name(), func(t *testing.T) {
			r := embed(t, x, m, Options{})
			model := must(r.Model())(t)
			same := transformed(t, model, x, Options{})
			if !mat.Equal(same, r.Y) {
				t.Errorf("%s: training samples do not keep their places", m.Name())
			}
			u := 2 * math.Pi * 0.5 / 60
			z := transformed(t, model, mat.NewDense(1, 2, []float64{math.Cos(u), math.Sin(u)}), Options{})
			for j := range 2 {
				// By symmetry both neighbours weigh the same.
				if want := (r.Y.At(0, j) + r.Y.At(1, j)) / 2; math.Abs(z.At(0, j)-want) > 0.02*math.Abs(r.Y.At(30, 0))+0.02*math.Abs(r.Y.At(30, 1)) {
					t.Errorf("%s: coordinate %d is %g, want %g", m.Name(), j, z.At(0, j), want)
				}
			}
		})
	}
}
