package method

import (
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// LDA is linear discriminant analysis (Fisher 1936): the directions along which
// the classes are far apart relative to their width. With the scatters of the class means
// and within the classes,
//
//	S_b = Σ_c n_c(μ_c − μ)(μ_c − μ)ᵀ,   S_w = Σᵢ (xᵢ − μ_c(i))(xᵢ − μ_c(i))ᵀ,
//
//	S_b v = λ S_w v,   largest λ,   VᵀS_wV = I,   Y = (X − μ)V.
//
// It is supervised: it needs engine.Options.Labels, at least two classes, one of them
// with two samples, and d ≤ classes − 1. A class of one sample contributes only to S_b.
//
// S_w is singular if n − classes < m, the number of columns.
// The problem is then restricted to its range (eigenvalues above 1e-10 of the
// largest), whose rank is at most n − classes: directions in which no class has
// any width are left out, although classes may differ in them. That is the regular
// part of what Belhumeur, Hespanha and Kriegman (1997) call Fisherfaces. The
// n − classes leading principal axes, which they use instead, leave S_w nearly singular and
// the discriminants dominated by noise. The detail explained_variance_ratio is the share of each
// λ in tr(S_w⁻¹S_b). O(nm·min(n, m)) and eigenproblems of order min(n, m).
type LDA struct {
	Dim int `json:"dim" default:"2" allowed:"≥ 1" doc:"d, the columns of the embedding, fewer than the classes"`
}

// Name returns "lda".
func (LDA) Name() string { return "lda" }

func (p LDA) row() Row {
	return Row{Dim: p.Dim, Embed: p.steps, Check: p.check, Labels: true, ScalesColumns: true}
}

func (p LDA) check(_, m int) error { return fewerThanColumns(p.Name(), p.Dim, 0, m) }

func (p LDA) steps() pipeline.Steps {
	return pipeline.Steps{Joint: pipeline.JoinExtended(align.ClassScatter(p.Dim), solve.Discriminants(p.Dim), extend.Linear)}
}
