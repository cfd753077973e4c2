package measures

import (
	"fmt"
	"slices"
)

// contingency counts the samples of each class (row) in each cluster (column).
type contingency struct {
	classes, clusters int
	counts            []int // classes × clusters
	n                 int
}

// mostCells bounds the table (512 MiB): beyond it, labels are not labels.
const mostCells = 1 << 26

// contingencyOf counts two labellings of the same samples. Labels are any
// integers; only which are equal matters.
func contingencyOf(measure string, truth, predicted []int64) (contingency, error) {
	if len(truth) == 0 || len(truth) != len(predicted) {
		return contingency{}, fmt.Errorf("%s: %d labels and %d predictions, want one of each for every sample", measure, len(truth), len(predicted))
	}
	row, col := distinct(truth), distinct(predicted)
	if len(row) > mostCells/len(col) {
		return contingency{}, fmt.Errorf("%s: %d classes and %d clusters of %d samples; these do not look like labels", measure, len(row), len(col), len(truth))
	}
	c := contingency{len(row), len(col), make([]int, len(row)*len(col)), len(truth)}
	for i, t := range truth {
		r, _ := slices.BinarySearch(row, t)
		k, _ := slices.BinarySearch(col, predicted[i])
		c.counts[r*c.clusters+k]++
	}
	return c, nil
}

// distinct returns the labels that occur, ascending.
func distinct(labels []int64) []int64 {
	l := slices.Clone(labels)
	slices.Sort(l)
	return slices.Compact(l)
}

// margins returns the sizes of the classes and of the clusters.
func (c contingency) margins() (class, cluster []int) {
	class, cluster = make([]int, c.classes), make([]int, c.clusters)
	for i, v := range c.counts {
		class[i/c.clusters] += v
		cluster[i%c.clusters] += v
	}
	return class, cluster
}
