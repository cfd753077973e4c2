package method

import (
	"context"
	"errors"
	"fmt"

	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/quality"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/scale"
	"github.com/orthant-go/orthant/engine/internal/solve"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// PCA is principal component analysis: the scores XcV of the centred samples on
// the d directions of largest variance, in descending order. The
// reported eigenvalues are the variances (divisor n − 1), and the detail
// explained_variance_ratio has their shares of the total. Coordinates beyond the rank of the
// centred data are zero. O(n m·min(n, m)); where both are above 2048 and d is small, O(n m) for each product of a block
// Lanczos method, whose residuals are measured. Sparse samples stay sparse and
// are centred within such products, O(nnz) for each.
//
// With weights of the samples (Options.Weights) the mean and the variances are weighted, with the divisor Σw − Σw²/Σw.
//
// With missing=weight an entry that is NaN is missing. The components are those of the most likely model x = μ + Wz + noise
// of the known entries (Tipping and Bishop 1999), which is principal component analysis if nothing is missing.
type PCA struct {
	Dim     int    `json:"dim" default:"2" allowed:"≥ 1" doc:"d, the columns of the embedding, at most those of the data and fewer than the samples"`
	DimRule string `json:"dim_rule" default:"surface" allowed:"surface|parallel" doc:"how dim=auto is found. surface: the dimension of the surface on which the samples lie; parallel: the number of components with a larger variance than in data with independent columns (Horn's parallel analysis). With parallel, dim is auto unless it is given"`
	Whiten  bool   `json:"whiten" default:"false" doc:"divide each coordinate by its standard deviation"`
	Missing string `json:"missing" default:"error" allowed:"error|weight" doc:"an entry NaN is an error, or is missing and has the weight 0"`

	weights []float64 // of all samples; nil: 1 each
}

// Name returns "pca".
func (PCA) Name() string { return "pca" }

func (p PCA) row() Row {
	r := Row{lengths: true, Dim: p.Dim, Embed: p.steps, Check: p.check, Units: Units{Coordinates: 1, Values: 2},
		Weighted: func(weights []float64) Method { p.weights = weights; return p }, sparse: true}
	if p.Missing == "weight" {
		r.Inputs, r.sparse = Gaps, false
	}
	if p.weights == nil && p.Missing != "weight" {
		r.Blocks = p.blocks
	}
	if p.Whiten {
		r.lengths, r.Units.Coordinates = false, 0
	}
	if p.DimRule == "parallel" {
		r.Components = p.components
	}
	return r
}

func (p PCA) check(n, m int) error {
	if p.Dim > m {
		return fmt.Errorf("pca: dim %d of data with %d columns; give at most %d", p.Dim, m, m)
	}
	return nil
}

// components finds the number of coordinates by parallel analysis.
func (p PCA) components(ctx context.Context, x neighbors.Points, s scale.Settings) (scale.Components, error) {
	if p.weights != nil {
		return scale.Components{}, errors.New("parallel analysis takes no weights of the samples; give a number")
	}
	return scale.ParallelAnalysis(ctx, x, s)
}

func (p PCA) steps() pipeline.Steps {
	s := pipeline.Steps{Orthogonal: p.Missing != "weight", Weights: p.weights, Aim: quality.Variance}
	if p.Whiten {
		s.Aim = quality.Whitened
	}
	if p.Missing == "weight" {
		s.Joint = pipeline.JoinExtended(align.IncompleteGram(p.Dim, p.weights), solve.LikeliestComponents(p.Dim, p.Whiten), extend.Conditional)
	} else {
		s.Joint = pipeline.JoinExtended(align.WeightedGram(p.Dim, p.weights), solve.TopEigenvectors(p.Dim, p.Whiten), extend.Linear)
	}
	return s
}

// blocks needs m² numbers in place of the samples.
func (p PCA) blocks(job *run.Run, x samples.Blocks) (*pipeline.Solved, error) {
	g, n, err := align.BlockGram(job, x)
	if err != nil {
		return nil, err
	}
	if n < 2 || p.Dim >= n {
		return nil, fmt.Errorf("pca: dim %d requested of %d samples; give more samples, or fewer dimensions", p.Dim, n)
	}
	s, err := solve.BlockEigenvectors(job, g, x, n, p.Dim, p.Whiten)
	if err != nil {
		return nil, err
	}
	rule, reason, err := extend.Linear(extend.Fit{}, s)
	return &pipeline.Solved{Solution: s.Solution, Extension: rule, Reason: reason}, err
}

// byPCA embeds a cluster by its principal components.
func byPCA(_, dim int) Method { return PCA{Dim: dim} }
