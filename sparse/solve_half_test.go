package sparse

import (
	"math"
	"slices"
	"testing"
)

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

// In the order of elimination the halves are those of the matrix's order, column by column
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
	if err := b.Validate(); err != nil {
		t.Fatal(err)
	}
	for k, i := range perm {
		for l, j := range perm {
			if b.At(k, l) != a.At(int(i), int(j)) {
				t.Errorf("entry %d, %d is %v", k, l, b.At(k, l))
			}
		}
	}
}
