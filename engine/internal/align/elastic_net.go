package align

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/vector"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/lasso"
)

// ElasticNet is the alignment by the graph that replaces that of GS-GNMF: each
// sample, scaled to unit length, is reconstructed from its neighbours with an elastic net,
//
//	min ‖xᵢ − Σⱼ aⱼxⱼ‖² + ℓ2‖a‖² + ℓ1‖a‖₁,   S = (|A| + |A|ᵀ)/2,   Φ = D − S.
//
// If the method has no neighbourhood, a sample is reconstructed from all others. Supports
// then have up to a third of them, and the Gram matrix of all samples and an
// inverse take 16n² bytes.
type ElasticNet struct{ Ridge, Sparse float64 } // ℓ2 and ℓ1

// Align codes the samples of unit length and sums the patches of their codes.
func (r ElasticNet) Align(in Input) (*Sum, error) {
	if !(r.Ridge > 0) || !(r.Sparse > 0) {
		return nil, wording.Errorf("%s: ‹l2=%v›, ‹l1=%v›; give numbers above 0", in.Method(), r.Ridge, r.Sparse)
	}
	unit, err := onUnitRows(in)
	if err != nil {
		return nil, err
	}
	worker := r.amongNeighbors(unit.Local)
	if unit.Graph == nil {
		if worker, err = r.amongAll(unit.Local); err != nil {
			return nil, err
		}
	}
	if unit.Graph, err = neighborhood.Codes(in.Run, in.X.N(), worker); err != nil {
		return nil, err
	}
	unit.Patch = patch.Stars()
	return GraphTerm(unit)
}

// amongNeighbors codes each sample from the Gram matrix of its neighbours and itself.
func (r ElasticNet) amongNeighbors(in patch.Local) func() func(int, *neighborhood.Lists) {
	return func() func(int, *neighborhood.Lists) {
		net, gathered := lasso.NewElasticNet(in.Kernels(), r.Ridge, r.Sparse), samples.NewGathered(in.X)
		var gram []float64
		return func(i int, out *neighborhood.Lists) {
			list := in.Graph.Of(i)
			n := len(list) + 1
			if cap(gram) < n*n {
				gram = make([]float64, n*n)
			}
			rows, m := gathered.WithSelf(i, list)
			in.Kernels().Syrk(false, n, m, 1, rows, m, 0, gram, n)
			vector.Mirror(gram, n)
			a, report := net.Solve(gram, n, n-1, nil)
			out.Report(report)
			for at, j := range list {
				addHalf(out, j, a[at])
			}
		}
	}
}

// amongAll codes each sample from the Gram matrix of all.
func (r ElasticNet) amongAll(in patch.Local) (func() func(int, *neighborhood.Lists), error) {
	if err := roomForSquares(in, "the Gram matrix of all samples, with its inverse,", 2); err != nil {
		return nil, err
	}
	n := in.X.N()
	defer in.Phase("gram")()
	gram, err := gramOfSamples(in.Run, in.X)
	if err != nil {
		return nil, err
	}
	starts, err := lasso.LeaveOneOut(in.Context(), in.Kernels(), in.Threads(), gram, n, r.Ridge)
	if err != nil {
		return nil, err
	}
	return func() func(int, *neighborhood.Lists) {
		net := lasso.NewElasticNet(in.Kernels(), r.Ridge, r.Sparse)
		return func(i int, out *neighborhood.Lists) {
			a, report := net.Solve(gram, n, i, starts[i*n:(i+1)*n])
			out.Report(report)
			for j, v := range a {
				addHalf(out, int32(j), v)
			}
		}
	}, nil
}

// addHalf adds a sample with half the absolute coefficient; the transpose adds the other half of S.
// Zeros are not added.
func addHalf(l *neighborhood.Lists, j int32, coefficient float64) {
	if coefficient != 0 {
		l.Add(j, math.Abs(coefficient)/2)
	}
}

// roomForSquares returns an error if count n × n matrices exceed the memory limit.
func roomForSquares(in patch.Local, what string, count float64) error {
	n := int64(in.X.N())
	need := int64(count * 8 * float64(n) * float64(n))
	in.Explain("%s: about %s", what, limits.FormatBytes(need))
	return in.Fit(need, fmt.Sprintf("%s of %d samples needs", what, n), "take fewer samples, or raise the limit (‹memory›)")
}
