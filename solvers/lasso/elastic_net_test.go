package lasso

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

func gramOfRows(data []float64, n, m int) []float64 {
	gram := make([]float64, n*n)
	for i := range n {
		for j := range n {
			gram[i*n+j] = blas.Dot(data[i*m:(i+1)*m], data[j*m:(j+1)*m])
		}
	}
	return gram
}

func TestElasticNetIsOptimal(t *testing.T) {
	kernels := blas.MustSelect("auto")
	for _, c := range []struct {
		n, m          int
		ridge, sparse float64
		zero, equal   bool
	}{
		{2, 5, 1e-3, 1e-4, false, false}, {10, 4, 1e-3, 1e-4, false, false}, {60, 30, 1e-3, 1e-4, false, false},
		{60, 30, 1e-3, 1e-2, false, false}, {150, 80, 1e-3, 1e-4, false, false}, {30, 80, 1e-3, 10, false, false},
		{30, 20, 1e-3, 1e-4, true, false}, {30, 20, 1e-3, 1e-4, false, true}, {30, 20, 1, 1e-4, false, true},
	} {
		data := images(7, c.n, c.m)
		if c.zero {
			clear(data[:2*c.m])
		}
		if c.equal {
			copy(data[:c.m], data[c.m:2*c.m])
			copy(data[2*c.m:3*c.m], data[c.m:2*c.m])
		}
		l, gram := NewElasticNet(kernels, c.ridge, c.sparse), gramOfRows(data, c.n, c.m)
		starts := must.Get(LeaveOneOut(t.Context(), kernels, 1, gram, c.n, c.ridge))(t)
		for i := range 2 * min(c.n, 12) {
			var start []float64 // from nothing and from ridge regression
			if i%2 == 1 {
				start = starts[i/2*c.n : (i/2+1)*c.n]
			}
			i /= 2
			a, r := l.Solve(gram, c.n, i, start)
			if a[i] != 0 {
				t.Fatalf("%+v: sample %d takes part in writing itself", c, i)
			}
			// From the data, not from their Gram matrix.
			rest := slices.Clone(data[i*c.m : (i+1)*c.m])
			var cost, violation float64
			for j, v := range a {
				blas.Axpy(-v, data[j*c.m:(j+1)*c.m], rest)
				cost += c.ridge*v*v + c.sparse*math.Abs(v)
			}
			cost += blas.Dot(rest, rest)
			for j, v := range a {
				slope := -2*blas.Dot(rest, data[j*c.m:(j+1)*c.m]) + 2*c.ridge*v
				switch {
				case j == i:
				case v == 0:
					violation = max(violation, math.Abs(slope)-c.sparse)
				default:
					violation = max(violation, math.Abs(slope+math.Copysign(c.sparse, v)))
				}
			}
			// The Gram matrix is rounded to 1e-16, a 1e-12th of the least ℓ1.
			if !r.Converged || violation > 1e-7*c.sparse {
				t.Errorf("%+v: sample %d: violation %.2e of ℓ1, reported %+v", c, i, violation/c.sparse, r)
			}
			if math.Abs(cost-r.Objective) > 1e-12 {
				t.Errorf("%+v: sample %d: cost %v, reported %v", c, i, cost, r.Objective)
			}
		}
	}
}

// What the steps begin from, and what was solved before, is of no matter but to
// rounding.
func TestElasticNetStarts(t *testing.T) {
	const n, m = 120, 40
	kernels := blas.MustSelect("auto")
	gram := gramOfRows(images(8, n, m), n, m)
	start, stream := make([]float64, n), blas.NewStream(4)
	used := NewElasticNet(kernels, 1e-3, 1e-3)
	for i := range 10 {
		stream.Uniforms(start)
		want, r := NewElasticNet(kernels, 1e-3, 1e-3).Solve(gram, n, i, nil)
		if got, s := used.Solve(gram, n, i, start); !r.Converged || !s.Converged {
			t.Errorf("sample %d: %+v, %+v", i, r, s)
		} else {
			for j, v := range got {
				// The problem is 2ℓ2-strongly convex; both gradients are exact to 1e-12.
				if math.Abs(v-want[j]) > 1e-8 {
					t.Errorf("sample %d: coefficient %d is %v, from another start %v", i, j, v, want[j])
				}
			}
		}
	}
	a, r := used.Solve([]float64{1}, 1, 0, nil)
	if !slices.Equal(a, []float64{0}) {
		t.Errorf("a sample without others has the coefficients %v", a)
	}
	if !r.Converged {
		t.Error("a sample without others does not converge")
	}
	if r.Objective != 1 {
		t.Errorf("a sample without others has the objective %v", r.Objective)
	}
}

// A ridge below rounding cannot make equal samples' matrix definite: an error reports that.
func TestElasticNetSingular(t *testing.T) {
	const n = 40
	gram := make([]float64, n*n)
	for i := range gram {
		gram[i] = 1
	}
	a, r := NewElasticNet(blas.MustSelect("auto"), 1e-30, 1e-3).Solve(gram, n, 0, nil)
	if r.Converged {
		t.Error("a singular problem counts as converged")
	}
	if !(r.Violation > 0) {
		t.Errorf("the violation is %v", r.Violation)
	}
	if slices.ContainsFunc(a, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
		t.Errorf("coefficients that are not finite: %v", a)
	}
	starts, err := LeaveOneOut(t.Context(), blas.MustSelect("auto"), 1, gram, n, 0)
	if err != nil || slices.ContainsFunc(starts, func(v float64) bool { return v != 0 }) {
		t.Errorf("starts %v, %v", starts, err)
	}
}

// The rows are those of ridge regression, by their conditions of optimality.
func TestLeaveOneOut(t *testing.T) {
	for _, n := range []int{1, 2, 63, 64, 150} {
		const m, ridge = 30, 1e-2
		gram := gramOfRows(images(5, n, m), n, m)
		for _, threads := range []int{1, 3} {
			rows := must.Get(LeaveOneOut(t.Context(), blas.MustSelect("auto"), threads, gram, n, ridge))(t)
			for i := range n {
				a := rows[i*n : (i+1)*n]
				for j := range n {
					slope := blas.Dot(gram[j*n:(j+1)*n], a) + startRidge*ridge*a[j] - gram[i*n+j]
					// The condition of G + cI is below n·30/c, 5e4, and its inverse as much off.
					if i != j && math.Abs(slope) > 1e-9 {
						t.Fatalf("n = %d: slope %v at coefficient %d of sample %d", n, slope, j, i)
					}
				}
				if a[i] != 0 {
					t.Errorf("n = %d: sample %d takes part in writing itself", n, i)
				}
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := LeaveOneOut(ctx, blas.MustSelect("auto"), 1, make([]float64, 4), 2, 1); err == nil {
		t.Error("goes on when cancelled")
	}
}

// Follow through random sets: the factor is always that of the samples wanted.
func TestSupportFactor(t *testing.T) {
	const n, m, ridge = 90, 100, 1e-2
	gram, stream := gramOfRows(images(6, n, m), n, m), blas.NewStream(2)
	f := supportFactor{kernels: blas.MustSelect("auto")}
	f.begin(n)
	wanted := make([]bool, n)
	renewed, followed := 0, 0
	for round := range 60 {
		changes := 3
		if round%10 == 0 {
			changes = n / 2
		}
		for range changes {
			j := stream.Below(n)
			wanted[j] = !wanted[j]
		}
		first := len(f.order) > 0
		before := slices.Clone(f.order)
		if !f.follow(gram, n, ridge, wanted) {
			t.Fatal("not positive definite")
		}
		if first && !slices.IsSorted(f.order) || slices.Equal(before, f.order) {
			followed++
		} else {
			renewed++
		}
		for j, w := range wanted {
			if slices.Contains(f.order, j) != w || f.member[j] != w {
				t.Fatalf("round %d: sample %d is wanted %v", round, j, w)
			}
		}
		for r, j := range f.order {
			for c, k := range f.order[:r+1] {
				got, want := blas.Dot(f.factor[r*f.ld:r*f.ld+c+1], f.factor[c*f.ld:c*f.ld+c+1]), gram[j*n+k]
				if j == k {
					want += ridge
				}
				if math.Abs(got-want) > 1e-10*gram[0] {
					t.Fatalf("round %d: entry (%d, %d) of LLᵀ is %v, want %v", round, j, k, got, want)
				}
			}
		}
	}
	if renewed == 0 || followed == 0 {
		t.Errorf("%d factors computed anew, %d updated: both were to be tried", renewed, followed)
	}
}

func BenchmarkElasticNet(b *testing.B) {
	const n, m = 400, 256
	gram := gramOfRows(images(1, n, m), n, m)
	l := NewElasticNet(blas.MustSelect(""), 1e-3, 1e-4)
	starts, err := LeaveOneOut(b.Context(), blas.MustSelect(""), 1, gram, n, 1e-3)
	if err != nil {
		b.Fatal(err)
	}
	at := 0
	for b.Loop() {
		i := at % n
		l.Solve(gram, n, i, starts[i*n:(i+1)*n])
		at++
	}
}
