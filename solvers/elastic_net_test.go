package solvers

import (
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
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
		l := NewElasticNet(kernels, gramOfRows(data, c.n, c.m), c.n, c.ridge, c.sparse)
		for i := range min(c.n, 12) {
			members, values, r := l.Solve(i, nil)
			a := make([]float64, c.n)
			for q, j := range members {
				a[j] = values[q]
			}
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

// Written by some of the samples only: as if there were no others.
func TestElasticNetAmong(t *testing.T) {
	const n, m = 40, 15
	kernels := blas.MustSelect("auto")
	data := images(8, n, m)
	whole := NewElasticNet(kernels, gramOfRows(data, n, m), n, 1e-3, 1e-3)
	part := NewElasticNet(kernels, gramOfRows(data[:12*m], 12, m), 12, 1e-3, 1e-3)
	code := func(l *ElasticNet, among []int32) []float64 {
		a := make([]float64, n)
		members, values, _ := l.Solve(3, among)
		for q, j := range members {
			a[j] = values[q]
		}
		return a
	}
	among := []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11} // itself does not count
	if got, want := code(whole, among), code(part, nil); !slices.Equal(got, want) {
		t.Errorf("code among 12 samples %v, want %v", got, want)
	}
	if a := code(whole, []int32{}); !slices.Equal(a, make([]float64, n)) {
		t.Errorf("code among none: %v", a)
	}
}

func BenchmarkElasticNet(b *testing.B) {
	const n, m = 400, 256
	gram := gramOfRows(images(1, n, m), n, m)
	l := NewElasticNet(blas.MustSelect(""), gram, n, 1e-3, 1e-4)
	at := 0
	for b.Loop() {
		l.Solve(at%n, nil)
		at++
	}
}
