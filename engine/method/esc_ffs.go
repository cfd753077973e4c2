package method

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/engine/internal/choose"
	"github.com/orthant-go/orthant/engine/internal/cluster"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/wording"
)

// ESCFFS is exemplar-based subspace clustering by farthest-first search (You, Li,
// Robinson and Vidal 2018): with samples scaled to unit length, the next exemplar is the
// sample that those before it represent worst,
//
//	F(T; x) = min_c ‖c‖₁ + (γ/2)‖x − Σ_{j∈T} cⱼxⱼ‖².
//
// A clustering joins every sample to the t samples whose codes over the exemplars have the
// most similar directions, followed by spectral clustering of the graph. O(n m) for each
// exemplar and a lasso for each examined sample; 16nT bytes. The
// objective is the largest cost of any sample.
type ESCFFS struct {
	Gamma        float64 `json:"misfit_cost" former:"gamma" default:"10" allowed:"> 1" doc:"γ, the cost of misfit against the size of a code; above 1, because all codes are 0 for γ ≤ 1"`
	First        *int    `json:"first" default:"random" allowed:"≥ 0" doc:"the row of the first exemplar, counted from 0; random: drawn by the seed among the rows that are not all zeros"`
	Exemplars    *int    `json:"exemplars" default:"auto" allowed:"≥ 1" doc:"in a clustering: the number of exemplars; auto: a tenth of the samples, and at least two for each cluster"`
	T            int     `json:"joined" former:"t" default:"3" allowed:"≥ 1" doc:"in a clustering: the number of samples that each sample is joined to"`
	FeatureScale `scale:"none"`
}

// Name returns "esc-ffs".
func (ESCFFS) Name() string { return "esc-ffs" }

func (m ESCFFS) row() Row {
	return Row{Choose: func() choose.Rule { return m.rule().Choose }, Cluster: m.grouping, Check: m.check}
}

func (m ESCFFS) check(n, _ int) error {
	switch {
	case m.First != nil && *m.First >= n:
		return wording.Errorf("esc-ffs: ‹first› is %d of %d samples; give a row from 0 to %d", *m.First, n, n-1)
	case m.Exemplars != nil && *m.Exemplars > n:
		return fmt.Errorf("esc-ffs: %d exemplars requested of %d samples; give a number from 1 to %d", *m.Exemplars, n, n)
	}
	return nil
}

func (m ESCFFS) rule() choose.ESCFFS {
	return choose.ESCFFS{Gamma: m.Gamma, First: m.First, Scale: m.Scale}
}

func (m ESCFFS) grouping(clusters int) Grouping {
	encode := func(job *run.Run, x samples.Samples) (*neighborhood.Coding, error) {
		count := min(x.N(), max(2*clusters, int(math.Round(0.1*float64(x.N())))))
		if m.Exemplars != nil {
			count = *m.Exemplars
		}
		return m.rule().Encode(job, x, count)
	}
	return Grouping{Plan: cluster.Plan{
		Neighbors: neighborhood.SameCodes{T: m.T, Encode: encode},
		// The mean of both lists equals W + Wᵀ of the paper up to a factor, which cancels in a
		// normalised Laplacian.
		Edges:  patch.Edges{Graph: "average", Weights: "binary"}.Rule(),
		Extend: extend.SameCodes(m.Gamma, m.T),
		Within: cluster.PursuitWithin(12),
	}, Embed: byPCA}
}
