package measures

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/internal/suggest"
)

// Accuracy returns the share of samples that are clustered correctly under the best
// one-to-one matching of clusters to classes. Labels are arbitrary integers, and the
// numbers of classes and clusters may differ: samples of unmatched ones count as wrong.
//
// It returns an error if the numbers of labels differ or are zero, or for more than 2²⁶ pairs of
// a class and a cluster. Time is O(n log n + r²s) for r ≤ s classes and
// clusters.
func Accuracy(truth, predicted []int64) (float64, error) {
	c, err := contingencyOf("acc", truth, predicted)
	if err != nil {
		return 0, err
	}
	return float64(c.matched()) / float64(c.n), nil
}

// Misclassification returns 1 − [Accuracy] (Chen, Lv and Yi 2014).
func Misclassification(truth, predicted []int64) (float64, error) {
	c, err := contingencyOf("misclassification", truth, predicted)
	if err != nil {
		return 0, err
	}
	return float64(c.n-c.matched()) / float64(c.n), nil
}

// matched returns the number of samples in the best matching.
func (c contingency) matched() int {
	rows, cols, at := c.classes, c.clusters, func(i, j int) int { return c.counts[i*c.clusters+j] }
	if rows > cols {
		rows, cols, at = cols, rows, func(i, j int) int { return c.counts[j*c.clusters+i] }
	}
	total := 0
	for i, j := range assign(rows, cols, func(i, j int) int { return -at(i, j) }) {
		total += at(i, j)
	}
	return total
}

// assign matches every row to a different column with the least total cost,
// for rows ≤ cols, by successive shortest augmenting paths with dual prices
// (the Hungarian method; Jonker and Volgenant 1987). Time O(rows²·cols), in
// integers throughout.
func assign(rows, cols int, cost func(i, j int) int) []int {
	const far = int(^uint(0) >> 1)
	// Column cols is an artificial source that holds the next row to match.
	holder, from := make([]int, cols+1), make([]int, cols+1)
	rowPrice, colPrice := make([]int, rows), make([]int, cols+1)
	reach, done := make([]int, cols), make([]bool, cols+1)
	for j := range holder {
		holder[j] = -1
	}
	for row := range rows {
		holder[cols] = row
		for j := range reach {
			reach[j], done[j] = far, false
		}
		done[cols] = false
		j := cols
		for holder[j] >= 0 { // grow the tree until it reaches a free column
			done[j] = true
			i, next, delta := holder[j], -1, far
			for k := range reach {
				if done[k] {
					continue
				}
				if d := cost(i, k) - rowPrice[i] - colPrice[k]; d < reach[k] {
					reach[k], from[k] = d, j
				}
				if reach[k] < delta {
					next, delta = k, reach[k]
				}
			}
			for k := range done {
				switch {
				case done[k]:
					rowPrice[holder[k]] += delta
					colPrice[k] -= delta
				case k < cols:
					reach[k] -= delta
				}
			}
			j = next
		}
		for j != cols { // reassign the columns along the path
			holder[j] = holder[from[j]]
			j = from[j]
		}
	}
	match := make([]int, rows)
	for j, i := range holder[:cols] {
		if i >= 0 {
			match[i] = j
		}
	}
	return match
}

// Normalizations are the names that [NMI] knows.
var Normalizations = []string{"max", "min", "geometric", "arithmetic"}

// NMI returns the mutual information of two labellings of the same samples divided by the
// max, min, geometric or arithmetic mean of their entropies ("" means "max"):
// 1 for labellings that are equal up to names, 0 for independent ones. If
// the mean is 0, because a labelling has a single label, NMI is 1 if both have a single label
// and 0 otherwise.
//
// It returns an error for an unknown normalisation, and the errors of [Accuracy]. Time
// is O(n log n) and linear in the pairs of a class and a cluster.
func NMI(truth, predicted []int64, normalise string) (float64, error) {
	c, err := contingencyOf("nmi", truth, predicted)
	if err != nil {
		return 0, err
	}
	class, cluster := c.margins()
	if normalise == "" {
		normalise = "max"
	}
	over, err := meanEntropy("nmi", normalise, entropy(class, c.n), entropy(cluster, c.n))
	if err != nil {
		return 0, err
	}
	if c.classes == 1 || c.clusters == 1 {
		if c.classes == c.clusters {
			return 1, nil
		}
		return 0, nil
	}
	return math.Min(math.Max(c.information(class, cluster)/over, 0), 1), nil
}

// meanEntropy returns a mean of two entropies.
func meanEntropy(measure, normalise string, h, k float64) (float64, error) {
	switch normalise {
	case "max":
		return math.Max(h, k), nil
	case "min":
		return math.Min(h, k), nil
	case "geometric":
		return math.Sqrt(h) * math.Sqrt(k), nil
	case "arithmetic":
		return (h + k) / 2, nil
	}
	return 0, fmt.Errorf("%s: unknown normalisation %q%s, want %s",
		measure, normalise, suggest.Hint(normalise, Normalizations), strings.Join(Normalizations, ", "))
}

// information returns the mutual information, given the margins.
func (c contingency) information(class, cluster []int) float64 {
	mutual, n := 0.0, float64(c.n)
	for i, v := range c.counts {
		if v > 0 {
			expected := float64(class[i/c.clusters]) * float64(cluster[i%c.clusters])
			mutual += float64(v) / n * math.Log(float64(v)*n/expected)
		}
	}
	return mutual
}

// entropy returns −Σ (s/n) ln(s/n), with every s > 0.
func entropy(sizes []int, n int) float64 {
	h := 0.0
	for _, s := range sizes {
		p := float64(s) / float64(n)
		h -= p * math.Log(p)
	}
	return h
}

// contingency counts the samples of each class (row) in each cluster (column).
type contingency struct {
	classes, clusters int
	counts            []int // classes × clusters
	n                 int
}

// maxCells bounds the table (512 MiB): larger ones suggest that the numbers are not labels.
const maxCells = 1 << 26

// contingencyOf counts two labellings of the same samples. Labels are arbitrary
// integers.
func contingencyOf(measure string, truth, predicted []int64) (contingency, error) {
	if len(truth) == 0 || len(truth) != len(predicted) {
		return contingency{}, fmt.Errorf("%s: %d labels and %d predictions, want one of each for every sample", measure, len(truth), len(predicted))
	}
	row, col := distinct(truth), distinct(predicted)
	if len(row) > maxCells/len(col) {
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
