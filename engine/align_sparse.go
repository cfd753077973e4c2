package engine

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers"
)

// locallySparse is the alignment of LP-RNA (You et al. 2015, eqs 17–19): each sample,
// scaled to unit length, is written by its p nearest with the code of
// [solvers.RobustLasso], which forgives coordinates that are occluded or noisy. With
// S = (|A| + |A|ᵀ)/2 for the codes A, entries below τ left out, the patches of
// distances Sᵢⱼ‖yᵢ − yⱼ‖² around every sample add up to
//
//	Φ = 2(D − S),   D = diag(S1):
//
// an edge counts from both ends, and the factor 2 belongs to the method.
// The neighbourhoods are those of [unitNearest].
type locallySparse struct {
	smooth float64 // ξ1
	sparse float64 // ξ2
	least  float64 // τ
}

func (r locallySparse) align(p *problem, _ patchRule) (*alignment, error) {
	q, err := onUnitRows(p)
	if err != nil {
		return nil, err
	}
	var rule stars
	if q.graph, rule.weights, err = r.codes(q); err != nil {
		return nil, err
	}
	// Σ |aᵢⱼ|(eᵢ − eⱼ)(eᵢ − eⱼ)ᵀ over the list entries is 2(D − S) already.
	return sumOfPatches(q, rule)
}

// codes returns the neighbours of each sample with |aᵢⱼ| ≥ τ, and those numbers.
// Samples have to be of unit length.
func (r locallySparse) codes(p *problem) (g *neighbors.Graph, weights []float64, err error) {
	if !(r.sparse > 0) || !(r.smooth >= 0) || !(r.least >= 0) {
		return nil, nil, fmt.Errorf("%s: xi1 = %v, xi2 = %v, tau = %v; give xi2 > 0 and the others ≥ 0", p.name, r.smooth, r.sparse, r.least)
	}
	return codes(p, func() func(int, *codeList) {
		coder := solvers.NewRobustLasso(p.kernels, r.smooth, r.sparse)
		return func(i int, out *codeList) {
			list := p.graph.Of(i)
			a, report := coder.Solve(p.x.Row(i), p.x.Data, list, nil)
			out.report(report)
			for at, v := range a {
				if v = math.Abs(v); v >= r.least && v > 0 {
					out.add(list[at], v)
				}
			}
		}
	})
}

// elasticNet is the alignment of the graph that stands in for GS-GNMF's: each
// sample, scaled to unit length, is written by its neighbours with an elastic net,
//
//	min ‖xᵢ − Σⱼ aⱼxⱼ‖² + ℓ2‖a‖² + ℓ1‖a‖₁,   S = (|A| + |A|ᵀ)/2,   Φ = D − S.
//
// Where the method has no neighbourhood, a sample is written by all others: supports
// then reach a third of them, and it takes the Gram matrix of all samples and an
// inverse, 16n² bytes.
type elasticNet struct{ ridge, sparse float64 }

func (r elasticNet) align(p *problem, _ patchRule) (*alignment, error) {
	if !(r.ridge > 0) || !(r.sparse > 0) {
		return nil, fmt.Errorf("%s: l2 = %v, l1 = %v; give numbers above 0", p.name, r.ridge, r.sparse)
	}
	q, err := onUnitRows(p)
	if err != nil {
		return nil, err
	}
	worker := r.amongNeighbors(q)
	if q.graph == nil {
		if worker, err = r.amongAll(q); err != nil {
			return nil, err
		}
	}
	var rule stars
	if q.graph, rule.weights, err = codes(q, worker); err != nil {
		return nil, err
	}
	return sumOfPatches(q, rule)
}

// amongNeighbors codes each sample from the Gram matrix of its neighbours and itself.
func (r elasticNet) amongNeighbors(p *problem) func() func(int, *codeList) {
	return func() func(int, *codeList) {
		net := solvers.NewElasticNet(p.kernels, r.ridge, r.sparse)
		var rows, gram []float64
		return func(i int, out *codeList) {
			list, m := p.graph.Of(i), p.x.M
			n := len(list) + 1
			if rows = rows[:0]; cap(gram) < n*n {
				gram = make([]float64, n*n)
			}
			for _, j := range list {
				rows = append(rows, p.x.Row(int(j))...)
			}
			rows = append(rows, p.x.Row(i)...)
			p.kernels.Syrk(false, n, m, 1, rows, m, 0, gram, n)
			mirror(gram, n)
			a, report := net.Solve(gram, n, n-1, nil)
			out.report(report)
			for at, j := range list {
				out.addHalf(j, a[at])
			}
		}
	}
}

// amongAll codes each sample from the Gram matrix of all.
func (r elasticNet) amongAll(p *problem) (func() func(int, *codeList), error) {
	if err := p.roomForSquares("the Gram matrix of all samples, with its inverse,", 2); err != nil {
		return nil, err
	}
	n := p.x.N
	defer p.clock.Phase("gram")()
	gram := p.gramOf(p.x.Data, n, p.x.M, false)
	starts, err := solvers.LeaveOneOut(p.ctx, p.kernels, p.options.Threads, gram, n, r.ridge)
	if err != nil {
		return nil, err
	}
	return func() func(int, *codeList) {
		net := solvers.NewElasticNet(p.kernels, r.ridge, r.sparse)
		return func(i int, out *codeList) {
			a, report := net.Solve(gram, n, i, starts[i*n:(i+1)*n])
			out.report(report)
			for j, v := range a {
				out.addHalf(int32(j), v)
			}
		}
	}, nil
}

// addHalf lists a sample with half the size of its coefficient, the other half of S
// being the transposed one; zeros are not listed.
func (l *codeList) addHalf(j int32, coefficient float64) {
	if coefficient != 0 {
		l.add(j, math.Abs(coefficient)/2)
	}
}

// roomForSquares refuses n × n matrices of which so many are needed at a time where
// they are beyond the limit.
func (p *problem) roomForSquares(what string, count float64) error {
	n := int64(p.x.N)
	need := int64(count * 8 * float64(n) * float64(n))
	p.explain("%s: about %s", what, solvers.FormatBytes(need))
	if limit := p.options.Memory; limit > 0 && need > limit {
		return beyond("%s: %s of %d samples needs about %s where the limit is %s; take fewer samples, or raise the limit (--memory, Options.Memory)",
			p.name, what, n, solvers.FormatBytes(need), solvers.FormatBytes(limit))
	}
	return nil
}
