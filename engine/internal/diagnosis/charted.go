package diagnosis

import (
	"fmt"
	"slices"
)

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

// denoising names the remedy for noise that has not been tried.
func (c *Case) denoising() string {
	if _, tried := c.Notes()["denoised"]; tried {
		return ""
	}
	return ", or remove noise from the samples first (‹denoise=auto›)"
}

// noise tells whether the data show their tangents best in charts larger than a neighbourhood, by
// as many samples of each.
func noise(c Case) string {
	charts := &c.Scores.Charts
	if !charts.Laid() || charts.TooThin(c.dim()) || c.Aside {
		return ""
	}
	least := charts.Flattest()
	if !(charts.Off[0] > leastNoise && charts.Thinned[least] <= fallOfScale*charts.Off[0]) {
		return ""
	}
	return fmt.Sprintf("‹neighbors=%d› is too few for the noise: %s %.2g of the variance of %d samples (median), and %.2g of as many out of %d; take more%s",
		c.Graph.MaxDegree(), directions(c.dim()), charts.Off[0], charts.Sizes[0], charts.Thinned[least], charts.Sizes[least], c.denoising())
}

// charted names what the charts of an uneven embedding show besides: directions or noise that the
// embedding has no coordinate for, weights that err along the tangents, or a direction that is
// lost. Where a coordinate is that of few samples, that says it all.
func charted(c Case) string {
	charts := &c.Scores.Charts
	if !charts.Uneven() || c.Aside {
		return ""
	}
	off := slices.Min(charts.Off)
	switch {
	case off >= offEverywhere:
		return fmt.Sprintf("‹dim=%d› is too small for the data or their noise: %s at least %.2g of the variance in charts of every size (median); take a larger dim%s",
			c.dim(), directions(c.dim()), off, c.denoising())
	case c.Scores.WeightsBias >= biasShare:
		return fmt.Sprintf("errors of the weights along the data's own tangents make %.0f %% of the eigenvalues: take ltsa, or fewer neighbours", 100*min(c.Scores.WeightsBias, 1))
	case !c.Bent && charts.LeastStretch <= tangentsLost:
		return fmt.Sprintf("a direction of the data is lost: in half of the charts it is stretched by %.2g of the mean or less; take another number of neighbours", charts.LeastStretch)
	}
	return ""
}

// unexplained is what is said where no cause was found.
func unexplained(c Case) []string {
	charts := &c.Scores.Charts
	switch {
	case charts.TooThin(c.dim()) && !c.Bent:
		return []string{fmt.Sprintf("%s %.2g of a neighbourhood's variance (median); take a smaller dim", directions(c.dim()-1), charts.Thin)}
	case charts.Uneven() && !c.Aside:
		return []string{"no cause was found: compare with another number of neighbours, and with another method"}
	}
	return nil
}
