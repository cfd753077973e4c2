package exemplars

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// subspaces are samples of three planes in six dimensions.
func subspaces(seed uint64, n int) blas.Rows {
	planes, x := normals(seed, 6, 6), normals(seed+1, n, 2)
	y := blas.Rows{N: n, M: 6, Data: make([]float64, n*6)}
	for i := range n {
		for j := range 6 {
			for q, v := range x.Row(i) {
				y.Data[i*6+j] += v * planes.Row(i%3*2 + q)[j]
			}
		}
	}
	return y
}

// costOf is F(T; x) and its coefficients by plain coordinate descent, to 1e-13.
func costOf(x blas.Rows, chosen []int, i int, gamma float64) (float64, []float64) {
	unit := func(i int) []float64 {
		v := slices.Clone(x.Row(i))
		if l := norm(v); l > 0 {
			for j := range v {
				v[j] /= l
			}
		}
		return v
	}
	c, rest := make([]float64, len(chosen)), unit(i)
	for range 200000 {
		var moved float64
		for q, j := range chosen {
			row := unit(j)
			var along float64
			for p, v := range row {
				along += v * rest[p]
			}
			at := along + c[q]
			to := math.Copysign(max(math.Abs(at)-1/gamma, 0), at)
			for p, v := range row {
				rest[p] -= (to - c[q]) * v
			}
			moved = max(moved, math.Abs(to-c[q]))
			c[q] = to
		}
		if moved < 1e-13 {
			break
		}
	}
	cost := 0.0
	for _, v := range c {
		cost += math.Abs(v)
	}
	for _, v := range rest {
		cost += gamma / 2 * v * v
	}
	return cost, c
}

func TestLazySearchIsFullSearch(t *testing.T) {
	ctx := context.Background()
	for _, gamma := range []float64{1.5, 10, 100} {
		t.Run(fmt.Sprintf("γ = %g", gamma), func(t *testing.T) {
			x := subspaces(4, 400)
			lazy := must.Get(FarthestFirst(ctx, x, 30, FarthestFirstOptions{Gamma: gamma, First: 5}))(t)
			full := must.Get(FarthestFirst(ctx, x, 30, FarthestFirstOptions{Gamma: gamma, First: 5, Full: true, Options: Options{Threads: 3}}))(t)
			if !slices.Equal(lazy.Indices, full.Indices) {
				t.Errorf("γ = %g: lazy %v, full %v", gamma, lazy.Indices, full.Indices)
			}
			if !(lazy.Solves < full.Solves) {
				t.Errorf("γ = %g: %d lasso problems, %d without laziness", gamma, lazy.Solves, full.Solves)
			}
			if lazy.Violation > 1e-9 {
				t.Errorf("γ = %g: conditions of optimality missed by %g", gamma, lazy.Violation)
			}
			for at := 1; at < len(lazy.Costs); at++ {
				if lazy.Costs[at] > lazy.Costs[at-1]*(1+1e-9) {
					t.Errorf("γ = %g: the largest cost rose from %v to %v", gamma, lazy.Costs[at-1], lazy.Costs[at])
				}
			}
		})
	}
}

func TestFarthestFirstIsItsDefinition(t *testing.T) {
	const gamma, count = 20, 6
	x := subspaces(8, 40)
	r := must.Get(FarthestFirst(context.Background(), x, count, FarthestFirstOptions{Gamma: gamma, First: 3}))(t)
	for at := 1; at < count; at++ {
		best, most := -1, 0.0
		for i := range x.N {
			if c, _ := costOf(x, r.Indices[:at], i, gamma); !slices.Contains(r.Indices[:at], i) && c > most*(1+1e-12) {
				best, most = i, c
			}
		}
		if best != r.Indices[at] || math.Abs(most-r.Costs[at-1]) > 1e-8 {
			t.Errorf("choice %d is %d at %v, want %d at %v", at, r.Indices[at], r.Costs[at-1], best, most)
		}
	}
	for i := range x.N {
		_, want := costOf(x, r.Indices, i, gamma)
		for q, w := range want {
			if got := r.Codes[i*count+q]; math.Abs(got-w) > 1e-7 {
				t.Errorf("coefficient %d of sample %d is %v, want %v", q, i, got, w)
			}
		}
	}
}

func TestFarthestFirstOfOddSamples(t *testing.T) {
	ctx := context.Background()
	x := subspaces(8, 12)
	clear(x.Row(2))
	for _, i := range []int{5, 6, 7} {
		copy(x.Row(i), x.Row(4))
	}
	r, err := FarthestFirst(ctx, x, 12, FarthestFirstOptions{Gamma: 10, First: 0})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(slices.Sorted(slices.Values(r.Indices)), []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) {
		t.Errorf("all of 12 samples are %v", r.Indices)
	}
	if r.Indices[11] != 2 {
		t.Errorf("the sample of zeros comes as %d, want last", slices.Index(r.Indices, 2))
	}
	for i, v := range r.Codes {
		if math.IsNaN(v) {
			t.Fatalf("coefficient %d is NaN", i)
		}
		if v != 0 && i/12 == 2 {
			t.Errorf("the code of zeros is not zero")
		}
	}
	same := blas.Rows{N: 6, M: 2, Data: []float64{1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2}}
	if r, err = FarthestFirst(ctx, same, 4, FarthestFirstOptions{Gamma: 10, First: 3}); err != nil || !slices.Equal(r.Indices, []int{3, 0, 1, 2}) {
		t.Errorf("equal samples: %v (%v), want the lower indices", r, err)
	}
	for name, c := range map[string]struct {
		count int
		o     FarthestFirstOptions
	}{
		"γ = 1":        {3, FarthestFirstOptions{Gamma: 1}},
		"γ = NaN":      {3, FarthestFirstOptions{Gamma: math.NaN()}},
		"zeros first":  {3, FarthestFirstOptions{Gamma: 10, First: 2}},
		"first beyond": {3, FarthestFirstOptions{Gamma: 10, First: 12}},
		"none":         {0, FarthestFirstOptions{Gamma: 10}},
		"too many":     {13, FarthestFirstOptions{Gamma: 10}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := FarthestFirst(ctx, x, c.count, c.o); err == nil {
				t.Errorf("%s is taken", name)
			}
		})
	}
	x.Data[0] = math.Inf(1)
	if _, err := FarthestFirst(ctx, x, 3, FarthestFirstOptions{Gamma: 10}); err == nil {
		t.Error("infinity is taken")
	}
}
