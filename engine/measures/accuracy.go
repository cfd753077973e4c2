package measures

// Accuracy is the share of samples that are clustered right under the best
// one-to-one matching of clusters to classes. Labels are any integers, and the
// numbers of classes and clusters may differ: what is left unmatched is wrong.
//
// Errors are about different or no numbers of labels, and more than 2²⁶ pairs of
// a class and a cluster. Time is O(n log n + r²s) for r ≤ s classes and
// clusters.
func Accuracy(truth, predicted []int64) (float64, error) {
	c, err := contingencyOf("acc", truth, predicted)
	if err != nil {
		return 0, err
	}
	return float64(c.matched()) / float64(c.n), nil
}

// Misclassification is 1 − [Accuracy] (Chen, Lv and Yi 2014).
func Misclassification(truth, predicted []int64) (float64, error) {
	c, err := contingencyOf("misclassification", truth, predicted)
	if err != nil {
		return 0, err
	}
	return float64(c.n-c.matched()) / float64(c.n), nil
}

// matched is the number of samples in the best matching.
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

// assign matches every row to a column of its own with the least total cost,
// for rows ≤ cols, by successive shortest augmenting paths with dual prices
// (the Hungarian method; Jonker and Volgenant 1987). Time O(rows²·cols), in
// whole numbers throughout.
func assign(rows, cols int, cost func(i, j int) int) []int {
	const far = int(^uint(0) >> 1)
	// Column cols is a source that holds the row to be placed next.
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
		for j != cols { // shift the holders along the path
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
