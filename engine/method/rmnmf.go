package method

import (
	"fmt"

	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
)

// RMNMF is robust manifold nonnegative matrix factorisation (Huang, Nie, Huang and
// Ding 2014) for clusters: orthonormal, nonnegative indicators under a loss that
// tolerates samples that fit badly, with neighbours kept together,
//
//	min Σᵢ ‖(X − GFᵀ)ᵢ‖₂ + λ tr(GᵀLG)   under GᵀG = I, G ≥ 0,
//
// by an augmented Lagrangian ([alm]). W is G and H is Fᵀ, of either sign, with an offset, in
// the unit of the data. The largest entry of a sample's row of G is its cluster. The
// result is the best partition of the start and all iterations, unless
// Protocol is "paper". The cost is the neighbour search, and 6nmC flops for each iteration.
type RMNMF struct {
	Protocol
	Neighbors *int     `json:"neighbors" default:"auto" allowed:"≥ 1" doc:"k, the nearest neighbours of each sample; samples are joined if either lists the other; auto: ⌊√n⌋, at most 7"`
	Weights   string   `json:"weights" default:"adaptive" allowed:"adaptive|binary" doc:"the weight of an edge: a Gaussian whose width is the mean, over both ends, of the distance to the k-th neighbour; or 1"`
	Select    string   `json:"select" default:"none" allowed:"none|dpp|dpp-exact|ipm|ds3|esc-ffs" doc:"use only the part of the graph that is the neighbourhoods of exemplars, which this method chooses with its defaults (dpp-exact: dpp with sample=exact, drawn by the seed); none: use the whole graph"`
	Exemplars *int     `json:"exemplars" default:"auto" allowed:"≥ 1" doc:"τ, the exemplars that select chooses; auto: a tenth of the samples"`
	Lambda    *float64 `json:"lambda" default:"auto" allowed:"≥ 0" doc:"λ, the weight of the graph term; auto: the λ with which the term of a partition that cuts all edges is half the loss without components; 0: none, and no graph is built"`
	FeatureScale
	Origin
	IndicatorStart
	Lagrangian
	IndicatorLabels
}

// Name returns "rmnmf".
func (RMNMF) Name() string { return "rmnmf" }

func (p RMNMF) row() Row {
	return Row{Check: p.check, Factorize: p.factoring, Cluster: p.grouping}
}

func (p RMNMF) check(n, _ int) error {
	if p.Exemplars != nil && *p.Exemplars > n {
		return fmt.Errorf("rmnmf: %d exemplars requested of %d samples; give a number from 1 to %d", *p.Exemplars, n, n)
	}
	return p.nearest(p.Neighbors).Check(p.Name(), n, n-1)
}

func (p RMNMF) factoring() factor.Plan {
	solver := byALM(p.Lambda, shareOfNearest, indicatorParameters{p.FeatureScale, p.Origin, p.IndicatorStart, p.Lagrangian})
	f := factor.Plan{
		Neighbors: p.nearest(p.Neighbors), Patch: patch.Edges{Graph: "union", Weights: p.Weights}.Rule(), Align: align.Regularizer(align.GraphTerm),
	}
	solver.Starts.Own = p.Select == "none"
	f.Solve = solver
	if p.Select != "none" {
		f.Neighbors, f.Patch = neighborhood.OfExemplars{Nearest: p.nearest(p.Neighbors), Weights: p.Weights, Count: p.Exemplars, Choose: exemplarsBy(exemplarMethods[p.Select]())}, patch.ListedEdges()
	}
	return f
}

func (p RMNMF) grouping(int) Grouping { return factorGrouping(p.Labels, p.factoring()) }

// exemplarMethods make the methods named by the parameter select.
var exemplarMethods = map[string]func() Method{
	"dpp":       func() Method { return &DPP{} },
	"dpp-exact": func() Method { return &DPP{Sample: "exact"} },
	"ipm":       func() Method { return &IPM{} },
	"ds3":       func() Method { return &DS3{} },
	"esc-ffs":   func() Method { return &ESCFFS{} },
}

// exemplarsBy returns a function that chooses exemplars of scaled samples by another method with
// default parameters.
func exemplarsBy(m Method) func(job *run.Run, x samples.Samples, count int) ([]int, error) {
	return func(job *run.Run, x samples.Samples, count int) ([]int, error) {
		if err := Set(m, "scale", "none"); err != nil {
			return nil, err
		}
		full, err := param.Resolve(m.Name(), m, x.N(), job.Warn)
		if err != nil {
			return nil, err
		}
		method := RowOf(full)
		if method.Check != nil {
			if err := method.Check(x.N(), x.M()); err != nil {
				return nil, err
			}
		}
		inside := job.Within()
		found, err := method.Choose()(inside, x, count)
		if err != nil {
			return nil, fmt.Errorf("%s: select: %w", job.Method(), err)
		}
		for _, w := range inside.Warnings() {
			job.Warn("‹select=%s›: %s", m.Name(), w)
		}
		return found.Indices, nil
	}
}
