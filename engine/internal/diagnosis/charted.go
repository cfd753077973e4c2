package diagnosis

import (
	"fmt"
	"slices"
)

const (
	// tangentsLost: a direction is lost if half of the charts are stretched along it by less than this
	// share of the mean.
	tangentsLost = 0.2
	// offEverywhere is the share that tangents leave at every size of charts if there are too few of them.
	// Sheets have at most 0.02 at one size.
	offEverywhere = 0.15
	// biasShare is the share of the eigenvalues due to the weights' own errors from which those are
	// the cause: correct embeddings have up to 0.4 if the gap is small (relative to Σλ, not to each).
	biasShare = 0.5
)

// denoising suggests removing noise if that has not been tried.
func (c *Case) denoising() string {
	if c.Trials.Denoised {
		return ""
	}
	return ", or remove noise from the samples first (‹denoise=auto›)"
}

// noise reports whether the tangents are clearest in charts larger than a neighbourhood, with
// equal numbers of samples.
func noise(c Case) cause {
	charts := &c.Scores.Charts
	if !charts.Computed() || charts.TooThin(c.dim()) || c.Aside {
		return cause{}
	}
	least := charts.Flattest()
	if !(charts.Off[0] > minNoise && charts.Thinned[least] <= fallOfScale*charts.Off[0]) {
		return cause{}
	}
	return c.noisy(fmt.Sprintf("‹neighbors=%d› is too few for the noise: %s %.2g of the variance of %d samples (median), and %.2g of as many out of %d",
		c.Graph.MaxDegree(), directions(c.dim()), charts.Off[0], charts.Sizes[0], charts.Thinned[least], charts.Sizes[least]))
}

// noisy returns the cause that neighbourhoods are too small for the noise.
func (c *Case) noisy(text string) cause {
	tries := c.more()
	if c.denoising() != "" {
		tries = append([]Remedy{{Denoise: true}}, tries...)
	}
	return cause{text: text, advice: "take more" + c.denoising(), tries: tries}
}

// charted finds the causes that the charts of an uneven embedding show: directions or noise for which the
// embedding has no coordinate, weights with errors along the tangents, or a lost
// direction. A coordinate determined by few samples is explanation enough.
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

// larger returns the remedies for too few coordinates: a larger dimension, and no noise.
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

// unexplained returns the measurements if no cause was found.
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
