package sparse

import (
	"context"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// Every panel is reported, in order of the counts, up to all columns; the factor is the same.
func TestFactorWithProgress(t *testing.T) {
	kernels := must.Get(blas.Select(""))(t)
	a := grid(40, true)
	s := must.Get(Analyze(context.Background(), a))(t)
	want := must.Get(s.Factor(context.Background(), kernels, 1, a, 100))(t)
	x := make([]float64, a.Rows)
	x[7] = 1
	var columns []int
	var shares []float64
	for _, threads := range []int{1, 4} {
		columns, shares = nil, nil
		f := must.Get(s.FactorWithProgress(context.Background(), kernels, threads, a, 100, nil, func(c int, share float64) { columns, shares = append(columns, c), append(shares, share) }))(t)
		if len(columns) < 2 || columns[len(columns)-1] != a.Rows || !slices.IsSorted(columns) || !slices.IsSorted(shares) {
			t.Errorf("%d threads: columns %v", threads, columns)
		}
		if last := shares[len(shares)-1]; last < 0.999 || last > 1 {
			t.Errorf("%d threads: the last share is %g", threads, last)
		}
		y, z := slices.Clone(x), slices.Clone(x)
		f.Solve(y, 1, &SolveWork{})
		want.Solve(z, 1, &SolveWork{})
		if !slices.Equal(y, z) {
			t.Error("the factor is another one")
		}
	}
}
