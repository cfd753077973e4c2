package engine

import "github.com/orthant-go/orthant/solvers/alm"

// AMRMF is adaptive manifold regularised matrix factorisation (Zhang, Zhang, Du, You
// and Tao 2017; rebuilt from the abstract): rmnmf with a graph that is learned with the
// indicators,
//
//	min Σᵢ ‖(X − GFᵀ)ᵢ‖₂ + λ tr(GᵀLG) + Σᵢⱼ ‖xᵢ − xⱼ‖² sᵢⱼ + aᵢsᵢⱼ²
//	under GᵀG = I, G ≥ 0, S1 = 1, S ≥ 0,
//
// where aᵢ leaves each sample k neighbours. After each pass S is found again, from the
// distances of the samples and those of their indicators. n²m flops once, and 6nmC an
// iteration besides the search for S, of n² at most while all distances are kept (see
// [alm.Adaptive]).
type AMRMF struct {
	Neighbors *int     `json:"neighbors" default:"auto" allowed:"≥ 1" doc:"k, the neighbours of each sample, at most n − 2; auto: ⌊√n⌋"`
	Lambda    *float64 `json:"lambda" default:"0.01" allowed:"≥ 0" doc:"λ, the weight of the graph term, also of the indicators in the choice of neighbours; 0: no graph"`
	FeatureScale
	Lagrangian
	IndicatorLabels
}

// Name returns "amrmf".
func (AMRMF) Name() string { return "amrmf" }

func (p AMRMF) check(n, _ int) error { return checkRoot(p.Name(), p.Neighbors, n, n-2) }

func (p AMRMF) factoring() factoring {
	run := byALM{Options: alm.Options{Lambda: *p.Lambda}}.with(p.FeatureScale, p.Lagrangian)
	o := run.Options
	run.learn = func(q *problem, unit []float64) (alm.Graph, error) {
		if o.Lambda == 0 {
			return nil, nil // the neighbours would be learned for nothing
		}
		defer q.clock.Phase("neighbors")()
		with, k := o, rootNearest{p.Neighbors}.number(q.x.N)
		with.Kernels, with.Threads = q.kernels, q.options.Threads
		whole, lean := alm.AdaptiveBytes(q.x.N, q.x.M, k, q.options.Threads)
		if with.Lean = q.options.Memory > 0 && whole > q.options.Memory; with.Lean {
			whole = lean
		}
		if err := q.limit(whole, "take fewer neighbours or samples, or raise the limit"); err != nil {
			return nil, err
		}
		return alm.NewAdaptive(q.ctx, q.x.N, q.x.M, unit, k, with)
	}
	return factoring{run: run}
}

func (p AMRMF) grouping() grouping { return factorGrouping(p.Labels, p.factoring()) }
