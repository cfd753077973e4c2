package diagnosis

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/quality"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

const (
	// crowdedBy is the number of dimensions by which the data must exceed the coordinates.
	crowdedBy = 1.25
	// maxKept: coordinates that keep this share of the neighbours represent the data, whatever the
	// estimated dimension; so do coordinates with the share minVariance of the variance, if keeping it is
	// their aim.
	maxKept, minVariance = 0.5, 0.5
	// minOfPCA: an embedding is worse than PCA if it keeps less than this share of the neighbours that PCA
	// keeps, and the difference exceeds lessThanPCA.
	minOfPCA, lessThanPCA = 0.4, 0.05
	// projectedBy is the number of samples from which that projection is computed.
	projectedBy = 256
)

// crowded reports whether the data have more dimensions than the embedding has coordinates, so that
// it is an illustration and not a faithful representation.
func (c *Case) crowded() bool {
	kept := &c.Scores.Kept
	more := kept.Dimension >= float64(c.dim())+crowdedBy
	switch c.Aim {
	case quality.Lengths:
		charts := &c.Scores.Charts
		return more && kept.Score() < maxKept && charts.Uneven() && slices.Min(charts.Off) >= offEverywhere
	case quality.Variance, quality.Whitened:
		return c.Scores.Variance < minVariance
	case quality.Picture: // a map is judged by what it shows of them
		return false
	}
	return more && kept.Score() < maxKept
}

// crowd describes how well the coordinates represent the data, compared with the projection of largest
// variance. against: they keep fewer neighbours than the projection.
func (c *Case) crowd() (text string, against bool, err error) {
	kept := c.Scores.Kept.Score()
	show := ""
	if d := c.Scores.Kept.Dimension; d >= float64(c.dim())+crowdedBy {
		show = fmt.Sprintf(": they show about %.0f dimensions", d)
	}
	if c.Aim == quality.Variance || c.Aim == quality.Whitened {
		return fmt.Sprintf("%s cannot hold these data%s; variance kept: %.2g; neighbours kept: %.2g", coordinates(c.dim()), show, c.Scores.Variance, kept), false, nil
	}
	plain, err := c.projected()
	if err != nil {
		return "", false, err
	}
	text = fmt.Sprintf("%s cannot hold these data%s; neighbours kept: %.2g", coordinates(c.dim()), show, kept)
	if plain == plain {
		text += fmt.Sprintf(" (pca about %.2g)", plain)
	}
	if worse(kept, plain) {
		return text + "; take another method", true, nil
	}
	return text, false, nil
}

// worseThanPCA returns the doubt that the embedding keeps far fewer neighbours than the same number of
// principal components; empty: it does not, or keeps many.
func (c *Case) worseThanPCA() (string, error) {
	kept := c.Scores.Kept.Score()
	if c.Aim != quality.Neighborhoods && c.Aim != quality.Picture || !(kept < maxKept) {
		return "", nil
	}
	plain, err := c.projected()
	if err != nil || !worse(kept, plain) {
		return "", err
	}
	return fmt.Sprintf("the embedding keeps %.2g of the nearest neighbours, and pca about %.2g: take that, or another method", kept, plain), nil
}

func worse(kept, plain float64) bool { return kept < minOfPCA*plain && kept < plain-lessThanPCA }

// projected returns the share of the neighbours that the same number of principal components keep, computed
// from some of the samples; NaN: not measured. O(nmd).
func (c *Case) projected() (float64, error) {
	n, m, dim := c.X.N(), c.X.M(), c.dim()
	some := quality.Spread(n, projectedBy)
	if c.X.Absent() || c.X.Compressed() != nil || dim > min(m, len(some)-1) {
		return math.NaN(), nil
	}
	job := c.Within()
	in := align.Input{Local: c.Local}
	in.Run, in.X, in.Graph = job, c.X.Subset(some), nil
	gram, err := align.CenteredGram(dim)(in)
	if err != nil {
		return math.NaN(), c.Err() // memory does not allow it
	}
	found, err := solve.TopEigenvectors(dim, false)(solve.Input{Run: job, X: in.X}, gram)
	if err != nil {
		return math.NaN(), c.Err()
	}
	y, row := mat.NewDense(n, dim, nil), make([]float64, m)
	for i := range n {
		copy(row, c.X.Row(i))
		blas.Axpy(-1, found.Mean, row)
		c.Kernels().Gemv(true, m, dim, 1, found.Projection.RawMatrix().Data, dim, row, 0, y.RawRowView(i))
	}
	kept, err := quality.CompareNeighbors(c.Local, y)
	return kept.Score(), err
}

// coordinates formats their number for the start of a sentence.
func coordinates(count int) string {
	if count == 1 {
		return "1 coordinate"
	}
	return fmt.Sprintf("%d coordinates", count)
}
