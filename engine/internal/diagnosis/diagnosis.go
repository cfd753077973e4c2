// Package diagnosis decides whether an embedding is doubtful, and searches for the cause.
// Its measurements use a small, fixed set of samples, and it names only causes that it found.
package diagnosis

import (
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/quality"
)

// Case is a doubtful embedding with the data from which it was made.
type Case struct {
	patch.Local
	Patch  patch.Rule
	Y      *mat.Dense // the coordinates
	Values []float64  // their eigenvalues
	Bent   bool       // a coordinate is a function of an earlier one
	Aside  bool       // a coordinate is determined by few samples
	Scores *quality.Scores
	Aim    quality.Aim
	Trials Trials
}

// dim returns the number of coordinates.
func (c Case) dim() int {
	_, dim := c.Y.Dims()
	return dim
}

// maxCenters and minCenters bound the number of examined samples; between them it is one of every
// centerShare samples, so that the diagnosis takes at most a tenth of the time of a
// run.
const maxCenters, minCenters, centerShare = 1000, 64, 64

// centers returns the examined samples, ascending.
func centers(n int) []int {
	return quality.Spread(n, max(minCenters, min(maxCenters, n/centerShare)))
}

// Causes returns the causes found, or the measurements if there are none, as parts of a sentence, and
// the remedies. A cause that no remedy confirms is only
// suspected. O(Nk) for the graph, plus the patches and four spectra of at
// most 1000 samples, plus the trials.
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

// causes returns the causes found.
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
		return found, nil // lists selected by weights are not neighbourhoods
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
