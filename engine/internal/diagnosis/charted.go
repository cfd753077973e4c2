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
	if c.Trials.Denoised {
		return ""
	}
	return ", or remove noise from the samples first (‹denoise=auto›)"
}

// noise reports whether the data show their tangents best in charts larger than a neighbourhood, by
// as many samples of each.
func noise(c Case) cause {
	charts := &c.Scores.Charts
	if !charts.Laid() || charts.TooThin(c.dim()) || c.Aside {
		return cause{}
	}
	least := charts.Flattest()
	if !(charts.Off[0] > leastNoise && charts.Thinned[least] <= fallOfScale*charts.Off[0]) {
		return cause{}
	}
	return c.noisy(fmt.Sprintf("‹neighbors=%d› is too few for the noise: %s %.2g of the variance of %d samples (median), and %.2g of as many out of %d",
		c.Graph.MaxDegree(), directions(c.dim()), charts.Off[0], charts.Sizes[0], charts.Thinned[least], charts.Sizes[least]))
}

// noisy is the cause that neighbourhoods are too small for the noise.
func (c *Case) noisy(text string) cause {
	tries := c.more()
	if c.denoising() != "" {
		tries = append([]Remedy{{Denoise: true}}, tries...)
	}
	return cause{text: text, advice: "take more" + c.denoising(), tries: tries}
}

// charted names what the charts of an uneven embedding show besides: directions or noise that the
// embedding has no coordinate for, weights that err along the tangents, or a direction that is
// lost. Where a coordinate is that of few samples, that says it all.
func charted(c Case) cause {
	charts := &c.Scores.Charts
	if !charts.Uneven() || c.Aside {
		return cause{}
	}
	off := slices.Min(charts.Off)
	switch {
	case off >= offEverywhere:
		return cause{text: fmt.Sprintf("‹dim=%d› is too small for the data or their noise: %s at least %.2g of the variance in charts of every size (median)",
			c.dim(), directions(c.dim()), off), advice: "take a larger dim" + c.denoising(), tries: c.larger()}
	case c.Scores.WeightsBias >= biasShare:
		return cause{text: fmt.Sprintf("errors of the weights along the data's own tangents make %.0f %% of the eigenvalues", 100*min(c.Scores.WeightsBias, 1)),
			advice: "take ltsa, or fewer neighbours", tries: c.fewer()}
	case !c.Bent && charts.LeastStretch <= tangentsLost:
		return cause{text: fmt.Sprintf("a direction of the data is lost: in half of the charts it is stretched by %.2g of the mean or less", charts.LeastStretch),
			advice: "take another number of neighbours", tries: append(c.fewer(), c.more()...)}
	}
	return cause{}
}

// larger are the remedies for too few coordinates: the dimension that the samples show, and no noise.
func (c *Case) larger() []Remedy {
	var tries []Remedy
	if shown := int(c.Scores.Kept.Dimension + 0.5); shown > c.dim() && shown < c.X.M() {
		tries = append(tries, Remedy{Dim: shown})
	}
	if c.dim()+1 < c.X.M() {
		tries = append(tries, Remedy{Dim: c.dim() + 1})
	}
	if c.denoising() != "" {
		tries = append(tries, Remedy{Denoise: true})
	}
	return tries
}

// unexplained is what was measured where no cause was found.
func (s scales) unexplained(c Case) cause {
	charts := &c.Scores.Charts
	measured := s.measured(c.dim())
	switch {
	case charts.TooThin(c.dim()) && !c.Bent:
		if measured != "" {
			measured += "; "
		}
		return cause{text: measured + fmt.Sprintf("%s %.2g of a neighbourhood's variance (median)", directions(c.dim()-1), charts.Thin),
			advice: "take a smaller dim", tries: []Remedy{{Dim: c.dim() - 1}}, unnamed: true}
	case charts.Uneven() && !c.Aside:
		return cause{text: measured, advice: "no cause was found: compare with another number of neighbours, and with another method",
			tries: append(c.fewer(), c.more()...), unnamed: true}
	}
	return cause{text: measured, unnamed: true}
}
