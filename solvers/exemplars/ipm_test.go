package exemplars

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// textbook is the method as published: the whole residual and its decomposition for every
// choice.
func textbook(x blas.Rows, count int) (chosen []int) {
	all := mat.NewDense(x.N, x.M, slices.Clone(x.Data))
	for len(chosen) < count {
		rest := mat.DenseCopyOf(all)
		if len(chosen) > 0 {
			span := mat.NewDense(x.M, len(chosen), nil)
			for q, i := range chosen {
				span.SetCol(q, x.Row(i))
			}
			var svd mat.SVD
			svd.Factorize(span, mat.SVDThin)
			var u, on, back mat.Dense
			svd.UTo(&u)
			on.Mul(all, &u)
			back.Mul(&on, u.T())
			rest.Sub(all, &back)
		}
		var svd mat.SVD
		svd.Factorize(rest, mat.SVDThin)
		var v mat.Dense
		svd.VTo(&v)
		best, most := -1, 0.0
		for i := range x.N {
			if slices.Contains(chosen, i) {
				continue
			}
			var along float64
			for j, t := range x.Row(i) {
				along += t * v.At(j, 0)
			}
			if score := math.Abs(along) / norm(x.Row(i)); score > most {
				best, most = i, score
			}
		}
		chosen = append(chosen, best)
	}
	return chosen
}

func TestProjectionIsTheTextbookMethod(t *testing.T) {
	for _, c := range []struct{ n, m, count int }{{60, 12, 12}, {12, 60, 12}, {80, 80, 40}, {300, 250, 5}, {250, 300, 5}} {
		t.Run(fmt.Sprintf("%v", c), func(t *testing.T) {
			x := normals(uint64(c.n), c.n, c.m)
			for i := range x.Data {
				x.Data[i] *= math.Exp(-0.3 * float64(i%c.m)) // no two singular values alike, ten orders of them
			}
			if c.m > 100 {
				x = normals(uint64(c.n), c.n, c.m)
			}
			want := textbook(x, c.count)
			for _, threads := range []int{1, 3} {
				p := must.Get(Projection(context.Background(), x, c.count, Options{Threads: threads}))(t)
				if !slices.Equal(p.Indices, want) || p.Filled != 0 {
					t.Errorf("%d × %d, %d threads: %v, want %v", c.n, c.m, threads, p.Indices, want)
				}
			}
		})
	}
}

// rest is ‖X − XP‖/‖X‖ for the projector P on the rows chosen.
func restOf(x blas.Rows, chosen []int) float64 {
	var basis []float64
	for _, i := range chosen {
		v := slices.Clone(x.Row(i))
		if orthonormalize(v, basis) > 1e-12 {
			basis = append(basis, v...)
		}
	}
	var left, whole float64
	for i := range x.N {
		v := slices.Clone(x.Row(i))
		whole += norm(v) * norm(v)
		r := orthonormalize(v, basis)
		left += r * r
	}
	return math.Sqrt(left / whole)
}

func TestProjectionOfSmallSingularValues(t *testing.T) {
	// Singular values from 1 to 1e-9: a Gram matrix of the whole has lost half of them.
	for _, c := range []struct{ n, m int }{{60, 10}, {10, 60}} {
		t.Run(fmt.Sprintf("%v", c), func(t *testing.T) {
			x := normals(1, c.n, c.m)
			scale := func(at int) float64 { return math.Pow(10, -float64(at)) }
			for i := range c.n {
				for j := range c.m {
					if c.m < c.n {
						x.Data[i*c.m+j] *= scale(j)
					} else {
						x.Data[i*c.m+j] *= scale(i)
					}
				}
			}
			p := must.Get(Projection(context.Background(), x, 10, Options{}))(t)
			if p.Filled != 0 {
				t.Errorf("%d × %d: %d filled of a matrix of rank 10", c.n, c.m, p.Filled)
			}
			for at, got := range p.Rest[:len(p.Rest)-1] {
				// The norm of what is left is known to the rounding of a Gram matrix that is
				// renewed in time.
				if want := restOf(x, p.Indices[:at]); !(math.Abs(got-want) <= 1e-4*want+1e-13) {
					t.Errorf("%d × %d: %g is left after %d, want %g", c.n, c.m, got, at, want)
				}
			}
		})
	}
}

func TestProjectionFillsUp(t *testing.T) {
	ctx := context.Background()
	// Rank 2 in 5 columns; samples 3 and 4 are copies of 0, sample 5 is zero.
	x := blas.Rows{N: 7, M: 5, Data: []float64{
		1, 0, 0, 0, 0,
		0, 2, 0, 0, 0,
		1, 1, 0, 0, 0,
		1, 0, 0, 0, 0,
		1, 0, 0, 0, 0,
		0, 0, 0, 0, 0,
		9, 9.5, 0, 0, 0,
	}}
	p := must.Get(Projection(ctx, x, 7, Options{}))(t)
	if p.Filled != 5 || len(p.Rest) != 3 || p.Rest[2] > 1e-10 {
		t.Errorf("%d filled, left %v; the rank is 2", p.Filled, p.Rest)
	}
	sorted := slices.Sorted(slices.Values(p.Indices))
	if !slices.Equal(sorted, []int{0, 1, 2, 3, 4, 5, 6}) {
		t.Errorf("all of 7 samples are %v", p.Indices)
	}
	two := slices.Clone(p.Indices[:2])
	want, _ := Farthest(ctx, 1, x, two, 7)
	if !slices.Equal(p.Indices, want) {
		t.Errorf("filled up as %v, want the farthest, %v", p.Indices, want)
	}
	// Copies: the lower index first, and its copies only once nothing else is left.
	if at := slices.Index(p.Indices, 3); at < slices.Index(p.Indices, 0) || at > slices.Index(p.Indices, 4) {
		t.Errorf("copies 0, 3, 4 in the order %v", p.Indices)
	}
	for name, data := range map[string][]float64{"zeros": make([]float64, 12), "equal": {1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2}} {
		t.Run(name, func(t *testing.T) {
			x := blas.Rows{N: 6, M: 2, Data: data}
			p, err := Projection(ctx, x, 3, Options{})
			if err != nil || !slices.Equal(p.Indices, []int{0, 1, 2}) {
				t.Errorf("%v (%v), want the first three", p, err)
			}
		})
	}
}

func TestProjectionRefuses(t *testing.T) {
	ctx := context.Background()
	x := normals(1, 5, 3)
	for _, count := range []int{0, -1, 6} {
		if _, err := Projection(ctx, x, count, Options{}); err == nil {
			t.Errorf("%d of 5 samples are chosen", count)
		}
	}
	x.Data[4] = math.NaN()
	if _, err := Projection(ctx, x, 2, Options{}); err == nil {
		t.Error("NaN is taken")
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Projection(ended, normals(1, 5, 3), 2, Options{}); err == nil {
		t.Error("a cancelled run goes on")
	}
}

func TestFarthestIsFarthest(t *testing.T) {
	x := normals(9, 50, 3)
	copy(x.Row(20), x.Row(4))
	chosen := must.Get(Farthest(context.Background(), 2, x, []int{7, 4}, 50))(t)
	near := func(i, upTo int) float64 {
		least := math.Inf(1)
		for _, j := range chosen[:upTo] {
			var d float64
			for q, v := range x.Row(i) {
				d += (v - x.Row(j)[q]) * (v - x.Row(j)[q])
			}
			least = min(least, d)
		}
		return least
	}
	for at := 2; at < 50; at++ {
		for i := range 50 {
			if !slices.Contains(chosen[:at], i) && near(i, at) > near(chosen[at], at)*(1+1e-12) {
				t.Fatalf("choice %d: %d at %g, but %d at %g", at, chosen[at], near(chosen[at], at), i, near(i, at))
			}
		}
	}
	if chosen[49] != 20 {
		t.Errorf("the copy of a chosen sample comes as %d, want last", slices.Index(chosen, 20))
	}
}
