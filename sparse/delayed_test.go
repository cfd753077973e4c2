package sparse

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// A well-conditioned matrix of order 16 whose pivots had to be moved where they stayed in their panels.
func TestDelayedPivotsOfASmallMatrix(t *testing.T) {
	var lower []Triplet
	for _, e := range [][3]int{{0, 5, 2}, {0, 8, -3}, {0, 9, 3}, {1, 3, -1}, {1, 12, 2}, {2, 6, 3}, {2, 9, 3}, {3, 10, -2}, {4, 4, 2}, {4, 5, 1}, {4, 8, 2},
		{4, 12, -1}, {4, 13, 3}, {5, 6, 3}, {5, 14, 3}, {6, 9, -2}, {7, 7, -1}, {7, 10, -2}, {7, 11, -2}, {10, 12, 2}, {10, 13, 2}, {11, 14, -1}, {12, 15, -2}, {14, 14, -3}} {
		lower = append(lower, Triplet{e[1], e[0], float64(e[2])})
	}
	a := fromPairs(t, 16, lower)
	f := mustLDLT(t, a, 0, 1)
	if f.delayed == nil {
		t.Error("no pivot was delayed")
	}
	x := make([]float64, 16)
	a.MulVec(1, slices.Repeat([]float64{1}, 16), x)
	backward, err := f.Solve(x, 1)
	for i, v := range x {
		if math.Abs(v-1) > 1e-13 {
			t.Errorf("row %d: %g", i, v)
		}
	}
	in, _ := f.Inertia()
	sign, logarithm, _ := f.LogDet()
	if err != nil || in.Positive != 8 || in.Negative != 8 || !in.Certain || sign != 1 || math.Abs(logarithm-12.751) > 1e-3 {
		t.Errorf("backward error %g, %v, %+v, determinant (%g, %g)", backward, err, in, sign, logarithm)
	}
	// Pivots within a panel factorise a perturbed matrix, and the inertia says so.
	s := must.Get(Analyze(t.Context(), a))(t)
	g := must.Get(s.FactorIndefinite(t.Context(), blas.MustSelect(""), 1, a, 0, nil))(t)
	if in := g.Inertia(a, 0); in.Perturbed == 0 || in.Certain {
		t.Errorf("by panels: %+v", in)
	}
}

// large are matrices whose pivots are delayed through many fronts.
func large(t testing.TB) map[string]*CSR {
	random := blas.NewStream(9)
	return map[string]*CSR{
		"saddle":    randomSaddle(t, 500, random, -1),
		"Stokes":    stokes(t, 12, random),
		"diagonal":  randomIndefinite(t, 400, random, 0.1),
		"adjacency": adjacency(t, grid(21, false)),
		"wide":      adjacency(t, cliques(400, 6, 14, 13)),
	}
}

// Solutions, counts and determinants are right where many pivots are delayed, and the bits are the same on more threads
// and after other values.
func TestDelayedPivotsOfLargeMatrices(t *testing.T) {
	delayed := 0
	for name, a := range large(t) {
		shift := 1e-7 * a.RowSumNorm()
		f := mustLDLT(t, a, shift, 1)
		if f.delayed != nil {
			delayed++
		}
		w := spectrum(t, a, shift)
		negative, least := 0, math.Inf(1)
		for _, v := range w {
			least = min(least, math.Abs(v))
			if v < 0 {
				negative++
			}
		}
		in, err := f.Inertia()
		if err != nil || in.Certain && in.Negative != negative || !in.Certain && least > 1e-5 || in.Perturbed > 0 {
			t.Errorf("%s: %+v, want %d negative, the least in size %g (%v)", name, in, negative, least, err)
		}
		x := make([]float64, 5*a.Rows)
		blas.NewStream(4).Normals(x)
		y := slices.Clone(x)
		if backward, err := f.Solve(x, 5); err != nil || !(backward < 1e-13) {
			t.Errorf("%s: backward error %g, %v", name, backward, err)
		}
		more := mustLDLT(t, a, shift+1, 3)
		must.Do(t, more.UpdateValues(t.Context(), a, shift))
		if _, err := more.Solve(y, 5); err != nil {
			t.Error(name, err)
		}
		if f.numeric.scale == nil && more.numeric.scale == nil && slices.Equal(f.numeric.factor.symbolic.perm, more.numeric.factor.symbolic.perm) && !slices.Equal(x, y) {
			t.Errorf("%s: the solutions differ", name)
		}
		again := mustLDLT(t, a, shift, 3)
		z := make([]float64, 5*a.Rows)
		blas.NewStream(4).Normals(z)
		if _, err := again.Solve(z, 5); err != nil || !slices.Equal(x, z) {
			t.Errorf("%s: three threads: %v", name, err)
		}
		// In the order of elimination, and without refinement.
		side, solution := make([]float64, a.Rows), make([]float64, a.Rows)
		blas.NewStream(8).Normals(side)
		for k, i := range f.Permutation() {
			solution[k] = side[i]
		}
		must.Do(t, f.SolveEliminated(solution, 1))
		must.Do(t, f.SolveUnrefined(side, 1))
		for k, i := range f.Permutation() {
			if solution[k] != side[i] {
				t.Fatalf("%s: row %d: %g and %g", name, i, solution[k], side[i])
			}
		}
	}
	if delayed < 3 {
		t.Errorf("of %d matrices %d have delayed pivots: that shows little", len(large(t)), delayed)
	}
}

// The memory of delayed pivots is requested first, and is part of the memory that the factor reports.
func TestDelayedPivotsWithinMemory(t *testing.T) {
	a := large(t)["adjacency"]
	f := mustLDLT(t, a, 0, 1)
	if f.delayed == nil {
		t.Fatal("no pivot was delayed")
	}
	panels := f.direct.Bytes() + 69*int64(f.Order()) + 16*int64(len(f.columns))
	if f.Bytes() <= panels {
		t.Errorf("%d bytes, of which %d without the other factor", f.Bytes(), panels)
	}
	var refused *MemoryError
	if _, err := NewLDLT(t.Context(), a, 0, CholeskyOptions{Threads: 1, Memory: panels + 100}); !errors.As(err, &refused) {
		t.Errorf("within %d bytes: %v", panels+100, err)
	} else if _, err := NewLDLT(t.Context(), a, 0, CholeskyOptions{Threads: 1, Memory: 4 * refused.Need}); err != nil {
		t.Error(err)
	}
}

// Of a singular matrix the sides in its range have solutions; another side has none, and that is an error.
func TestLDLTSolvesInTheRange(t *testing.T) {
	random := blas.NewStream(3)
	for name, a := range map[string]*CSR{
		"Laplacian": laplacian(grid(9, true)),
		"path":      adjacency(t, grid(9, false)), // of an odd number of vertices
		"saddle":    randomSaddle(t, 60, random, -1),
		"zeros":     fromPairs(t, 5, []Triplet{{0, 0, 0}, {1, 0, 2}, {4, 4, 0}}),
	} {
		f := mustLDLT(t, a, 0, 1)
		in, err := f.Inertia()
		if err != nil || in.Zero == 0 && name != "saddle" || in.Zero > 0 && (in.Certain || in.Doubt() == "") {
			t.Errorf("%s: %+v, %v", name, in, err)
		}
		x, b := make([]float64, a.Rows), make([]float64, a.Rows)
		random.Normals(x)
		a.MulVec(1, x, b)
		y := slices.Clone(b)
		if backward, err := f.Solve(y, 1); err != nil {
			t.Errorf("%s: a side in the range: backward error %g, %v", name, backward, err)
		}
	}
	f := mustLDLT(t, fromPairs(t, 3, []Triplet{{0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {2, 2, 5}}), 0, 1)
	var missed *BackwardError
	x := []float64{1, 2, 3}
	if backward, err := f.Solve(x, 1); !errors.As(err, &missed) || missed.Zero != 1 {
		t.Errorf("a side outside the range: %v, backward error %g, %v", x, backward, err)
	}
	huge := mustLDLT(t, fromPairs(t, 2, []Triplet{{0, 0, 1e-300}, {1, 0, 1e-301}, {1, 1, -1e-300}}), 0, 1)
	if _, err := huge.Solve([]float64{1e100, 1}, 1); !errors.As(err, &missed) {
		t.Errorf("a solution beyond the largest number: %v", err)
	}
}
