package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// naivePursuit is Algorithm 1 by its words: a least squares problem for every
// candidate in every round. g has the differences as rows.
func naivePursuit(g *mat.Dense) (selected []int, weights []float64) {
	k, m := g.Dims()
	selected = []int{0}
	for {
		basis := mat.NewDense(m, len(selected), nil)
		for q, at := range selected {
			basis.SetCol(q, g.RawRowView(at))
		}
		var qr mat.QR
		if len(selected) > m {
			break
		}
		qr.Factorize(basis)
		next := -1
		for j := 0; j < k && next < 0; j++ {
			if slices.Contains(selected, j) {
				continue
			}
			var p mat.VecDense
			if qr.SolveVecTo(&p, false, mat.NewVecDense(m, slices.Clone(g.RawRowView(j)))) != nil {
				break
			}
			if mat.Max(&p) < -pursuitTolerance {
				next = j
			}
		}
		if next < 0 || len(selected) == m { // a point beyond the dimension is dependent
			if next >= 0 {
				selected = append(selected, next)
			}
			break
		}
		selected = append(selected, next)
	}
	// Weights: the affine least squares on the support, in differences to its first.
	s := len(selected)
	if s == 1 {
		return selected, []float64{1}
	}
	rows, right := mat.NewDense(m, s-1, nil), mat.NewVecDense(m, nil)
	for c := range m {
		right.SetVec(c, -g.At(selected[0], c))
		for q := 1; q < s; q++ {
			rows.Set(c, q-1, g.At(selected[q], c)-g.At(selected[0], c))
		}
	}
	var x mat.VecDense
	if err := x.SolveVec(rows, right); err != nil {
		return selected, nil
	}
	weights = []float64{1}
	for q := range s - 1 {
		weights = append(weights, x.AtVec(q))
		weights[0] -= x.AtVec(q)
	}
	return selected, weights
}

// The incremental pursuit selects what the naive one does, and keeps what the
// paper's theorems say: positive weights, strictly falling residuals, orthogonality.
func TestPursuitOnRandomPatches(t *testing.T) {
	s := blas.NewStream(11)
	w := &pursuer{kernels: blas.MustSelect("auto")}
	for round := range 400 {
		m, k := 1+s.Below(30), 1+s.Below(60)
		rows := make([][]float64, k)
		for j := range rows {
			rows[j] = make([]float64, m)
			s.Normals(rows[j])
			rows[j][0] += 0.5 // off centre, so that some patches do not surround the point
		}
		slices.SortFunc(rows, func(a, b []float64) int {
			if blas.Dot(a, a) < blas.Dot(b, b) {
				return -1
			}
			return 1
		})
		g, squares := differencesTo(make([]float64, m), rows)
		selected, weights := w.of(g, squares, m, math.MaxInt)
		naive, naiveWeights := naivePursuit(mat.NewDense(k, m, g))
		if !slices.Equal(selected, naive) {
			t.Fatalf("round %d (m %d, k %d): selected %v, the naive pursuit %v", round, m, k, selected, naive)
		}
		expectClose(t, fmt.Sprintf("round %d: weights", round), weights, naiveWeights, 1e-9)
		if selected[0] != 0 || slices.Min(weights) <= 0 || math.Abs(sum(weights)-1) > 1e-14*float64(k) {
			t.Errorf("round %d: selected %v, weights %v", round, selected, weights)
		}
		r := make([]float64, m)
		for q, at := range selected {
			blas.Axpy(weights[q], rows[at], r)
		}
		for q := 1; q < len(w.residuals); q++ {
			if w.residuals[q] >= w.residuals[q-1] {
				t.Errorf("round %d: squared residuals %v do not fall", round, w.residuals)
			}
		}
		// The last residual is that of the weights: absolute, since it may be 0.
		if last := w.residuals[len(w.residuals)-1]; math.Abs(last-blas.Dot(r, r)) > 1e-10*squares[0] {
			t.Errorf("round %d: squared residual %g, of the weights %g", round, last, blas.Dot(r, r))
		}
		for _, at := range selected { // r is orthogonal to the affine hull
			if d := blas.Dot(rows[at], r) - blas.Dot(r, r); math.Abs(d) > 1e-10*math.Sqrt(squares[at]*squares[0]) {
				t.Errorf("round %d: the residual is not orthogonal: %g", round, d)
			}
		}
		if len(selected) <= m {
			inversePositive(t, round, rows, selected)
		}
	}
}

// inversePositive holds (GᵀG)⁻¹ of a selection to positive entries.
func inversePositive(t *testing.T, round int, rows [][]float64, selected []int) {
	a := mat.NewDense(len(selected), len(selected), nil)
	for i, p := range selected {
		for j, q := range selected {
			a.Set(i, j, blas.Dot(rows[p], rows[q]))
		}
	}
	var inverse mat.Dense
	if err := inverse.Inverse(a); err != nil {
		return // too near to dependence to say
	}
	if mat.Min(&inverse) <= 0 {
		t.Errorf("round %d: (GᵀG)⁻¹ has the entry %g", round, mat.Min(&inverse))
	}
}

// represented runs the uncapped pursuit over the k nearest of every sample.
func represented(t testing.TB, x *mat.Dense, k int) *neighbors.Graph {
	t.Helper()
	none := 0
	g, err := Represent(context.Background(), x, LNP{Neighbors: k, Cap: &none}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestRepresentationIsConvexAndLocal(t *testing.T) {
	for _, name := range []string{"swiss-roll", "trefoil", "gaussians", "two-moons"} {
		t.Run(name, func(t *testing.T) {
			x := generate(t, name, 300, 1).X
			near, err := neighbors.Exact(context.Background(), pointsOf(x), 15, neighbors.Options{})
			if err != nil {
				t.Fatal(err)
			}
			g := represented(t, x, 15)
			for i := range 300 {
				w := g.Weights(i)
				if slices.Min(w) <= 0 || math.Abs(sum(w)-1) > 15e-14 {
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
				if math.Abs(sum(g.Weights(i))-1) > 1e-14 {
					t.Errorf("%s: weights of %d are %v", c.name, i, g.Weights(i))
				}
			}
		})
	}
}

// The nullity of Φ is the number of closed classes, and constants are null.
func TestClosedClassesAreTheNullity(t *testing.T) {
	seen := map[int]bool{}
	for seed := range uint64(6) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			s := blas.NewStream(seed)
			const n = 120
			x := mat.NewDense(n, 3, nil)
			for i := range n { // an open curve, unevenly sampled
				u := 3 * s.Uniform()
				x.SetRow(i, []float64{math.Cos(u), math.Sin(2 * u), u})
			}
			for _, k := range []int{1, 2, 3, 5, 20} {
				g := represented(t, x, k)
				phi, err := sumOfPatches(testProblem(x, g), givenWeights{})
				if err != nil {
					t.Fatal(err)
				}
				var eigen mat.EigenSym
				dense := phi.phi.Dense()
				symmetric := mat.NewSymDense(n, dense.RawMatrix().Data)
				if !eigen.Factorize(symmetric, false) {
					t.Fatal("no eigenvalues")
				}
				nullity := 0
				for _, v := range eigen.Values(nil) {
					if v < 1e-12 {
						nullity++
					}
				}
				classes := closedClasses(g)
				// Slow chains have eigenvalues that no threshold tells from 0.
				if nullity < classes || k <= 5 && nullity != classes {
					t.Errorf("seed %d, K = %d: nullity %d, %d closed classes", seed, k, nullity, classes)
				}
				seen[min(classes, 3)] = true
				for i := range n {
					var row float64
					for j := range n {
						row += dense.At(i, j)
					}
					if math.Abs(row) > 1e-13 {
						t.Errorf("seed %d, K = %d: row %d of Φ1 is %g", seed, k, i, row)
					}
				}
			}
		})
	}
	if !seen[1] || !seen[3] {
		t.Errorf("the test has only seen %v classes", seen)
	}
}

func TestClosedClassesOfKnownGraphs(t *testing.T) {
	for _, c := range []struct {
		arrows [][]int32
		want   int
	}{
		{[][]int32{{1}, {0}}, 1},
		{[][]int32{{1}, {0}, {3}, {2}}, 2},
		{[][]int32{{1}, {0}, {1, 4}, {4}, {3}}, 2},       // 2 leads to both
		{[][]int32{{1}, {2}, {0}, {0}, {3}}, 1},          // a ring with a tail
		{[][]int32{{1}, {2}, {3}, {4}, {3}}, 1},          // a path into a pair
		{[][]int32{{1, 2}, {0}, {3}, {2}, {5}, {4}}, 2},  // the first pair is not closed
		{[][]int32{{1}, {0}, {3}, {2}, {5}, {4, 0}}, 2},  // nor is the last
		{[][]int32{{3}, {3}, {3}, {0, 1, 2}, {0, 1}}, 1}, // a star
	} {
		t.Run(fmt.Sprint(c.arrows), func(t *testing.T) {
			g := &neighbors.Graph{Ptr: []int{0}}
			for _, list := range c.arrows {
				g.Index = append(g.Index, list...)
				g.Ptr = append(g.Ptr, len(g.Index))
			}
			if got := closedClasses(g); got != c.want {
				t.Errorf("%v: %d closed classes, want %d", c.arrows, got, c.want)
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
			model, err := r.Model()
			if err != nil {
				t.Fatal(err)
			}
			same, err := model.Transform(context.Background(), x, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !mat.Equal(same, r.Y) {
				t.Errorf("%s: training samples do not keep their places", m.Name())
			}
			u := 2 * math.Pi * 0.5 / 60
			z, err := model.Transform(context.Background(), mat.NewDense(1, 2, []float64{math.Cos(u), math.Sin(u)}), Options{})
			if err != nil {
				t.Fatal(err)
			}
			for j := range 2 {
				// By symmetry both neighbours weigh the same.
				if want := (r.Y.At(0, j) + r.Y.At(1, j)) / 2; math.Abs(z.At(0, j)-want) > 0.02*math.Abs(r.Y.At(30, 0))+0.02*math.Abs(r.Y.At(30, 1)) {
					t.Errorf("%s: coordinate %d is %g, want %g", m.Name(), j, z.At(0, j), want)
				}
			}
		})
	}
}

// The loops over samples allocate nothing once their scratch has grown.
func TestPursuitDoesNotAllocate(t *testing.T) {
	x := pointsOf(generate(t, "trefoil", 110, 1).X)
	near, err := neighbors.Exact(context.Background(), x, 40, neighbors.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := &pursuer{kernels: blas.MustSelect("auto")}
	coder := newSparseCoder(blas.MustSelect("auto"), sparseAffine{lambda: 10, keep: 0.95})
	var c candidateSet
	all := func() {
		for i := range x.N {
			c.take(x, x.Row(i), near.Of(i), near.Distances(i), 0)
			w.of(c.differences, c.squares, x.M, math.MaxInt)
			coder.of(&c, x.M)
			coder.kept()
		}
	}
	if n := testing.AllocsPerRun(3, all); n > 0 {
		t.Errorf("%g allocations", n)
	}
}
