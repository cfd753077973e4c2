package extend

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// labelling are the kinds whose mappings give a label, the number of a cluster from 0, in
// place of coordinates. Their models have the number "clusters".
var labelling = map[string]bool{
	"centers":              true,
	"exemplars":            true,
	"nystrom-centers":      true,
	"pursuit-labels":       true,
	"same-codes":           true,
	"sparse-affine-labels": true,
}

// Labels tells whether the mapping of a kind gives labels.
func Labels(kind string) bool { return labelling[kind] }

// clustersNumber is the name of the number of clusters of a kind that gives labels.
const clustersNumber = "clusters"

// Clusters is the number of clusters of an extension that gives labels, 0 of another.
func (e *Extension) Clusters() int {
	if !Labels(e.Kind) {
		return 0
	}
	return int(min(max(e.Numbers[clustersNumber], 0), math.MaxInt32))
}

// labels returns the n labels of an array, whole numbers below that of the clusters.
func (e *Extension) labels(name string, n int) ([]float64, error) {
	clusters, err := e.number(clustersNumber, 1, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	if clusters != math.Trunc(clusters) {
		return nil, fmt.Errorf("model: the number %q of a %s model is %v, not a whole one", clustersNumber, e.Kind, clusters)
	}
	a, err := e.array(name, n, 1)
	if err != nil {
		return nil, err
	}
	list := mat.Col(nil, 0, a)
	for i, v := range list {
		if !(v >= 0 && v < clusters && v == math.Trunc(v)) {
			return nil, fmt.Errorf("model: entry %d (counting from 1) of the array %q is %v, which is no label of %g clusters", i+1, name, v, clusters)
		}
	}
	return list, nil
}

// column is a list of whole numbers as an array of one column.
func column[N int | int64](list []N) *mat.Dense {
	a := mat.NewDense(len(list), 1, nil)
	for i, v := range list {
		a.Set(i, 0, float64(v))
	}
	return a
}
