package engine

import (
	"fmt"

	"github.com/orthant-go/orthant/solvers/alm"
)

// APMF is adaptive projected matrix factorisation (Chen, Wang and Li 2018; rebuilt from
// the abstract): amrmf in a subspace that is learned with the rest,
//
//	min Σᵢ ‖(XP − GFᵀ)ᵢ‖₂ + λ tr(GᵀLG) + Σᵢⱼ ‖Pᵀxᵢ − Pᵀxⱼ‖² sᵢⱼ + aᵢsᵢⱼ²
//	under PᵀP = I, GᵀG = I, G ≥ 0, S1 = 1, S ≥ 0.
//
// W is G; H is Pᵀ, the directions of the subspace, one a row: X is not near WH. A step of
// P is 20 generalised power iterations of 4nmd flops each: by far the slowest of its
// family.
type APMF struct {
	Neighbors *int     `json:"neighbors" default:"auto" allowed:"≥ 1" doc:"k, the neighbours of each sample, at most n − 2; auto: ⌊√n⌋"`
	Subspace  *int     `json:"subspace" default:"auto" allowed:"≥ 1" doc:"d, the dimensions of the subspace, at most the lesser side of the data; auto: as many as clusters, at least 2"`
	Lambda    *float64 `json:"lambda" default:"0.01" allowed:"≥ 0" doc:"λ, the weight of the graph term, also of the indicators in the choice of neighbours; 0: no graph"`
	FeatureScale
	Lagrangian
	IndicatorLabels
}

// Name returns "apmf".
func (APMF) Name() string { return "apmf" }

func (p APMF) check(n, m int) error {
	if p.Subspace != nil && *p.Subspace > min(n, m) {
		return fmt.Errorf("%s: a subspace of %d dimensions for %d × %d data; give at most %d", p.Name(), *p.Subspace, n, m, min(n, m))
	}
	return checkRoot(p.Name(), p.Neighbors, n, n-2)
}

func (p APMF) factoring() factoring {
	return factoring{run: projected{
		byALM:     byALM{Options: alm.Options{Lambda: *p.Lambda}}.with(p.FeatureScale, p.Lagrangian),
		neighbors: rootNearest{p.Neighbors}, dim: p.Subspace,
	}}
}

func (p APMF) grouping() grouping { return factorGrouping(p.Labels, p.factoring()) }

// projected factorises a projection of the samples that is learned with the factors.
type projected struct {
	byALM
	neighbors rootNearest
	dim       *int
}

func (r projected) factors(p *problem, w factorWork) (*factors, error) {
	if err := p.checkIndicators(w.rank); err != nil {
		return nil, err
	}
	if w.initW != nil || w.initH != nil {
		return nil, fmt.Errorf("%s: it starts from its own projection; leave --init-w and --init-h out", p.name)
	}
	if err := p.roomForIndicators(w.rank); err != nil {
		return nil, err
	}
	p.scaleFeatures(r.scale)
	o := p.indicatorOptions(r.Options, w)
	q, err := r.begin(p, &o)
	if err != nil {
		return nil, p.ofSolver(err)
	}
	found, err := p.indicators(q.Data(), q, o)
	if err != nil {
		return nil, err
	}
	found.h = q.Directions(p.x.M)
	return found, nil
}

// begin divides the samples by their spectral norm, projects them and completes the
// start.
func (r projected) begin(p *problem, o *alm.Options) (*alm.Projection, error) {
	defer p.clock.Phase("start")()
	n, m := p.x.N, p.x.M
	norm, err := alm.Normalise(p.ctx, n, m, p.x.Data, *o)
	if err != nil {
		return nil, err
	}
	p.details["spectral_norm"] = norm
	d := min(n, m, max(o.Rank, 2))
	if r.dim != nil {
		d = *r.dim
	}
	q, err := alm.NewProjection(p.ctx, n, m, p.x.Data, d, r.neighbors.number(n), *o)
	if err != nil {
		return nil, err
	}
	start, err := q.Begin(p.ctx, o.Rank, *o)
	if err != nil {
		return nil, err
	}
	p.takeStart(start, o)
	return q, nil
}
