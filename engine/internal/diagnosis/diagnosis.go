// Package diagnosis says what speaks against an embedding, and looks for the cause.
// It measures, on few samples that are fixed by their index, and names only what it found.
package diagnosis

import (
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/quality"
)

// Case is a doubtful embedding with what it was made of.
type Case struct {
	patch.Local
	Patch  patch.Rule
	Y      *mat.Dense // the coordinates
	Values []float64  // their eigenvalues
	Bent   bool       // a coordinate is a function of an earlier one
	Aside  bool       // a coordinate is that of few samples
	Scores *quality.Scores
	Aim    quality.Aim
	Trials Trials
}

// dim is the number of coordinates.
func (c Case) dim() int {
	_, dim := c.Y.Dims()
	return dim
}

// mostCenters is the most samples that are looked at, and leastCenters the fewest, where
// there are this many; between them it is one of every centerShare, so that the diagnosis takes
// up to a tenth of a run.
const mostCenters, leastCenters, centerShare = 1000, 64, 64

// centers are the samples that are looked at, ascending.
func centers(n int) []int {
	return quality.Spread(n, max(leastCenters, min(mostCenters, n/centerShare)))
}

// Causes says what was found to be the cause, in this many parts of a sentence, or what was
// measured where nothing was, and lists the remedies. A cause that no remedy confirms is only
// suspected. O(Nk) for the graph, and what the patches and four spectra of at
// most 1000 samples take, and the trials.
func Causes(c Case) ([]string, []Offer, error) {
	if c.Graph == nil {
		return nil, nil, nil
	}
	list, err := causes(c)
	if err != nil {
		return nil, nil, err
	}
	t := &remedies{Case: &c}
	var found []string
	before := ""
	for _, of := range list {
		text, confirmed, err := t.advised(of)
		if err != nil {
			return nil, nil, err
		}
		word := "suspected: "
		switch {
		case text == "":
			continue
		case of.unnamed: // the remedy that helps names it
			word = ""
		case confirmed:
			word = "found: "
		}
		if word != before {
			text = word + text
		}
		found, before = append(found, text), word
	}
	return found, t.offers, nil
}

// causes are those that were found.
func causes(c Case) ([]cause, error) {
	var found []cause
	add := func(of cause) {
		if of.text != "" || of.advice != "" {
			found = append(found, of)
		}
	}
	neck, err := neck(c)
	if err != nil {
		return nil, err
	}
	add(neck)
	if c.Aim != quality.Lengths || c.X.Compressed() != nil || c.X.Absent() || c.Graph.Weight != nil {
		return found, nil // lists that were chosen by weights are no neighbourhoods
	}
	s, err := lookAround(c)
	if err != nil {
		return nil, err
	}
	gamma, err := gamma(c, s)
	if err != nil {
		return nil, err
	}
	add(gamma)
	of := noise(c)
	for _, look := range []func(Case) cause{s.cause, charted} {
		if of.text == "" {
			of = look(c)
		}
	}
	if of.text == "" && len(found) == 0 {
		of = s.unexplained(c)
	}
	add(of)
	return found, nil
}
