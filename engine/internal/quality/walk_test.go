package quality

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/internal/must"
)

// around are samples with their k nearest, to be looked at by this many threads.
func around(t *testing.T, x *mat.Dense, k, threads int) patch.Local {
	t.Helper()
	job := run.New(context.Background(), "test", run.Settings{Kernels: blas.MustSelect(""), Threads: threads, Seed: 1})
	points := samples.Of(x)
	found := must.Get(neighborhood.Nearest(k).Find(job, points))(t)
	return patch.Local{Run: job, X: points, Graph: found.Graph}
}

// sheet are samples of a part of a cylinder, with their angle and height.
func sheet(n int, seed uint64) (x, flat *mat.Dense) {
	s := blas.NewStream(seed)
	x, flat = mat.NewDense(n, 3, nil), mat.NewDense(n, 2, nil)
	for i := range n {
		t, h := 4*s.Uniform(), 2*s.Uniform()
		x.SetRow(i, []float64{math.Cos(t), math.Sin(t), h})
		flat.SetRow(i, []float64{t, h})
	}
	return x, flat
}

// The walk finds what all shortest paths by Floyd's algorithm find.
func TestNearestAlongTheGraph(t *testing.T) {
	const n = 150
	x, _ := sheet(n, 3)
	in := around(t, x, 6, 1)
	length := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			if i != j {
				length.Set(i, j, math.Inf(1))
			}
		}
		for _, j := range in.Graph.Of(i) {
			var diff mat.VecDense
			diff.SubVec(x.RowView(i), x.RowView(int(j)))
			length.Set(i, int(j), mat.Norm(&diff, 2))
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				length.Set(i, j, math.Min(length.At(i, j), length.At(i, k)+length.At(k, j)))
			}
		}
	}
	w := newWalker(in, nil)
	for i := range n {
		order := make([]int32, n)
		for j := range order {
			order[j] = int32(j)
		}
		slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(length.At(i, int(a)), length.At(i, int(b))) })
		got := w.nearest(i, 40)
		if len(got) != 40 || int(got[0]) != i {
			t.Fatalf("around %d: %v", i, got)
		}
		for at, j := range got {
			if want := length.At(i, int(order[at])); math.Abs(length.At(i, int(j))-want) > 1e-12 {
				t.Fatalf("around %d: place %d is at %g, want %g", i, at, length.At(i, int(j)), want)
			}
		}
	}
}

// A walk ends where nothing more can be reached.
func TestWalkOfAComponent(t *testing.T) {
	x := mat.NewDense(40, 1, nil)
	for i := range 40 {
		x.Set(i, 0, float64(i)+1000*float64(i/20))
	}
	if got := newWalker(around(t, x, 3, 1), nil).nearest(25, 30); len(got) != 20 || slices.Min(got) != 20 {
		t.Errorf("%v", got)
	}
}
