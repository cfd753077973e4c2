package lasso_test

import (
	"math"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/lasso"
)

// lassoCost is the cost of an affine lasso, and its violation of the optimality
// conditions relative to the largest weight, from their definitions alone.
func lassoCost(u []float64, k, m int, omega, c []float64) (cost, violation float64) {
	r := make([]float64, m)
	for j, v := range c {
		blas.Axpy(v, u[j*m:(j+1)*m], r)
		cost += omega[j] * math.Abs(v)
	}
	cost += blas.Dot(r, r) / 2
	low, high, largest := math.Inf(-1), math.Inf(1), 0.0 // of ν
	for j, v := range c {
		g := blas.Dot(u[j*m:(j+1)*m], r)
		if v >= 0 {
			high = min(high, g+omega[j])
		}
		if v > 0 {
			low = max(low, g+omega[j])
		}
		if v <= 0 {
			low = max(low, g-omega[j])
		}
		if v < 0 {
			high = min(high, g-omega[j])
		}
		largest = max(largest, omega[j])
	}
	return cost, max(low-high, 0) / largest
}

// lassoProblem draws points on the unit sphere with weights that grow.
func lassoProblem(s *blas.Stream, k, m int, lambda float64) (u, omega []float64) {
	u, omega = make([]float64, k*m), make([]float64, k)
	s.Normals(u)
	var total float64
	for j := range k {
		row := u[j*m : (j+1)*m]
		blas.Scale(1/math.Sqrt(blas.Dot(row, row)), row)
		omega[j] = 0.5 + s.Uniform() + float64(j)/float64(k)
		total += omega[j]
	}
	blas.Scale(lambda/total, omega)
	return u, omega
}

func TestAffineLassoIsOptimal(t *testing.T) {
	s := blas.NewStream(1)
	solver := lasso.NewAffineLasso(blas.MustSelect("auto"))
	for round := range 400 {
		k, m := 1+s.Below(40), 1+s.Below(12)
		lambda := math.Pow(10, 4*s.Uniform()-2)
		u, omega := lassoProblem(s, k, m, lambda)
		c, claimed := solver.Solve(u, k, m, omega)
		var sum float64
		for _, v := range c {
			sum += v
		}
		// A sum of k numbers, the largest of which may exceed 1.
		if math.Abs(sum-1) > 1e-11 {
			t.Fatalf("round %d: the sum is %g", round, sum)
		}
		cost, violation := lassoCost(u, k, m, omega, c)
		if claimed > 1e-9 || violation > 1e-7 {
			t.Errorf("round %d (k %d, m %d, λ %.3g): violation %g, claimed %g", round, k, m, lambda, violation, claimed)
		}
		// No other feasible point is better: the ADMM's, and random ones nearby.
		if round%8 == 0 {
			near, _ := solver.ADMM(u, k, m, omega)
			var total float64
			for _, v := range near {
				total += v
			}
			blas.Scale(1/total, near)
			other, _ := lassoCost(u, k, m, omega, near)
			if cost > other*(1+1e-12) {
				t.Errorf("round %d: cost %.15g, ADMM's %.15g", round, cost, other)
			}
			polished, _ := solver.Polish(u, k, m, omega, near)
			if again, _ := lassoCost(u, k, m, omega, polished); math.Abs(again-cost) > 1e-9*cost {
				t.Errorf("round %d: polished to %.15g, solved to %.15g", round, again, cost)
			}
		}
	}
}

// Points in the affine hull of others, equal points, and a solution with residual
// zero are no trouble.
func TestAffineLassoDegenerate(t *testing.T) {
	solver := lasso.NewAffineLasso(blas.MustSelect("auto"))
	for name, u := range map[string][][]float64{
		"collinear":        {{1, 0}, {1, 1}, {1, 2}, {1, -1}, {1, -2}},
		"equal":            {{1, 0}, {1, 0}, {1, 0}, {0, 1}, {0, 1}},
		"around":           {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}},
		"zero":             {{0, 0}, {0, 0}},
		"one":              {{3, 4}},
		"opposite corners": {{1, 1, 1}, {-1, -1, -1}, {1, -1, 1}, {-1, 1, -1}, {1, 1, -1}, {-1, -1, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, lambda := range []float64{1e-6, 1e-2, 1, 100} {
				k, m := len(u), len(u[0])
				var flat, omega []float64
				for range u {
					omega = append(omega, lambda)
				}
				for _, row := range u {
					flat = append(flat, row...)
				}
				c, claimed := solver.Solve(flat, k, m, omega)
				if _, violation := lassoCost(flat, k, m, omega, c); violation > 1e-7 || claimed > 1e-7 {
					t.Errorf("λ = %g: c = %v, violation %g (claimed %g)", lambda, c, violation, claimed)
				}
			}
		})
	}
}
