package engine

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/exemplars"
)

// ESCFFS is exemplar-based subspace clustering by farthest-first search (You, Li,
// Robinson and Vidal 2018): with samples scaled to unit length, the next exemplar is the
// one that those before it write worst,
//
//	F(T; x) = min_c ‖c‖₁ + (γ/2)‖x − Σ_{j∈T} cⱼxⱼ‖².
//
// To cluster, every sample is joined to the t whose codes over the exemplars point most
// in its own code's direction, and the graph goes to spectral clustering. O(n m) an
// exemplar and a lasso for each sample that is looked at; 16nT bytes. The
// objective is the largest cost of any sample.
type ESCFFS struct {
	Gamma        float64 `json:"gamma" default:"10" allowed:"> 1" doc:"γ, how much misfit costs against the size of a code, which would be 0 for γ ≤ 1"`
	First        *int    `json:"first" default:"random" allowed:"≥ 0" doc:"the row of the first exemplar, from 0; random: any but zeros, by the seed"`
	Exemplars    *int    `json:"exemplars" default:"auto" allowed:"≥ 1" doc:"of a clustering; auto: a tenth of the samples, and at least two a cluster"`
	T            int     `json:"t" default:"3" allowed:"≥ 1" doc:"of a clustering: the samples that each one is joined to"`
	FeatureScale `scale:"none"`
}

// Name returns "esc-ffs".
func (ESCFFS) Name() string { return "esc-ffs" }

func (m ESCFFS) check(n, _ int) error {
	switch {
	case m.First != nil && *m.First >= n:
		return fmt.Errorf("esc-ffs: first is %d of %d samples; give a row from 0 to %d", *m.First, n, n-1)
	case m.Exemplars != nil && *m.Exemplars > n:
		return fmt.Errorf("esc-ffs: %d exemplars asked of %d samples; give a number from 1 to %d", *m.Exemplars, n, n)
	}
	return nil
}

func (m ESCFFS) choose(p *problem, count int) (*choice, error) {
	defer p.clock.Phase("solve")()
	found, err := m.search(p, count)
	if err != nil {
		return nil, err
	}
	return &choice{indices: found.Indices, first: found.Costs[0], last: found.Costs[count-1], iterations: count, converged: true}, nil
}

// search finds exemplars, and the codes of all samples.
func (m ESCFFS) search(p *problem, count int) (*exemplars.Coded, error) {
	n, k := int64(p.x.N), int64(count)
	if err := p.limit(8*(2*n*k+2*n*int64(p.x.M)+k*k), "take fewer exemplars or samples, or raise the limit"); err != nil {
		return nil, err
	}
	p.scaleFeatures(m.Scale)
	first, err := m.first(p)
	if err != nil {
		return nil, err
	}
	found, err := exemplars.FarthestFirst(p.ctx, p.exemplarPoints(), count, exemplars.FarthestFirstOptions{Options: p.exemplarOptions(), Gamma: m.Gamma, First: first})
	if err != nil {
		return nil, err
	}
	p.details["lasso_solves"], p.details["lasso_violation"] = found.Solves, found.Violation
	if found.Violation > 1e-6 {
		p.warn("the codes of some samples miss their conditions of optimality by %.1e: a smaller gamma is easier", found.Violation)
	}
	return found, nil
}

// first is the row to begin with.
func (m ESCFFS) first(p *problem) (int, error) {
	var directed []int
	zeros := 0
	for i := range p.x.N {
		if row := p.x.Row(i); blas.Dot(row, row) > 0 {
			directed = append(directed, i)
		} else {
			zeros++
		}
	}
	switch {
	case len(directed) == 0:
		return 0, fmt.Errorf("esc-ffs: all samples are zeros, which have no direction; take another scale, or another method")
	case zeros > 0:
		p.warn("%d samples are all zeros and have no code", zeros)
	}
	if m.First == nil {
		return directed[blas.NewStream(p.options.Seed).Below(len(directed))], nil
	}
	if row := p.x.Row(*m.First); blas.Dot(row, row) == 0 {
		return 0, fmt.Errorf("esc-ffs: first is row %d, which is all zeros and has no direction; give another", *m.First)
	}
	return *m.First, nil
}

func (m ESCFFS) grouping() grouping {
	return grouping{
		neighbors: sameCodes(m),
		// The mean of both lists is the sum W + Wᵀ of the paper, but for a factor that no
		// normalised Laplacian sees.
		edges:  edges{graph: "average", weights: "binary"},
		within: pursuitWithin(12),
		embed:  func(_, dim int) Method { return PCA{Dim: dim} },
	}
}

// sameCodes is the neighbourhood of the t samples whose codes have the largest cosines
// with the sample's own, those that are positive; where there are none, those whose
// directions are closest.
type sameCodes ESCFFS

func (r sameCodes) find(p *problem) (*neighbors.Graph, error) {
	n, own := p.x.N, p.x
	count := min(n, max(2*p.dim, int(math.Round(0.1*float64(n)))))
	if r.Exemplars != nil {
		count = *r.Exemplars
	}
	defer func() { p.x = own }() // what is said of the clusters is said of the samples as they came
	found, err := ESCFFS(r).search(p, count)
	if err != nil {
		return nil, err
	}
	p.details["exemplars"] = found.Indices
	codes := neighbors.Points{N: n, M: count, Data: found.Codes}
	for i := range n {
		if row := codes.Row(i); blas.Dot(row, row) > 0 {
			normalise(row)
		}
	}
	t := min(r.T, n-1)
	if t < r.T {
		p.warn("t = %d is too many for %d samples: took %d", r.T, n, t)
	}
	return closestCodes(p, codes, t)
}

func (r sameCodes) widen(p *problem, k int) (func(int) (*neighbors.Graph, error), error) {
	r.T = k
	wide, err := r.find(p)
	return func(k int) (*neighbors.Graph, error) { return wide.Truncated(k), nil }, err
}
