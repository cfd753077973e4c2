package sparse

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// residual returns max |A·X + shift·X − B| / (|A + shift·I|·max|X| + max|B|).
func residual(a *CSR, shift float64, x, b []float64, nrhs int) float64 {
	var worst, largest, right float64
	for _, v := range x {
		largest = max(largest, math.Abs(v))
	}
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for r := range nrhs {
			s := shift*x[i*nrhs+r] - b[i*nrhs+r]
			for p, j := range cols {
				s += vals[p] * x[int(j)*nrhs+r]
			}
			if math.IsNaN(s) {
				return s
			}
			worst, right = max(worst, math.Abs(s)), max(right, math.Abs(b[i*nrhs+r]))
		}
	}
	return worst / ((a.RowSumNorm()+shift)*largest + right)
}

// laplacian makes the rows of a sum to zero: singular, as alignment matrices
// are, so that a small shift makes it definite but badly conditioned.
func laplacian(a *CSR) *CSR {
	b := *a
	b.Val = make([]float64, len(a.Val))
	for i := range a.Rows {
		cols, _ := a.Row(i)
		for p, j := range cols {
			if int(j) == i {
				b.Val[a.Ptr[i]+p] = float64(len(cols) - 1)
			} else {
				b.Val[a.Ptr[i]+p] = -1
			}
		}
	}
	return &b
}

// Cholesky is backward stable: whatever the condition, the residual is a small
// multiple of ε times the longest sums, here well below 1e-13.
func TestSolveResiduals(t *testing.T) {
	random := blas.NewStream(5)
	for name, c := range map[string]struct {
		a     *CSR
		shift float64
	}{
		"grid":                {grid(60, false), 0},
		"cliques":             {cliques(3000, 2, 10, 3), 0},
		"cliques, shifted":    {cliques(3000, 2, 10, 3), 7},
		"wide":                {cliques(1200, 8, 16, 3), 0},
		"nearly singular":     {laplacian(cliques(3000, 2, 10, 3)), 1e-10},
		"nearly singular, 8d": {laplacian(cliques(1200, 8, 16, 3)), 1e-10},
	} {
		t.Run(name, func(t *testing.T) {
			f := factorize(t, c.a, c.shift)
			var work SolveWork
			for _, nrhs := range []int{1, 2, 3, 4, 5, 7, 8, 9, 13} {
				b := make([]float64, c.a.Rows*nrhs)
				random.Normals(b)
				x := slices.Clone(b)
				f.Solve(x, nrhs, &work)
				if got := residual(c.a, c.shift, x, b, nrhs); !(got < 1e-13) {
					t.Errorf("%d right-hand sides: relative residual %g", nrhs, got)
				}
			}
		})
	}
}

// The loops for 1, 4 and 8 lanes add in different orders, so their results
// differ by rounding; the matrix is well conditioned (row sums at most about
// 30, eigenvalues at least 0.1).
func TestSeveralRightHandSidesAreSolvedAsOne(t *testing.T) {
	a := cliques(700, 2, 9, 3)
	f := factorize(t, a, 0)
	random := blas.NewStream(9)
	for nrhs := range 18 {
		b := make([]float64, a.Rows*nrhs)
		random.Normals(b)
		x := slices.Clone(b)
		f.Solve(x, nrhs, nil)
		for r := range nrhs {
			one := make([]float64, a.Rows)
			for i := range one {
				one[i] = b[i*nrhs+r]
			}
			f.Solve(one, 1, nil)
			for i, want := range one {
				if d := math.Abs(x[i*nrhs+r] - want); !(d < 1e-12) {
					t.Fatalf("%d right-hand sides: entry %d of number %d is %g, alone it is %g", nrhs, i, r, x[i*nrhs+r], want)
				}
			}
		}
	}
}

func TestSolveDoesNotAllocate(t *testing.T) {
	a := grid(20, false)
	f := factorize(t, a, 0)
	x := make([]float64, a.Rows*8)
	var work SolveWork
	for _, nrhs := range []int{8, 5, 4, 3, 1} {
		f.Solve(x, nrhs, &work)
		if got := testing.AllocsPerRun(5, func() { f.Solve(x, nrhs, &work) }); got != 0 {
			t.Errorf("%d right-hand sides: %g allocations", nrhs, got)
		}
	}
}

func TestSolveRefusesAShortVector(t *testing.T) {
	f := factorize(t, grid(5, false), 0)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	f.Solve(make([]float64, 49), 2, nil)
}

// Factors are solved in parts from a size on that would take long to test; the
// flag makes small ones be.
func TestSolveSameBitsForAnyThreads(t *testing.T) {
	for name, pattern := range parallelPatterns {
		t.Run(name, func(t *testing.T) {
			a := pattern()
			for _, backend := range backends() {
				f := must.Get(analysis(t, a).Factor(context.Background(), blas.MustSelect(backend), 0, a, 0.1))(t)
				whole := *f
				f.inParts, f.parts = true, f.symbolic.parts()
				for _, nrhs := range []int{1, 3, 8} {
					b := make([]float64, a.Rows*nrhs)
					blas.NewStream(6).Normals(b)
					want, one := slices.Clone(b), slices.Clone(b)
					f.Solve(want, nrhs, &SolveWork{Threads: 1})
					if got := residual(a, 0.1, want, b, nrhs); !(got < 1e-13) {
						t.Errorf("%s: relative residual %g", backend, got)
					}
					whole.Solve(one, nrhs, nil)
					for i, v := range one {
						// The same sums in another order; the matrices are well conditioned.
						if d := math.Abs(v - want[i]); !(d < 1e-11) {
							t.Fatalf("%s: entry %d is %g, not in parts %g", backend, i, want[i], v)
						}
					}
					for _, threads := range manyThreads() {
						got := slices.Clone(b)
						f.Solve(got, nrhs, &SolveWork{Threads: threads})
						if !slices.Equal(got, want) {
							t.Errorf("%s: %d right-hand sides, %d threads give other bits than one", backend, nrhs, threads)
						}
					}
				}
			}
		})
	}
}

// Subtrees that are solved at a time give the bits of one panel after the other.
func TestSubtreesAreOnePanelAfterTheOther(t *testing.T) {
	found := 0
	for name, pattern := range parallelPatterns {
		t.Run(name, func(t *testing.T) {
			a := pattern()
			definite := must.Get(analysis(t, a).Factor(t.Context(), blas.MustSelect(""), 0, a, 0.1))(t)
			indefinite := must.Get(NewLDLT(t.Context(), a, -1.7, CholeskyOptions{}))(t).numeric.factor
			for kind, f := range map[string]*Factor{"Cholesky": definite, "LDLᵀ": indefinite} {
				f.inParts, f.subtrees = false, f.symbolic.subtrees()
				found += len(f.subtrees)
				for _, nrhs := range []int{1, 3, 8} {
					b := make([]float64, a.Rows*nrhs)
					blas.NewStream(6).Normals(b)
					want := slices.Clone(b)
					f.Solve(want, nrhs, &SolveWork{Threads: 1})
					for _, threads := range []int{2, 3, 7} {
						got := slices.Clone(b)
						f.Solve(got, nrhs, &SolveWork{Threads: threads})
						if !slices.Equal(got, want) {
							t.Errorf("%s: %d right-hand sides, %d threads give other bits than one", kind, nrhs, threads)
						}
					}
				}
			}
		})
	}
	if found < 20 {
		t.Errorf("%d subtrees show little", found)
	}
}

// A part is whole subtrees: nothing outside it updates its panels, and what its
// panels update beyond it are rows of the parent.
func TestPartsAreSubtrees(t *testing.T) {
	found := 0
	for name, pattern := range parallelPatterns {
		s := analysis(t, pattern())
		visited := make([]int, len(s.rowLo))
		at := int32(0)
		f := &Factor{symbolic: s, parts: s.parts()}
		for _, k := range f.parts {
			found++
			if k.lo < at || k.hi <= k.lo {
				t.Fatalf("%s: part of panels %d to %d after %d", name, k.lo, k.hi, at)
			}
			at = k.hi
			for p := k.lo; p < k.hi; p++ {
				visited[p]++
				rows, _ := s.panel(p)
				for _, i := range rows {
					if _, ok := slices.BinarySearch(s.outside(k), i); !ok && i >= s.first[k.hi] {
						t.Fatalf("%s: panel %d reaches row %d outside its part", name, p, i)
					}
				}
			}
		}
		l := s.listUpdates()
		for _, k := range f.parts {
			for p := k.lo; p < k.hi; p++ {
				for _, u := range l.panelUpdates(p) {
					if u.panel < k.lo {
						t.Fatalf("%s: panel %d of the part from %d is updated by %d", name, p, k.lo, u.panel)
					}
				}
			}
		}
		var up, down []int32
		sweep{f, 1}.between(func(p int32) { up = append(up, p) })
		sweep{f, 1}.betweenDown(func(p int32) { down = append(down, p) })
		slices.Reverse(down)
		if !slices.IsSorted(up) || !slices.Equal(up, down) {
			t.Errorf("%s: panels %v upwards, %v downwards", name, up, down)
		}
		for _, p := range up {
			visited[p]++
		}
		for p, n := range visited {
			if n != 1 {
				t.Errorf("%s: panel %d is visited %d times", name, p, n)
			}
		}
	}
	if found < 10 {
		t.Errorf("%d parts in all patterns: too few to test anything", found)
	}
}

// TestSolveEliminated compares the solve in the order of elimination with the solve in the order of
// the matrix, for every number of right-hand sides up to nine.
func TestSolveEliminated(t *testing.T) {
	a := grid(11, false)
	f := factorize(t, a, 0.5)
	s := f.symbolic
	for nrhs := 1; nrhs <= 9; nrhs++ {
		x := make([]float64, a.Rows*nrhs)
		blas.NewStream(uint64(nrhs)).Normals(x)
		ordered := make([]float64, len(x))
		for k, i := range s.Permutation() {
			copy(ordered[k*nrhs:(k+1)*nrhs], x[int(i)*nrhs:])
		}
		f.Solve(x, nrhs, nil)
		f.SolveEliminated(ordered, nrhs, nil)
		for k, i := range s.Permutation() {
			if !slices.Equal(ordered[k*nrhs:(k+1)*nrhs], x[int(i)*nrhs:int(i+1)*nrhs]) {
				t.Fatalf("%d right-hand sides: row %d differs", nrhs, i)
			}
		}
	}
}

// The halves of a solution together are the solution, whatever the number of columns and
// threads, and LᵀPx from the matrix itself has the length √(xᵀAx).
func TestHalfSolves(t *testing.T) {
	for name, a := range map[string]*CSR{"small": grid(20, false), "in parts": cliques(1200, 8, 16, 3)} {
		f := factorize(t, a, 0.5)
		for _, nrhs := range []int{1, 3, 8, 11} {
			x := make([]float64, a.Rows*nrhs)
			for i := range x {
				x[i] = math.Sin(float64(i))
			}
			whole, half := slices.Clone(x), slices.Clone(x)
			f.Solve(whole, nrhs, nil)
			work := &SolveWork{Threads: 2}
			f.SolveLower(half, nrhs, work)
			for r := range nrhs { // ‖L⁻¹Px‖² = xᵀA⁻¹x
				var length, energy float64
				for i := range a.Rows {
					length += half[i*nrhs+r] * half[i*nrhs+r]
					energy += x[i*nrhs+r] * whole[i*nrhs+r]
				}
				if math.Abs(length-energy) > 1e-12*energy {
					t.Errorf("%s, %d right-hand sides: ‖L⁻¹Px‖² is %g, xᵀA⁻¹x is %g", name, nrhs, length, energy)
				}
			}
			f.SolveUpper(half, nrhs, work)
			if !slices.Equal(whole, half) {
				t.Errorf("%s, %d right-hand sides: the halves give another solution", name, nrhs)
			}
		}
	}
}

// In the order of elimination the halves equal the halves in the matrix's order, column by column
// and in fours and eights.
func TestHalfSolvesInTheOrderOfElimination(t *testing.T) {
	a := cliques(1200, 8, 16, 3)
	f := factorize(t, a, 0.5)
	perm := f.symbolic.Permutation()
	for _, nrhs := range []int{1, 3, 4, 8, 11} {
		x := make([]float64, a.Rows*nrhs)
		for i := range x {
			x[i] = math.Sin(float64(i))
		}
		ordered := func(x []float64) []float64 {
			y := make([]float64, len(x))
			for k, i := range perm {
				copy(y[k*nrhs:(k+1)*nrhs], x[int(i)*nrhs:])
			}
			return y
		}
		lower, eliminated := slices.Clone(x), ordered(x)
		f.SolveLower(lower, nrhs, nil)
		f.SolveLowerEliminated(eliminated, nrhs, &SolveWork{Threads: 2})
		if !slices.Equal(lower, eliminated) {
			t.Errorf("%d right-hand sides: L⁻¹ differs", nrhs)
		}
		f.SolveUpper(lower, nrhs, nil)
		f.SolveUpperEliminated(eliminated, nrhs, nil)
		if !slices.Equal(ordered(lower), eliminated) {
			t.Errorf("%d right-hand sides: L⁻ᵀ differs", nrhs)
		}
	}
}

func TestPermuted(t *testing.T) {
	a := &CSR{Rows: 3, Cols: 3, Ptr: []int{0, 2, 3, 5}, Col: []int32{0, 2, 1, 0, 2}, Val: []float64{1, 2, 3, 4, 5}}
	perm := []int32{2, 0, 1}
	b := a.Permuted(perm)
	must.Do(t, b.Validate())
	for k, i := range perm {
		for l, j := range perm {
			if b.At(k, l) != a.At(int(i), int(j)) {
				t.Errorf("entry %d, %d is %v", k, l, b.At(k, l))
			}
		}
	}
}
