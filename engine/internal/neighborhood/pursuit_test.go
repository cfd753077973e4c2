package neighborhood

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/vector"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/internal/must"
)

// naivePursuit is Algorithm 1 by its words: a least squares problem for every
// candidate in every round. g has the differences as rows.
func naivePursuit(g *mat.Dense) (selected []int, weights []float64, examined int) {
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
			examined++
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
		return selected, []float64{1}, examined
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
		return selected, nil, examined
	}
	weights = []float64{1}
	for q := range s - 1 {
		weights = append(weights, x.AtVec(q))
		weights[0] -= x.AtVec(q)
	}
	return selected, weights, examined
}

// The incremental pursuit selects what the naive one does, and keeps what the
// paper's theorems say: positive weights, strictly falling residuals, orthogonality.
func TestPursuitOnRandomPatches(t *testing.T) {
	s := blas.NewStream(11)
	w := NewPursuer(blas.MustSelect("auto"))
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
		selected, weights := w.Select(g, squares, m, math.MaxInt)
		naive, naiveWeights, examined := naivePursuit(mat.NewDense(k, m, g))
		if !slices.Equal(selected, naive) {
			t.Fatalf("round %d (m %d, k %d): selected %v, the naive pursuit %v", round, m, k, selected, naive)
		}
		if w.Examined() != examined {
			t.Errorf("round %d: %d candidates examined, by the naive pursuit %d", round, w.Examined(), examined)
		}
		golden.Expect(t, fmt.Sprintf("round %d: weights", round), weights, naiveWeights, 1e-9)
		if selected[0] != 0 || slices.Min(weights) <= 0 || math.Abs(vector.Sum(weights)-1) > 1e-14*float64(k) {
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

// The loops over samples allocate nothing once their scratch has grown.
func TestPursuitDoesNotAllocate(t *testing.T) {
	set := must.Get(datasets.Generate("trefoil", 110, 1, nil))(t)
	x := samples.Of(set.X)
	near := must.Get(neighbors.Exact(t.Context(), x.Points(), 40, neighbors.Options{}))(t)
	w := NewPursuer(blas.MustSelect("auto"))
	coder := NewSparseCoder(blas.MustSelect("auto"), SparseAffine{Lambda: 10, Keep: 0.95})
	var c Candidates
	all := func() {
		for i := range x.N() {
			c.Take(x, x, i, near.Of(i), near.Distances(i), 0)
			w.Select(c.Differences, c.Squares, x.M(), math.MaxInt)
			coder.Solve(&c)
			coder.Kept()
		}
	}
	if n := testing.AllocsPerRun(3, all); n > 0 {
		t.Errorf("%g allocations", n)
	}
}
