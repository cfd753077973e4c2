package align

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/internal/must"
)

// The sparse product in panels, the slabs of its sum, and the problem in feature
// or sample coordinates all give XᵀΦX.
func TestProjectedSumIsTheDenseProduct(t *testing.T) {
	for _, c := range []struct{ n, m int }{{60, 3}, {60, 16}, {60, 17}, {70, 50}, {40, 130}, {150, 300}, {4200, 20}, {9000, 5}} {
		x := steptest.Sheet(c.n, c.m, 4)
		for i := range c.n { // far from the origin
			for j := range c.m {
				x.Set(i, j, x.At(i, j)+100)
			}
		}
		in := Input{Local: patch.Local{Run: steptest.Run(t), X: samples.Of(x)}, Patch: patch.Reconstruction(patch.Regularized(1e-3, 2))}
		found := must.Get(neighborhood.Nearest(6).Find(in.Run, in.X))(t)
		in.Graph = found.Graph
		sum := must.Get(SumOfPatches(in))(t)
		a := must.Get(ProjectedSum(UnitInFeatures, 1)(in))(t)
		centred := in.X.Centered(in.X.Mean()).Dense()
		half, want := make([]float64, c.n*c.m), mat.NewDense(c.m, c.m, nil)
		for i := range c.n { // the sparse product entry by entry
			cols, vals := sum.Phi.Row(i)
			for at, j := range cols {
				blas.Axpy(vals[at], centred.RawRowView(int(j)), half[i*c.m:(i+1)*c.m])
			}
		}
		want.Mul(centred.T(), mat.NewDense(c.n, c.m, half))
		got := mat.NewDense(c.m, c.m, a.Q)
		norm := mat.Norm(want, math.Inf(1))
		if !mat.EqualApprox(got, want, 1e-12*norm) {
			t.Errorf("%d × %d: Q differs from the dense product", c.n, c.m)
		}
		if !mat.Equal(got, got.T()) {
			t.Errorf("%d × %d: Q is not symmetric", c.n, c.m)
		}
		d := must.Get(ProjectedSum(UnitInRange, 1)(in))(t)
		if d.Axes != nil {
			axes := mat.NewDense(d.Order, c.m, d.Axes)
			var along, inside mat.Dense
			along.Mul(axes, want)
			inside.Mul(&along, axes.T())
			if !mat.EqualApprox(mat.NewDense(d.Order, d.Order, d.Q), &inside, 1e-12*norm) {
				t.Errorf("%d × %d: the restricted problem is not the problem's restriction", c.n, c.m)
			}
			var one mat.Dense
			one.Mul(axes, axes.T())
			for i := range d.Order {
				one.Set(i, i, one.At(i, i)-1)
			}
			if worst := mat.Norm(&one, math.Inf(1)); worst > 1e-10 {
				t.Errorf("%d × %d: axes are orthonormal to %g", c.n, c.m, worst)
			}
		} else if c.n <= c.m {
			t.Errorf("%d × %d: not restricted", c.n, c.m)
		}
	}
}

// A matrix of condition 1e9, whose lifted axes need mending.
func TestRangeOfAnIllConditionedMatrix(t *testing.T) {
	const n, m = 30, 80
	x := mat.NewDense(n, m, nil)
	blas.NewStream(9).Normals(x.RawMatrix().Data)
	for i := range n {
		blas.Scale(math.Pow(10, -4.5*float64(i)/(n-1)), x.RawRowView(i))
	}
	job := steptest.Run(t)
	s := must.Get(rangeOf(job, x.RawMatrix().Data, n, m))(t)
	one := GramOf(job, s.Axes, s.Rank, m, false)
	for i := range s.Rank {
		one[i*s.Rank+i]--
	}
	if worst := mat.Norm(mat.NewDense(s.Rank, s.Rank, one), math.Inf(1)); s.Rank < 25 || worst > 1e-10 {
		t.Errorf("rank %d, orthonormal to %g", s.Rank, worst)
	}
}
