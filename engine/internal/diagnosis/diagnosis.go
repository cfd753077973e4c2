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
	Try    Try // nil: no remedy can be tried
}

// dim is the number of coordinates.
func (c Case) dim() int {
	_, dim := c.Y.Dims()
	return dim
}

// mostCenters is the most samples that are looked at, and leastCenters the fewest, where
// there are so many; between them it is one of every centerShare, so that the diagnosis takes
// up to a tenth of a run.
const mostCenters, leastCenters, centerShare = 1000, 64, 64

// centers are the samples that are looked at, ascending.
func centers(n int) []int {
	return quality.Spread(n, max(leastCenters, min(mostCenters, n/centerShare)))
}

// Causes says what was found to be the cause, in so many parts of a sentence, or what was
// measured where nothing was. O(Nk) for the graph, and what the patches and four spectra of at
// most 1000 samples take.
func Causes(c Case) ([]string, error) {
	if c.Graph == nil {
		return nil, nil
	}
	var found []string
	add := func(cause string) {
		if cause != "" {
			found = append(found, cause)
		}
	}
	neck, err := neck(c)
	if err != nil {
		return nil, err
	}
	add(neck)
	if c.Aim != quality.Lengths || c.X.Compressed() != nil || c.X.Absent() || c.Graph.Weight != nil {
		if len(found) > 0 {
			found[0] = "found: " + found[0]
		}
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
	named := len(found) > 0 || of.text != ""
	if of.text == "" && !named {
		of = s.unexplained(c)
	}
	text, err := c.advised(of)
	if err != nil {
		return nil, err
	}
	add(text)
	if named {
		found[0] = "found: " + found[0]
	}
	return found, nil
}
