package method

import (
	"fmt"

	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/quality"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// PCA is principal component analysis: the scores XcV of the centred samples on
// the d directions of largest variance, in descending order. The
// reported eigenvalues are the variances (divisor n − 1), and the detail
// explained_variance_ratio has their shares of the total. Coordinates beyond the rank of the
// centred data are zero. O(n m·min(n, m)). Sparse samples stay sparse and
// are centred within the products of a block Lanczos method, O(nnz) for each product.
type PCA struct {
	Dim int `json:"dim" default:"2" allowed:"≥ 1" doc:"d, the columns of the embedding, at most those of the data and fewer than the samples"`
}

// Name returns "pca".
func (PCA) Name() string { return "pca" }

func (p PCA) row() Row {
	return Row{lengths: true, Dim: p.Dim, Embed: p.steps, Check: p.check, Units: Units{Coordinates: 1, Values: 2}, sparse: true}
}

func (p PCA) check(n, m int) error {
	if p.Dim > m {
		return fmt.Errorf("pca: dim %d of data with %d columns; give at most %d", p.Dim, m, m)
	}
	return nil
}

func (p PCA) steps() pipeline.Steps {
	return pipeline.Steps{Orthogonal: true, Aim: quality.Variance, Joint: pipeline.JoinExtended(align.CenteredGram, solve.TopEigenvectors(p.Dim), extend.Linear)}
}

// byPCA embeds a cluster by its principal components.
func byPCA(_, dim int) Method { return PCA{Dim: dim} }
