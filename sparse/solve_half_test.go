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
