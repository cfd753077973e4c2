package extend

import (
	"slices"

	"github.com/orthant-go/orthant/engine/internal/patch"
)

// The weights of the nearest training samples of a new sample.
const (
	FuzzyWeights  = "fuzzy"  // membership strengths of [patch.Fuzzy]
	BinaryWeights = "binary" // 1 each
)

// NeighborLabels is the rule of a clustering of the neighbour graph: a new sample gets the label with the largest sum of weights
// among its k nearest training samples.
func NeighborLabels(k int, weights string) Rule[*Clustered] {
	return func(f Fit, s *Clustered) (*Extension, string, error) {
		return &Extension{Map: NeighborLabelsMap{f.nearest(k), Labels{s.Labels, s.Clusters}, weights}}, "", nil
	}
}

// NeighborLabelsMap gives a sample the label with the largest sum of weights among its nearest training samples, the lower one on ties.
// A sample that equals a training sample gets its label.
type NeighborLabelsMap struct {
	Searched
	Labels
	Weights string
}

// Kind returns "neighbor-labels".
func (NeighborLabelsMap) Kind() string { return "neighbor-labels" }

func (m NeighborLabelsMap) prepare(r Resources) (*Mapping, error) {
	s, err := m.search(r)
	if err != nil {
		return nil, err
	}
	return s.labelling(func() func(list []int32, distances []float64) int64 {
		weights, order := make([]float64, s.k), make([]int, s.k)
		return func(list []int32, distances []float64) int64 {
			return m.label(list, distances, weights[:len(list)], order[:len(list)])
		}
	}), nil
}

// label returns the label of a sample with these neighbours, by ascending distance.
func (m NeighborLabelsMap) label(list []int32, distances, weights []float64, order []int) int64 {
	if len(distances) > 0 && distances[0] == 0 {
		return m.Of[list[0]]
	}
	for a := range order {
		order[a], weights[a] = a, 1
	}
	if m.Weights == FuzzyWeights {
		patch.Fuzzy{Mix: 1}.List(distances, weights)
	}
	slices.SortFunc(order, func(a, b int) int {
		return int(m.Of[list[a]] - m.Of[list[b]])
	})
	best, most := int64(0), -1.0
	for from := 0; from < len(order); {
		own, sum := m.Of[list[order[from]]], 0.0
		for ; from < len(order) && m.Of[list[order[from]]] == own; from++ {
			sum += weights[order[from]]
		}
		if sum > most {
			best, most = own, sum
		}
	}
	return best
}
