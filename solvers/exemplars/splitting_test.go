package exemplars

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/solvers/projections"
)

// With δ > 0 the minimiser is unique: both kinds of steps go there, and Z and C meet.
func TestSplitsMeet(t *testing.T) {
	ctx := context.Background()
	const n, m, radius = 14, 2, 5
	r := must.Get(Kernel(ctx, n, m, cloud(8, n, m), KernelOptions{Neighbors: 3}))(t)
	for _, p := range []projections.Norm{projections.Max, projections.Euclidean} {
		var found [2][]float64
		for q, accelerated := range []bool{false, true} {
			s := must.Get(Split(ctx, r.D, SplitOptions{Norm: p, Radius: radius, Delta: 0.05, Accelerated: accelerated, Iterations: 50000, Tolerance: 1e-11}))(t)
			if !s.Converged {
				t.Fatalf("p = %v, accelerated %v: not after %d iterations", p, accelerated, s.Iterations)
			}
			found[q] = s.Z.Dense()
			golden.Expect(t, "C", s.C.Dense(), found[q], 1e-7)
			if total := rowNorms(p, n, s.C.Dense()); total > radius*(1+1e-12) {
				t.Errorf("p = %v: norms of rows sum to %v", p, total)
			}
		}
		golden.Expect(t, "Z of both", found[1], found[0], 1e-6)
	}
}

// No feasible encoding near the solution does better.
func TestSplitIsMinimal(t *testing.T) {
	ctx := context.Background()
	const n, m, radius, delta = 12, 2, 4, 0.05
	r := must.Get(Kernel(ctx, n, m, cloud(9, n, m), KernelOptions{Neighbors: 3}))(t)
	d := whole(r.D)
	s := must.Get(Split(ctx, r.D, SplitOptions{Radius: radius, Delta: delta, Accelerated: true, Iterations: 50000, Tolerance: 1e-11}))(t)
	value := func(z []float64) (sum float64) {
		for at, v := range z {
			sum += d[at]*v + delta*v*v
		}
		return sum
	}
	z := s.Z.Dense()
	best := value(z)
	for i := range n { // towards the encoding by one sample, which is feasible
		for _, step := range []float64{1e-3, 0.1, 1} {
			moved := slices.Clone(z)
			for at := range moved {
				moved[at] *= 1 - step
				if at/n == i {
					moved[at] += step
				}
			}
			if rowNorms(projections.Max, n, moved) <= radius && value(moved) < best-1e-8 {
				t.Errorf("towards sample %d by %v the value falls from %v to %v", i, step, best, value(moved))
			}
		}
	}
	if math.IsNaN(best) {
		t.Error("the value is NaN")
	}
}
