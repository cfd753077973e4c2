package diagnosis

import "fmt"

const (
	// tangentsLost: half of the charts are stretched along some direction by less than this
	// share of the mean.
	tangentsLost = 0.2
	// offEverywhere: what the tangents leave at every size of charts where they are too few. Sheets
	// have 0.02 and less at one.
	offEverywhere = 0.15
	// biasShare is the share of the eigenvalues that the weights' own errors must have made to be
	// the cause: sound embeddings have up to 0.4 where the gap is small (Σλ counts, not each).
	biasShare = 0.5
)

// charted names what the charts of an uneven embedding show: noise beyond the scales that
// neighbourhoods reach, a direction that is lost, or weights that err along the tangents. Where
// a coordinate is that of few samples, that says it all.
func charted(c Case) string {
	charts := &c.Scores.Charts
	if !charts.Uneven() || c.Aside {
		return ""
	}
	least := 0
	for at, off := range charts.Off {
		if off < charts.Off[least] {
			least = at
		}
	}
	k := c.Graph.MaxDegree()
	switch {
	case charts.Off[0] > leastNoise && charts.Off[least] <= fallOfScale*charts.Off[0]:
		return fmt.Sprintf("neighbors=%d is too few for the noise: %s %.2g of the variance of %d samples (median), and %.2g of that of %d; take more, or denoise the samples",
			k, directions(c.dim()), charts.Off[0], charts.Sizes[0], charts.Off[least], charts.Sizes[least])
	case charts.Off[least] >= offEverywhere:
		return fmt.Sprintf("dim=%d is too small for the data, or for their noise: %s at least %.2g of the variance of charts of any size (median); take a larger dim",
			c.dim(), directions(c.dim()), charts.Off[least])
	case c.Scores.WeightsBias >= biasShare:
		return fmt.Sprintf("errors of the weights along the data's own tangents make %.0f %% of the eigenvalues: take ltsa, or fewer neighbours", 100*min(c.Scores.WeightsBias, 1))
	case !c.Bent && charts.LeastStretch <= tangentsLost:
		return fmt.Sprintf("a direction of the data is lost: in half of the charts it is stretched by %.2g of the mean or less; take another number of neighbours", charts.LeastStretch)
	}
	return ""
}
