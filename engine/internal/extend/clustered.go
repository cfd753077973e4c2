package extend

import (
	"maps"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/solve"
)

// Clustered is what a clustering by the spectrum of a similarity graph found.
type Clustered struct {
	Labels   []int64 // of the training samples
	Clusters int

	// Rows are those of the leading eigenvectors of the random walk D⁻¹W, n × clusters,
	// scaled to unit length but for zeros, as k-means saw them; Lengths what they were scaled
	// by, and Values 1 less the eigenvalues.
	Rows    *mat.Dense
	Lengths []float64
	Values  []float64
	Centers *mat.Dense // of these rows
	Order   []int      // the labels of the centres in the order in which ties are broken
}

// ByCode is the rule of clusterings whose graph joins each sample to the ones that it is
// written by: a new sample is written in the same way, and gets the label with the largest
// sum of weights. The rule is that of an embedding by the same graph.
func ByCode(rule Rule[*solve.Solution]) Rule[*Clustered] {
	return func(f Fit, s *Clustered) (*Extension, string, error) {
		e, reason, err := rule(f, &solve.Solution{})
		if e == nil || err != nil {
			return nil, reason, err
		}
		of := &Extension{Kind: e.Kind + "-labels", Arrays: maps.Clone(e.Arrays), Numbers: maps.Clone(e.Numbers), Compressed: e.Compressed}
		delete(of.Arrays, "embedding")
		of.Arrays["labels"], of.Numbers[clustersNumber] = column(s.Labels), float64(s.Clusters)
		return of, reason, err
	}
}

func newPursuitLabels(e *Extension, r Resources) (*Mapping, error) {
	s, err := newSearched(e, r)
	if err != nil {
		return nil, err
	}
	c, err := e.pursued(s)
	if err != nil {
		return nil, err
	}
	return e.labelled(s, c)
}

func newSparseAffineLabels(e *Extension, r Resources) (*Mapping, error) {
	s, err := newSearched(e, r)
	if err != nil {
		return nil, err
	}
	c, err := e.sparselyCoded(s)
	if err != nil {
		return nil, err
	}
	return e.labelled(s, c)
}
